// Host programs: lowering, text, verifier, and runs with kernels that are written here by hand.

#include <gtest/gtest.h>

#include <functional>

#include "fuser/host_ir/host_ir_evaluator.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_ir/host_ir_pass.h"
#include "fuser/host_ir/tensor_memory.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// Does what a test says, and keeps the arguments of its last launch.
class HandKernel : public CompiledKernel {
 public:
  explicit HandKernel(std::function<void(const KernelArguments&)> body) : body_(std::move(body)) {}
  void launch(const KernelArguments& arguments) override {
    ++launches;
    last = arguments;
    body_(arguments);
  }
  int launches = 0;
  KernelArguments last;

 private:
  std::function<void(const KernelArguments&)> body_;
};

float* floats(const TensorRef& ref) { return static_cast<float*>(ref.data); }

// The declaration of a kernel over a part: its tensors and scalar inputs, the extents given, and one stride each.
std::unique_ptr<Kernel> declare(const std::string& name, const Fusion& part, const std::vector<IntExpr>& extents) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->gridDim.fill(kernel->ints->constant(1));
  kernel->blockIdx.fill(kernel->ints->constant(0));
  kernel->threadIdx.fill(kernel->ints->constant(0));
  const auto addTensor = [&](const Val* val, bool written) {
    const int index = static_cast<int>(kernel->tensors.size());
    const auto* tensor = val->as<TensorView>();
    kernel->buffers.push_back({index, tensor->name(), tensor->dtype(), MemoryType::Global, nullptr, index, tensor});
    kernel->tensors.push_back({index, tensor->rank(), written, tensor});
  };
  for (const Val* input : part.inputs()) {
    if (input->isTensor()) {
      addTensor(input, false);
    } else {
      kernel->scalars.push_back({input->name(), input->dtype(), input});
    }
  }
  for (const Val* output : part.outputs()) addTensor(output, true);
  for (IntExpr extent : extents) kernel->intParams.push_back({kernel->ints->symbol("extent"), extent});
  kernel->intParams.push_back({kernel->ints->symbol("stride"), nullptr, 0, 0});
  return kernel;
}

// f(%x: f32[i0], %a: i64) { %n = size(%x) {dim = 0}; %m = add(%n, %a); %t = neg(%x); %y = mul(%t, %m); return %y, %m }
constexpr const char* kText =
    "host f(%x: f32[i0], %a: i64) {\n"
    "  kernel k1\n"
    "  kernel k2\n"
    "  segment 0 ExprEval (%a) -> (%m) {\n"
    "    evaluate %n, %m\n"
    "  }\n"
    "  segment 1 PointWise (%x) -> (%t) {\n"
    "    allocate %t: f32[i0]\n"
    "    launch k1(%x, %t; i0, stride(%x, 0); )\n"
    "  }\n"
    "  segment 2 PointWise (%t, %m) -> (%y) {\n"
    "    allocate %y: f32[i0]\n"
    "    launch k2(%t, %y; i0, stride(%t, 0); %m)\n"
    "  }\n"
    "  free %t\n"
    "  return %y, %m\n"
    "}\n";

// kText with the first `from` replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = kText;
  return text.replace(text.find(from), from.size(), to);
}

struct HostIrTest : testing::Test {
  HostIrTest() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
    fusion.addInput(a = fusion.newScalar(DataType::Int64, "a"));
    n = build::size(fusion, x, 0, "n");
    m = build::binary(fusion, OpKind::Add, n, a, "m");
    t = build::unary(fusion, OpKind::Neg, x, "t");
    y = build::binary(fusion, OpKind::Mul, t, m, "y");
    fusion.addOutput(y);
    fusion.addOutput(m);
    fusion.markOrigins();
  }

  HostGroup kernelGroup(int index, Val* result, std::vector<Val*> inputs) {
    parts.push_back(std::make_unique<ClonedPart>(clonePart(fusion, {result->definition()}, inputs, {result})));
    const ClonedPart& part = *parts.back();
    kernels.push_back(declare(concat("k", index), *part.fusion, {part.fusion->extentSymbol("i0")}));
    return {index, SchedulerType::PointWise, {result->definition()}, inputs, {result}, &part, kernels.back().get()};
  }

  std::vector<HostGroup> groups() {
    HostGroup scalars{0, SchedulerType::ExprEval, {n->definition(), m->definition()}, {a}, {m}, nullptr, nullptr};
    HostGroup first = kernelGroup(1, t, {x});
    HostGroup second = kernelGroup(2, y, {t, m});
    return {scalars, first, second};
  }

  std::unique_ptr<HostIrContainer> lowered() {
    std::unique_ptr<HostIrContainer> program = HostIrLower(fusion).lower(groups());
    InsertDeallocationsPass::runPass(*program);
    return program;
  }

  // What the verifier says, without its place; "" where it takes what the action made.
  static std::string complaint(const std::function<void()>& action) {
    try {
      action();
    } catch (const CheckError& error) {
      const std::string message = error.what();
      return message.substr(message.find("constraint "));
    }
    return "";
  }

  Fusion fusion{"f"};
  TensorView* x;
  Scalar* a;
  Scalar* n;
  Val* m;
  Val* t;
  Val* y;
  std::vector<std::unique_ptr<ClonedPart>> parts;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

