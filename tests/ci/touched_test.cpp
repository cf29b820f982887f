// What a change touches, by .ci/touched: each case of touched.txt is a change, as shell commands, and what is said
// about it.

#include <gtest/gtest.h>

#include <regex>

#include "tests/ci/scratch_repository.h"
#include "tests/golden/golden_tests.h"

namespace {

const golden::Texts kTouched("tests/ci/touched.txt", {}, [](const golden::Case& each) {
  const ci::ScratchRepository& repository = ci::ScratchRepository::restored();
  const ci::Ended changed = repository.change(each.input);
  EXPECT_EQ(changed.code, 0) << changed.output;
  const ci::Ended told = repository.run(".ci/touched base");
  EXPECT_EQ(told.code, 0) << told.output;
  if (told.output.empty()) return golden::Made("nothing\n");
  // The number of a line is another one whenever something is added above it.
  return golden::Made(std::regex_replace(told.output, std::regex(R"(:\d+\n)"), ":#\n"));
});

}  // namespace
