// Expressions and inputs that no output needs. (The other reducers that cut a program leave them out as well.)
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropDeadCode(Search& search) {
  Change change;
  change.dropDeadCode = true;
  return search.attempt(change);
}

}  // namespace fuser::fuzz
