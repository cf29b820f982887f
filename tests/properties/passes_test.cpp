// Each pass alone, and the PreSegmenter, on generated fusions: settled after one run, honest about what it changed, and
// what it leaves verifies.

#include "fuser/case/case.h"
#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/passes/pre_segmenter.h"
#include "tests/properties/check_property.h"

namespace fuser {
namespace {

constexpr int kFusions = 2000;

// For passes that ask schedulers: reductions must find their operands in memory.
class ReductionsReadMemory : public SchedulerInterface {
 public:
  SchedulerAnswer accepts(const FusionView&) const override { return {SchedulerType::PointWise, ""}; }
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override {
    return expr->isScalarExpr() || !isReduction(expr->op()) ? std::vector<Val*>{} : expr->inputs();
  }
};

using RunPass = bool (*)(Fusion*, const CompileContext&);

// Each output overwrites the first input that it can, whatever its sizes: passes do not ask for them.
void addAliases(Fusion& fusion) {
  for (size_t output = 0; output < fusion.outputs().size(); ++output) {
    for (Val* input : fusion.inputs()) {
      const bool free = !fusion.isOverwritten(input) && whyNoAlias(fusion, fusion.outputs()[output], input).empty();
      if (!free) continue;
      fusion.setAlias(output, input);
      break;
    }
  }
}

// Whether the pass had something to do. The whole sequence runs each pass once, so that what a later one makes possible
// for an earlier one stays undone: it need not settle.
bool checkPass(RunPass run, const Fusion& source, bool settles = true) {
  const ClonedFusion copy = cloneFusion(source);
  addAliases(*copy.fusion);
  const Fusion& original = *copy.fusion;
  const ClonedFusion clone = cloneFusion(original);
  Fusion& fusion = *clone.fusion;
  fusion.markOrigins();
  const ReductionsReadMemory schedulers;
  CompileContext context;
  context.schedulers = &schedulers;
  const uint64_t before = fingerprint(fusion);
  const bool modified = run(&fusion, context);
  RC_ASSERT(modified == (fingerprint(fusion) != before));
  RC_ASSERT(modified == !sameFusion(fusion, original));
  const std::vector<Violation> violations = findViolations(fusion);
  if (!violations.empty()) RC_FAIL(violations.front().message);
  RC_ASSERT(fusion.exprs().size() <= fusion.exprIdCount());  // has an order: no cycle
  if (settles) {
    const uint64_t after = fingerprint(fusion);
    RC_ASSERT(!run(&fusion, context));
    RC_ASSERT(fingerprint(fusion) == after);
  }
  RC_ASSERT(fusion.outputs().size() == original.outputs().size());
  for (size_t i = 0; i < fusion.outputs().size(); ++i) {
    RC_ASSERT(fusion.outputs()[i]->dtype() == original.outputs()[i]->dtype());
    // No pass of the list rounds differently, so each output still is the original's, bit for bit.
    RC_ASSERT(fusion.outputs()[i]->origin() == original.outputs()[i]->id());
  }
  return modified;
}

class PassProperties : public testing::TestWithParam<const PassInfo*> {};

TEST_P(PassProperties, SettlesAndSaysWhatItChanged) {
  int modified = 0;
  checkProperty(kFusions,
                [&](const fuzz::ArbitraryFusion& fusion) { modified += checkPass(GetParam()->run, *fusion); });
  EXPECT_GT(modified, 5) << "the pass hardly ever had anything to do";
}

std::vector<const PassInfo*> pointersToPasses() {
  std::vector<const PassInfo*> passes;
  for (const PassInfo& pass : allPasses()) passes.push_back(&pass);
  return passes;
}

INSTANTIATE_TEST_SUITE_P(EachPass, PassProperties, testing::ValuesIn(pointersToPasses()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(PreSegmenterProperties, SaysWhatItChangedAndKeepsOutputs) {
  checkProperty(kFusions,
                [](const fuzz::ArbitraryFusion& fusion) { checkPass(&PreSegmenter::runPass, *fusion, false); });
}

}  // namespace
}  // namespace fuser
