// Each kind of op that the host runs alone, with and without memory for its results, whole and place by place: the same
// bytes.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

struct StandaloneOpCase {
  const char* name;
  const char* op;           // of %x: f32[4, 3, 5], %z: f32[4, 3, 5], %v: f32[1, 3] and %s: f64, makes %y
  const char* second = "";  // the second result's name
  int streamAxis = 0;       // of %y; -1: none can be taken apart
};

constexpr StandaloneOpCase kCases[] = {
    {"set", "%y = set(%x)"},
    {"unary", "%y = exp(%x)"},
    {"binary", "%y = mul(%x, %z)"},
    {"binary_with_scalar", "%y = add(%x, %s)"},
    {"ternary", "%y = where(%c, %x, %z)"},
    {"cast", "%y = cast(%x) {dtype = f16}"},
    {"cast_to_bool", "%y = cast(%x) {dtype = bool}"},
    {"reduction", "%y = sum(%x) {dims = [1]}", "", 1},
    {"reduction_to_one", "%y = sum(%x)", "", -1},
    {"amax", "%y = amax(%x) {dims = [0, 2]}"},
    {"slice", "%y = slice(%x) {dim = 2, start = 1, end = 4}"},
    {"slice_with_step", "%y = slice(%x) {dim = 1, start = 0, end = 3, step = 2}"},
    {"permute", "%y = permute(%x) {dims = [2, 0, 1]}", "", 1},
    {"broadcast", "%y = unsqueeze(%x) {dims = [1]}"},
    {"squeeze", "%y = squeeze(%v) {dims = [0]}"},
    {"expand", "%y = expand(%v) {shape = [i0, -1]}", "", 1},
    {"var", "%y = var(%x) {dims = [2], correction = 1}"},
    {"var_mean", "%y, %m = var_mean(%x) {dims = [2], correction = 0}", "m", 1},
};

std::string caseText(const StandaloneOpCase& op, bool streams, bool preallocated) {
  const std::string second = op.second;
  std::string text = concat(
      "fusion f(%x: f32[i0, i1, i2], %z: f32[i0, i1, i2], %v: f32[1, i1], %c: bool[i0, i1, i2], %s: f64, "
      "%u: f32[i0, i1, i2]) {\n  ",
      op.op, "\n  %other = set(%u)\n  return %y, ", second.empty() ? "" : concat("%", second, ", "), "%other\n}\n");
  // Beside a stream, an expression that shares no kernel runs alone, and a copy shares none; a view would need none.
  text += "stream %other {dim = 0}\noption disable pass MarkAliasesPreparePass\n";
  if (streams && op.streamAxis >= 0) text += concat("stream %y {dim = ", op.streamAxis, "}\n");
  if (preallocated) text += "preallocate %y {offset = 3}\n";
  if (preallocated && !second.empty()) text += concat("preallocate %", second, " {offset = 1}\n");
  return text +
         "run { %x = normal(seed = 1) : f32[4, 3, 5]  %z = normal(seed = 2) : f32[4, 3, 5]  %v = normal(seed = 3) : "
         "f32[1, 3]\n"
         "      %c = integers(seed = 4, low = 0, high = 2) : bool[4, 3, 5]  %s = 0.5\n"
         "      %u = normal(seed = 5) : f32[4, 3, 5] }\n";
}

struct Ran {
  std::vector<std::vector<std::byte>> outputs;  // in logical order
  std::string host;
};

// withGaps: the memory of each output gets another order of axes and gaps.
Ran run(const std::string& text, bool withGaps) {
  Case testCase = parseCase(text, "test");
  for (PreallocatedOutput& memory : testCase.preallocated) {
    const auto find = [&](const Val* output) { return output->name() == memory.output; };
    const auto output = std::find_if(testCase.fusion->outputs().begin(), testCase.fusion->outputs().end(), find);
    const size_t rank = (*output)->as<TensorView>()->rank();
    for (size_t axis = 0; withGaps && axis < rank; ++axis) {
      memory.order.push_back(static_cast<int64_t>(rank - 1 - axis));
      memory.gaps.push_back(static_cast<int64_t>(axis + 1));
    }
  }
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  Ran ran;
  AfterHost printing([&](HostIrContainer& program) { ran.host = toString(program); });
  settings.context.observers = {&printing};
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  const OutputMemory memory = outputMemory(testCase, inputs);
  FusionExecutorCache cache(std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), testCase.fusion.get()),
                            settings);
  const RunRecord record = cache.run(inputs, memory.refs);
  for (const TensorData& block : memory.blocks) EXPECT_TRUE(keptPoison(block)) << ran.host;
  for (const HostValue& value : record.outputs) {
    ran.outputs.push_back(elementsOf(std::get<TensorRef>(value)));
  }
  return ran;
}

class StandaloneOpTest : public testing::TestWithParam<StandaloneOpCase> {};

TEST_P(StandaloneOpTest, WritesTheSameBytesToAGivenBuffer) {
  const StandaloneOpCase& op = GetParam();
  const Ran expected = run(caseText(op, false, false), false);
  const std::string results = concat("(%y", *op.second ? concat(", %", op.second) : "", ")");
  EXPECT_NE(expected.host.find(concat("compute ", results)), std::string::npos) << expected.host;
  const bool expands = std::string(op.name) == "expand";
  for (const bool streams : {false, true}) {
    EXPECT_EQ(run(caseText(op, streams, false), false).outputs, expected.outputs) << "streams " << streams;
    for (const bool withGaps : {false, true}) {
      const Ran result = run(caseText(op, streams, true), withGaps);
      EXPECT_EQ(result.outputs, expected.outputs) << "streams " << streams << " gaps " << withGaps << "\n"
                                                  << result.host;
      EXPECT_NE(result.host.find(expands ? "copy %y to output 0" : "take output 0 for %y"), std::string::npos)
          << result.host;
      EXPECT_EQ(result.host.find("allocate %y") == std::string::npos, !(expands && streams)) << result.host;
      const bool whole = result.host.find(concat("compute into ", results)) != std::string::npos;
      EXPECT_EQ(whole, (!streams || op.streamAxis < 0) && !expands) << result.host;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, StandaloneOpTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fuser
