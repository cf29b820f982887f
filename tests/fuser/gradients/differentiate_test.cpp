// Gradients as text: each case of differentiate.txt is a case, and the case of its gradients with what is left out, or
// the refusal. And the table of derivatives: each op has one row.

#include <gtest/gtest.h>

#include <set>

#include "fuser/gradients/backward_case.h"
#include "fuser/gradients/derivative.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/golden/golden_tests.h"

namespace fuser::gradients {
namespace {

golden::Made backward(const golden::Case& test) {
  try {
    const BackwardCase made = backwardCase(parseCase(test.input, test.title));
    const std::string text = printCase(made.testCase);
    EXPECT_EQ(printCase(parseCase(text, "printed")), text);
    std::string notes;
    for (const std::string& note : made.notes) notes += concat(note, "\n");
    return text + notes;
  } catch (const UserError& error) {
    return concat("refused: ", error.what(), "\n");
  }
}

const golden::Texts kTexts("tests/fuser/gradients/differentiate.txt", {}, backward);

TEST(DerivativesTest, EachOpHasARow) {
  for (OpKind op : kAllOps) {
    const Derivative* row = derivativeOf(op);
    ASSERT_TRUE(row) << opName(op);
    const bool isPointwiseRow = !row->formulas.empty();
    const int kinds = isPointwiseRow + (row->function != nullptr) + !row->whyNone.empty() + !row->whyRefused.empty();
    EXPECT_EQ(kinds, 1) << opName(op);
    EXPECT_EQ(row->formulas.size(), isPointwiseRow ? operandCount(op) : 0) << opName(op);
  }
}

}  // namespace
}  // namespace fuser::gradients
