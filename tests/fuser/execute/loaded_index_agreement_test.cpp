// Kernels that gather, scatter, chain and branch by loaded integers: the interpreter and the printed text on the cpu
// engine give equal bits on random data, NVRTC takes the same text, and the text form comes back as it was.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/cpu_engine.h"
#include "fuser/execute/interp_engine.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "tests/fuser/execute/array.h"

namespace fuser {
namespace {

constexpr int64_t kLength = 300;  // elements of every tensor; a kernel runs n <= kLength threads

// Thread i < n loads q from idx, r from jdx at a place made of q, and p from a permutation. In a loop it loads s,
// gathers from x and adds up under conditions of them all, then stores to y at i and scatters to z at p and to w at p *
// 3 + j.
class RandomGather {
 public:
  explicit RandomGather(uint64_t seed) : generator_(seed) {}

  std::string draw(size_t number) {
    const int64_t threads = static_cast<int64_t>(1 + pick(70));
    const std::string thread = threads > 1 ? "threadIdx.x" : "0";
    i_ = pick(2) ? concat("((blockIdx.x * ", threads, ") + ", thread, ")")
                 : concat("((", thread, " * ((n + ", threads - 1, ") // ", threads, ")) + blockIdx.x)");
    names_ = {i_, "n", "m"};
    registers_ = integer();
    body_ = concat("  alloc a\n  alloc k\n  a[0] = Set f32 (0.5)\n  if (", i_, " < n) {\n");
    load("q", "[0, m)", "idx");
    load("r", "[(m * -1), m)", "jdx");
    body_ += concat("  index p in [0, n) = perm[", i_, "]\n  for c < ", 2 + pick(3), pick(2) ? " unroll" : "", " {\n");
    names_.push_back("c");
    load("s", "[0, m)", pick(2) ? "idx" : "k");
    body_ += concat("  a[0] = Add f32 (a[0], x[", place(), "])\n  if ", condition(), " {\n  a[0] = Mul f32 (a[0], int(",
                    expression(2), "))\n  }\n  if ", condition(), " {\n");
    if (pick(2)) load("u", "[0, m)", "idx");
    body_ += concat("  a[0] = Sub f32 (a[0], x[", place(), "])\n  }\n  }\n");
    names_.resize(5);  // c, s and u have ended
    body_ +=
        concat("  y[", i_, "] = move a[0]\n  z[p] = Add i64 (int(", expression(2), "), jdx[", place(), "])\n",
               "  for j < 3 {\n  w[((p * 3) + j)] = move x[(((((q + j) % m) * 3) + j) % ", kLength, ")]\n  }\n  }\n");
    return concat("kernel gather", number, " {\n  tensor idx : ", integer(),
                  " rank 1 argument 0\n  tensor jdx : ", integer(), " rank 1 argument 1\n  tensor perm : ", integer(),
                  " rank 1 argument 2\n  tensor x : f32 rank 1 argument 3\n",
                  "  tensor y : f32 rank 1 argument 4 written\n  tensor z : i64 rank 1 argument 5 written\n",
                  "  tensor w : f32 rank 1 argument 6 written\n  local a : f32 [1]\n  local k : ", registers_, " [2]\n",
                  "  int n in [1, ", kLength, "]\n  int m in [1, ", kLength, "]\n  block ", threads,
                  ", 1, 1\n  grid ((n + ", threads - 1, ") // ", threads, "), 1, 1\n\n", body_, "}\n");
  }

 private:
  size_t pick(size_t count) { return generator_() % count; }
  const char* integer() { return pick(2) ? "i64" : "i32"; }

  // From `k`, a register: what idx holds at some place, put there just before.
  void load(const std::string& name, const std::string& range, const std::string& from) {
    if (from == "k") {
      body_ += concat("  k[1] = Set ", registers_, " (idx[", place(), "])\n  index ", name, " in ", range, " = k[1]\n");
    } else {
      body_ += concat("  index ", name, " in ", range, " = ", from, "[", place(), "]\n");
    }
    names_.push_back(name);
  }

  std::string place() { return concat("(", expression(2), " % ", kLength, ")"); }

  std::string expression(int depth) {
    if (depth == 0 || pick(4) == 0) {
      return pick(4) ? names_[pick(names_.size())] : std::to_string(static_cast<int64_t>(pick(12)) - 3);
    }
    const std::string a = expression(depth - 1), b = expression(depth - 1);
    switch (pick(6)) {
      case 0: return concat("min(", a, ", ", b, ")");
      case 1: return concat("max(", a, ", ", b, ")");
      case 2: return concat("(", a, " // max(", b, ", 1))");
      case 3: return concat("(", a, " % max(", b, ", 1))");
      default: return concat("(", a, pick(2) ? " + " : " * ", b, ")");
    }
  }

  std::string condition() {
    const std::string a = expression(1), b = expression(1);
    switch (pick(3)) {
      case 0: return concat("(", a, " < ", b, ")");
      case 1: return concat("((", a, " % 3) == 1)");
      default: return concat("((", a, " < n) && ((", b, " % 2) == 0))");
    }
  }

  std::mt19937_64 generator_;
  std::vector<std::string> names_;  // of integers that are visible
  std::string body_;
  std::string i_;
  std::string registers_;  // dtype of k
};

// The kernels with what two engines make of them; compiled once.
struct Compiled {
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> kernels;
  std::vector<std::unique_ptr<CompiledKernel>> interp, cpu;

