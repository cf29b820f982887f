#pragma once
// The parser of `run { … }` and of what follows `expect`. Not for use outside of this folder.

#include "fuser/case/case.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// A value for each of the fusion's inputs, in their order whatever the text's. Rank, dtype and sizes of tensors are not
// compared with the inputs: giving wrong ones may be what the case is about (materialize rejects them).
Run readRun(TokenReader& reader, const Fusion& fusion);

Expectation readExpectation(TokenReader& reader);

}  // namespace fuser::text