TEST_F(HostIrTest, AllocatesBeforeAndFreesAfterTheLastUse) {
  EXPECT_EQ(toString(*lowered()), kText);
}

TEST_F(HostIrTest, ParsesWhatItPrints) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const HostIrContainer parsed = parseHostIr(kText, fusion, program->kernels);
  EXPECT_EQ(toString(parsed), kText);
  EXPECT_NO_THROW(verifyHostIr(parsed));
  const std::vector<hir::HostExpr*> segments = hostExprsOf<hir::Segment>(parsed);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(std::get<hir::Segment>(segments[0]->node).kernel, -1);
  EXPECT_EQ(std::get<hir::Segment>(segments[2]->node).kernel, 1);
  const auto firstLaunch = [](const HostIrContainer& of) {
    return std::get<hir::LaunchKernel>(hostExprsOf<hir::LaunchKernel>(of).front()->node).ints;
  };
  EXPECT_EQ(firstLaunch(parsed), firstLaunch(*program));
}

TEST_F(HostIrTest, ParserNamesTheLineAndWhatIsWrong) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const auto rejection = [&](const std::string& from, const std::string& to) -> std::string {
    try {
      parseHostIr(edited(from, to), fusion, program->kernels);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejection("free %t", "free %q"), "host program, line 15: the fusion has no %q");
  EXPECT_EQ(rejection("free %t", "lose %t"), "host program, line 15: 'launch ' expected");
  EXPECT_EQ(rejection("launch k2", "launch k9"), "host program, line 13: no kernel is called k9");
  EXPECT_EQ(rejection("; i0,", "; i7,"), "host program, line 9: no extent is called i7");
  EXPECT_EQ(rejection("allocate %t: f32", "allocate %t: f16"), "host program, line 8: 'f32[i0]' expected");
  EXPECT_EQ(rejection("evaluate %n", "evaluate %x"), "host program, line 5: %x is no computed scalar");
  EXPECT_EQ(rejection("  kernel k2\n", "  kernel k1\n"), "host program, line 3: kernel 1 is not k1");
  EXPECT_EQ(rejection("  kernel k2\n", "  kernel k2\n  kernel k3\n"), "host program, line 4: kernel 2 is not k3");
  EXPECT_EQ(rejection("segment 0 ExprEval", "segment 0 Magic"), "host program, line 4: no scheduler is called Magic");
  const std::string other = "k2 takes 2 tensors, 2 integers and 1 scalars, and other ones are given";
  EXPECT_EQ(rejection("k2(%t, %y;", "k2(%t;"), "host program, line 13: " + other);
  EXPECT_EQ(rejection("; %m)", "; )"), "host program, line 13: " + other);
  EXPECT_EQ(rejection("; i0, stride(%t, 0);", "; stride(%t, 0), i0;"),
            "host program, line 13: k2 takes an extent as integer 1, and a stride is given");
  EXPECT_EQ(rejection("; %m)", "; %t)"), "host program, line 13: %t is no scalar");
  EXPECT_EQ(rejection("  return %y, %m\n}\n", ""), "host program, line 16: the text ends too early");
}

