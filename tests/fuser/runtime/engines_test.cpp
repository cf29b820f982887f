// The engines on real programs: corpus/seeds through the whole pipeline on the interpreter and on the cpu engine, every
// output and every buffer between segments equal to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fuser/case/functional_updates.h"
#include "fuser/ir/builder.h"
#include "fuser/ops/op_eval.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/support/rejection.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Case readCase(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return functionalCase(parseCase(text.str(), path));
}

int64_t offsetOf(const TensorRef& ref, int64_t index) {
  int64_t offset = 0;
  for (size_t axis = ref.sizes.size(); axis-- > 0;) {
    offset += index % ref.sizes[axis] * ref.strides[axis];
    index /= ref.sizes[axis];
  }
  return offset;
}

// Equal bits, a NaN standing for every NaN.
template <class T>
bool same(T a, T b) {
  const auto x = widen(a);
  const auto y = widen(b);
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (x != x && y != y);
}

// "" or the first difference.
std::string differenceOf(const HostValue& a, const HostValue& b) {
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&a)) {
    return *scalar == std::get<ScalarValue>(b) ? "" : concat(*scalar, " and ", std::get<ScalarValue>(b));
  }
  const TensorRef& x = std::get<TensorRef>(a);
  const TensorRef& y = std::get<TensorRef>(b);
  if (x.dtype != y.dtype || x.sizes != y.sizes) return "another type";
  return dispatch(x.dtype, [&]<class T>() -> std::string {
    for (int64_t i = 0; i < numel(x.sizes); ++i) {
      const T left = static_cast<const T*>(x.data)[offsetOf(x, i)];
      const T right = static_cast<const T*>(y.data)[offsetOf(y, i)];
      if (!same(left, right)) return concat("element ", i, ": ", widen(left), " and ", widen(right));
    }
    return "";
  });
}

std::vector<RunRecord> runAll(const Case& testCase, const std::vector<RunData>& data, EngineKind engine, bool probes) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.options.engine = engine;
  settings.context.options.probes = probes;
  settings.record = true;
  FusionExecutorCache cache({testCase.fusion.get(), [](const Fusion*) {}}, std::move(settings));
  std::vector<RunRecord> records;
  for (const RunData& run : data) records.push_back(cache.run(hostValues(run)));
  return records;
}

void expectEqualRecords(const RunRecord& a, const RunRecord& b) {
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t i = 0; i < a.outputs.size(); ++i)
    EXPECT_EQ(differenceOf(a.outputs[i], b.outputs[i]), "") << "output " << i;
  ASSERT_EQ(a.segments.size(), b.segments.size());
  for (size_t s = 0; s < a.segments.size(); ++s) {
    ASSERT_EQ(a.segments[s].outputs.size(), b.segments[s].outputs.size());
    for (size_t i = 0; i < a.segments[s].outputs.size(); ++i) {
      const BoundaryValue& left = a.segments[s].outputs[i];
      EXPECT_EQ(differenceOf(left.value, b.segments[s].outputs[i].value), "") << "segment " << s << ", " << left.name;
    }
  }
}

// The seeds with a grid of more threads than the cpu engine has stacks for.
const std::set<std::string> kGridsWithoutRoom = {"adafactor",
                                                 "clipped_decayed_step",
                                                 "cross_correlation_loss",
                                                 "cross_entropy",
                                                 "expert_balance",
                                                 "gated_mlp_shared_cast",
                                                 "hinge_loss",
                                                 "l2_normalize_backward",
                                                 "label_smoothing",
                                                 "layer_norm_backward",
                                                 "quantize_and_calibrate",
                                                 "quantize_channels_bf16",
                                                 "residual_rms_norm_backward_bf16",
                                                 "running_statistics"};

class EnginesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(EnginesTest, InterpAndCpuAgreeToTheBit) {
  const Case testCase = readCase(GetParam());
  ASSERT_FALSE(testCase.runs.empty());
  for (const bool probes : {false, true}) {  // on the first run and on the last: every compilation costs a clang call
    std::vector<RunData> data, again;        // each engine's own: outputs may overwrite inputs
    data.push_back(materialize(testCase, probes ? testCase.runs.back() : testCase.runs.front()));
    again.push_back(materialize(testCase, probes ? testCase.runs.back() : testCase.runs.front()));
    const std::vector<RunRecord> interp = runAll(testCase, data, EngineKind::Interp, probes);
    std::vector<RunRecord> cpu;
    try {
      cpu = runAll(testCase, again, EngineKind::Cpu, probes);
    } catch (const ListedRejection& error) {
      EXPECT_EQ(error.id(), RejectionId::GridStacks) << error.what();
      EXPECT_TRUE(kGridsWithoutRoom.count(std::filesystem::path(GetParam()).stem().string())) << error.what();
      std::printf("%s: not compared%s: %s\n", GetParam().c_str(), probes ? ", with probes" : "", error.what());
      continue;
    }
    for (size_t i = 0; i < interp.size(); ++i) expectEqualRecords(interp[i], cpu[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EnginesTest, ::testing::ValuesIn(seeds()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

// A pointwise op on f64, as a kernel's op on tensors and as a host scalar's.
struct HostedOp {
  OpKind op;
  std::vector<std::optional<double>> literals;  // of its operands; none: a tensor
  Val* result = nullptr;
};

std::vector<HostedOp> hostedOps(Fusion& fusion) {
  std::vector<HostedOp> hosted;
  for (OpKind op : kAllOps) {
    const OpInfo& info = opInfo(op);
    if (!isPointwise(info.kind) || info.operands == "condition" || !laneFunction(info.kind, DataType::Double)) continue;
    HostedOp one{info.kind, {}};
    std::vector<Val*> operands;
    const size_t named = namedOperands(info.kind).size(), count = operandCount(info.kind);
    for (size_t i = 0; i < count; ++i) {
      const bool literal = i + named >= count;
      one.literals.push_back(literal ? std::optional(i + 1 == count ? 0.75 : 0.25) : std::nullopt);
      operands.push_back(literal ? static_cast<Val*>(fusion.newConstant(*one.literals.back())) : fusion.inputs()[i]);
    }
    one.result = build::pointwise(fusion, info.kind, operands);
    hosted.push_back(std::move(one));
  }
  return hosted;
}

class HostedOpsTest : public testing::TestWithParam<EngineKind> {};

TEST_P(HostedOpsTest, GiveTheSameBitsInKernelsAndOnTheHost) {
  Case testCase = parseCase(
      "fusion f(%a: f64[i0], %b: f64[i0], %c: f64[i0]) {\n  return %a\n}\n"
      "run { %a = normal(seed = 1) : f64[200]  %b = uniform(seed = 2, low = 0, high = 4) : f64[200]\n"
      "  %c = normal(seed = 3) : f64[200] }\n",
      "hosted");
  testCase.options.engine = GetParam();
  Fusion& fusion = *testCase.fusion;
  const std::vector<HostedOp> hosted = hostedOps(fusion);
  std::vector<Val*> outputs;
  for (const HostedOp& one : hosted) outputs.push_back(one.result);
  fusion.setOutputs(outputs);
  fusion.markOrigins();
  EXPECT_GT(outputs.size(), 80u);
  const RunData data = materialize(testCase, testCase.runs.front());
  std::shared_ptr<const Fusion> shared(std::shared_ptr<const Fusion>(), &fusion);
  FusionExecutorCache cache(shared, settingsOf(testCase));
  const RunRecord record = cache.run(hostValues(data));
  for (size_t k = 0; k < hosted.size(); ++k) {
    const auto& ref = std::get<TensorRef>(record.outputs[k]);
    for (int64_t i = 0; i < 200; ++i) {
      std::vector<ScalarValue> operands;
      for (size_t operand = 0; operand < hosted[k].literals.size(); ++operand) {
        const auto* numbers = static_cast<const double*>(data.tensors[operand].ref.data);
        operands.emplace_back(hosted[k].literals[operand].value_or(numbers[i]));
      }
      const ScalarValue expected = evaluateScalar(hosted[k].op, operands);
      const bool alike = expected.dtype() == DataType::Bool
                             ? expected.as<bool>() == static_cast<const bool*>(ref.data)[i]
                             : same(expected.as<double>(), static_cast<const double*>(ref.data)[i]);
      ASSERT_TRUE(alike) << opName(hosted[k].op) << " of element " << i << ": the host gives " << expected;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, HostedOpsTest, testing::Values(EngineKind::Interp, EngineKind::Cpu),
                         [](const auto& info) { return info.param == EngineKind::Cpu ? "cpu" : "interp"; });

}  // namespace
}  // namespace fuser
