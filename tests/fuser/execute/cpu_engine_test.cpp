// The printed text, compiled by clang and run: every row of the op table and every conversion against the host's own.
#include "fuser/execute/cpu_engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "fuser/codegen/cpu_module.h"
#include "fuser/execute/clang_compiler.h"
#include "fuser/kernel/text.h"
#include "fuser/ops/op_eval.h"
#include "tests/fuser/execute/array.h"
#include "tests/fuser/execute/pointwise_kernels.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

constexpr size_t kElements = 3000;

// What the host makes of the row.
Array hostResult(const PointwiseCase& c, const std::vector<Array>& operands) {
  const DataType compute = computeType(c.dtype);
  std::vector<Array> converted;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool isTruth = takesCondition(c.op, i);
    converted.push_back(convertedArray(operands[i], isTruth ? DataType::Bool : compute));
  }
  const void* in[3] = {};
  for (size_t i = 0; i < converted.size(); ++i) in[i] = converted[i].data();
  Array result(opInfo(c.op).result == Result::Bool ? DataType::Bool : compute, kElements);
  laneFunction(c.op, compute)(in[0], in[1], in[2], result.data(), kElements);
  return convertedArray(result, c.result);
}

// ctest takes a third; all of them are held against the interpreter (EngineAgreementTest).
TEST(CpuEngineTest, AgreesWithTheHostOnEveryOpAndDtype) {
  std::vector<PointwiseCase> cases = pointwiseCases();
  size_t place = 0;
  std::erase_if(cases, [&](const PointwiseCase&) { return place++ % sampleStep(3) != 0; });
  ASSERT_GT(cases.size(), 50u);
  const auto compiled = makeCpuEngine()->compile(kernelsOf(cases));
  for (size_t k = 0; k < cases.size(); ++k) {
    const PointwiseCase& c = cases[k];
    std::vector<Array> operands;
    KernelArguments arguments;
    for (size_t i = 0; i < c.operandDtypes.size(); ++i) {
      operands.push_back(mixedArray(c.operandDtypes[i], kElements, operandCount(c.op) == 2 ? i : i + 2));
    }
    for (Array& operand : operands) arguments.tensors.push_back(operand.tensor());
    Array result(c.result, kElements);
    arguments.tensors.push_back(result.tensor());
    arguments.ints = {static_cast<int64_t>(kElements)};
    compiled[k]->launch(arguments);
    // Library functions too: both call this machine's C library.
    const Zeros zeros = opInfo(c.op).agreement == Agreement::SignOfZero ? Zeros::Equal : Zeros::Distinct;
    EXPECT_EQ(differenceOf(hostResult(c, operands), result, zeros), "") << c.kernel->name;
  }
}

TEST(CpuEngineTest, ConvertsBetweenAllDtypesAsTheHost) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<const Kernel*> pointers;
  for (DataType from : kAllDataTypes) {
    for (DataType to : kAllDataTypes) {
      kernels.push_back(castKernel(from, to));
      pointers.push_back(kernels.back().get());
    }
  }
  const auto compiled = makeCpuEngine()->compile(pointers);
  size_t next = 0;
  for (DataType from : kAllDataTypes) {
    const bool exhaustive = dtypeSize(from) == 2;  // every bit pattern
    Array source = exhaustive ? Array(from, 1 << 16) : mixedArray(from, 20000, 2);
    for (size_t i = 0; exhaustive && i < source.elements(); ++i) {
      const uint16_t bits = static_cast<uint16_t>(i);
      std::memcpy(source.data() + 2 * i, &bits, 2);
    }
    for (DataType to : kAllDataTypes) {
      Array target(to, source.elements());
      compiled[next++]->launch({{source.tensor(), target.tensor()}, {static_cast<int64_t>(source.elements())}, {}});
      EXPECT_EQ(differenceOf(convertedArray(source, to), target), "") << from << " to " << to;
    }
  }
}

