#include "fuzz/judge/round_trip.h"

#include "fuser/ir/equality.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser::fuzz {

std::string otherText(const Case& testCase, const std::string& text) {
  try {
    const Case again = parseCase(text, "printed");
    const std::string problem = firstDifference(*testCase.fusion, *again.fusion);
    return problem.empty() && printCase(again) != text ? "prints differently after parsing" : problem;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return concat("the printed text does not parse: ", error.what());
  }
}

}  // namespace fuser::fuzz
