// Fusions made concrete, as text: each case of concretize.txt is a case, and for each of its runs the sizes that are 1
// and meet others, and the fusion for them; or why the run is rejected.

#include "fuser/evaluate/concretize.h"

#include <gtest/gtest.h>

#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// Why the sizes of a run are refused; empty where they are not.
std::string refusal(const Case& testCase, const RunData& data) {
  try {
    decisionsOf(*testCase.fusion, inputsOf(data));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

golden::Made concreteForms(const golden::Case& test) {
  const Case testCase = parseCase(test.input, test.title);
  const Case functional = functionalCase(testCase);
  std::string text;
  for (size_t run = 0; run < testCase.runs.size(); ++run) {
    const RunData data = materialize(testCase, testCase.runs[run]);
    EXPECT_EQ(refusal(testCase, data).empty(), refusal(functional, data).empty()) << refusal(functional, data);
    try {
      const std::string ones = toText(*testCase.fusion, decisionsOf(*testCase.fusion, inputsOf(data)));
      const Case made = concreteCase(testCase, inputsOf(data));
      verify(*made.fusion);
      EXPECT_FALSE(needsConcretizing(*made.fusion));
      EXPECT_TRUE(decisionsOf(*made.fusion, inputsOf(data)).empty()) << "a size is still 1 and meets another one";
      text += concat("run ", run, ones.empty() ? "" : ": ", ones, "\n", printFusion(*made.fusion));
    } catch (const UserError& error) {
      text += concat("run ", run, " is rejected: ", error.what(), "\n");
    }
  }
  return text;
}

const golden::Texts kTexts("tests/fuser/evaluate/concretize.txt", {}, concreteForms);

}  // namespace
}  // namespace fuser
