#include "fuzz/judge/explain_case.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

const golden::Texts kExplained("tests/fuzz/judge/explain_case.txt", {}, [](const golden::Case& test) -> golden::Made {
  // An answer has no line that begins a case.
  std::string text = toText(explainCase(parseCase(test.input, "case.fusion")));
  for (size_t at = 0; (at = text.find("== ", at)) != text.npos; ++at) text.replace(at, 3, "=> ");
  return text;
});

}  // namespace
}  // namespace fuser::fuzz
