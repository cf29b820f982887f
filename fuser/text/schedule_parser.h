#pragma once
// The parser of the lines of a schedule section. Private to this folder.

#include "fuser/ir/transform.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// Reads steps until the next token is not the name of a step. Calls `onStep` at the start of each step, `onTensor` for
// every tensor that a step refers to and `onNew` for every tensor that it creates.
struct TensorNames {
  virtual ~TensorNames() = default;
  virtual void onTensor(const Token& name) = 0;
  virtual void onNew(const Token& name) = 0;
  virtual void onStep(const Token&) {}
};
Schedule readSchedule(TokenReader& reader, TensorNames& names);

}  // namespace fuser::text
