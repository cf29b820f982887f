// Recipes -> bytes: Philox's published vectors, fixed values of every recipe, layouts, poison, limits.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "fuser/case/case.h"
#include "fuser/case/philox.h"
#include "fuser/case/recipe_data.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// Random123's kat_vectors, "philox4x32 10".
TEST(PhiloxTest, GivesThePublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

Recipe recipe(RecipeKind kind, uint64_t seed, double low = 0, double high = 1) {
  Recipe recipe;
  recipe.kind = kind;
  recipe.seed = seed;
  recipe.low = low;
  recipe.high = high;
  return recipe;
}

// A case whose one input x has the given sizes; axes of size 1 are broadcast axes.
struct OneInput {
  Case testCase;
  Run run;

  OneInput(DataType dtype, const Dims& sizes, Recipe with) {
    testCase.fusion = std::make_unique<Fusion>("f");
    Fusion& fusion = *testCase.fusion;
    std::vector<IntExpr> extents;
    for (int64_t size : sizes) {
      extents.push_back(size == 1 ? fusion.ints().constant(1)
                                  : fusion.extentSymbol("i" + std::to_string(extents.size())));
    }
    build::input(fusion, dtype, extents, "x");
    TensorInput input;
    input.recipe = std::move(with);
    input.dtype = dtype;
    input.sizes = sizes;
    run.inputs.push_back({"x", input});
  }
  TensorInput& input() { return std::get<TensorInput>(run.inputs[0].value); }
  TensorData data(size_t maxBytes = size_t{1} << 31) const {
    return materialize(testCase, run, maxBytes).tensors.at(0);
  }
};

template <class T>
std::vector<T> elements(const TensorData& data) {
  std::vector<T> out(static_cast<size_t>(numel(data.ref.sizes)));
  const Dims logical = contiguousStrides(data.ref.sizes);
  for (size_t index = 0; index < out.size(); ++index) {
    int64_t place = 0;
    for (size_t axis = 0; axis < logical.size(); ++axis) {
      place += static_cast<int64_t>(index) / logical[axis] % data.ref.sizes[axis] * data.ref.strides[axis];
    }
    std::memcpy(&out[index], static_cast<const std::byte*>(data.ref.data) + place * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
  }
  return out;
}

std::string rejection(const OneInput& one, size_t maxBytes = size_t{1} << 31) {
  try {
    one.data(maxBytes);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// The definitions in recipe_data.h, written once more.
TEST(RecipeTest, FollowsItsDefinition) {
  const uint64_t seed = 0x123456789abcdef0;
  const auto block = [&](uint32_t e, uint32_t k) { return philox4x32({e, 0, k, 0}, {0x9abcdef0, 0x12345678}); };
  const std::vector<double> normal =
      elements<double>(OneInput(DataType::Double, {5}, recipe(RecipeKind::Normal, seed)).data());
  const std::vector<double> uniform =
      elements<double>(OneInput(DataType::Double, {5}, recipe(RecipeKind::Uniform, seed, -2, 6)).data());
  const std::vector<int64_t> integers =
      elements<int64_t>(OneInput(DataType::Int64, {5}, recipe(RecipeKind::Integers, seed, -3, 4)).data());
  for (uint32_t e = 0; e < 5; ++e) {
    double sum = 0;
    for (uint32_t k = 0; k < 3; ++k) {
      for (uint32_t word : block(e, k)) sum += word;
    }
    EXPECT_EQ(normal[e], (sum - 6.0 * 4294967295.0) / 4294967296.0);
    const uint64_t draw = (uint64_t{block(e, 0)[0]} << 32) | block(e, 0)[1];
    EXPECT_EQ(uniform[e], -2 + 8 * (static_cast<double>(draw >> 11) / 9007199254740992.0));
    EXPECT_EQ(integers[e], -3 + static_cast<int64_t>((static_cast<unsigned __int128>(draw) * 7) >> 64));
  }
}

// Changing one of these breaks every stored case: raise kRecipeVersion instead.
TEST(RecipeTest, KeepsItsValuesAcrossVersions) {
  EXPECT_EQ(kRecipeVersion, "philox4x32-10/1");
  EXPECT_EQ(elements<double>(OneInput(DataType::Double, {2}, recipe(RecipeKind::Uniform, 1)).data()),
            (std::vector<double>{0.8902591729757107, 0.6719982688953429}));
  EXPECT_EQ(elements<float>(OneInput(DataType::Float, {2}, recipe(RecipeKind::Normal, 1)).data()),
            (std::vector<float>{-0x1.ece77c0000000p-3f, 0x1.d3d39a0000000p-1f}));
  EXPECT_EQ(elements<int32_t>(OneInput(DataType::Int32, {4}, recipe(RecipeKind::Integers, 1, 0, 100)).data()),
            (std::vector<int32_t>{89, 67, 24, 75}));
}

TEST(RecipeTest, NormalHasMeanZeroAndDeviationOne) {
  const std::vector<double> values =
      elements<double>(OneInput(DataType::Double, {20000}, recipe(RecipeKind::Normal, 7)).data());
  double sum = 0, squares = 0;
  for (double value : values) sum += value, squares += value * value;
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.03);
}

TEST(RecipeTest, IntegersCoverTheirRangeAndNothingElse) {
  const std::vector<int64_t> values =
      elements<int64_t>(OneInput(DataType::Int64, {200}, recipe(RecipeKind::Integers, 7, -2, 3)).data());
  EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()), (std::set<int64_t>{-2, -1, 0, 1, 2}));
}

TEST(RecipeTest, BoolIsAFairCoinOrTheTruthOfIntegers) {
  const std::vector<uint8_t> coin =
      elements<uint8_t>(OneInput(DataType::Bool, {2000}, recipe(RecipeKind::Uniform, 3)).data());
  EXPECT_NEAR(static_cast<double>(std::count(coin.begin(), coin.end(), 1)), 1000, 100);
  EXPECT_EQ(std::count(coin.begin(), coin.end(), 0) + std::count(coin.begin(), coin.end(), 1), 2000);
  const std::vector<uint8_t> truth =
      elements<uint8_t>(OneInput(DataType::Bool, {100}, recipe(RecipeKind::Integers, 3, 1, 5)).data());
  EXPECT_EQ(std::count(truth.begin(), truth.end(), 1), 100);
}

template <class T>
void expectSpecialFloats() {
  const std::vector<T> values =
      elements<T>(OneInput(DataTypeOf<T>::value, {2000}, recipe(RecipeKind::Special, 5)).data());
  using Limits = std::numeric_limits<T>;
  const auto count = [&](auto&& predicate) { return std::count_if(values.begin(), values.end(), predicate); };
  EXPECT_GT(count([](T x) { return std::isnan(x); }), 40);
  for (T sign : {T{1}, T{-1}}) {
    for (T magnitude : {T{0}, Limits::denorm_min(), Limits::min(), std::nextafter(Limits::min(), T{0}), T{1},
                        std::nextafter(T{1}, T{2}), T{0.5}, T{2}, Limits::max(), Limits::infinity()}) {
      const T wanted = std::copysign(magnitude, sign);
      EXPECT_GT(count([&](T x) { return x == wanted && std::signbit(x) == std::signbit(wanted); }), 20) << wanted;
    }
  }
  EXPECT_GT(count([](T x) { return std::isfinite(x) && x != 0 && std::abs(x) < 6 && std::abs(x) > T{1e-6}; }), 900);
}

TEST(RecipeTest, SpecialHoldsEveryExtremeOfAFloat) {
  expectSpecialFloats<double>();
  expectSpecialFloats<float>();
}

TEST(RecipeTest, SpecialHoldsEveryExtremeOfA16BitFloat) {
  const auto bits = [](DataType dtype) {
    const std::vector<uint16_t> values =
        elements<uint16_t>(OneInput(dtype, {2000}, recipe(RecipeKind::Special, 5)).data());
    return std::set<uint16_t>(values.begin(), values.end());
  };
  const std::set<uint16_t> half = bits(DataType::Half);
  for (int wanted : {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0x3c01, 0x3800, 0x4000,
                     0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00}) {
    EXPECT_TRUE(half.count(static_cast<uint16_t>(wanted))) << std::hex << wanted;
  }
  const std::set<uint16_t> bfloat = bits(DataType::BFloat16);
  for (int wanted : {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x3f80, 0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0}) {
    EXPECT_TRUE(bfloat.count(static_cast<uint16_t>(wanted))) << std::hex << wanted;
  }
}

TEST(RecipeTest, SpecialHoldsTheExtremesOfIntegers) {
  const std::vector<int32_t> values =
      elements<int32_t>(OneInput(DataType::Int32, {500}, recipe(RecipeKind::Special, 5)).data());
  const std::set<int32_t> seen(values.begin(), values.end());
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  for (int32_t wanted : {0, 1, -1, 2, -2, kMax, -kMax, kMax - 1, 1 - kMax, std::numeric_limits<int32_t>::min()}) {
    EXPECT_TRUE(seen.count(wanted)) << wanted;
  }
}

TEST(RecipeTest, ValuesAreConvertedInLogicalOrder) {
  Recipe values = recipe(RecipeKind::Values, 0);
  values.values = {1.5, int64_t{2}, true, -0.0};
  EXPECT_EQ(elements<float>(OneInput(DataType::Float, {2, 2}, values).data()), (std::vector<float>{1.5f, 2, 1, -0.0f}));
  values.values.pop_back();
  EXPECT_EQ(rejection(OneInput(DataType::Float, {2, 2}, values)), "%x: 3 values for 4 elements");
}

TEST(RecipeTest, APeakIsAllElementsWithItsIndexAndNoOthers) {
  Recipe peaked = recipe(RecipeKind::Normal, 1);
  const std::vector<float> plain = elements<float>(OneInput(DataType::Float, {2, 3}, peaked).data());
  const auto withPeak = [&](int64_t axis, int64_t index) {
    peaked.peak = Peak{6, axis, index};
    return elements<float>(OneInput(DataType::Float, {2, 3}, peaked).data());
  };
  EXPECT_EQ(withPeak(1, 0), (std::vector<float>{6, plain[1], plain[2], 6, plain[4], plain[5]}));
  EXPECT_EQ(withPeak(1, -1), (std::vector<float>{plain[0], plain[1], 6, plain[3], plain[4], 6}));
  EXPECT_EQ(withPeak(0, 1), (std::vector<float>{plain[0], plain[1], plain[2], 6, 6, 6}));
  EXPECT_EQ(withPeak(1, 3), plain);
  EXPECT_EQ(withPeak(0, -3), plain);
  EXPECT_EQ(withPeak(kAllAxes, 4), (std::vector<float>{plain[0], plain[1], plain[2], plain[3], 6, plain[5]}));
  EXPECT_EQ(withPeak(kAllAxes, -1), (std::vector<float>{plain[0], plain[1], plain[2], plain[3], plain[4], 6}));
  EXPECT_EQ(withPeak(kAllAxes, 6), plain);
  peaked.peak = Peak{std::numeric_limits<double>::quiet_NaN(), kAllAxes, 0};
  EXPECT_TRUE(std::isnan(elements<float>(OneInput(DataType::Float, {2, 3}, peaked).data()).front()));
  EXPECT_EQ(rejection(OneInput(DataType::Int8, {2, 3}, peaked)), "a peak of nan is no number of i8");
  peaked.peak = Peak{6, 2, 0};
  EXPECT_EQ(rejection(OneInput(DataType::Float, {2, 3}, peaked)), "%x has 2 axes, and a peak along axis 2");
  peaked.peak = Peak{0.5, 0, 0};
  EXPECT_EQ(rejection(OneInput(DataType::Int8, {2, 3}, peaked)), "a peak of 0.5 is no number of i8");
}

TEST(MaterializeTest, DataDoesNotDependOnTheLayout) {
  OneInput plain(DataType::Float, {3, 4}, recipe(RecipeKind::Normal, 1));
  OneInput other = OneInput(DataType::Float, {3, 4}, recipe(RecipeKind::Normal, 1));
  other.input().strides = Dims{1, 7};
  other.input().offset = 3;
  EXPECT_EQ(elements<float>(plain.data()), elements<float>(other.data()));
  EXPECT_EQ(elements<float>(plain.data()), elements<float>(plain.data()));
  OneInput seeded(DataType::Float, {3, 4}, recipe(RecipeKind::Normal, 2));
  EXPECT_NE(elements<float>(plain.data()), elements<float>(seeded.data()));
}

TEST(MaterializeTest, ElementDependsOnItsIndexAloneNotOnTheSize) {
  const std::vector<float> small =
      elements<float>(OneInput(DataType::Float, {3}, recipe(RecipeKind::Special, 9)).data());
  const std::vector<float> large =
      elements<float>(OneInput(DataType::Float, {30}, recipe(RecipeKind::Special, 9)).data());
  EXPECT_EQ(std::memcmp(small.data(), large.data(), 3 * sizeof(float)), 0);
}

TEST(MaterializeTest, FillsGapsWithPoison) {
  for (DataType dtype : kAllDataTypes) {
    Recipe ones = recipe(RecipeKind::Values, 0);
    ones.values = {int64_t{1}, int64_t{1}};
    OneInput one(dtype, {2}, ones);
    one.input().strides = Dims{3};
    one.input().offset = 2;
    const TensorData data = one.data();
    const size_t size = dtypeSize(dtype);
    EXPECT_EQ(static_cast<std::byte*>(data.ref.data), data.memory.get() + 2 * size);
    EXPECT_GE(data.bytes, 6 * size + 64);
    for (size_t byte = 0; byte < data.bytes; ++byte) {
      const size_t element = byte / size;
      if (element == 2 || element == 5) continue;
      ASSERT_EQ(data.memory[static_cast<ptrdiff_t>(byte)], poisonByte(dtype)) << dtype << " byte " << byte;
    }
  }
}

TEST(MaterializeTest, AlignsTheFirstElement) {
  OneInput one(DataType::Half, {5}, recipe(RecipeKind::Normal, 1));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(one.data().ref.data) % 64, 0u);
  one.input().offset = 1;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(one.data().ref.data) % 64, 2u);
}

