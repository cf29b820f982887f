#pragma once
// Cuts a case into other segments with segment_set.

#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The tensors that an op other than segment_set computes and another op reads, in the order of their first readers.
std::vector<TensorView*> cutPlaces(const Fusion& fusion);

// Inserts a segment_set after the tensor; the ops that read the tensor then read the segment_set's result.
//   %z = neg(%y)   ->   %s = segment_set(%y)   %z = neg(%s)
void cut(Fusion& fusion, TensorView* tensor);

// Whether the case must keep its segments: it has a schedule, which is for these segments, or tensors on streams or
// devices, where each expression is a segment.
bool hasFixedSegments(const Case& testCase);

}  // namespace fuser::fuzz
