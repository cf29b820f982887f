// Kernels whose threads wait for each other, on the cpu engine: the order of combination that kernel.h fixes.
#include "fuser/execute/fiber_block.h"

#include <gtest/gtest.h>

#include "fuser/execute/cpu_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/ops/op_eval.h"
#include "tests/fuser/execute/array.h"

namespace fuser {
namespace {

struct Shape {
  int64_t x, y, z;
  std::string dims;  // reduced: a subset of "xyz"
  int64_t threads() const { return x * y * z; }
  bool reduces(char dim) const { return dims.find(dim) != std::string::npos; }
};

constexpr int64_t kBlocks = 3;

// Every thread loads its value, all combine, every thread stores the result that it got.
std::string reduceText(const Shape& shape, OpKind combine, DataType dtype) {
  const std::string index =
      concat("((blockIdx.x * ", shape.threads(), ") + (threadIdx.x + ((threadIdx.y + (threadIdx.z * ", shape.y, ")) * ",
             shape.x, ")))");
  std::string place = index;
  const auto drop = [&](const std::string& name) {
    for (size_t at; (at = place.find(name)) != std::string::npos;) place.replace(at, name.size(), "0");
  };
  if (shape.x == 1) drop("threadIdx.x");
  if (shape.y == 1) drop("threadIdx.y");
  if (shape.z == 1) drop("threadIdx.z");
  return concat("kernel reduce {\n  tensor x : ", dtype, " rank 1 argument 0\n  tensor y : ", dtype,
                " rank 1 argument 1 written\n  local t : ", dtype, " [1]\n  block ", shape.x, ", ", shape.y, ", ",
                shape.z, "\n  grid ", kBlocks, ", 1, 1\n\n  alloc t\n  t[0] = move x[", place, "]\n  t[0] = reduce ",
                opName(combine), " ", dtype, " ", shape.dims, " (t[0])\n  y[", place, "] = move t[0]\n}\n");
}

// The tree, written down once more from kernel.h.
Array expectedReduction(const Array& x, const Shape& shape, OpKind combine) {
  Array y(x.dtype(), x.elements());
  const LaneFunction function = laneFunction(combine, x.dtype());
  const size_t size = dtypeSize(x.dtype());
  for (int64_t block = 0; block < kBlocks; ++block) {
    // Kept coordinates -> threads in order.
    std::vector<std::vector<int64_t>> groups(static_cast<size_t>(shape.threads()));
    for (int64_t t = 0; t < shape.threads(); ++t) {
      const int64_t tx = t % shape.x, ty = t / shape.x % shape.y, tz = t / shape.x / shape.y;
      const int64_t key = (shape.reduces('x') ? 0 : tx) +
                          shape.x * ((shape.reduces('y') ? 0 : ty) + shape.y * (shape.reduces('z') ? 0 : tz));
      groups[static_cast<size_t>(key)].push_back(block * shape.threads() + t);
    }
    for (const std::vector<int64_t>& group : groups) {
      const size_t n = group.size();
      if (n == 0) continue;
      Array v(x.dtype(), n);
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(v.data() + i * size, x.data() + static_cast<size_t>(group[i]) * size, size);
      }
      size_t s = 1;
      while (s * 2 < n) s *= 2;
      for (; s > 0 && n > 1; s /= 2) {
        for (size_t t = 0; t < s && t + s < n; ++t) {
          function(v.data() + t * size, v.data() + (t + s) * size, nullptr, v.data() + t * size, 1);
        }
      }
      for (int64_t element : group) std::memcpy(y.data() + static_cast<size_t>(element) * size, v.data(), size);
    }
  }
  return y;
}

TEST(BlockReduceTest, CombinesInTheFixedOrder) {
  const std::vector<Shape> shapes = {
      {1, 1, 1, "x"},    {2, 1, 1, "x"},    {3, 1, 1, "x"},   {5, 1, 1, "x"},   {31, 1, 1, "x"},  {32, 1, 1, "x"},
      {33, 1, 1, "x"},   {63, 1, 1, "x"},   {64, 1, 1, "x"},  {65, 1, 1, "x"},  {100, 1, 1, "x"}, {127, 1, 1, "x"},
      {128, 1, 1, "x"},  {129, 1, 1, "x"},  {255, 1, 1, "x"}, {500, 1, 1, "x"}, {513, 1, 1, "x"}, {1000, 1, 1, "x"},
      {1023, 1, 1, "x"}, {1024, 1, 1, "x"}, {1, 7, 1, "y"},   {1, 1, 9, "z"},   {4, 6, 5, "x"},   {4, 6, 5, "y"},
      {4, 6, 5, "z"},    {4, 6, 5, "xy"},   {4, 6, 5, "xz"},  {4, 6, 5, "yz"},  {4, 6, 5, "xyz"}, {33, 31, 1, "y"},
      {33, 31, 1, "xy"}, {2, 3, 64, "xz"}};
  const std::pair<OpKind, DataType> combines[] = {
      {OpKind::Add, DataType::Float},     {OpKind::Mul, DataType::Double},    {OpKind::Add, DataType::Int64},
      {OpKind::Maximum, DataType::Float}, {OpKind::Minimum, DataType::Int32}, {OpKind::Maximum, DataType::Bool}};
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> kernels;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& [op, dtype] = combines[i % std::size(combines)];
    for (const auto& [combine, type] : {std::pair(OpKind::Add, DataType::Float), std::pair(op, dtype)}) {
      owners.push_back(parseKernel(reduceText(shapes[i], combine, type)));
      kernels.push_back(owners.back().get());
    }
  }
  const auto compiled = makeCpuEngine()->compile(kernels);
  for (size_t k = 0; k < kernels.size(); ++k) {
    const Shape& shape = shapes[k / 2];
    const OpKind combine = k % 2 ? combines[k / 2 % std::size(combines)].first : OpKind::Add;
    const DataType dtype = kernels[k]->buffers[0].dtype;
    const size_t elements = static_cast<size_t>(kBlocks * shape.threads());
    Array x = mixedArray(dtype, elements, 7 + k), y(dtype, elements);
    if (k % 2 == 0) {  // ordinary numbers, so that another order would give other bits
      for (size_t i = 0; i < elements; ++i) x.as<float>()[i] = static_cast<float>(i * 2654435761u % 1000003u) * 1e-3f;
    }
    compiled[k]->launch({{x.tensor(), y.tensor()}, {}, {}});
    EXPECT_EQ(differenceOf(expectedReduction(x, shape, combine), y), "")
        << shape.x << " " << shape.y << " " << shape.z << " " << shape.dims << " " << opName(combine) << " " << dtype;
  }
}

