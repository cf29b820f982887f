// Updates as ops, as text: each case of functional_updates.txt is a case, and its functional form or the refusal.

#include "fuser/case/functional_updates.h"

#include <gtest/gtest.h>

#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

golden::Made functional(const golden::Case& test) {
  try {
    const Case testCase = parseCase(test.input, test.title);
    const Case made = functionalCase(testCase);
    verify(*made.fusion);
    EXPECT_EQ(printCase(functionalCase(made)), printCase(made)) << "the functional form has updates";
    return printCase(made);
  } catch (const UserError& error) {
    return concat("refused: ", error.what(), "\n");
  }
}

const golden::Texts kTexts("tests/fuser/case/functional_updates.txt", {}, functional);

}  // namespace
}  // namespace fuser