TEST(MaterializeTest, DefaultStridesFollowTheInputsAllocationOrder) {
  OneInput one(DataType::Float, {3, 4}, recipe(RecipeKind::Normal, 1));
  EXPECT_EQ(one.data().ref.strides, (Dims{4, 1}));
  one.testCase.fusion->inputs()[0]->as<TensorView>()->domain().allocationOrder = {1, 0};
  EXPECT_EQ(one.data().ref.strides, (Dims{1, 3}));
}

TEST(MaterializeTest, ExpandedAxisIsStoredOnce) {
  OneInput one(DataType::Float, {2, 3}, recipe(RecipeKind::Normal, 1));
  Fusion& fusion = *(one.testCase.fusion = std::make_unique<Fusion>());
  TensorDomain domain;
  domain.logical = {fusion.newIterDomain(IterType::Iteration, fusion.extentSymbol("i0")),
                    fusion.newIterDomain(IterType::Broadcast, fusion.ints().constant(1), fusion.extentSymbol("i1"))};
  fusion.addInput(fusion.newTensor(DataType::Float, std::move(domain), "x"));
  const TensorData data = one.data();
  EXPECT_EQ(data.ref.strides, (Dims{1, 0}));
  // Elements that share memory hold what the last of them drew.
  const std::vector<float> all =
      elements<float>(OneInput(DataType::Float, {2, 3}, recipe(RecipeKind::Normal, 1)).data());
  EXPECT_EQ(elements<float>(data), (std::vector<float>{all[2], all[2], all[2], all[5], all[5], all[5]}));
}

