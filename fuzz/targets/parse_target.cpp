#include "fuser/ir/equality.h"
#include "fuser/support/diagnostic.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/targets/targets.h"

namespace fuser::fuzz {

void parseTarget(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Case testCase;
  try {
    testCase = parseCase(text, "input");
  } catch (const LocatedError& error) {
    FUSER_CHECK(error.place().line >= 1 && error.place().column >= 1, "an error without a place: ", error.what());
    return;
  }
  const std::string printed = printCase(testCase);
  try {
    const Case again = parseCase(printed, "printed");
    FUSER_CHECK(printCase(again) == printed, "prints differently after parsing:\n", printed);
    const std::string difference = firstDifference(*testCase.fusion, *again.fusion);
    FUSER_CHECK(difference.empty(), "another fusion after parsing: ", difference, "\n", printed);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    FUSER_CHECK(false, "the printed text does not parse: ", error.what(), "\n", printed);
  }
}

}  // namespace fuser::fuzz
