// Runs of host programs with kernels that are written here by hand, and what they record.

#include <gtest/gtest.h>

#include <functional>

#include "fuser/host_run/host_ir_evaluator.h"
#include "tests/fuser/host_ir/lowered_program.h"

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

struct HostRunTest : LoweredProgram {
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
  EXPECT_EQ(scalars.scheduler, "ExprEval");
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

TEST_F(HostRunTest, ReportsUnwrittenTensorsWhenReadOrReturned) {
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
  program = std::make_unique<HostIrContainer>(parseHostIr(kLoweredText, fusion, program->kernels));
  EXPECT_EQ(reported(1), "%y is returned, and nothing has written it");
}

TEST_F(HostRunTest, RejectsARunOverTheMemoryLimit) {
  EXPECT_NO_THROW(run(false, 24));
  EXPECT_THROW(run(false, 23), UserError);
}

}  // namespace
}  // namespace fuser
