#pragma once
// The case of a fusion's gradients, with data: what `fuser-opt --backward` prints.

#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::gradients {

struct BackwardCase {
  Case testCase;
  std::vector<std::string> notes;  // what of the given case is left out, a sentence each
};

// differentiate() of the case's functional form (fuser/case/functional_updates.h), whose outputs are those of the
// statements, and the inputs that they write to. It has the case's metadata, options and runs; each run has a cotangent
// for each output, drawn from a normal distribution with a seed of its own. Left out are what names values of the given
// fusion (aliases, memory for outputs, schedules), and runs that are, or may be, rejected. A UserError as of
// differentiate().
BackwardCase backwardCase(const Case& testCase);

}  // namespace fuser::gradients
