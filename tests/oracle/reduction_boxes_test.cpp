// Boxes for what boxes_test.cpp leaves out: casts between all dtypes, and reductions of every dtype over random trees;
// and that every row evaluates through the reference and through the oracle to the same sizes and dtype.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "fuser/ir/builder.h"
#include "oracle/compare.h"
#include "oracle/reference/reference.h"
#include "oracle/rounding.h"
#include "oracle/slice.h"
#include "tests/in_full.h"
#include "tests/oracle/boxes.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::Fusion;
using fuser::OpKind;
using fuser::TensorView;
using fuser::Val;
using oracle::Interval;
using oracle::Value;
using oracle::Whole;

size_t rounds() { return fuser::inFull() ? 40000 : 400; }

Value boxes(Random& random, DataType dtype, int64_t count) {
  Value value;
  value.dtype = dtype;
  value.sizes = {count};
  value.strides = {1};
  std::vector<Interval> real;
  std::vector<Whole> whole;
  for (int64_t i = 0; i < count; ++i) {
    if (fuser::isFloating(dtype))
      real.push_back(randomInterval(random, dtype));
    else
      whole.push_back(randomWhole(random, dtype));
  }
  if (fuser::isFloating(dtype))
    value.real = std::make_shared<const std::vector<Interval>>(std::move(real));
  else
    value.whole = std::make_shared<const std::vector<Whole>>(std::move(whole));
  return value;
}

// One number out of each element's set.
DenseArray sampled(Random& random, const Value& sets) {
  DenseArray result(sets.dtype, sets.sizes);
  for (int64_t i = 0; i < sets.sizes[0]; ++i) {
    fuser::dispatch(sets.dtype, [&]<class T>() {
      if (sets.real) {
        const std::vector<double> choices = samples(random, sets.realAt(i), sets.dtype, 6);
        result.as<T>()[i] = fuser::convert<T>(choices[random() % choices.size()]);
      } else {
        const std::vector<int64_t> choices = samples(random, sets.wholeAt(i), 6);
        result.as<T>()[i] = fuser::convert<T>(static_cast<fuser::int64>(choices[random() % choices.size()]));
      }
    });
  }
  return result;
}

void expectInside(const Value& sets, const DenseArray& actual, const std::string& what) {
  const oracle::View view{&sets, true};
  const oracle::Comparison comparison = oracle::compare(oracle::exact(actual.ref()), {&view, 1}, 1);
  ASSERT_EQ(comparison.problem, "") << what;
  if (comparison.counts.outside == 0) return;
  ADD_FAILURE() << what << ": " << comparison.worst[0].got << " at " << comparison.worst[0].index << ", accepts "
                << comparison.worst[0].accepts;
}

TEST(CastBoxesTest, HoldConvertedSamples) {
  Random random(7);
  for (DataType from : fuser::kAllDataTypes) {
    for (DataType to : fuser::kAllDataTypes) {
      const Value sets = boxes(random, from, static_cast<int64_t>(rounds()) * 4);
      const Value images = oracle::castValue(sets, to);
      for (int i = 0; i < 4; ++i) {
        expectInside(images, sampled(random, sets).cast(to), fuser::concat(from, " to ", to));
      }
    }
  }
}

// LibTorch on in-range numbers: it leaves float to integer open elsewhere.
TEST(CastBoxesTest, AreLibTorchs) {
  Random random(8);
  reference::useOneThread();
  for (DataType from : fuser::kAllDataTypes) {
    for (DataType to : fuser::kAllDataTypes) {
      DenseArray numbers(DataType::Double, {256});
      const auto most = [](DataType dtype) {
        const double all = fuser::isFloating(dtype)  ? fuser::floatFormat(dtype).largest
                           : dtype == DataType::Bool ? 60000
                                                     : static_cast<double>(fuser::integerRange(dtype).most);
        return std::min(60000.0, all);
      };
      const double reach = std::min(most(from), most(to));
      const double least = fuser::isUnsigned(from) || fuser::isUnsigned(to) ? 0 : -reach;
      for (size_t i = 0; i < 256; ++i)
        numbers.as<double>()[i] = std::uniform_real_distribution<double>(least, reach)(random);
      const DenseArray operand = numbers.cast(from);
      Fusion fusion("cast");
      Val* x = fuser::build::input(fusion, from, {fusion.extentSymbol("i0")}, "x");
      Val* y = fuser::build::cast(fusion, x, to);
      if (!y->definition()) continue;
      const reference::Value operands[] = {{operand.ref(), nullptr}};
      const reference::Value result = reference::evaluate(*y->definition(), operands, {});
      expectInside(oracle::castValue(oracle::exact(operand.ref()), to),
                   toDense(std::get<fuser::TensorRef>(result.value)), fuser::concat(from, " to ", to));
    }
  }
}

