// HostText: print -> parse -> print of the host program is the identity, and what was parsed verifies.

#include "fuser/host_ir/host_program.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostText(const Compilation& compilation) {
  const std::string text = toString(compilation.host);
  const HostProgram again = parseHostProgram(text, *compilation.host.fusion, compilation.host.kernels);
  verifyHostProgram(again);
  return toString(again) == text ? "" : "the host program prints differently after parsing";
}

}  // namespace oracle
