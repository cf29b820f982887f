#pragma once
// The facts about inputs' memory on which compilation may rely, and checks of inputs against their declarations.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/analysis/fusion_view.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct InputFacts {
  InputLayout layout;  // the default for a scalar
  bool dense = true;   // whether it is dense in its allocation order, even where the declaration does not require it
  bool operator==(const InputFacts& other) const {
    return layout.alignment == other.layout.alignment && dense == other.dense;
  }
};

// Returns one entry per input. Kinds, ranks and sizes must have been checked (ExpressionEvaluator::bindInputs). A
// UserError for an input with a null address, misaligned elements, negative strides, a stride other than 0 on an
// expanded axis, or strides that break the declared contiguity. `device`: the running device of a multi-device fusion;
// inputs that it does not hold whole are not inspected and get no facts.
std::vector<InputFacts> inspectInputs(const Fusion& fusion, std::span<const HostValue> inputs,
                                      std::optional<int> device = std::nullopt);

// A UserError for an input whose part on this device no kernel can read: a null address, misaligned elements, or
// negative strides.
void checkParts(const Fusion& fusion, std::span<const HostValue> inputs, int device);

// A UserError if an in-place output cannot be written over its input: the sizes differ, the input's elements share
// memory, or it overlaps with another input.
void checkOverwritten(const Fusion& fusion, size_t output, const Dims& outputSizes, const Val* input,
                      std::span<const HostValue> inputs);

// The argument for an input tensor of the fusion.
const TensorRef& inputTensor(const Fusion& fusion, const Val* input, std::span<const HostValue> inputs);

// Whether each stride steps over all elements of the faster axes, which implies that no two elements share memory.
bool hasOwnElements(const TensorRef& ref);
// Whether the address ranges of the two tensors overlap.
bool overlap(const TensorRef& a, const TensorRef& b);

// The part of the cache key that depends on inputs, except for their sizes: "f32[2] dense align 16; i64; …".
std::string inputKey(const Fusion& fusion, const std::vector<InputFacts>& facts);

// What the second of two such keys says of the first input whose part differs: "%x is f32[2] strided align 4".
std::string otherFacts(const Fusion& fusion, const std::string& key, const std::string& other);

}  // namespace fuser
