// What it costs to turn kernels into code: the text, a clang call, an NVRTC call, by the number of kernels in the call;
// and a launch on the cpu engine with and without fibers.
#include <benchmark/benchmark.h>

#include <vector>

#include "fuser/codegen/cpu_module.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/clang_compiler.h"
#include "fuser/execute/cpu_engine.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

// 12 ops an element, f32 beside bf16, a predicate: what a middling pointwise segment becomes.
constexpr const char* kPointwise = R"(kernel pointwise {
  scalar a : f64
  tensor x : bf16 rank 1 argument 0
  tensor y : f32 rank 1 argument 1
  tensor z : bf16 rank 1 argument 2 written
  local t : f32 [1]
  local u : f32 [1]
  int n in [0, 1099511627776]
  block 128, 1, 1
  grid ((n + 127) // 128), 1, 1

  if (((blockIdx.x * 128) + threadIdx.x) < n) {
    alloc t
    alloc u
    t[0] = Cast f32 (x[((blockIdx.x * 128) + threadIdx.x)])
    u[0] = move y[((blockIdx.x * 128) + threadIdx.x)]
    t[0] = Mul f32 (t[0], $a)
    t[0] = Add f32 (t[0], u[0])
    u[0] = Tanh f32 (t[0])
    u[0] = Add f32 (u[0], 1.0)
    t[0] = Mul f32 (t[0], u[0])
    t[0] = Mul f32 (t[0], 0.5)
    u[0] = Sigmoid f32 (t[0])
    t[0] = Sub f32 (t[0], u[0])
    t[0] = Div f32 (t[0], u[0])
    t[0] = Maximum f32 (t[0], 0.0)
    z[((blockIdx.x * 128) + threadIdx.x)] = Cast bf16 (t[0])
  }
}
)";

constexpr const char* kReduction = R"(kernel reduction {
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  local t : f32 [1]
  local u : f32 [1]
  shared s : f32 [4]
  int rows in [0, 1099511627776]
  int n in [0, 1099511627776]
  block 128, 1, 1
  grid rows, 1, 1

  alloc t
  t[0] = Set f32 (0.0)
  for i < ((n + 127) // 128) {
    if (((i * 128) + threadIdx.x) < n) {
      t[0] = Add f32 (t[0], x[((blockIdx.x * n) + ((i * 128) + threadIdx.x))])
    }
  }
  alloc u
  u[0] = shuffle xor 16 (t[0])
  t[0] = Add f32 (t[0], u[0])
  u[0] = shuffle xor 8 (t[0])
  t[0] = Add f32 (t[0], u[0])
  u[0] = shuffle xor 4 (t[0])
  t[0] = Add f32 (t[0], u[0])
  u[0] = shuffle xor 2 (t[0])
  t[0] = Add f32 (t[0], u[0])
  u[0] = shuffle xor 1 (t[0])
  t[0] = Add f32 (t[0], u[0])
  alloc s
  if ((threadIdx.x % 32) == 0) {
    s[(threadIdx.x // 32)] = move t[0]
  }
  barrier (s stored)
  t[0] = move s[(threadIdx.x % 4)]
  u[0] = shuffle xor 2 (t[0])
  t[0] = Add f32 (t[0], u[0])
  u[0] = shuffle xor 1 (t[0])
  t[0] = Add f32 (t[0], u[0])
  t[0] = shuffle first 4 (t[0])
  if (threadIdx.x < 1) {
    y[blockIdx.x] = move t[0]
  }
}
)";

struct Kernels {
  explicit Kernels(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      owners.push_back(parseKernel(i % 2 ? kReduction : kPointwise));
      pointers.push_back(owners.back().get());
    }
  }
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> pointers;
};

void setKernels(benchmark::State& state) { state.counters["kernels"] = static_cast<double>(state.range(0)); }

void BM_PrintModule(benchmark::State& state) {
  const Kernels kernels(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(printModule(kernels.pointers));
  setKernels(state);
}
BENCHMARK(BM_PrintModule)->Arg(1)->Arg(10)->Arg(100);

void BM_ClangCall(benchmark::State& state) {
  const Kernels kernels(state.range(0));
  const ClangCompiler compiler = ClangCompiler::find();
  const std::string text = printCpuModule(kernels.pointers);
  for (auto _ : state) compiler.compile(text);
  setKernels(state);
}
BENCHMARK(BM_ClangCall)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_NvrtcCall(benchmark::State& state) {
  const Kernels kernels(state.range(0));
  const Nvrtc nvrtc;
  const std::string text = printModule(kernels.pointers);
  for (auto _ : state) benchmark::DoNotOptimize(nvrtc.compileToCubin(text, "90"));
  setKernels(state);
}
BENCHMARK(BM_NvrtcCall)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

void BM_CpuPointwise(benchmark::State& state) {
  const Kernels kernels(1);
  const auto compiled = makeCpuEngine()->compile(kernels.pointers);
  const int64_t n = state.range(0);
  std::vector<BFloat16> x(static_cast<size_t>(n)), z(x.size());
  std::vector<float> y(x.size(), 0.5f);
  const KernelArguments arguments{{{x.data(), DataType::BFloat16, {n}, {1}, {}},
                                   {y.data(), DataType::Float, {n}, {1}, {}},
                                   {z.data(), DataType::BFloat16, {n}, {1}, {}}},
                                  {n},
                                  {ScalarValue(0.25)}};
  for (auto _ : state) compiled[0]->launch(arguments);
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK(BM_CpuPointwise)->Arg(1 << 16);

void BM_CpuReduction(benchmark::State& state) {
  const Kernels kernels(2);
  const auto compiled = makeCpuEngine()->compile(kernels.pointers);
  const int64_t rows = 64;
  const int64_t n = state.range(0);
  std::vector<float> x(static_cast<size_t>(rows * n), 0.5f), y(static_cast<size_t>(rows));
  const KernelArguments arguments{
      {{x.data(), DataType::Float, {rows * n}, {1}, {}}, {y.data(), DataType::Float, {rows}, {1}, {}}}, {rows, n}, {}};
  for (auto _ : state) compiled[1]->launch(arguments);
  state.SetItemsProcessed(state.iterations() * rows * n);
}
BENCHMARK(BM_CpuReduction)->Arg(1 << 10);

}  // namespace
}  // namespace fuser
