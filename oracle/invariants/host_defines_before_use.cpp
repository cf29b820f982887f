// HostDefinesBeforeUse: the host program's verifier, which the harness runs after whatever edited the program.

#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostDefinesBeforeUse(const Compilation& compilation) {
  verifyHostProgram(compilation.host);
  return "";
}

}  // namespace oracle
