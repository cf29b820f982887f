#include "fuser/host_run/tensor_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <numeric>

#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// Strides of a tensor in any order of axes, with gaps.
Dims drawStrides(const Dims& sizes) {
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<size_t>(0, i)]);
  Dims padded = sizes;
  for (int64_t& size : padded) size += *rc::gen::weightedElement<int64_t>({{3, 0}, {1, 1}, {1, 2}});
  return stridesInOrder(padded, Dims(order.begin(), order.end()));
}

TensorRef refOf(std::vector<std::byte>& memory, DataType dtype, const Dims& sizes, const Dims& strides) {
  memory.assign(static_cast<size_t>(extentInMemory(sizes, strides)) * dtypeSize(dtype) + 1, std::byte{0});
  TensorRef ref;
  ref.data = memory.data();
  ref.dtype = dtype;
  ref.sizes = sizes;
  ref.strides = strides;
  return ref;
}

// The element at a row-major index.
std::byte* addressOf(const TensorRef& ref, int64_t index) {
  int64_t offset = 0;
  for (size_t axis = ref.sizes.size(); axis-- > 0; index /= ref.sizes[axis]) {
    offset += index % ref.sizes[axis] * ref.strides[axis];
  }
  return static_cast<std::byte*>(ref.data) + offset * static_cast<int64_t>(dtypeSize(ref.dtype));
}

RC_GTEST_PROP(CopyElementsTest, EveryElementArrivesAndNothingBesideIsTouched, ()) {
  const DataType dtype = *rc::gen::element(DataType::Double, DataType::Float, DataType::Half, DataType::Int8);
  Dims sizes(*rc::gen::inRange<size_t>(0, 5), 1);
  for (int64_t& size : sizes) size = *rc::gen::weightedElement<int64_t>({{1, 0}, {4, 1}, {8, 2}, {8, 3}, {4, 5}});
  std::vector<std::byte> read, written;
  Dims readStrides = drawStrides(sizes);
  for (int64_t& stride : readStrides) {
    if (*rc::gen::weightedElement<bool>({{5, false}, {1, true}})) stride = 0;  // an expanded axis
  }
  const TensorRef from = refOf(read, dtype, sizes, readStrides), to = refOf(written, dtype, sizes, drawStrides(sizes));
  for (size_t i = 0; i < read.size(); ++i) read[i] = static_cast<std::byte>(i * 37 + 1);
  const size_t size = dtypeSize(dtype);
  std::vector<std::byte> expected = written;
  for (int64_t index = 0; index < numel(sizes); ++index) {
    std::memcpy(expected.data() + (addressOf(to, index) - written.data()), addressOf(from, index), size);
  }
  copyElements(from, to);
  RC_ASSERT(written == expected);
}

TEST(TensorMemoryTest, FollowsTheAllocationOrderAndStoresABroadcastAxisOnce) {
  const auto pool = std::make_shared<MemoryPool>();
  Fusion fusion("f");
  TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.ints().constant(1)}, "x");
  TensorView* wide = build::expand(fusion, x, {fusion.ints().constant(-1), fusion.extentSymbol("i1")}, "wide");
  wide->domain().allocationOrder = {1, 0};
  EXPECT_EQ(allocationStrides(wide, {5, 7}), (Dims{1, 0}));
  const TensorMemory memory = allocateTensor(wide, {5, 7}, 20, *pool);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.ref.data) % 64, 0u);
  const float stored = static_cast<float*>(memory.ref.data)[4];
  EXPECT_TRUE(stored != stored) << "poison is NaN";
  EXPECT_EQ(memory.ref.sizes, (Dims{5, 7}));
  EXPECT_THROW(allocateTensor(wide, {5, 7}, 19, *pool), UserError);
  EXPECT_NO_THROW(allocateTensor(wide, {5, 0}, 0, *pool));
}

TEST(TensorMemoryTest, PermutedAllocationIsRowMajorInItsOrder) {
  Fusion fusion("f");
  TensorView* x = build::input(fusion, DataType::Half,
                               {fusion.extentSymbol("i0"), fusion.extentSymbol("i1"), fusion.extentSymbol("i2")}, "x");
  x->domain().allocationOrder = {2, 0, 1};
  EXPECT_EQ(allocationStrides(x, {2, 3, 4}), (Dims{3, 1, 6}));
}

}  // namespace
}  // namespace fuser
