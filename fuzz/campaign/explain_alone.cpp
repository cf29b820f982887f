#include "fuzz/campaign/explain_alone.h"

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/isolate/short_stack.h"
#include "fuzz/judge/explain_case.h"
#include "reports/fields_bytes.h"

namespace fuser::fuzz {

reports::ExplainedCase explainAlone(const std::string& name, const std::string& text, const std::string& wrongValue,
                                    const Limits& limits) {
  const Outcome outcome = runAlone("explain", limits, [&](const std::string&) {
    return reports::encode(explainCase(parseCase(text, name), wrongValue));
  });
  reports::ExplainedCase explained;
  if (outcome.ending == Ending::Finished) {
    explained = reports::decode<reports::ExplainedCase>(outcome.reply);
  } else {
    checkNotFromOutside(outcome);
    explained.program = printFusion(*parseCase(text, name).fusion);
    explained.ending = shortStack(outcome.detail);
  }
  explained.name = name;
  return explained;
}

}  // namespace fuser::fuzz
