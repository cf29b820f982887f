// HostText: print -> parse -> print of the host program is the identity, and what was parsed verifies.

#include "fuser/host_ir/host_ir_container.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostText(const Compilation& compilation) {
  const std::string text = toString(compilation.host);
  const HostIrContainer again = parseHostIr(text, compilation.host.fusion(), compilation.host.kernels);
  verifyHostIr(again, HostLeaks::Allowed);  // leaks are HostFreesOnce's
  return toString(again) == text ? "" : "the host program prints differently after parsing";
}

}  // namespace oracle
