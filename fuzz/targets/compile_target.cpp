#include "fuser/case/functional_updates.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/targets/targets.h"
#include "oracle/invariants/invariants.h"

namespace fuser::fuzz {
namespace {

// A fuzzer wants many inputs a second; what is large belongs to tests/hostile.
constexpr size_t kMaxOps = 400;
constexpr size_t kMaxInputBytes = size_t{1} << 20;

void compile(const Case& testCase, std::span<const HostValue> inputs) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.checkInvariants = true;
  settings.context.options.fault.clear();                       // planted on purpose
  oracle::InvariantObserver observer(*testCase.fusion, false);  // the dear ones now and then, as in a campaign
  observer.watch(settings);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  const auto program = buildProgram(*testCase.fusion, settings, layouts, inputs);
  for (const auto& kernel : program->kernels) printCuda(*kernel);
  FUSER_CHECK(observer.problems().empty(), observer.problems().front());
}

}  // namespace

void compileTarget(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    const Case testCase = functionalCase(parseCase(text, "input"));
    if (testCase.fusion->exprs().size() > kMaxOps) return;
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.context.checkInvariants = true;
    buildProgram(*testCase.fusion, settings, {}, std::nullopt);
    if (testCase.runs.empty()) return;
    const RunData data = materialize(testCase, testCase.runs.front(), kMaxInputBytes);
    // As the cache asks before it compiles.
    const std::vector<HostValue> inputs = hostValues(data);
    ExpressionEvaluator evaluator(*testCase.fusion);
    evaluator.bindInputs(inputs);
    checkShapes(*testCase.fusion, evaluator);
    compile(testCase, inputs);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    // Whoever wrote the text is told what is wrong with it.
  }
}

}  // namespace fuser::fuzz
