// The whole PreSegmenter on generated cases, with every check on: verifier, fingerprints, restart budget.

#include <gtest/gtest.h>

#include <map>

#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuzz/generate/generate.h"

namespace fuser {
namespace {

constexpr uint64_t kSeed = 7;
constexpr uint64_t kCases = 1500;

TEST(GeneratedPassesTest, PassesKeepInterfaceAndOriginsAndSettle) {
  std::map<std::string, size_t> modified;
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case generated = fuzz::generateCase(kSeed, number);
    generated.fusion->markOrigins();
    const ClonedFusion clone = cloneFusion(*generated.fusion);
    Fusion& fusion = *clone.fusion;
    CompileContext context;
    context.checkInvariants = true;
    context.onPass = [&](const std::string& pass, bool changed) { modified[pass] += changed; };
    const bool changed = PreSegmenter::runPass(&fusion, context);
    ASSERT_EQ(changed, !sameFusion(fusion, *generated.fusion)) << "case " << number;
    ASSERT_EQ(fusion.inputs().size(), generated.fusion->inputs().size()) << "case " << number;
    ASSERT_EQ(fusion.outputs().size(), generated.fusion->outputs().size()) << "case " << number;
    for (size_t i = 0; i < fusion.outputs().size(); ++i) {
      const Val* before = generated.fusion->outputs()[i];
      const Val* after = fusion.outputs()[i];
      ASSERT_EQ(after->dtype(), before->dtype()) << "case " << number;
      ASSERT_EQ(after->origin(), before->id()) << "case " << number << ": no pass of the list rounds differently";
      if (!after->isTensor()) continue;
      const TensorDomain& layout = after->as<TensorView>()->domain();
      ASSERT_EQ(layout.allocationOrder, before->as<TensorView>()->domain().allocationOrder) << "case " << number;
      ASSERT_EQ(layout.contiguity, before->as<TensorView>()->domain().contiguity) << "case " << number;
    }
    ASSERT_FALSE(PreSegmenter::runPass(&fusion, context)) << "case " << number << ": a second run finds more to do";
  }
  for (const auto& [pass, count] : modified) EXPECT_GT(count, 10u) << pass << " hardly ever had anything to do";
}

}  // namespace
}  // namespace fuser
