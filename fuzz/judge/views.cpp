// The list of views, and what each changes.

#include "fuzz/judge/views.h"

#include <algorithm>
#include <vector>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/ir/builder.h"
#include "fuser/passes/passes.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/preallocated.h"
#include "fuzz/generate/streams.h"
#include "fuzz/judge/random_schedule.h"

namespace fuser::fuzz {
namespace {

bool flipDisableOption(Case& testCase, uint64_t draw) {
  constexpr DisableOption kOptions[] = {DisableOption::ResizeScheduler};
  const DisableOption option = kOptions[draw % std::size(kOptions)];
  if (testCase.options.disabled.erase(option) == 0) testCase.options.disabled.insert(option);
  return true;
}

bool onePassOff(Case& testCase, uint64_t draw) {
  const auto passes = allPasses();
  return testCase.options.disabledPasses.insert(std::string(passes[draw % passes.size()].name)).second;
}

bool allPassesOff(Case& testCase, uint64_t) {
  bool changed = false;
  for (const PassInfo& pass : allPasses())
    changed |= testCase.options.disabledPasses.insert(std::string(pass.name)).second;
  return changed;
}

bool everyOpStored(Case& testCase, uint64_t) {
  if (testCase.options.probes || testCase.options.contraction) return false;
  testCase.options.probes = true;
  return true;
}

// Values that a segment_set may follow: made by an op, and read by another.
std::vector<TensorView*> cutPlaces(const Fusion& fusion) {
  std::vector<TensorView*> places;
  const auto add = [&](Val* val) {
    if (!val->isTensor() || val->definition() == nullptr || val->definition()->op() == OpKind::SegmentSet) return;
    auto* tensor = val->as<TensorView>();
    if (std::find(places.begin(), places.end(), tensor) == places.end()) places.push_back(tensor);
  };
  for (const Expr* expr : fusion.exprs()) {
    for (Val* input : expr->inputs()) add(input);
  }
  return places;
}

// Readers of the value read it through a segment_set.
void cut(Fusion& fusion, TensorView* tensor) {
  const std::vector<Expr*> before = fusion.exprs();
  TensorView* behind = build::segmentSet(fusion, tensor);
  for (Expr* expr : before) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      if (expr->inputs()[i] == tensor) fusion.replaceInput(expr, i, behind);
    }
  }
}

// A schedule of the case's own is for the segments that it has; where tensors are on streams or devices, each
// expression is one.
bool hasFixedSegments(const Case& testCase) {
  return testCase.schedule || !testCase.segmentSchedules.empty() || testCase.fusion->hasStreams() ||
         testCase.fusion->hasDevices();
}

bool oneCut(Case& testCase, uint64_t draw) {
  const std::vector<TensorView*> places = cutPlaces(*testCase.fusion);
  if (places.empty() || hasFixedSegments(testCase)) return false;
  cut(*testCase.fusion, places[draw % places.size()]);
  return true;
}

bool cutAtEveryOp(Case& testCase, uint64_t) {
  const std::vector<TensorView*> places = cutPlaces(*testCase.fusion);
  if (places.empty() || hasFixedSegments(testCase)) return false;
  for (TensorView* place : places) cut(*testCase.fusion, place);
  return true;
}

bool flipTopDown(Case& testCase, uint64_t) {
  if (hasFixedSegments(testCase)) return false;
  if (testCase.options.disabled.erase(DisableOption::TopDown) == 0)
    testCase.options.disabled.insert(DisableOption::TopDown);
  return true;
}

bool drawMergePredicate(Case& testCase, uint64_t draw) {
  if (hasFixedSegments(testCase)) return false;
  constexpr MergePredicate kPredicates[] = {MergePredicate::Random, MergePredicate::Random, MergePredicate::Random,
                                            MergePredicate::Always};
  const MergePredicate predicate = kPredicates[draw % std::size(kPredicates)];
  testCase.options.mergePredicate = predicate;
  testCase.options.mergeSeed = predicate == MergePredicate::Random ? static_cast<uint32_t>(draw >> 32) : 0;
  return true;
}

bool flipBoundaryPrecision(Case& testCase, uint64_t) {
  if (hasFixedSegments(testCase)) return false;
  testCase.options.boundaryPrecision = !testCase.options.boundaryPrecision;
  return true;
}

// For the first run alone: schedules may rely on its sizes.
bool randomSchedule(Case& testCase, uint64_t draw) {
  if (hasFixedSegments(testCase)) return false;
  std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, draw);
  if (!schedules) return false;
  testCase.segmentSchedules = std::move(*schedules);
  testCase.runs.resize(1);
  return true;
}

