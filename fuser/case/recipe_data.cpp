#include "fuser/case/recipe_data.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "fuser/case/philox.h"

namespace fuser {
namespace {

// The largest n such that f64 represents every integer in [-n, n].
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr uint32_t kSpecialBlock = 3;

// Of floats and i64 as far as f64 has all integers.
bool isWithinExactIntegers(DataType dtype) { return category(dtype) == Category::Int && dtype != DataType::Int64; }

double largestInteger(DataType dtype) {
  return isWithinExactIntegers(dtype) ? static_cast<double>(integerRange(dtype).most) : kExactIntegers;
}

double smallestInteger(DataType dtype) {
  return isWithinExactIntegers(dtype) ? static_cast<double>(integerRange(dtype).least) : -kExactIntegers;
}

PhiloxBlock drawBlock(uint64_t seed, uint64_t index, uint32_t block) {
  return philox4x32({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), block, 0},
                    {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

uint64_t draw64(const PhiloxBlock& block) { return (static_cast<uint64_t>(block[0]) << 32) | block[1]; }

double drawNormal(uint64_t seed, uint64_t index) {
  int64_t sum = -6 * static_cast<int64_t>(0xffffffffu);
  for (uint32_t k = 0; k < 3; ++k) {
    for (uint32_t word : drawBlock(seed, index, k)) sum += word;
  }
  return static_cast<double>(sum) * 0x1p-32;
}

double drawUniform(const Recipe& recipe, uint64_t index) {
  const double unit = static_cast<double>(draw64(drawBlock(recipe.seed, index, 0)) >> 11) * 0x1p-53;
  const double width = recipe.high - recipe.low;
  const double scaled = width * unit;  // its own statement: two roundings, never one
  return recipe.low + scaled;
}

int64_t drawInteger(const Recipe& recipe, uint64_t index) {
  const auto low = static_cast<int64_t>(recipe.low);
  const auto width = static_cast<uint64_t>(static_cast<int64_t>(recipe.high) - low);
  const auto scaled = static_cast<unsigned __int128>(draw64(drawBlock(recipe.seed, index, 0))) * width;
  return low + static_cast<int64_t>(static_cast<uint64_t>(scaled >> 64));
}

// Entry `choice` of special(seed)'s list for a floating type, as bits.
uint64_t specialBits(const FloatFormat& format, uint32_t choice, bool negative) {
  const int m = format.fractionBits;
  const uint64_t bias = (uint64_t{1} << (format.exponentBits - 1)) - 1;
  const uint64_t highest = ((uint64_t{1} << format.exponentBits) - 1) << m;
  // Without infinities all bits but the sign make the only NaN.
  const uint64_t nan = format.hasInfinities ? highest | (uint64_t{1} << (m - 1)) : highest + (uint64_t{1} << m) - 1;
  const uint64_t largest = format.hasInfinities ? highest - 1 : nan - 1;
  const uint64_t infinity = format.hasInfinities ? highest : largest;
  const uint64_t list[] = {
      0,
      1,
      (uint64_t{1} << m) - 1,
      uint64_t{1} << m,
      bias << m,
      (bias << m) + 1,
      (bias - 1) << m,
      (bias + 1) << m,
      largest,
      infinity,
      nan,
  };
  const uint64_t bits = list[choice % std::size(list)];
  return bits | (negative && bits != nan ? uint64_t{1} << (m + format.exponentBits) : 0);
}

template <class T>
T specialInteger(uint32_t choice, bool negative) {
  constexpr T kMax = std::numeric_limits<T>::max();
  constexpr T kMin = std::numeric_limits<T>::min();
  const T list[] = {0, 1, 2, kMax, kMax - 1, kMin};
  const T value = list[choice % std::size(list)];
  return negative && value != kMin && std::is_signed_v<T> ? static_cast<T>(-value) : value;
}

// Round half to even. Unlike std::nearbyint, it does not depend on the current rounding mode.
double roundToEven(double value) {
  const double whole = std::floor(value);
  const double rest = value - whole;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0);
  return up ? whole + 1 : whole;
}

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
T fromDouble(double value) {
  if constexpr (kIsInteger<T>) return convert<T>(roundToEven(value));
  return convert<T>(value);
}

template <class T>
T specialElement(uint64_t seed, uint64_t index) {
  const PhiloxBlock choice = drawBlock(seed, index, kSpecialBlock);
  const bool ordinary = (choice[0] >> 31) == 0;
  const bool negative = (choice[2] & 1) != 0;
  if constexpr (kIsInteger<T>) {
    return ordinary ? fromDouble<T>(8 * drawNormal(seed, index)) : specialInteger<T>(choice[1], negative);
  } else {
    if (ordinary) return fromDouble<T>(drawNormal(seed, index));
    const uint64_t bits = specialBits(floatFormat(DataTypeOf<T>::value), choice[1], negative);
    T value;
    std::memcpy(&value, &bits, sizeof value);  // little-endian: the low bytes
    return value;
  }
}

template <class T>
T element(const Recipe& recipe, uint64_t index) {
  switch (recipe.kind) {
    case RecipeKind::Integers: return convert<T>(drawInteger(recipe, index));
    case RecipeKind::Values: return recipe.values[recipe.values.size() == 1 ? 0 : index].as<T>();
    case RecipeKind::Normal:
    case RecipeKind::Uniform:
    case RecipeKind::Special: break;
    case RecipeKind::View: FUSER_CHECK(false, "a view has no elements of its own");
  }
  if constexpr (std::is_same_v<T, bool>) {
    return (drawBlock(recipe.seed, index, 0)[0] >> 31) != 0;
  } else {
    if (recipe.kind == RecipeKind::Normal) return fromDouble<T>(drawNormal(recipe.seed, index));
    if (recipe.kind == RecipeKind::Uniform) return fromDouble<T>(drawUniform(recipe, index));
    return specialElement<T>(recipe.seed, index);
  }
}

void checkPeak(const Peak& peak, DataType dtype) {
  FUSER_USER_CHECK(peak.axis >= kAllAxes && peak.axis < kMaxRank, "a peak along axis ", peak.axis);
  if (isFloating(dtype)) return;
  FUSER_USER_CHECK(std::isfinite(peak.value), "a peak of ", peak.value, " is no number of ", dtype);
  const double limit = dtype == DataType::Bool ? 1 : largestInteger(dtype);
  FUSER_USER_CHECK(peak.value >= (dtype == DataType::Bool ? 0 : smallestInteger(dtype)) && peak.value <= limit &&
                       peak.value == std::floor(peak.value),
                   "a peak of ", peak.value, " is no number of ", dtype);
}

}  // namespace

void checkRecipe(const Recipe& recipe, DataType dtype) {
  if (recipe.peak) checkPeak(*recipe.peak, dtype);
  if (recipe.kind != RecipeKind::Uniform && recipe.kind != RecipeKind::Integers) return;
  const bool integers = recipe.kind == RecipeKind::Integers;
  const std::string_view name = integers ? "integers" : "uniform";
  FUSER_USER_CHECK(std::isfinite(recipe.low) && std::isfinite(recipe.high) && std::isfinite(recipe.high - recipe.low),
                   name, "(low = ", recipe.low, ", high = ", recipe.high,
                   "): both ends and their distance must be finite");
  if (integers) {
    FUSER_USER_CHECK(recipe.low < recipe.high, name, "(low = ", recipe.low, ", high = ", recipe.high,
                     "): high is excluded and must be above low");
  } else {
    FUSER_USER_CHECK(recipe.low <= recipe.high, name, "(low = ", recipe.low, ", high = ", recipe.high,
                     "): high must not be below low");
  }
  if (!integers && category(dtype) != Category::Int) return;
  const double limit = largestInteger(dtype);
  const double last = integers ? recipe.high - 1 : recipe.high;
  const double least = smallestInteger(dtype);
  FUSER_USER_CHECK(recipe.low >= least && last <= limit, name, "(low = ", recipe.low, ", high = ", recipe.high,
                   "): outside of what ", dtype, " takes here, [", least, ", ", limit, "]");
  FUSER_USER_CHECK(!integers || (recipe.low == std::floor(recipe.low) && recipe.high == std::floor(recipe.high)), name,
                   "(low = ", recipe.low, ", high = ", recipe.high, "): both ends must be whole numbers");
}

void writeElement(const Recipe& recipe, DataType dtype, uint64_t index, std::byte* to) {
  dispatch(dtype, [&]<class T>() {
    const T value = element<T>(recipe, index);
    std::memcpy(to, &value, sizeof value);
  });
}

void writeNumber(double value, DataType dtype, std::byte* to) {
  dispatch(dtype, [&]<class T>() {
    const T number = fromDouble<T>(value);
    std::memcpy(to, &number, sizeof number);
  });
}

ScalarValue hostElement(const TensorInput& input) {
  FUSER_USER_CHECK(input.recipe.kind != RecipeKind::View, "a tensor on the host is not a view of another");
  alignas(8) std::byte element[8];
  writeElement(input.recipe, input.dtype, 0, element);
  return elementAt(input.dtype, element);
}

std::byte poisonByte(DataType dtype) { return std::byte{isFloating(dtype) ? uint8_t{0xff} : uint8_t{0x5a}}; }

}  // namespace fuser
