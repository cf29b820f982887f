#pragma once
// Values between segments in the outputs' 16-bit type (`option enable io_to_lower_precision`). It is the one rewrite
// that rounds: the program that runs, and is judged, is another fusion, which says where.
//
//   %v = mul(%a, %b)        f32, read in another segment, by %y, and in its own, by %u
//   %y = amax(%v) {…}       ->   %v.low = cast(%v) {dtype = bf16}   %v.stored = segment_set(%v.low)
//                                %v.wide = cast(%v.stored) {dtype = f32}   %y = amax(%v.wide) {…}
//
// Which values cross is found by a segmentation of its own, for extents of 1,024 and the default device: so the
// rewritten fusion follows from the fusion and the options alone, whatever sizes a run has.

#include <memory>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// Whether the option says so, and the fusion is one that is rewritten: without a schedule of its own, streams and
// devices, and with floats of one 16-bit dtype among its outputs.
bool lowersBoundaries(const Fusion& fusion, const CacheSettings& settings);

// The rewritten fusion of one that is concrete, or has nothing to make concrete. Values keep their ids; new ones come
// behind them. What is left as it is: inputs and outputs, values that no op of the fusion itself reads in another
// segment (a pass put it there), that several segments compute, or that a view shows, and what was 16 bits before.
std::unique_ptr<Fusion> lowerBoundaries(const Fusion& fusion, const CacheSettings& settings);

// The case with that fusion, without the option.
Case loweredCase(const Case& testCase);

}  // namespace fuser
