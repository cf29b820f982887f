#pragma once
// The parser of `run { … }` and of the expectation after `expect`. Private to this folder.

#include "fuser/case/case.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// Reads a value for each input of the fusion; the result is in the inputs' order, not the text's. Rank, dtype and sizes
// of tensors are not checked here: a case may test that wrong ones are rejected (materialize does that).
Run readRun(TokenReader& reader, const Fusion& fusion);

Expectation readExpectation(TokenReader& reader);

}  // namespace fuser::text
