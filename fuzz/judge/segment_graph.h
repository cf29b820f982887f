#pragma once
// Compiles a case to its segments and converts them to a graph for drawing.

#include <string>

#include "fuser/case/case.h"
#include "fuzz/judge/first_compilation.h"
#include "reports/segment_graph.h"

namespace fuser {
class SegmentedFusion;
}

namespace fuser::fuzz {

// Compiles the case for its first run, with its planted fault, up to the segments. `wrongValue`: the result of the
// first wrong op (CaseVerdict::wrongValue), or "". If an earlier stage rejects the case, SegmentGraph::problem has the
// reason. A case that crashes the compiler crashes this process, too, so call it in a worker.
reports::SegmentGraph segmentGraphOf(const Case& testCase, const std::string& wrongValue = "");

// The same of segments that are there: of this case, or of one with its names.
reports::SegmentGraph segmentGraphOf(const SegmentedFusion& segmented, const FirstCompilation& compiled,
                                     const std::string& wrongValue = "");

}  // namespace fuser::fuzz
