#pragma once
// Type and shape inference of one op on operands that need no promotion and no broadcasting (the builders made those
// explicit). The builders make results from it, the verifier compares with it.

#include <span>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/dims.h"

namespace fuser {

// An IterDomain without its identity: kind and sizes, in elements, as iter_domain.h describes them.
struct AxisType {
  IterType type = IterType::Iteration;
  IntExpr extent = nullptr;
  IntExpr expandedExtent = nullptr;  // null unless it is an expanded broadcast axis
  bool operator==(const AxisType&) const = default;
};

struct InferredType {
  bool tensor = true;
  DataType dtype = DataType::Float;
  std::vector<AxisType> axes;  // logical, reductions included; empty for a scalar
};

// Of each result: all have one type. A UserError names the op, the operands' types and the rule that they break.
InferredType infer(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes);

// Whether the tensor's axes are of the kinds inferred, with the extents inferred where both are numbers: other extents
// may go by different names of one size.
bool hasAxes(const TensorView& tensor, const InferredType& type);

// A UserError when an operand lies on the host: `item` alone reads such a tensor.
void checkOnDevice(OpKind op, std::span<Val* const> operands);

// The dtype that all tensor operands of a pointwise op must have, scalar operands considered.
DataType commonType(OpKind op, std::span<Val* const> operands);

// torch.result_type of the operands (scalars alone: the widest category).
DataType resultType(std::span<Val* const> operands);

// "f32[i0, 1]"
std::string typeText(const Val* val);

}  // namespace fuser
