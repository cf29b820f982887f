// SegmentsText: print -> parse -> print of a segmented fusion is the identity.

#include "fuser/segment/invariants.h"
#include "fuser/segment/segmented_text.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkSegmentsText(const Compilation& compilation) {
  const std::string text = toString(compilation.segmented);
  const auto again = parseSegmentedFusion(text, compilation.presegmented);
  if (toString(*again) != text) return "the segmented fusion prints differently after parsing";
  const std::vector<std::string> broken = findBrokenInvariants(*again);
  return broken.empty() ? "" : "after parsing: " + broken.front();
}

}  // namespace oracle
