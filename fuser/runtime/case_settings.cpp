// Converts cases to settings of a cache.

#include "fuser/runtime/case_settings.h"

#include "fuser/case/aliases.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/host_passes/decompose_reshardings.h"
#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/spread_stream_axes.h"
#include "fuser/passes/passes.h"
#include "fuser/support/similar_name.h"

namespace fuser {
namespace {

bool hasSeed(RecipeKind kind) {
  switch (kind) {
    case RecipeKind::Normal:
    case RecipeKind::Uniform:
    case RecipeKind::Integers:
    case RecipeKind::Special: return true;
    case RecipeKind::Values:
    case RecipeKind::View: return false;
  }
  FUSER_CHECK(false, "bad RecipeKind");
}

// "; did you mean 'DeadCodePass'", of names with ", " between them.
std::string passLike(std::string_view pass, std::string_view known) {
  std::vector<std::string_view> names;
  for (size_t start = 0, end = 0; end != known.npos; start = end + 2) {
    end = known.find(", ", start);
    names.push_back(known.substr(start, end - start));
  }
  return didYouMean(pass, names);
}

}  // namespace

StreamSettings drawnStreams(const Case& testCase) {
  StreamSettings streams;
  if (testCase.runs.empty()) return streams;
  for (const RunInput& input : testCase.runs.front().inputs) {
    const auto* tensor = std::get_if<TensorInput>(&input.value);
    if (!tensor || !hasSeed(tensor->recipe.kind)) continue;
    streams.seed = tensor->recipe.seed;
    // A single stream, on which iterations never overlap, is the least interesting choice.
    constexpr size_t kNumbers[] = {1, 2, 2, 3, 3, 3, 4, 5};
    // Handwritten seeds are small; adjacent ones should differ. (Fibonacci hashing, Knuth: the golden ratio's bits.)
    streams.loopStreams = kNumbers[(streams.seed * 0x9e3779b97f4a7c15ull >> 32) % std::size(kNumbers)];
    break;
  }
  if (testCase.options.streams) streams.loopStreams = static_cast<size_t>(*testCase.options.streams);
  return streams;
}

FusionExecutorCache::Settings settingsOf(const Case& testCase) {
  for (const std::string& pass : testCase.options.disabledPasses) {
    const bool placing = pass == SpreadStreamAxesPass::name() || pass == DecomposeReshardingsPass::name();
    if (isPassName(pass) || isHostPassName(pass) || placing) continue;
    const std::string known = concat(passNames(), ", ", SpreadStreamAxesPass::name(), ", ",
                                     DecomposeReshardingsPass::name(), ", ", hostPassNames());
    throwUserError(concat(testCase.places.before(concat("option disable pass ", pass)), "no pass is called '", pass,
                          "'", passLike(pass, known), "; known: ", known));
  }
  FusionExecutorCache::Settings settings;
  settings.context.options = testCase.options;
  settings.schedule = testCase.schedule;
  settings.segmentSchedules = testCase.segmentSchedules;
  settings.streams = drawnStreams(testCase);
  aliasesIn(*testCase.fusion, testCase.aliases);  // a UserError now, not where a cache is made
  settings.aliases = testCase.aliases;
  for (const PreallocatedOutput& memory : testCase.preallocated) {
    const size_t output = indexOfNamed(testCase.fusion->outputs(), memory.output);
    const std::string problem = whyNoPreallocation(*testCase.fusion, testCase.fusion->outputs()[output]);
    FUSER_USER_CHECK(problem.empty(), "preallocate %", memory.output, ": ", problem);
    settings.preallocated.insert(output);
  }
  return settings;
}

OutputMemory outputMemory(const Case& testCase, ExpressionEvaluator& sizes, size_t maxBytes) {
  OutputMemory memory;
  if (testCase.preallocated.empty()) return memory;
  const Fusion& fusion = *testCase.fusion;
  checkShapes(fusion, sizes);
  memory.refs.resize(fusion.outputs().size());
  for (const PreallocatedOutput& layout : testCase.preallocated) {
    // The first position at which it is returned.
    const size_t number = indexOfNamed(fusion.outputs(), layout.output);
    const auto* output = fusion.outputs()[number]->as<TensorView>();
    memory.blocks.push_back(materialize(layout, output->dtype(), sizes.sizes(output), maxBytes));
    memory.refs[number] = memory.blocks.back().ref;
  }
  return memory;
}

OutputMemory outputMemory(const Case& testCase, const std::vector<HostValue>& inputs, size_t maxBytes) {
  if (testCase.preallocated.empty()) return {};
  ExpressionEvaluator sizes(*testCase.fusion);
  sizes.bindInputs(inputs);
  return outputMemory(testCase, sizes, maxBytes);
}

std::vector<HostValue> hostValues(const RunData& data) { return inputsOf(data); }

}  // namespace fuser
