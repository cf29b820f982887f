#pragma once
// The second reader: evaluates a .fusion text line by line with LibTorch, which promotes and broadcasts by its own
// rules. No IR, no inference, no parser and no op table of fuser: what both say alike was said twice.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/second_reader/fusion_text.h"

namespace second_reader {

// A tensor in host memory, or a scalar as its one element. Strides count elements.
struct Array {
  std::string dtype;  // "bf16"
  bool isScalar = false;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  void* data = nullptr;
  std::shared_ptr<void> memory;  // null where the caller owns it
};

struct Results {
  std::vector<std::pair<std::string, Array>> lines;  // of each result of each line, in order
  std::vector<Array> outputs;                        // none after a refusal
  std::string refusal;                               // "": none; else the op that LibTorch refuses, and its reason
};

// The readers of casts and unsqueezes that the builders of fuser inserted, "%x.c1 = cast(%x)" and "%x.b1 =
// unsqueeze(%x)", take %x: LibTorch promotes and broadcasts instead.
Program withoutInserted(Program program);

// Evaluates one run. `tensors` holds the data of each tensor input, whose dtype and sizes the text of the run says as
// well. A std::runtime_error where a type that the text states, or the size of an input, is not what LibTorch gives.
Results evaluate(const Program& program, const Run& run, const std::map<std::string, Array>& tensors);

// The dtype that LibTorch gives for one op on operands of these dtypes: "f32"; "" where it refuses them.
// `rank`: 1, 0, or -1 for a scalar. Tensors have one element, 1.
struct Kind {
  std::string dtype;
  int rank = 1;
};
std::string resultDtype(const Line& op, const std::vector<Kind>& operands);
// torch.result_type of the operands.
std::string resultType(const std::vector<Kind>& operands);

// The gradients of the one output by LibTorch's autograd, of these numbers for it: by input, those of floats and of the
// parts of complex numbers that it depends on.
std::map<std::string, Array> gradients(const Program& program, const Run& run,
                                       const std::map<std::string, Array>& tensors, const Array& ofOutput);

// Whether the reader has a call for the op: "add".
bool knows(const std::string& op);
// Ops whose line is more than one call of LibTorch's op of that name, and why.
const std::map<std::string, std::string>& exceptions();

}  // namespace second_reader
