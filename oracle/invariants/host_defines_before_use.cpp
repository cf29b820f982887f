// HostDefinesBeforeUse: the host program's verifier, which the harness runs after whatever edited the program.

#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostDefinesBeforeUse(const Compilation& compilation) {
  verifyHostIr(compilation.host, HostLeaks::Allowed);  // leaks are HostFreesOnce's
  return "";
}

}  // namespace oracle
