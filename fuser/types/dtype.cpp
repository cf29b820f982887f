#include "fuser/types/dtype.h"

#include <limits>
#include <type_traits>

namespace fuser {
namespace {

enum class Use : uint8_t { Computed, Stored };

struct Row {
  DataType dtype;
  std::string_view text;
  size_t size;
  bool isUnsigned;
  Category category;
  std::string_view code;
  std::string_view pytorch;
  Use use;
};

template <class T>
constexpr bool kIsUnsigned = std::is_unsigned_v<T> && !std::is_same_v<T, bool>;

constexpr Row kRows[] = {
#define DTYPE(name, text, storage, category, code, pytorch, use) \
  {DataType::name, text, sizeof(storage), kIsUnsigned<storage>, Category::category, code, pytorch, Use::use},
#include "fuser/types/dtype.def"
#undef DTYPE
};

const Row& row(DataType dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view dtypeName(DataType dtype) { return row(dtype).text; }
std::string_view dtypeCodeName(DataType dtype) { return row(dtype).code; }
size_t dtypeSize(DataType dtype) { return row(dtype).size; }
std::string_view pytorchName(DataType dtype) { return row(dtype).pytorch; }
Category category(DataType dtype) { return row(dtype).category; }
IntegerRange integerRange(DataType dtype) {
  FUSER_CHECK(!isFloating(dtype), dtype, " is no dtype of integers");
  return dispatch(dtype, []<class T>() -> IntegerRange {
    if constexpr (std::is_integral_v<T>) {
      return {static_cast<int64_t>(std::numeric_limits<T>::min()), static_cast<int64_t>(std::numeric_limits<T>::max())};
    }
    return {};
  });
}
FloatFormat floatFormat(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return {11, 52, true, std::numeric_limits<double>::max()};
    case DataType::Float: return {8, 23, true, std::numeric_limits<float>::max()};
    case DataType::Half: return {5, 10, true, 65504};
    case DataType::BFloat16: return {8, 7, true, 0x1.FEp127};
    case DataType::Float8E4M3: return {4, 3, false, 448};
    case DataType::Float8E5M2: return {5, 2, true, 57344};
    default: break;
  }
  FUSER_CHECK(false, dtype, " is no dtype of floats");
}
bool isUnsigned(DataType dtype) { return row(dtype).isUnsigned; }
bool isStored(DataType dtype) { return row(dtype).use == Use::Stored; }

std::optional<DataType> dtypeFromName(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (candidate.text == name) return candidate.dtype;
  }
  return std::nullopt;
}

std::optional<DataType> bitsDtype(DataType dtype) {
  if (isFloating(dtype)) return dtype == DataType::Double ? DataType::Int64 : DataType::Int32;
  if (dtype == DataType::Int64) return DataType::Double;
  if (dtype == DataType::Int32) return DataType::Float;
  return std::nullopt;
}

DataType computeType(DataType dtype) { return isNarrowFloat(dtype) ? DataType::Float : dtype; }

std::optional<DataType> commonType(DataType a, DataType b) {
  if (a == b) return a;
  if (isStored(a) || isStored(b)) {
    const DataType stored = isStored(a) ? a : b, other = isStored(a) ? b : a;
    return !isFloating(stored) && isFloating(other) && !isStored(other) ? std::optional(other) : std::nullopt;
  }
  if (category(a) != category(b)) return category(a) < category(b) ? b : a;
  // Neither f16 nor bf16 contains the other, and neither i8 nor u8; both convert to the next wider one exactly.
  if (dtypeSize(a) == dtypeSize(b)) return isFloating(a) ? DataType::Float : DataType::Int16;
  return dtypeSize(a) < dtypeSize(b) ? b : a;
}

DataType promoteTypes(DataType a, DataType b) {
  const std::optional<DataType> common = commonType(a, b);
  FUSER_USER_CHECK(common, a, " and ", b, " have no common dtype, as in PyTorch: cast one of them");
  return *common;
}

}  // namespace fuser
