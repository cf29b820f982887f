// Groups of a program: segments, one for all, or split for probes. Cases (tests/golden/golden_file.h) have the options
//   outputs: 2      a part of more expressions than one is taken with at most so many outputs
//   with: probes | a schedule | one segment for all

#include "fuser/runtime/plan_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/segment/invariants.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// Takes scalars, single tensor expressions, and larger parts of which at most `maxOutputs` values leave.
class LimitedSchedulers : public SchedulerInterface {
 public:
  explicit LimitedSchedulers(size_t maxOutputs) : maxOutputs_(maxOutputs) {}
  SchedulerAnswer accepts(const FusionView& view) const override {
    if (view.exprs.front()->isScalarExpr()) return {SchedulerType::ExprEval, ""};
    if (view.exprs.size() > 1 && view.outputs.size() > maxOutputs_) return {SchedulerType::None, "too many outputs"};
    return {SchedulerType::PointWise, ""};
  }
  std::vector<Val*> mustBeSegmentInputs(const Expr*) const override { return {}; }

 private:
  size_t maxOutputs_;
};

std::string describe(const std::vector<HostGroup>& groups) {
  std::string text;
  for (const HostGroup& group : groups) {
    text += concat(group.index, " ", schedulerTypeName(group.scheduler), ":");
    for (const Val* input : group.inputs) text += " " + input->name();
    text += " ->";
    for (const Val* output : group.outputs) text += " " + output->name();
    text += "\n";
  }
  return text;
}

// The plan; of all as one segment, the segment.
golden::Made planned(const golden::Case& test) {
  const std::vector<std::string> with = test.allOptions("with");
  const auto has = [&](const char* what) { return std::find(with.begin(), with.end(), what) != with.end(); };
  const std::unique_ptr<Fusion> fusion = parseFusion(test.input);
  if (has("one segment for all")) {
    const std::unique_ptr<SegmentedFusion> segmented = segmentAsOne(*fusion);
    EXPECT_TRUE(findBrokenInvariants(*segmented).empty());
    return toString(*segmented);
  }
  const LimitedSchedulers schedulers(std::stoul(test.option("outputs")));
  CompileContext context;
  context.schedulers = &schedulers;
  context.options.probes = has("probes");
  return describe(planGroups(*segment(*fusion, context), context, has("a schedule")));
}

const golden::Texts kTexts("tests/fuser/runtime/plan_groups.txt", {"outputs", "with"}, planned);

}  // namespace
}  // namespace fuser
