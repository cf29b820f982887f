#pragma once
// Where a case can be cut into other segments, and how.

#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Values that a segment_set may follow: made by an op, and read by another. In the order in which they are first read.
std::vector<TensorView*> cutPlaces(const Fusion& fusion);

// A segment_set behind the value: its readers read it through that.
//   %z = neg(%y)   ->   %s = segment_set(%y)   %z = neg(%s)
void cut(Fusion& fusion, TensorView* tensor);

// Whether the case must keep the segments that it has. A schedule of its own is for those; where tensors are on streams
// or devices, each expression is one.
bool hasFixedSegments(const Case& testCase);

}  // namespace fuser::fuzz
