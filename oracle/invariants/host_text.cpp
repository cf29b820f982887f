// HostText: print -> parse -> print of the host program is the identity, over a fusion that host passes have not seen,
// and what was parsed verifies.

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/clone.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostText(const Compilation& compilation) {
  const std::string text = toString(compilation.host);
  // Without the tensors that host passes added: the text declares them.
  const std::unique_ptr<Fusion> fusion = cloneInOrderOfUse(compilation.host.fusion());
  const HostIrContainer again = parseHostIr(text, *fusion, compilation.host.kernels);
  verifyHostIr(again, HostLeaks::Allowed);  // leaks are HostFreesOnce's
  return toString(again) == text ? "" : "the host program prints differently after parsing";
}

}  // namespace oracle