std::unique_ptr<CompiledKernel> compileText(const std::string& text, std::unique_ptr<Kernel>& owner) {
  owner = parseKernel(text);
  const Kernel* const kernels[] = {owner.get()};
  return std::move(makeCpuEngine()->compile(kernels)[0]);
}

// The scratch memory of one reduction is that of the next.
TEST(BlockReduceTest, ReductionsInARowDoNotDisturbEachOther) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel twice {
  tensor x : i64 rank 1 argument 0
  tensor y : i64 rank 1 argument 1 written
  local t : i64 [2]
  block 37, 1, 1
  grid 1, 1, 1

  alloc t
  t[0] = move x[threadIdx.x]
  t[0] = reduce Add i64 x (t[0])
  t[1] = move x[(threadIdx.x + 37)]
  t[1] = reduce Add i64 x (t[1])
  y[threadIdx.x] = Sub i64 (t[0], t[1])
}
)", kernel);
  Array x(DataType::Int64, 74), y(DataType::Int64, 37), expected(DataType::Int64, 37);
  for (size_t i = 0; i < 74; ++i) x.as<int64>()[i] = static_cast<int64>(i * i);
  int64 difference = 0;
  for (size_t i = 0; i < 37; ++i) difference += x.as<int64>()[i] - x.as<int64>()[i + 37];
  for (int64& value : expected.as<int64>()) value = difference;
  compiled->launch({{x.tensor(), y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

TEST(FiberBlockTest, SharedMemoryIsSeenAfterABarrier) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel reverse {
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  shared s : f32 [100]
  block 100, 1, 1
  grid 4, 1, 1

  alloc s
  for i < 3 {
    s[threadIdx.x] = move x[((blockIdx.x * 100) + threadIdx.x)]
    barrier
    y[((blockIdx.x * 100) + threadIdx.x)] = move s[(99 + (threadIdx.x * -1))]
    barrier
  }
}
)", kernel);
  Array x(DataType::Float, 400), y(DataType::Float, 400), expected(DataType::Float, 400);
  for (size_t i = 0; i < 400; ++i) {
    x.as<float>()[i] = static_cast<float>(i);
    expected.as<float>()[i] = static_cast<float>(i / 100 * 100 + 99 - i % 100);
  }
  compiled->launch({{x.tensor(), y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

TEST(FiberBlockTest, ReportsADivergentBarrier) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel divergent {
  tensor y : f32 rank 1 argument 0 written
  block 4, 1, 1
  grid 1, 1, 1

  if (threadIdx.x < 3) {
    barrier
  }
  y[threadIdx.x] = Set f32 (1.0)
}
)", kernel);
  Array y(DataType::Float, 4);
  try {
    compiled->launch({{y.tensor()}, {}, {}});
    FAIL();
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(), "divergent barrier in kernel divergent, block [0, 0, 0]: thread [0, 0, 0] waits, "
                               "thread [3, 0, 0] has ended");
  }
}

// Local buffers live on a fiber's stack.
TEST(FiberBlockTest, StacksHoldLargeLocalBuffers) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel large {
  tensor y : f64 rank 1 argument 0 written
  local t : f64 [20000]
  block 8, 1, 1
  grid 2, 1, 1

  alloc t
  for i < 20000 {
    t[i] = Set f64 (int((i + threadIdx.x)))
  }
  barrier
  for j < 20000 {
    y[((blockIdx.x * 8) + threadIdx.x)] = move t[j]
  }
}
)", kernel);
  Array y(DataType::Double, 16), expected(DataType::Double, 16);
  for (size_t i = 0; i < 16; ++i) expected.as<double>()[i] = static_cast<double>(19999 + i % 8);
  compiled->launch({{y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

}  // namespace
}  // namespace fuser
