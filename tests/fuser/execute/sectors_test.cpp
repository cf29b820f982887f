// Sectors of tensors, against counting byte by byte.

#include "fuser/execute/sectors.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace fuser {
namespace {

// Addresses are not read.
TensorRef at(uint64_t address, Dims sizes, Dims strides, DataType dtype = DataType::Float) {
  return {reinterpret_cast<void*>(address), dtype, std::move(sizes), std::move(strides), {}};
}

int64_t countedByElement(const std::vector<TensorRef>& tensors) {
  std::set<uint64_t> sectors;
  for (const TensorRef& tensor : tensors) {
    for (int64_t index = 0, count = numel(tensor.sizes); index < count; ++index) {
      int64_t rest = index, place = 0;
      for (size_t axis = tensor.sizes.size(); axis-- > 0;) {
        place += rest % tensor.sizes[axis] * tensor.strides[axis];
        rest /= tensor.sizes[axis];
      }
      const uint64_t size = dtypeSize(tensor.dtype);
      for (uint64_t byte = 0; byte < size; ++byte) {
        sectors.insert((reinterpret_cast<uint64_t>(tensor.data) + static_cast<uint64_t>(place) * size + byte) / 32);
      }
    }
  }
  return static_cast<int64_t>(sectors.size());
}

TEST(SectorsTest, CountsThoseThatHoldElements) {
  const auto count = [](const std::vector<TensorRef>& tensors) { return sectorsOf(tensors); };
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count({at(0x1000, {}, {})}), 1);
  EXPECT_EQ(count({at(0x1000, {0, 5}, {5, 1})}), 0);
  EXPECT_EQ(count({at(0x1000, {4, 8}, {8, 1})}), 4);
  EXPECT_EQ(count({at(0x1004, {4, 8}, {8, 1})}), 5);
  EXPECT_EQ(count({at(0x1000, {4, 8}, {32, 1})}), 4);    // gaps
  EXPECT_EQ(count({at(0x1000, {1000, 8}, {0, 1})}), 1);  // expanded
  EXPECT_EQ(count({at(0x1000, {8}, {1}), at(0x1000, {8}, {1})}), 1);
  EXPECT_EQ(count({at(0x1000, {8}, {1}), at(0x1010, {8}, {1})}), 2);  // overlapping
  EXPECT_EQ(count({at(0x9000, {8}, {1}), at(0x1000, {8}, {1})}), 2);
}

TEST(SectorsTest, AgreesWithCountingBytes) {
  std::mt19937 random(1);
  const auto draw = [&](uint64_t most) { return random() % (most + 1); };
  for (int i = 0; i < 2000; ++i) {
    std::vector<TensorRef> tensors;
    for (uint64_t count = draw(3); tensors.size() < count;) {
      const DataType dtype = draw(1) ? DataType::Half : DataType::Double;
      Dims sizes, strides;
      for (uint64_t rank = draw(3); sizes.size() < rank;) {
        sizes.push_back(static_cast<int64_t>(draw(5)));
        strides.push_back(static_cast<int64_t>(draw(20)));
      }
      tensors.push_back(at(0x1000 + 8 * draw(100), sizes, strides, dtype));
    }
    ASSERT_EQ(sectorsOf(tensors), countedByElement(tensors)) << i;
  }
}

TEST(SectorsTest, NumbersBeginAt0AndHaveNoGaps) {
  const SectorNumbers::Range ranges[] = {{0x2000, 64}, {0x1010, 32}, {0x5000, 0}, {0x2020, 64}, {0x20000, 1}};
  const SectorNumbers numbers(ranges);
  EXPECT_EQ(numbers.count(), 2u + 3u + 1u);
  EXPECT_EQ(numbers.numberOf(1, 0x1010), 0u);
  EXPECT_EQ(numbers.numberOf(1, 0x102f), 1u);
  EXPECT_EQ(numbers.numberOf(0, 0x2000), 2u);
  EXPECT_EQ(numbers.numberOf(0, 0x2020), 3u);
  EXPECT_EQ(numbers.numberOf(3, 0x2020), 3u);
  EXPECT_EQ(numbers.numberOf(3, 0x205f), 4u);
  EXPECT_EQ(numbers.numberOf(4, 0x20000), 5u);
}

}  // namespace
}  // namespace fuser