  Compiled() {
    for (size_t i = 0; i < 40; ++i) {
      owners.push_back(parseKernel(RandomGather(i).draw(i)));
      verifyKernel(*owners.back());
      kernels.push_back(owners.back().get());
    }
    interp = makeInterpEngine()->compile(kernels);
    cpu = makeCpuEngine()->compile(kernels);
  }
};

const Compiled& compiled() {
  static const Compiled all;
  return all;
}

void fill(Array& array, const std::vector<int64_t>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (array.dtype() == DataType::Int64) array.as<int64>()[i] = values[i];
    if (array.dtype() == DataType::Int32) array.as<int32>()[i] = static_cast<int32>(values[i]);
  }
}

std::vector<int64_t> numbers(int64_t low, int64_t high) {
  return *rc::gen::container<std::vector<int64_t>>(kLength, rc::gen::resize(100, rc::gen::inRange(low, high)));
}

RC_GTEST_PROP(LoadedIndexAgreementTest, InterpAndCpuGiveEqualBits, ()) {
  const size_t k = *rc::gen::resize(100, rc::gen::inRange<size_t>(0, compiled().kernels.size()));
  const Kernel& kernel = *compiled().kernels[k];
  const int64_t n = *rc::gen::resize(100, rc::gen::inRange<int64_t>(1, kLength + 1));
  const int64_t m = *rc::gen::resize(100, rc::gen::inRange<int64_t>(1, kLength + 1));
  std::vector<Array> onInterp;
  for (const TensorParam& tensor : kernel.tensors) {
    const DataType dtype = kernel.buffers[static_cast<size_t>(tensor.buffer)].dtype;
    onInterp.emplace_back(dtype, static_cast<size_t>(kLength) * (&tensor == &kernel.tensors.back() ? 3 : 1));
  }
  fill(onInterp[0], numbers(0, m));
  fill(onInterp[1], numbers(-m, m));
  std::vector<int64_t> permutation(static_cast<size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  std::shuffle(permutation.begin(), permutation.end(), std::mt19937_64(seed));
  fill(onInterp[2], permutation);
  onInterp[3] = mixedArray(DataType::Float, kLength, seed);
  std::vector<Array> onCpu = onInterp;
  KernelArguments forInterp{{}, {n, m}, {}}, forCpu{{}, {n, m}, {}};
  for (Array& array : onInterp) forInterp.tensors.push_back(array.tensor());
  for (Array& array : onCpu) forCpu.tensors.push_back(array.tensor());
  compiled().interp[k]->launch(forInterp);
  compiled().cpu[k]->launch(forCpu);
  for (size_t i = 0; i < onCpu.size(); ++i) {
    const std::string difference = differenceOf(onInterp[i], onCpu[i]);
    if (!difference.empty()) RC_FAIL(concat("tensor ", i, ": ", difference, "\n", printKernel(kernel)));
  }
}

TEST(LoadedIndexAgreementTest, KernelsRoundTripThroughText) {
  for (const Kernel* kernel : compiled().kernels) {
    const std::string text = printKernel(*kernel);
    EXPECT_EQ(printKernel(*parseKernel(text)), text);
  }
}

TEST(LoadedIndexAgreementTest, NvrtcCompilesTheText) {
  const std::span<const Kernel* const> kernels(compiled().kernels.data(), 12);  // its compiler is slow
  const std::string text = printModule(kernels);
  const Nvrtc nvrtc;
  for (const char* architecture : {"80", "90"}) {
    const std::string cubin = nvrtc.compileToCubin(text, architecture);
    for (size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_NE(cubin.find(entryName(*kernels[i], i)), std::string::npos);
    }
  }
}

// y[i, j] = x[q, j], by hand: rows of three, as the text says it and as it is.
TEST(LoadedIndexAgreementTest, GathersRowsAsPlainCode) {
  const auto kernel = parseKernel(R"(kernel rows {
  tensor idx : i32 rank 1 argument 0
  tensor x : f32 rank 2 argument 1
  tensor y : f32 rank 2 argument 2 written
  int n in [0, 1000]
  int rows in [0, 1000]
  int s0 in [0, 1000] = stride x 0
  block 32, 1, 1
  grid (((n * 3) + 31) // 32), 1, 1

  if (((blockIdx.x * 32) + threadIdx.x) < (n * 3)) {
    index q in [0, rows) = idx[(((blockIdx.x * 32) + threadIdx.x) // 3)]
    y[((blockIdx.x * 32) + threadIdx.x)] = move x[((q * s0) + (((blockIdx.x * 32) + threadIdx.x) % 3))]
  }
}
)");
  verifyKernel(*kernel);
  const Kernel* const kernels[] = {kernel.get()};
  constexpr int64_t kRows = 50, kTaken = 77;
  Array idx(DataType::Int32, kTaken), x = mixedArray(DataType::Float, kRows * 4, 1),
                                      expected(DataType::Float, kTaken * 3);
  for (int64_t i = 0; i < kTaken; ++i) {
    const int64_t row = i * 31 % kRows;
    idx.as<int32>()[static_cast<size_t>(i)] = static_cast<int32>(row);
    for (int64_t j = 0; j < 3; ++j) {
      expected.as<float>()[static_cast<size_t>(i * 3 + j)] = x.as<float>()[static_cast<size_t>(row * 4 + j)];
    }
  }
  for (const auto& engine : {makeInterpEngine, makeCpuEngine}) {
    Array y(DataType::Float, kTaken * 3);
    KernelArguments arguments{{idx.tensor(), x.tensor(), y.tensor()}, {kTaken, kRows, 0}, {}};
    arguments.tensors[1].sizes = {kRows, 3};
    arguments.tensors[1].strides = {4, 1};
    arguments.tensors[2].sizes = {kTaken, 3};
    arguments.tensors[2].strides = {3, 1};
    bindStrides(*kernel, arguments);
    engine()->compile(kernels)[0]->launch(arguments);
    EXPECT_EQ(differenceOf(expected, y), "");
  }
}

}  // namespace
}  // namespace fuser
