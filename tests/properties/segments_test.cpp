// The segmenter with the real schedulers on generated fusions: the same groups every time, under any options, and
// groups that name all that they need.

#include "fuser/ir/clone.h"
#include "fuser/kernel/text.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/runtime/build_program.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"

namespace fuser {
namespace {

struct Segmentation {
  explicit Segmentation(const Fusion& original, SegmentCandidateFinderOptions options = {})
      : fusion(cloneFusion(original).fusion) {
    context.schedulers = &schedulers;
    context.sizes = &sizes;
    context.checkInvariants = true;
    PreSegmenter::runPass(fusion.get(), context);
    segmented = segment(*fusion, context, options);
  }

  std::unique_ptr<Fusion> fusion;
  Schedulers schedulers;
  // As for a run in which every symbol is 5: some parts are taken only when no axis is empty.
  SizeFacts sizes{[](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{5}; }); }};
  CompileContext context;
  std::unique_ptr<SegmentedFusion> segmented;
};

void checkGroups(const Segmentation& made, bool typed) {
  RC_ASSERT(findBrokenInvariants(*made.segmented) == std::vector<std::string>{});
  for (const SegmentedGroup* group : made.segmented->groups()) {
    RC_ASSERT((group->schedulerType() == SchedulerType::ExprEval) == group->isScalarGroup());
    if (typed) RC_ASSERT(group->schedulerType() != SchedulerType::None);
    if (group->isScalarGroup()) continue;  // runs where it stands: `size` of a tensor that the group does not read
    // What the group says that it reads and makes is all that a copy of it needs.
    const ClonedPart part =
        clonePart(*made.fusion, group->exprs(), group->inputs().vector(), group->outputs().vector());
    RC_ASSERT(part.inputs == group->inputs().vector());
  }
}

TEST(SegmentProperties, GroupsAreWholeAndTaken) {
  size_t groups = 0, exprs = 0, cuts = 0;
  checkProperty(600, [&](const fuzz::ArbitraryFusion& fusion) {
    const Segmentation made(*fusion);
    checkGroups(made, true);
    groups += made.segmented->groups().size();
    exprs += made.segmented->liveExprs().size();
    cuts += made.segmented->cutSegmentSets();
  });
  EXPECT_GT(cuts, 40u);
  EXPECT_LT(groups, exprs);
}

TEST(SegmentProperties, BottomUpAloneGivesWholeGroupsToo) {
  checkProperty(200, [](const fuzz::ArbitraryFusion& fusion) {
    SegmentCandidateFinderOptions options;
    options.topDown = false;
    checkGroups(Segmentation(*fusion, options), true);
  });
}

TEST(SegmentProperties, ARandomMergePredicateGivesWholeGroups) {
  checkProperty(200, [](const fuzz::ArbitraryFusion& fusion, uint32_t dice) {
    SegmentCandidateFinderOptions options;
    options.custom_should_merge_groups = [dice](const SegmentedGroup* a, const SegmentedGroup* b) {
      return ((a->exprs().front()->id() * 2654435761u + b->exprs().front()->id()) ^ dice) % 3 != 0;
    };
    checkGroups(Segmentation(*fusion, options), false);
  });
}

// Segments, host program and kernels of a case's first run.
std::string programText(const Case& made, const std::vector<HostValue>& inputs) {
  const auto program = buildProgram(*made.fusion, interpSettings(made), {}, inputs);
  std::string text = toString(*program->segmented) + toString(*program->host);
  for (const auto& kernel : program->kernels) text += printKernel(*kernel);
  return text;
}

TEST(SegmentProperties, TwentyCompilationsGiveTheSameText) {
  checkProperty(40, [](const fuzz::ArbitraryCase& made) {
    const RunData data = materialize(*made, made->runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    const std::string first = programText(*made, inputs);
    std::vector<std::unique_ptr<char[]>> moved;  // so that nothing lies where it lay before
    for (size_t i = 1; i < 20; ++i) {
      for (size_t size : {24, 40, 72, 136, 520}) moved.push_back(std::make_unique<char[]>(size * i));
      RC_ASSERT(programText(*made, inputs) == first);
    }
  });
}

}  // namespace
}  // namespace fuser
