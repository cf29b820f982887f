#pragma once
// Whether a run that may be rejected (Expectation::AgreesOrRejected) is rightly so, or rightly not, for an index: the
// indices are computed by LibTorch, and compared with the sizes of the axes.

#include <string>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// What is wrong; "" for nothing, and where LibTorch does not say, as of indices that depend on floats, whose rounding
// is free, or on ops that have another result there for some operands. `refused`: the BadIndexError for which the run
// was rejected; "" for a run that was not: then an index that is read for nothing may be any.
std::string wrongRefusal(const Case& testCase, size_t run, const std::string& refused, size_t maxInputBytes);

}  // namespace fuser::fuzz