// Every pattern of 16 and 8 bits stands for the number that LibTorch reads in it.
TEST(CastBoxesTest, NarrowFloatsAreReadAsLibTorchDoes) {
  reference::useOneThread();
  for (DataType from : {DataType::Half, DataType::BFloat16, DataType::Float8E4M3, DataType::Float8E5M2}) {
    const size_t bytes = fuser::dtypeSize(from), patterns = size_t{1} << (8 * bytes);
    DenseArray stored(from, {static_cast<int64_t>(patterns)});
    for (size_t i = 0; i < patterns; ++i) std::memcpy(stored.as<std::byte>() + i * bytes, &i, bytes);  // little-endian
    Fusion fusion("cast");
    Val* x = fuser::build::input(fusion, from, {fusion.extentSymbol("i0")}, "x");
    const Val* wide = fuser::build::cast(fusion, x, DataType::Double);
    const reference::Value operands[] = {{stored.ref(), nullptr}};
    const reference::Value result = reference::evaluate(*wide->definition(), operands, {});
    const DenseArray expected = toDense(std::get<fuser::TensorRef>(result.value));
    for (size_t i = 0; i < patterns; ++i) {
      const double number = oracle::numberOfNarrow(static_cast<uint16_t>(i), from), other = expected.as<double>()[i];
      ASSERT_TRUE(std::isnan(other) ? std::isnan(number)
                                    : number == other && std::signbit(number) == std::signbit(other))
          << from << " 0x" << std::hex << i << ": " << number << ", LibTorch reads " << other;
    }
  }
}

// A random tree over the terms in a random order; the depth that it reaches.
struct TreeResult {
  DenseArray value;
  int64_t depth;
};

template <class T>
TreeResult joinAtRandom(Random& random, OpKind op, const DenseArray& terms) {
  std::vector<std::pair<T, int64_t>> rest;
  for (size_t i = 0; i < terms.count(); ++i) rest.emplace_back(terms.as<T>()[i], 0);
  std::shuffle(rest.begin(), rest.end(), random);
  const bool chain = random() % 2;
  const auto join = fuser::laneFunction(*fuser::opInfo(op).combine, terms.dtype);
  while (rest.size() > 1) {
    const size_t first = chain ? 0 : random() % rest.size();
    std::swap(rest[first], rest.front());
    const size_t second = 1 + (chain ? 0 : random() % (rest.size() - 1));
    T joined{};
    join(&rest[0].first, &rest[second].first, nullptr, &joined, 1);
    rest[0] = {joined, std::max(rest[0].second, rest[second].second) + 1};
    std::swap(rest[second], rest.back());
    rest.pop_back();
  }
  TreeResult result{DenseArray(terms.dtype, {}), rest[0].second};
  *result.value.template as<T>() = rest[0].first;
  return result;
}

TreeResult joinAtRandom(Random& random, OpKind op, const DenseArray& terms) {
  return fuser::dispatch(terms.dtype, [&]<class T>() -> TreeResult {
    if constexpr (std::is_arithmetic_v<T>) return joinAtRandom<T>(random, op, terms);
    FUSER_CHECK(false, "no compute type");
  });
}

DenseArray divided(DenseArray sum, int64_t count) {
  if (sum.dtype == DataType::Double) *sum.as<double>() /= static_cast<double>(count);
  if (sum.dtype == DataType::Float) *sum.as<float>() /= static_cast<float>(count);
  return sum;
}

std::vector<OpKind> reductionOps() {
  std::vector<OpKind> ops;
  for (OpKind op : fuser::kAllOps) {
    if (fuser::isReduction(op) && !fuser::hasParts(op)) ops.push_back(op);  // welford_boxes_test.cpp has those
  }
  return ops;
}

class ReductionBoxesTest : public testing::TestWithParam<OpKind> {};

