// A broken rule is refused, unless an observer lets it pass.

#include "fuser/analysis/schedule_rules.h"

#include <gtest/gtest.h>

#include <vector>

#include "fuser/analysis/compile_observer.h"

namespace fuser {
namespace {

struct Passes final : CompileObserver {
  explicit Passes(bool passes) : passes(passes) {}
  bool letsPass(int rule, const std::string& why) override {
    seen += concat(rule, ": ", why, "\n");
    return passes;
  }
  bool passes;
  std::string seen;
};

TEST(ScheduleRulesTest, ABrokenRuleIsTheCallersError) {
  const ScheduleRules rules;
  EXPECT_NO_THROW(rules.require(true, 7, "an axis of %", "t"));
  try {
    rules.require(false, 7, "an axis of %", "t");
    FAIL() << "it passed";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "rule 7: an axis of %t");
  }
}

TEST(ScheduleRulesTest, ObserversRefuseUnlessOneLetsItPass) {
  Passes no(false), yes(true);
  const std::vector<CompileObserver*> strict{&no}, lax{&no, &yes, &no};
  EXPECT_THROW(ScheduleRules(strict).require(false, 5, "why"), UserError);
  EXPECT_NO_THROW(ScheduleRules(lax).require(false, 5, "why"));
  EXPECT_NO_THROW(ScheduleRules(lax).require(true, 6, "kept"));
  EXPECT_EQ(yes.seen, "5: why\n") << "a rule that is kept asks nobody";
}

// No option of a case reaches the seam: observers are code.
TEST(ScheduleRulesTest, AnObserverOfItsOwnLetsNothingPass) {
  CompileObserver plain;
  const std::vector<CompileObserver*> observers{&plain};
  EXPECT_THROW(ScheduleRules(observers).require(false, 5, "why"), UserError);
}

}  // namespace
}  // namespace fuser
