#pragma once
// How many streams the loops of a case's host program have, and in which order their work is done.

#include "fuser/case/case.h"
#include "fuser/host_ir/host_ir_evaluator.h"

namespace fuser::fuzz {

// Drawn from the seed of the first input's data: cases differ, a replay is what the campaign saw, and a case that is
// made smaller keeps both for as long as it keeps that input. 1 to 5 streams.
StreamSettings drawnStreams(const Case& testCase);

}  // namespace fuser::fuzz
