// KernelText: each kernel verifies, and print -> parse -> print is the identity.

#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkKernelText(const Compilation& compilation) {
  for (const Kernel* kernel : compilation.host.kernels) {
    verifyKernel(*kernel);
    const std::string text = printKernel(*kernel);
    const std::unique_ptr<Kernel> again = parseKernel(text);
    verifyKernel(*again);
    if (printKernel(*again) != text) return kernel->name + " prints differently after parsing";
  }
  return "";
}

}  // namespace oracle