TEST(MaterializeTest, OverlappingElementsHoldTheLast) {
  Recipe values = recipe(RecipeKind::Values, 0);
  values.values = {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{4}};
  OneInput one(DataType::Int64, {2, 2}, values);
  one.input().strides = Dims{1, 1};
  EXPECT_EQ(elements<int64_t>(one.data()), (std::vector<int64_t>{1, 3, 3, 4}));
}

TEST(MaterializeTest, EmptyAndRankZeroTensors) {
  EXPECT_EQ(elements<float>(OneInput(DataType::Float, {3, 0}, recipe(RecipeKind::Normal, 1)).data()).size(), 0u);
  EXPECT_EQ(elements<float>(OneInput(DataType::Float, {}, recipe(RecipeKind::Normal, 1)).data()).size(), 1u);
}

TEST(MaterializeTest, RejectsWhatDoesNotFitTheInput) {
  OneInput one(DataType::Float, {3, 4}, recipe(RecipeKind::Normal, 1));
  one.input().dtype = DataType::Half;
  EXPECT_EQ(rejection(one), "%x is f32 in the fusion, and f16 in the run");
  one.input().dtype = DataType::Float;
  one.input().sizes = {3};
  EXPECT_EQ(rejection(one), "%x has rank 2, the run gives sizes [3]");
  one.input().sizes = {3, -1};
  EXPECT_EQ(rejection(one), "%x: size -1 is negative");
  one.input().sizes = {3, 4};
  one.input().strides = Dims{4, -1};
  EXPECT_EQ(rejection(one), "%x: stride -1 is negative");
  one.input().strides = Dims{4};
  EXPECT_EQ(rejection(one), "%x: strides [4] for sizes [3, 4]");
  one.run.inputs[0].value = ScalarValue(1.0);
  EXPECT_EQ(rejection(one), "%x is a tensor, and the run has the other kind of value");
  one.run.inputs[0].name = "y";
  EXPECT_EQ(rejection(one), "input 0 is %x, the run gives %y");
  one.run.inputs.clear();
  EXPECT_EQ(rejection(one), "the fusion has 1 inputs, the run gives 0");
}