// Any prefix, and any change of one byte, is parsed or rejected, never worse.
TEST_F(HostIrTest, ParserTakesAnyText) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const std::string text = kText;
  size_t rejected = 0;
  const auto parse = [&](const std::string& changed) {
    try {
      parseHostIr(changed, fusion, program->kernels);
    } catch (const UserError&) {
      ++rejected;
    }
  };
  for (size_t i = 0; i < text.size(); ++i) {
    parse(text.substr(0, i));
    for (const char c : {'%', ';', '9', '\n', '\xff'}) parse(text.substr(0, i) + c + text.substr(i + 1));
  }
  EXPECT_GT(rejected, text.size());
}

TEST_F(HostIrTest, VerifierFindsAReadBeforeTheWrite) {
  std::vector<HostGroup> wrong = groups();
  std::swap(wrong[1], wrong[2]);
  EXPECT_EQ(complaint([&] { HostIrLower(fusion).lower(wrong); }), "constraint 1: %t is read where it does not exist");
}

TEST_F(HostIrTest, VerifierFindsAScalarThatIsEvaluatedTwice) {
  std::vector<HostGroup> wrong = groups();
  wrong.push_back(wrong[0]);
  EXPECT_EQ(complaint([&] { HostIrLower(fusion).lower(wrong); }), "constraint 5: %n is evaluated twice");
}

TEST_F(HostIrTest, ALaunchWritesNoInputAndTakesWhatItsKernelDeclares) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const auto problem = [&](const std::string& from, const std::string& to) {
    return complaint(
        [&] { verifyHostIr(parseHostIr(edited(from, to), fusion, program->kernels), HostLeaks::Allowed); });
  };
  EXPECT_EQ(problem("k1(%x, %t;", "k1(%t, %x;"), "constraint 7: %x is written in an input's memory");
  kernels.front()->buffers.front().dtype = DataType::Half;
  EXPECT_EQ(problem("k1", "k1"), "constraint 6: k1 takes f16 of rank 1 as argument 1, and not %x");
  kernels.front()->buffers.front().dtype = DataType::Float;
  kernels.front()->tensors.back().rank = 2;
  EXPECT_EQ(problem("k1", "k1"), "constraint 6: k1 takes f32 of rank 2 as argument 2, and not %t");
}

// No text says so: the parser takes as many as the kernel declares.
TEST_F(HostIrTest, ALaunchHasAsManyArgumentsAsItsKernelDeclares) {
  const auto problem = [&](const std::function<void(hir::LaunchKernel&)>& edit) {
    const std::unique_ptr<HostIrContainer> program = lowered();
    edit(std::get<hir::LaunchKernel>(hostExprsOf<hir::LaunchKernel>(*program).back()->node));
    return complaint([&] { verifyHostIr(*program); });
  };
  const std::string other = "constraint 6: k2 is launched with another number of arguments";
  EXPECT_EQ(problem([](hir::LaunchKernel&) {}), "");
  EXPECT_EQ(problem([](hir::LaunchKernel& launch) { launch.tensors.pop_back(); }), other);
  EXPECT_EQ(problem([](hir::LaunchKernel& launch) { launch.ints.pop_back(); }), other);
  EXPECT_EQ(problem([](hir::LaunchKernel& launch) { launch.scalars.pop_back(); }), other);
}

TEST_F(HostIrTest, TheKernelOfWhatRunsAloneIsGivenItsOperandsAndResults) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const auto given = [&](const std::string& second) {
    const std::string line = concat("compute into (%t) from (%x) as %t by k1(%x, %", second, "; i0, stride(%x, 0); )");
    const std::string text = edited("launch k1(%x, %t; i0, stride(%x, 0); )", line);
    return complaint([&] { verifyHostIr(parseHostIr(text, fusion, program->kernels)); });
  };
  EXPECT_EQ(given("t"), "");
  EXPECT_EQ(given("y"),
            "constraint 12: the kernel of what runs alone is given %y, which is none of its operands or results");
}

TEST_F(HostIrTest, VerifierFindsAMissingOutput) {
  std::vector<HostGroup> wrong = groups();
  wrong.pop_back();
  EXPECT_EQ(complaint([&] { HostIrLower(fusion).lower(wrong); }), "constraint 11: %y is read where it does not exist");
}