// Every 16-bit float h of a sign, and the f32 values at and beside the middle between it and the next: below the middle
// h, above it the next, at the middle the even one; the last middle is where infinity begins.
TEST(CpuEngineTest, RoundsToSixteenBitsToNearestEven) {
  for (DataType to : {DataType::Half, DataType::BFloat16}) {
    const auto valueOf = [&](uint32_t bits) -> double {
      const uint16_t b = static_cast<uint16_t>(bits);
      return to == DataType::Half ? floatFromHalf({b}) : floatFromBfloat16({b});
    };
    const uint32_t infinity = to == DataType::Half ? 0x7c00 : 0x7f80;
    Array source(DataType::Float, 8 * infinity), expected(to, 8 * infinity), target(to, 8 * infinity);
    for (uint32_t h = 0; h < infinity; ++h) {
      const double low = valueOf(h);
      const double step = h + 1 == infinity ? low - valueOf(h - 1) : valueOf(h + 1) - low;
      const float middle = static_cast<float>(low + step / 2);
      const float values[4] = {static_cast<float>(low), std::nextafter(middle, 0.0f), middle,
                               std::nextafter(middle, INFINITY)};
      const uint32_t rounded[4] = {h, h, h + h % 2, h + 1};
      for (uint32_t i = 0; i < 4; ++i) {
        for (uint32_t sign : {0u, 1u}) {
          const size_t at = 8 * h + 2 * i + sign;
          const uint16_t bits = static_cast<uint16_t>(rounded[i] | sign << 15);
          source.as<float>()[at] = sign ? -values[i] : values[i];
          std::memcpy(expected.data() + 2 * at, &bits, 2);
        }
      }
    }
    const auto kernel = castKernel(DataType::Float, to);
    const Kernel* const kernels[] = {kernel.get()};
    makeCpuEngine()->compile(kernels)[0]->launch(
        {{source.tensor(), target.tensor()}, {static_cast<int64_t>(source.elements())}, {}});
    EXPECT_EQ(differenceOf(expected, target), "") << to;
  }
}

std::unique_ptr<CompiledKernel> compileText(const std::string& text, std::unique_ptr<Kernel>& owner) {
  owner = parseKernel(text);
  const Kernel* const kernels[] = {owner.get()};
  return std::move(makeCpuEngine()->compile(kernels)[0]);
}

