#pragma once
// The segments that a case is compiled into, as a picture's data.

#include <string>

#include "fuser/case/case.h"
#include "reports/segment_graph.h"

namespace fuser::fuzz {

// Compiles the case for its first run, with its planted fault, up to its segments and no further. wrongValue: the
// result of the first wrong op (CaseVerdict::wrongValue), "" for none. Where the stages before refuse the case,
// `problem` says why. What crashes a compiler crashes this, too: call it in a process that may die.
reports::SegmentGraph segmentGraphOf(const Case& testCase, const std::string& wrongValue = "");

}  // namespace fuser::fuzz
