// CutAtRequiredInputsPass asks whichever schedulers the context has.

#include <gtest/gtest.h>

#include "fuser/passes/passes.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

// neg must find its operand in memory.
class NegReadsMemory : public SchedulerInterface {
 public:
  SchedulerAnswer accepts(const FusionView&) const override { return {SchedulerType::PointWise, ""}; }
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override {
    return expr->op() == OpKind::Neg ? expr->inputs() : std::vector<Val*>{};
  }
};

std::string body(const std::string& text) { return "fusion f(%x: f32[i0]) {\n" + text + "}\n"; }

// What the pass makes of it, and whether it said so; a second run changes nothing.
std::string cut(const std::string& text, bool expectChange) {
  const auto fusion = parseFusion(body(text));
  const NegReadsMemory schedulers;
  CompileContext context;
  context.schedulers = &schedulers;
  context.checkInvariants = true;
  EXPECT_EQ(CutAtRequiredInputsPass::runPass(fusion.get(), context), expectChange);
  const std::string once = printFusion(*fusion);
  EXPECT_FALSE(CutAtRequiredInputsPass::runPass(fusion.get(), context));
  EXPECT_EQ(printFusion(*fusion), once);
  return once;
}

std::string printed(const std::string& text) { return printFusion(*parseFusion(body(text))); }

TEST(CutAtRequiredInputsTest, PutsASegmentSetBeforeTheReader) {
  EXPECT_EQ(cut("  %a = exp(%x)\n  %y = neg(%a)\n  return %y\n", true),
            printed("  %a = exp(%x)\n  %a.stored = segment_set(%a)\n  %y = neg(%a.stored)\n  return %y\n"));
}

TEST(CutAtRequiredInputsTest, SharesItBetweenReaders) {
  EXPECT_EQ(cut("  %a = exp(%x)\n  %y = neg(%a)\n  %z = neg(%a)\n  return %y, %z\n", true),
            printed("  %a = exp(%x)\n  %a.stored = segment_set(%a)\n  %y = neg(%a.stored)\n"
                    "  %z = neg(%a.stored)\n  return %y, %z\n"));
}

TEST(CutAtRequiredInputsTest, LeavesAloneWhatIsStoredOrReadOtherwise) {
  for (const char* text : {"  %y = neg(%x)\n  return %y\n",                                      // an input
                           "  %a = exp(%x)\n  %y = neg(%a)\n  return %y, %a\n",                  // an output
                           "  %a = exp(%x)\n  %s = segment_set(%a)\n  %y = neg(%s)\n  return %y\n",  // cut already
                           "  %a = exp(%x)\n  %y = neg(%a)\n  %z = log(%a)\n  return %y, %z\n"}) {   // read by others
    EXPECT_EQ(cut(text, false), printed(text));
  }
}

TEST(CutAtRequiredInputsTest, WithoutSchedulersNothingIsRequired) {
  const auto fusion = parseFusion(body("  %a = exp(%x)\n  %y = neg(%a)\n  return %y\n"));
  EXPECT_FALSE(CutAtRequiredInputsPass::runPass(fusion.get()));
}

}  // namespace
}  // namespace fuser
