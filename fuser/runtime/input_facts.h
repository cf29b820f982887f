#pragma once
// What compilation may rely on of an input's memory, and the check that it keeps its declaration.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/analysis/fusion_view.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct InputFacts {
  InputLayout layout;  // of a scalar: the default
  bool dense = true;   // no gaps: row-major along the allocation order, whatever the declaration leaves free
  bool operator==(const InputFacts& other) const {
    return layout.alignment == other.layout.alignment && dense == other.dense;
  }
};

// One entry an input. The inputs' kinds, ranks and sizes fit the fusion (ExpressionEvaluator::bindInputs). A UserError
// names the input whose memory is missing, misaligned to its dtype, has negative strides, a stride on an expanded axis,
// or breaks the declared contiguity. device: of a fusion on several, the one that runs: what it does not
// hold whole is not looked at, and nothing may be relied on.
std::vector<InputFacts> inspectInputs(const Fusion& fusion, std::span<const HostValue> inputs,
                                      std::optional<int> device = std::nullopt);

// A UserError names an input of which the device holds a part, where no kernel can read that: memory is missing,
// misaligned to its dtype, or has negative strides.
void checkParts(const Fusion& fusion, std::span<const HostValue> inputs, int device);

// A UserError where an output cannot be written to the memory of the input that it overwrites: other sizes, elements
// that share memory, or memory that another input lies in.
void checkOverwritten(const Fusion& fusion, size_t output, const Dims& outputSizes, const Val* input,
                      std::span<const HostValue> inputs);

// What is given for an input tensor of the fusion.
const TensorRef& givenFor(const Fusion& fusion, const Val* input, std::span<const HostValue> inputs);

// Whether no two elements share memory, as far as strides that step over all that the faster axes hold show.
bool hasOwnElements(const TensorRef& ref);
// Whether a byte lies between the first and the last of both.
bool overlap(const TensorRef& a, const TensorRef& b);

// "f32[2] dense align 16; i64; …": the part of the cache's key that depends on inputs, but for their sizes.
std::string inputKey(const Fusion& fusion, const std::vector<InputFacts>& facts);

}  // namespace fuser