// None of these may take memory: some could not.
TEST(MaterializeTest, ChecksLimitsBeforeAllocating) {
  OneInput one(DataType::Double, {2, 2}, recipe(RecipeKind::Normal, 1));
  const int64_t huge = std::numeric_limits<int64_t>::max();
  one.input().sizes = {huge, huge};
  EXPECT_NE(rejection(one).find("is above"), std::string::npos);
  one.input().sizes = {1 << 20, 1 << 20};
  EXPECT_NE(rejection(one).find("has more than"), std::string::npos);
  one.input().sizes = {0, huge};
  EXPECT_NE(rejection(one).find("is above"), std::string::npos);
  one.input().sizes = {2, 2};
  one.input().strides = Dims{huge, huge};
  EXPECT_NE(rejection(one).find("spans more than"), std::string::npos);
  one.input().strides.reset();
  one.input().offset = huge;
  EXPECT_NE(rejection(one).find("is outside [0, "), std::string::npos);
  one.input().offset = 0;
  one.input().sizes = {1 << 15, 1 << 15};
  EXPECT_NE(rejection(one).find("the inputs take more than"), std::string::npos);
  one.input().sizes = {100, 100};
  EXPECT_EQ(rejection(one), "");
  EXPECT_EQ(rejection(one, 1000), "the inputs take more than 1000 bytes, at %x");
}