TEST_P(ReductionBoxesTest, HoldEveryTree) {
  Random random(9);
  for (DataType dtype : fuser::kAllDataTypes) {
    Fusion fusion("reduction");
    TensorView* x = fuser::build::input(fusion, dtype, {fusion.extentSymbol("i0")}, "x");
    if (!fuser::acceptsDtype(GetParam(), dtype)) continue;
    TensorView* y = fuser::build::reduction(fusion, GetParam(), x, {0}, false, "y");
    if (y->dtype() != dtype || x->uses()[0] != y->definition()) continue;  // reached through a cast
    for (size_t round = 0; round < rounds(); ++round) {
      const int64_t count = std::uniform_int_distribution<int64_t>(1, round % 8 ? 6 : 60)(random);
      const Value sets = boxes(random, dtype, count);
      for (int i = 0; i < 4; ++i) {
        TreeResult tree = joinAtRandom(random, GetParam(), sampled(random, sets).cast(fuser::computeType(dtype)));
        if (fuser::opInfo(GetParam()).finish == fuser::Finish::DivideByCount) tree.value = divided(tree.value, count);
        const Value accepted = oracle::reduce(*y->definition(), sets, {tree.depth, 0}, {});
        expectInside(accepted, tree.value.cast(dtype),
                     fuser::concat(fuser::opName(GetParam()), " of ", count, " ", dtype));
        if (HasFailure()) return;
      }
    }
  }
}

// Numbers, not ranges. `numbers` holds the terms in f64.
Value points(DataType dtype, const std::vector<double>& numbers) {
  Value value;
  value.dtype = dtype;
  value.sizes = {static_cast<int64_t>(numbers.size())};
  value.strides = {1};
  std::vector<Interval> sets;
  for (double number : numbers) sets.push_back(Interval::of(number));
  value.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  return value;
}

Interval reducedPoints(OpKind op, DataType dtype, const std::vector<double>& numbers) {
  Fusion fusion("reduction");
  TensorView* x = fuser::build::input(fusion, dtype, {fusion.extentSymbol("i0")}, "x");
  const TensorView* y = fuser::build::reduction(fusion, op, x, {0}, false, "y");
  const auto depth = static_cast<int64_t>(numbers.size()) - 1;
  return oracle::reduce(*y->definition(), points(dtype, numbers), {depth, 0}, {}).realAt(0);
}

// Sums of multiples of 2^g whose magnitudes fit the mantissa, and products whose odd parts do: every tree gives the one
// number that the oracle accepts.
TEST(ExactReductionTest, EveryTreeGivesTheOneNumber) {
  Random random(10);
  for (OpKind op : {OpKind::Sum, OpKind::Prod}) {
    for (DataType dtype : {DataType::Float, DataType::Double}) {
      for (size_t round = 0; round < rounds(); ++round) {
        const int count = std::uniform_int_distribution<int>(2, op == OpKind::Sum ? 200 : 12)(random);
        const int shift = std::uniform_int_distribution<int>(-6, 6)(random);
        std::vector<double> numbers;
        for (int i = 0; i < count; ++i) {
          const int whole =
              std::uniform_int_distribution<int>(op == OpKind::Sum ? -1000 : 1, op == OpKind::Sum ? 1000 : 3)(random);
          numbers.push_back(std::ldexp(random() % 2 ? -whole : whole, shift));
        }
        const Interval accepted = reducedPoints(op, dtype, numbers);
        ASSERT_TRUE(accepted.isPoint()) << fuser::opName(op) << " of " << count << ": " << accepted.lo << " to "
                                        << accepted.hi;
        DenseArray terms(DataType::Double, {count});
        std::copy(numbers.begin(), numbers.end(), terms.as<double>());
        for (int tree = 0; tree < 4; ++tree) {
          const DenseArray result = joinAtRandom(random, op, terms.cast(dtype)).value.cast(DataType::Double);
          ASSERT_EQ(*result.as<double>(), accepted.lo) << fuser::opName(op) << " of " << count;
        }
      }
    }
  }
}

TEST(ExactReductionTest, PastTheMantissaTheOrderCounts) {
  const double big = 0x1p23;
  EXPECT_TRUE(reducedPoints(OpKind::Sum, DataType::Float, {big, big - 1}).isPoint());
  EXPECT_FALSE(reducedPoints(OpKind::Sum, DataType::Float, {big, big, 1}).isPoint());
  EXPECT_FALSE(reducedPoints(OpKind::Sum, DataType::Float, {big, 0.5, 0.5}).isPoint());
  EXPECT_TRUE(reducedPoints(OpKind::Sum, DataType::Double, {big, 0.5, 0.5}).isPoint());
  EXPECT_TRUE(reducedPoints(OpKind::Mean, DataType::Float, {1, 2, 4}).isPoint());
  EXPECT_FALSE(reducedPoints(OpKind::Prod, DataType::Float, {4097, 4099}).isPoint());
  EXPECT_TRUE(reducedPoints(OpKind::Prod, DataType::Double, {4097, 4099}).isPoint());
  EXPECT_FALSE(reducedPoints(OpKind::Prod, DataType::Float, {0x1p100, 0x1p100, 0x1p-100}).isPoint());
}