bool onStreams(Case& testCase, uint64_t draw) {
  Choices choices(draw, 0);
  return spreadOverStreams(testCase, choices);
}

// Without one or more of the host program's passes: of a case on devices, or on streams. Those two which a program of
// either kind needs stay.
bool hostPassesOff(Case& testCase, uint64_t draw) {
  Choices choices(draw, 1);
  const bool spread = testCase.fusion->hasStreams() || testCase.fusion->hasDevices();
  if (!spread && !spreadOverStreams(testCase, choices)) return false;
  std::vector<std::string_view> passes(allHostPasses().begin(), allHostPasses().end());
  std::erase(passes, LowerReshardingsPass::name());
  std::erase(passes, StreamParallelTypePass::name());
  bool changed = testCase.options.disabledPasses.insert(std::string(passes[draw % passes.size()])).second;
  for (std::string_view pass : passes) {
    if (choices.chance(0.3)) changed |= testCase.options.disabledPasses.insert(std::string(pass)).second;
  }
  return changed;
}

// A schedule of the case's own may take vectors of an output, which memory of any strides does not allow.
bool intoGivenMemory(Case& testCase, uint64_t draw) {
  if (testCase.schedule || !testCase.segmentSchedules.empty()) return false;
  Choices choices(draw, 0);
  return preallocateOutputs(testCase, choices);
}

bool onDevices(Case& testCase, uint64_t draw) {
  Choices choices(draw, 0);
  return spreadOverDevices(testCase, choices);
}

constexpr View kViews[] = {
    {"disable option flipped", "one `option disable` the other way round", 200, flipDisableOption},
    {"one pass off", "without one optimization pass", 100, onePassOff},
    {"all passes off", "without any optimization pass", 200, allPassesOff},
    {"one cut", "a segment_set behind one value", 100, oneCut},
    {"cut at every op", "a segment_set behind every value: a segment an op", 200, cutAtEveryOp},
    {"top-down flipped", "whole parts are tried as one segment, or not", 50, flipTopDown},
    {"random merges", "a custom predicate decides which groups become one segment", 100, drawMergePredicate},
    {"boundary precision", "values cross between segments in the narrowest exact type, or not", 100,
     flipBoundaryPrecision},
    {"random schedule", "each segment by another legal schedule", 200, randomSchedule},
    {"on streams", "expressions run place by place along an axis, on streams", 400, onStreams},
    {"host passes off", "on streams or devices, without some passes of the host program", 400, hostPassesOff},
    {"into given memory", "outputs are written to memory of the caller's, of any strides", 400, intoGivenMemory},
    {"on devices", "tensors are whole or sharded on several devices", 400, onDevices},
    {"every op stored", "with probes: every op is judged alone", 200, everyOpStored},
};

// SplitMix64's finaliser: every bit of the result depends on every bit of the argument.
uint64_t mixed(uint64_t bits) {
  bits += 0x9e3779b97f4a7c15ull;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  return bits ^ (bits >> 31);
}

}  // namespace

std::span<const View> allViews() { return kViews; }

std::optional<uint64_t> viewDraw(const View& view, uint64_t seed, uint64_t number) {
  uint64_t hash = mixed(mixed(seed) ^ number);
  for (char c : view.name) hash = mixed(hash ^ static_cast<unsigned char>(c));
  if (hash % static_cast<uint64_t>(view.oneIn) != 0) return std::nullopt;
  return mixed(hash);
}

std::optional<Case> viewOf(const View& view, const Case& testCase, uint64_t draw) {
  Case copy = cloneCase(testCase);
  if (!view.apply(copy, draw)) return std::nullopt;
  copy.metadata.emplace_back("view", view.name);
  return copy;
}

Case viewOf(const std::string& name, const Case& testCase, uint64_t seed, uint64_t number) {
  std::string known;
  for (const View& view : allViews()) {
    known += concat(known.empty() ? "" : ", ", "'", view.name, "'");
    if (view.name != name) continue;
    const std::optional<uint64_t> draw = viewDraw(view, seed, number);
    FUSER_USER_CHECK(draw.has_value(), "case ", number, " of seed ", seed, " is not judged in the view '", name,
                     "': one case in ", view.oneIn, " is");
    std::optional<Case> seen = viewOf(view, testCase, *draw);
    FUSER_USER_CHECK(seen.has_value(), "case ", number, " of seed ", seed, " has no place for the view '", name, "'");
    return std::move(*seen);
  }
  throwUserError(concat("no view is called '", name, "'; known: ", known));
}

}  // namespace fuser::fuzz