TEST(CpuEngineTest, KeepsLiteralsToTheBit) {
  const char* const literals[] = {
      "0.1", "-0.0", "nan", "inf", "-inf", "5e-324", "1.7976931348623157e+308", "0.30000000000000004", "1e-45"};
  std::string text =
      "kernel literals {\n  tensor y : f64 rank 1 argument 0 written\n"
      "  tensor z : f16 rank 1 argument 1 written\n"
      "  block 1, 1, 1\n  grid 1, 1, 1\n\n";
  const size_t count = std::size(literals);
  for (size_t i = 0; i < count; ++i) {
    text += concat("  y[", i, "] = Set f64 (", literals[i], ")\n  z[", i, "] = Set f16 (", literals[i], ")\n");
  }
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(text + "}\n", kernel);
  Array y(DataType::Double, count), z(DataType::Half, count), expected(DataType::Double, count);
  for (size_t i = 0; i < count; ++i) expected.as<double>()[i] = std::strtod(literals[i], nullptr);
  compiled->launch({{y.tensor(), z.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
  EXPECT_EQ(differenceOf(convertedArray(expected, DataType::Half), z), "");
}

TEST(CpuEngineTest, KeepsIntegerLiteralsToTheBit) {
  const int64_t values[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0, int64_t{1} << 53};
  Kernel kernel;
  kernel.name = "integers";
  kernel.buffers.push_back({0, "y", DataType::Int64, MemoryType::Global, nullptr, -1, 0, nullptr});
  kernel.tensors.push_back({0, 1, true, nullptr});
  for (auto* dims : {&kernel.threadIdx, &kernel.blockIdx}) dims->fill(kernel.ints->constant(0));
  kernel.gridDim.fill(kernel.ints->constant(1));
  Array expected(DataType::Int64, std::size(values)), y(DataType::Int64, std::size(values));
  for (size_t i = 0; i < std::size(values); ++i) {
    Compute set{OpKind::Set, DataType::Int64, {0, kernel.ints->constant(static_cast<int64_t>(i))}, {}, nullptr};
    Operand operand;
    operand.literal = ScalarValue(values[i]);
    set.operands.push_back(operand);
    kernel.body.push_back({set});
    expected.as<int64>()[i] = values[i];
  }
  const Kernel* const kernels[] = {&kernel};
  makeCpuEngine()->compile(kernels)[0]->launch({{y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

// A scalar beside a bf16 tensor: rounded to bf16 first where the row says so, else kept.
TEST(CpuEngineTest, RoundsScalarOperandsWhereTheKernelSaysSo) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel scalars {
  scalar s : f64
  scalar n : i64
  scalar c : bool
  tensor y : f32 rank 1 argument 0 written
  block 1, 1, 1
  grid 1, 1, 1

  y[0] = Set f32 ($s)
  y[1] = Set f32 ($s as bf16)
  y[2] = Set f32 ($n)
  y[3] = Where f32 ($c, 1.5, -1.5)
  y[4] = Set f32 (0.3 as f16)
}
)",
                                    kernel);
  Array y(DataType::Float, 5), expected(DataType::Float, 5);
  const float values[] = {0.7f, floatFromBfloat16(bfloat16FromFloat(0.7f)), 16777220.0f, 1.5f,
                          floatFromHalf(halfFromFloat(0.3f))};
  std::memcpy(expected.data(), values, sizeof(values));
  compiled->launch({{y.tensor()}, {}, {ScalarValue(0.7), ScalarValue(int64_t{16777219}), ScalarValue(true)}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

// clang would fold a library function of a constant in f64 and round: other bits than the library's.
TEST(CpuEngineTest, CallsTheLibraryForConstantsToo) {
  const OpKind ops[] = {OpKind::Tanh, OpKind::Erf, OpKind::Expm1, OpKind::Log1p, OpKind::Sin, OpKind::Exp};
  std::string text =
      "kernel constants {\n  tensor y : f32 rank 1 argument 0 written\n"
      "  block 1, 1, 1\n  grid 1, 1, 1\n\n";
  constexpr size_t kConstants = 40;
  Array expected(DataType::Float, kConstants * std::size(ops)), y(DataType::Float, expected.elements());
  for (size_t i = 0; i < expected.elements(); ++i) {
    const OpKind op = ops[i % std::size(ops)];
    const float value = static_cast<float>(i + 1) * 0.0123f;
    text += concat("  y[", i, "] = ", opName(op), " f32 (", ScalarValue(static_cast<double>(value)), ")\n");
    laneFunction(op, DataType::Float)(&value, nullptr, nullptr, &expected.as<float>()[i], 1);
  }
  std::unique_ptr<Kernel> kernel;
  compileText(text + "}\n", kernel)->launch({{y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

// Index expressions as text have the values of IntExpr, zero and negative divisors and numerators included.
TEST(CpuEngineTest, EvaluatesIndexExpressionsAsTheHost) {
  Kernel kernel;
  kernel.name = "index";
  kernel.buffers.push_back({0, "y", DataType::Int64, MemoryType::Global, nullptr, -1, 0, nullptr});
  kernel.tensors.push_back({0, 1, true, nullptr});
  for (auto* dims : {&kernel.threadIdx, &kernel.blockIdx}) dims->fill(kernel.ints->constant(0));
  kernel.gridDim.fill(kernel.ints->constant(1));
  IntExprArena& ints = *kernel.ints;
  const IntExpr any = ints.symbol("any", {-1000, 1000});
  const IntExpr natural = ints.symbol("natural", {0, 1000});
  const IntExpr positive = ints.symbol("positive", {1, 1000});
  // As large as leaves every expression below within i64; beyond it, evaluation is an error.
  constexpr int64_t kHuge = int64_t{1} << 50;
  const IntExpr huge = ints.symbol("huge", {-kHuge, kHuge});
  const IntExpr divisor = ints.symbol("divisor", {0, 1000});
  for (IntExpr symbol : {any, natural, positive, huge, divisor}) kernel.intParams.push_back({symbol, nullptr, -1, -1});
  std::vector<IntExpr> expressions;
  for (IntExpr a : {any, natural, huge}) {
    for (IntExpr b : {any, natural, positive, divisor, ints.constant(7)}) {
      for (IntExpr e : {ints.floorDiv(a, b), ints.mod(a, b), ints.min(a, b), ints.max(a, b), ints.less(a, b),
                        ints.equal(a, b), ints.mul(a, b), ints.sub(a, ints.mul(b, ints.constant(int64_t{1} << 33)))}) {
        expressions.push_back(ints.add(ints.mul(e, ints.constant(3)), ints.constant(-5)));
        expressions.push_back(
            ints.conjunction(ints.less(e, natural), ints.equal(ints.mod(natural, positive), ints.constant(1))));
      }
    }
  }
  for (size_t i = 0; i < expressions.size(); ++i) {
    Compute set{OpKind::Set, DataType::Int64, {0, ints.constant(static_cast<int64_t>(i))}, {}, nullptr};
    Operand operand;
    operand.kind = Operand::Kind::Int;
    operand.integer = expressions[i];
    set.operands.push_back(operand);
    kernel.body.push_back({set});
  }
  const Kernel* const kernels[] = {&kernel};
  const auto compiled = makeCpuEngine()->compile(kernels);
  for (const std::vector<int64_t>& values : std::vector<std::vector<int64_t>>{{-7, 0, 1, -9, 5},
                                                                              {0, 3, 2, kHuge, 0},
                                                                              {-1, 1000, 1000, -kHuge, 3},
                                                                              {13, 7, 3, 12345678901, 0},
                                                                              {-1000, 5, 4, -1, 1000}}) {
    Array y(DataType::Int64, expressions.size()), expected(DataType::Int64, expressions.size());
    for (size_t i = 0; i < expressions.size(); ++i) {
      expected.as<int64>()[i] =
          evaluate(expressions[i], [&](IntExpr s) { return values[static_cast<size_t>(s->value)]; });
    }
    compiled[0]->launch({{y.tensor()}, values, {}});
    EXPECT_EQ(differenceOf(expected, y), "");
  }
}

TEST(CpuEngineTest, MovesVectorsOfEveryWidth) {
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> kernels;
  for (DataType dtype : kAllDataTypes) {
    for (int width : {2, 4, 8, 16}) {
      if (static_cast<size_t>(width) * dtypeSize(dtype) > 16) continue;
      owners.push_back(parseKernel(concat(
          "kernel move {\n  tensor x : ", dtype, " rank 1 argument 0\n  tensor y : ", dtype,
          " rank 1 argument 1 written\n  local t : ", dtype, " [", width, "]\n  shared s : ", dtype, " [", 32 * width,
          "]\n  int n in [0, 1099511627776]\n  block 32, 1, 1\n  grid ((n + 31) // 32), 1, 1\n\n  alloc t\n  alloc s\n",
          "  if (((blockIdx.x * 32) + threadIdx.x) < n) {\n    s[(threadIdx.x * ", width, ")] = move x[((blockIdx.x * ",
          32 * width, ") + (threadIdx.x * ", width, "))] width ", width, "\n    t[0] = move s[(threadIdx.x * ", width,
          ")] width ", width, "\n    y[((blockIdx.x * ", 32 * width, ") + (threadIdx.x * ", width,
          "))] = move t[0] width ", width, "\n  }\n}\n")));
      kernels.push_back(owners.back().get());
    }
  }
  ASSERT_EQ(kernels.size(), 1u + 2 + 3 + 3 + 1 + 2 + 4 + 4 + 3 + 4 + 3 + 2 + 4 + 4);
  const auto compiled = makeCpuEngine()->compile(kernels);
  for (size_t k = 0; k < kernels.size(); ++k) {
    const DataType dtype = kernels[k]->buffers[0].dtype;
    const int64_t width = kernels[k]->buffers[2].size->value;
    Array x = mixedArray(dtype, static_cast<size_t>(100 * width), k), y(dtype, static_cast<size_t>(100 * width));
    compiled[k]->launch({{x.tensor(), y.tensor()}, {100}, {}});
    EXPECT_EQ(differenceOf(x, y), "") << dtype << " width " << width;
  }
}

TEST(CpuEngineTest, RunsNothingForAnEmptyGrid) {
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  const Kernel* const kernels[] = {kernel.get()};
  const auto compiled = makeCpuEngine()->compile(kernels);
  Array x(DataType::Float, 0), y(DataType::Half, 0);
  x.data()[0] = 1;
  compiled[0]->launch({{x.tensor(), y.tensor()}, {0}, {}});
  EXPECT_EQ(y.data()[0], 0);
}

TEST(CpuEngineTest, KernelsOutliveTheirEngine) {
  const auto kernel = castKernel(DataType::Float, DataType::Double);
  const Kernel* const kernels[] = {kernel.get()};
  std::vector<std::unique_ptr<CompiledKernel>> compiled;
  {
    const auto engine = makeCpuEngine();
    EXPECT_EQ(engine->name(), "cpu");
    compiled = engine->compile(kernels);
  }
  Array x = mixedArray(DataType::Float, 100, 5), y(DataType::Double, 100);
  compiled[0]->launch({{x.tensor(), y.tensor()}, {100}, {}});
  EXPECT_EQ(differenceOf(convertedArray(x, DataType::Double), y), "");
}

TEST(CpuEngineTest, RejectsArgumentsOfAnotherDtype) {
  const auto kernel = castKernel(DataType::Float, DataType::Double);
  const Kernel* const kernels[] = {kernel.get()};
  const auto compiled = makeCpuEngine()->compile(kernels);
  Array x(DataType::Half, 10), y(DataType::Double, 10);
  EXPECT_THROW(compiled[0]->launch({{x.tensor(), y.tensor()}, {10}, {}}), CheckError);
}

TEST(ClangCompilerTest, ShowsTheCompilersWordsAboutTextThatDoesNotCompile) {
  try {
    ClangCompiler::find().compile("int broken(");
    FAIL();
  } catch (const CheckError& error) {
    EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos) << error.what();
  }
}

TEST(ClangCompilerTest, WithoutClangNamesThePackageToInstall) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  try {
    makeCpuEngine();
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("apt-get install clang"), std::string::npos) << error.what();
  }
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace fuser