// Many numbers, most of whose products leave the normal numbers: each tree's result lies inside.
TEST(VanishingProductTest, HoldsEveryTree) {
  Random random(11);
  size_t decided = 0, vanished = 0;
  for (const DataType dtype : {DataType::Float, DataType::Double}) {
    for (size_t round = 0; round < rounds(); ++round) {
      const int count = std::uniform_int_distribution<int>(2, 60)(random);
      const double scale = dtype == DataType::Float ? 1 : 8, small = random() % 2 ? -4.5 : -2.5;
      const double most = random() % 3 ? 1 : 4;  // log2 of the largest
      std::vector<double> numbers;
      for (int i = 0; i < count; ++i) {
        const double size = std::exp2(scale * std::uniform_real_distribution<double>(2 * small, most)(random));
        numbers.push_back(static_cast<double>(static_cast<float>(random() % 2 ? -size : size)));
      }
      const Interval accepted = reducedPoints(OpKind::Prod, dtype, numbers);
      decided += oracle::isDecided(accepted, dtype);
      DenseArray terms(DataType::Double, {count});
      std::copy(numbers.begin(), numbers.end(), terms.as<double>());
      for (int tree = 0; tree < 6; ++tree) {
        const DenseArray result = joinAtRandom(random, OpKind::Prod, terms.cast(dtype)).value.cast(DataType::Double);
        const double value = *result.as<double>();
        vanished += std::fabs(value) < std::ldexp(1.0, oracle::format(dtype).minExponent);
        ASSERT_TRUE(accepted.lo <= value && value <= accepted.hi)
            << value << " of [" << accepted.lo << ", " << accepted.hi << "], " << count << " " << dtype;
      }
    }
  }
  EXPECT_GT(vanished, rounds());
  EXPECT_GT(decided, rounds());
}

// The smallest number times the big factors is where a product that was rounded below the normal numbers may be.
TEST(VanishingProductTest, GrowsWithTheBigFactors) {
  const Interval small = reducedPoints(OpKind::Prod, DataType::Float, {0x1p-100, 0x1p-100, 0.75});
  EXPECT_TRUE(oracle::isDecided(small, DataType::Float)) << small.lo << " to " << small.hi;
  // (0x1.8p-75 * 0x1p-75) * 0x1p100 is 2^-149 * 2^100, in another order 1.5 * 2^-50.
  const Interval grown = reducedPoints(OpKind::Prod, DataType::Float, {0x1.8p-75, 0x1p-75, 0x1p100});
  EXPECT_LE(grown.lo, 0x1.8p-50);
  EXPECT_GE(grown.hi, 0x1p-49);
  EXPECT_FALSE(oracle::isDecided(grown, DataType::Float));
}

// A chain that goes up as far as it can, and down again: the sums on its way are as large as any order has them.
TEST(ChainTest, HoldsSumsThatCancel) {
  Random random(12);
  double widest = 0;
  for (size_t round = 0; round < rounds(); ++round) {
    const int count = 2 * std::uniform_int_distribution<int>(2, 400)(random);
    std::vector<double> numbers;
    double magnitude = 0;
    for (int i = 0; i < count; ++i) {
      const float size = static_cast<float>(1 + std::uniform_real_distribution<double>(0, 0x1p-9)(random));
      numbers.push_back(2 * i < count ? size : -size);
      magnitude += size;
    }
    const Interval accepted = reducedPoints(OpKind::Sum, DataType::Float, numbers);
    float sum = 0;
    for (const double number : numbers) sum += static_cast<float>(number);
    ASSERT_TRUE(accepted.lo <= sum && sum <= accepted.hi)
        << sum << " of [" << accepted.lo << ", " << accepted.hi << "]";
    widest = std::max(widest, (accepted.hi - accepted.lo) / (magnitude * count * 0x1p-24));
  }
  EXPECT_LT(widest, 1.2);  // by sum|x| 2
}

INSTANTIATE_TEST_SUITE_P(Rows, ReductionBoxesTest, testing::ValuesIn(reductionOps()),
                         [](const auto& row) { return std::string(fuser::opName(row.param)); });

}  // namespace
}  // namespace oracle_test
