// The interpreter: compiling a kernel, launching a small one, elements a second of a large one.
#include <benchmark/benchmark.h>

#include <string>

#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

// y = 10 ops of x, one element a thread; 3-d coordinates through a stride each, as lowering writes them.
std::string tenOps() {
  std::string body;
  for (int i = 0; i < 10; ++i) body += i % 2 ? "t[0] = Add f32 (t[0], 0.25)\n" : "t[0] = Mul f32 (t[0], 0.5)\n";
  const std::string i = "((blockIdx.x * 128) + threadIdx.x)";
  return "kernel ten {\n tensor x : f32 rank 2 argument 0\n tensor y : f32 rank 2 argument 1 written\n local t : f32 "
         "[1]\n"
         " int rows in [0, 1099511627776]\n int columns in [0, 1099511627776]\n"
         " int s0 in [0, 1099511627776] = stride x 0\n int s1 in [0, 1099511627776] = stride x 1\n"
         " block 128, 1, 1\n grid (((rows * columns) + 127) // 128), 1, 1\n"
         " if (" +
         i + " < (rows * columns)) {\n alloc t\n t[0] = move x[(((" + i + " // columns) * s0) + ((" + i +
         " % columns) * s1))]\n" + body + " y[" + i + "] = move t[0]\n }\n}\n";
}

// One row a block, 128 threads: each sums its share, then a block reduction.
std::string rowSum() {
  return "kernel rows {\n tensor x : f32 rank 2 argument 0\n tensor y : f32 rank 1 argument 1 written\n"
         " local a : f32 [1]\n local b : f32 [1]\n local u : f32 [1]\n shared s : f32 [4]\n"
         " int rows in [0, 1099511627776]\n int columns in [0, 1099511627776]\n"
         " block 128, 1, 1\n grid rows, 1, 1\n alloc a\n alloc b\n a[0] = Set f32 (0.0)\n"
         " for j < ((columns + 127) // 128) {\n if (((j * 128) + threadIdx.x) < columns) {\n"
         " a[0] = Add f32 (a[0], x[((blockIdx.x * columns) + (j * 128) + threadIdx.x)])\n }\n }\n"
         " b[0] = move a[0]\n"
         " alloc u\n"
         " u[0] = shuffle xor 16 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " u[0] = shuffle xor 8 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " u[0] = shuffle xor 4 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " u[0] = shuffle xor 2 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " u[0] = shuffle xor 1 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " alloc s\n"
         " if ((threadIdx.x % 32) == 0) {\n"
         " s[(threadIdx.x // 32)] = move b[0]\n"
         " }\n"
         " barrier (s stored)\n"
         " b[0] = move s[(threadIdx.x % 4)]\n"
         " u[0] = shuffle xor 2 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " u[0] = shuffle xor 1 (b[0])\n"
         " b[0] = Add f32 (b[0], u[0])\n"
         " b[0] = shuffle first 4 (b[0])\n"
         " if (threadIdx.x < 1) {\n y[blockIdx.x] = move b[0]\n }\n}\n";
}

// One element a thread, of the row of x that idx names.
std::string gatherRows() {
  const std::string i = "((blockIdx.x * 128) + threadIdx.x)";
  return "kernel gather {\n tensor x : f32 rank 2 argument 0\n tensor y : f32 rank 2 argument 1 written\n"
         " tensor idx : i64 rank 1 argument 2\n int rows in [0, 1099511627776]\n int columns in [0, 1099511627776]\n"
         " block 128, 1, 1\n grid (((rows * columns) + 127) // 128), 1, 1\n"
         " if (" + i + " < (rows * columns)) {\n index q in [0, rows) = idx[(" + i + " // columns)]\n"
         " y[" + i + "] = move x[((q * columns) + (" + i + " % columns))]\n }\n}\n";
}

void compile(benchmark::State& state) {
  const std::unique_ptr<Kernel> kernel = parseKernel(tenOps());
  const std::unique_ptr<Engine> engine = makeInterpEngine();
  const Kernel* kernels[] = {kernel.get()};
  for (auto _ : state) benchmark::DoNotOptimize(engine->compile(kernels));
}
BENCHMARK(compile)->Name("interp/compile");

enum class Kind { Pointwise, Reduction, Gather };

void launch(benchmark::State& state, const std::string& text, Kind kind) {
  const std::unique_ptr<Kernel> kernel = parseKernel(text);
  const Kernel* kernels[] = {kernel.get()};
  const auto compiled = makeInterpEngine()->compile(kernels);
  const int64_t columns = 512;
  const int64_t rows = state.range(0) / columns;
  std::vector<float> x(static_cast<size_t>(rows * columns), 1.0f);
  std::vector<float> y(x.size());
  KernelArguments arguments;
  arguments.tensors = {{x.data(), DataType::Float, {rows, columns}, {columns, 1}, {}},
                       {y.data(), DataType::Float, {rows, columns}, {columns, 1}, {}}};
  if (kind == Kind::Reduction) arguments.tensors[1] = {y.data(), DataType::Float, {rows}, {1}, {}};
  std::vector<int64_t> taken;
  for (int64_t i = 0; i < rows; ++i) taken.push_back(i * 31 % rows);
  if (kind == Kind::Gather) arguments.tensors.push_back({taken.data(), DataType::Int64, {rows}, {1}, {}});
  arguments.ints.assign(kernel->intParams.size(), 0);
  arguments.ints[0] = rows;
  arguments.ints[1] = columns;
  bindStrides(*kernel, arguments);
  for (auto _ : state) compiled[0]->launch(arguments);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void pointwise(benchmark::State& state) { launch(state, tenOps(), Kind::Pointwise); }
BENCHMARK(pointwise)->Name("interp/pointwise_10_ops")->Arg(512)->Arg(1 << 20);

void reduction(benchmark::State& state) { launch(state, rowSum(), Kind::Reduction); }
BENCHMARK(reduction)->Name("interp/row_sum")->Arg(512)->Arg(1 << 20);

void gather(benchmark::State& state) { launch(state, gatherRows(), Kind::Gather); }
BENCHMARK(gather)->Name("interp/gather")->Arg(512)->Arg(1 << 20);

}  // namespace
}  // namespace fuser
