#pragma once
// Checks a RapidCheck property on `cases` generated cases, from the seed that ctest sets (RC_PARAMS). A failure prints
// the smallest failing case that kMostShrinks attempts find, as .fusion text: each compiles and runs its case.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/Configuration.h>

#include <sstream>

#include "fuzz/generate/arbitrary_fusion.h"

namespace fuser {

// Ends the check at the limit; what was the smallest until then is in `smallest`.
class ShrinkLimit final : public rc::detail::TestListener {
 public:
  struct Reached {};
  static constexpr int kMostShrinks = 200;

  void onTestCaseFinished(const rc::detail::CaseDescription& description) override { smallest = description; }
  void onShrinkTried(const rc::detail::CaseDescription& shrink, bool accepted) override {
    if (accepted) smallest = shrink;
    if (++tried_ == kMostShrinks) throw Reached{};
  }
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}

  rc::detail::CaseDescription smallest;

 private:
  int tried_ = 0;
};

template <class Property>
void checkProperty(int cases, Property property) {
  rc::detail::TestMetadata metadata;
  metadata.id = testing::UnitTest::GetInstance()->current_test_info()->name();
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = cases;
  ShrinkLimit limit;
  std::ostringstream message;
  try {
    const rc::detail::TestResult result = rc::detail::checkTestable(property, metadata, params, limit);
    if (result.template is<rc::detail::SuccessResult>()) return;
    rc::detail::printResultMessage(result, message);
  } catch (const ShrinkLimit::Reached&) {
    message << "Falsifiable; the smallest of " << ShrinkLimit::kMostShrinks << " smaller cases that were tried:\n"
            << limit.smallest.result.description << "\n";
    for (const auto& [type, text] : limit.smallest.example()) message << text << "\n";
  }
  ADD_FAILURE() << message.str();
}

}  // namespace fuser
