// CompilesAlike: the same fusion, settings and inputs give the same segments, kernels and host program, to the letter.

#include "fuser/kernel/text.h"
#include "fuser/segment/segmented_text.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

std::string programText(const SegmentedFusion& segmented, const HostIrContainer& host) {
  std::string text = toString(segmented) + toString(host);
  for (const Kernel* kernel : host.kernels) text += printKernel(*kernel);
  return text;
}

}  // namespace

std::string checkCompilesAlike(const Compilation& compilation) {
  const std::string text = programText(compilation.segmented, compilation.host);
  const std::unique_ptr<CompiledProgram> again = compilation.compileAgain(compilation.settings);
  if (programText(*again->segmented, *again->host) == text) return "";
  return "a second compilation for the same inputs gives another program";
}

}  // namespace oracle
