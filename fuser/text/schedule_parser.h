#pragma once
// The parser of a schedule section's lines. Not for use outside of this folder.

#include "fuser/ir/transform.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// Reads steps until something else than a step's name stands next. `onTensor` sees every tensor that a step reads, with
// its place, `onNew` every one that it makes, and `onStep` where a step begins.
struct TensorNames {
  virtual ~TensorNames() = default;
  virtual void onTensor(const Token& name) = 0;
  virtual void onNew(const Token& name) = 0;
  virtual void onStep(const Token&) {}
};
Schedule readSchedule(TokenReader& reader, TensorNames& names);

}  // namespace fuser::text
