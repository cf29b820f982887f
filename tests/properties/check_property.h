#pragma once
// Checks a RapidCheck property on `cases` generated cases, from the seed that ctest sets (RC_PARAMS). A failure prints
// the smallest failing case, as .fusion text.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/Configuration.h>

#include <sstream>

#include "fuzz/generate/arbitrary_fusion.h"

namespace fuser {

template <class Property>
void checkProperty(int cases, Property property) {
  rc::detail::TestMetadata metadata;
  metadata.id = testing::UnitTest::GetInstance()->current_test_info()->name();
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = cases;
  const rc::detail::TestResult result = rc::detail::checkTestable(property, metadata, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
}

}  // namespace fuser
