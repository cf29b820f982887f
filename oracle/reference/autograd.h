#pragma once
// Gradients by LibTorch's autograd: what the fusions of fuser/gradients are held against.

#include <optional>
#include <span>
#include <vector>

#include "oracle/reference/reference.h"

namespace reference {

// Runs the ops of a fusion without updates by ATen, and differentiates them. `cotangents`: one for each output that
// depends on an input of floats, an output that is returned twice counting once; a CheckError for another number.
// Returns, for each input, its gradient; nullopt where torch::autograd::grad gives none. Tensors on the host have none.
// A c10::Error where LibTorch refuses to run or to differentiate an op.
std::vector<std::optional<Value>> gradients(const fuser::Fusion& fusion, std::span<const Value> inputs,
                                            std::span<const Value> cotangents);

}  // namespace reference