TEST(MaterializeTest, RejectsBadRecipes) {
  const auto bad = [](RecipeKind kind, double low, double high, DataType dtype) {
    return rejection(OneInput(dtype, {2}, recipe(kind, 1, low, high)));
  };
  EXPECT_NE(bad(RecipeKind::Integers, 3, 3, DataType::Int64), "");
  EXPECT_NE(bad(RecipeKind::Integers, 0.5, 3, DataType::Int64), "");
  EXPECT_NE(bad(RecipeKind::Integers, 0, 1e18, DataType::Int64), "");
  EXPECT_NE(bad(RecipeKind::Integers, 0, 3e9, DataType::Int32), "");
  EXPECT_EQ(bad(RecipeKind::Integers, 0, 2147483648.0, DataType::Int32), "");
  EXPECT_NE(bad(RecipeKind::Uniform, 2, 1, DataType::Float), "");
  EXPECT_NE(bad(RecipeKind::Uniform, -1e308, 1e308, DataType::Double), "");
  EXPECT_NE(bad(RecipeKind::Uniform, 0, std::nan(""), DataType::Float), "");
  EXPECT_NE(bad(RecipeKind::Uniform, 0, 1e10, DataType::Int32), "");
}

struct TwoInputs : OneInput {
  TwoInputs() : OneInput(DataType::Float, {6}, recipe(RecipeKind::Normal, 1)) {
    build::input(*testCase.fusion, DataType::Float, {testCase.fusion->extentSymbol("i1")}, "y");
    TensorInput view;
    view.recipe.kind = RecipeKind::View;
    view.recipe.viewOf = "x";
    view.sizes = {3};
    view.strides = Dims{2};
    view.offset = 1;
    run.inputs.push_back({"y", view});
  }
  TensorInput& view() { return std::get<TensorInput>(run.inputs[1].value); }
};

TEST(MaterializeTest, ViewSharesMemory) {
  TwoInputs two;
  const RunData data = materialize(two.testCase, two.run);
  const std::vector<float> x = elements<float>(data.tensors[0]);
  EXPECT_EQ(elements<float>(data.tensors[1]), (std::vector<float>{x[1], x[3], x[5]}));
  EXPECT_EQ(data.tensors[0].memory, data.tensors[1].memory);
}

TEST(MaterializeTest, ViewStaysInsideOfItsTensor) {
  TwoInputs two;
  two.view().offset = 2;
  EXPECT_EQ(rejection(two), "%y reaches element 6 of %x, which spans 6");
  two.view().offset = 0;
  two.view().recipe.viewOf = "z";
  EXPECT_EQ(rejection(two), "%y is a view of %z, which is no input tensor");
  two.view().recipe.viewOf = "y";
  EXPECT_EQ(rejection(two), "%y is a view of %y, which is a view itself");
}

}  // namespace
}  // namespace fuser