struct HostRunTest : HostIrTest {
  HostRunTest() {
    program = lowered();
    compiled.push_back(std::make_unique<HandKernel>([](const KernelArguments& arguments) {
      for (int64_t i = 0; i < arguments.ints[0]; ++i) {
        floats(arguments.tensors[1])[i] = -floats(arguments.tensors[0])[i * arguments.ints[1]];
      }
    }));
    compiled.push_back(std::make_unique<HandKernel>([](const KernelArguments& arguments) {
      for (int64_t i = 0; i < arguments.ints[0]; ++i) {
        floats(arguments.tensors[1])[i] = floats(arguments.tensors[0])[i] * arguments.scalars[0].as<float>();
      }
    }));
  }
  RunRecord run(bool record, size_t maxBytes = 1 << 20) {
    TensorRef ref{data.data(), DataType::Float, {3}, {2}, {}};
    const std::vector<HostValue> inputs{ref, ScalarValue(int64_t{10})};
    ExpressionEvaluator evaluator(fusion);
    evaluator.bindInputs(inputs);
    HostRunSettings settings;
    settings.record = record;
    settings.maxBytes = maxBytes;
    return HostIrEvaluator(*program, compiled).run(inputs, evaluator, settings);
  }
  const KernelArguments& lastOf(size_t kernel) { return static_cast<HandKernel&>(*compiled[kernel]).last; }

  std::vector<float> data{1, 99, 2, 99, 3};
  std::unique_ptr<HostIrContainer> program;
  std::vector<std::unique_ptr<CompiledKernel>> compiled;
};

TEST_F(HostRunTest, PassesTensorsExtentsStridesAndScalars) {
  const RunRecord record = run(false);
  const TensorRef result = std::get<TensorRef>(record.outputs.at(0));
  EXPECT_EQ(result.sizes, Dims{3});
  EXPECT_EQ(floats(result)[0], -13);
  EXPECT_EQ(floats(result)[1], -26);
  EXPECT_EQ(floats(result)[2], -39);
  EXPECT_EQ(std::get<ScalarValue>(record.outputs.at(1)), ScalarValue(int64_t{13}));
  EXPECT_EQ(lastOf(0).ints, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(lastOf(1).ints, (std::vector<int64_t>{3, 1}));
  EXPECT_TRUE(record.segments.empty());
  EXPECT_EQ(record.memory.size(), 1u) << "%t is freed";
}

TEST_F(HostRunTest, ARecordHoldsEveryBoundary) {
  const RunRecord record = run(true);
  ASSERT_EQ(record.segments.size(), 3u);
  EXPECT_EQ(record.memory.size(), 2u);
  const SegmentRecord& scalars = record.segments[0];
  EXPECT_EQ(scalars.scheduler, SchedulerType::ExprEval);
  EXPECT_EQ(std::get<ScalarValue>(scalars.outputs.at(0).value), ScalarValue(int64_t{13}));
  const SegmentRecord& first = record.segments[1];
  EXPECT_EQ(first.inputs.at(0).origin, x->id());
  EXPECT_EQ(first.outputs.at(0).origin, t->id());
  EXPECT_EQ(floats(std::get<TensorRef>(first.outputs.at(0).value))[2], -3);
  const SegmentRecord& second = record.segments[2];
  EXPECT_EQ(second.index, 2);
  EXPECT_EQ(second.inputs.at(1).name, "m");
  EXPECT_TRUE(second.reductionDepths.empty());
}

TEST_F(HostRunTest, WhatNothingHasWrittenIsReportedWhereItIsReadAndWhereItIsReturned) {
  const auto reported = [&](size_t launch) -> std::string {
    program->remove(hostExprsOf<hir::LaunchKernel>(*program).at(launch));
    try {
      run(false);
    } catch (const ViolationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reported(0), "%t is read, and nothing has written it");
  program = std::make_unique<HostIrContainer>(parseHostIr(kText, fusion, program->kernels));
  EXPECT_EQ(reported(1), "%y is returned, and nothing has written it");
}

TEST_F(HostRunTest, RefusesToTakeMoreMemoryThanARunMay) {
  EXPECT_NO_THROW(run(false, 24));
  EXPECT_THROW(run(false, 23), UserError);
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
  EXPECT_TRUE(floats(memory.ref)[4] != floats(memory.ref)[4]) << "poison is NaN";
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
