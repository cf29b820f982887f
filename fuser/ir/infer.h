#pragma once
// Type and shape inference of one op. The operands need no promotion or broadcasting: the builders have inserted those
// as ops. The builders create results from the inferred type; the verifier compares results with it.

#include <optional>
#include <span>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/dims.h"

namespace fuser {

// The type of an axis: an IterDomain without its identity. Extents are in elements; see iter_domain.h.
struct AxisType {
  IterType type = IterType::Iteration;
  IntExpr extent = nullptr;
  IntExpr expandedExtent = nullptr;  // null except on an expanded broadcast axis
  bool operator==(const AxisType&) const = default;
};

struct InferredType {
  bool tensor = true;
  DataType dtype = DataType::Float;
  std::vector<AxisType> axes;  // logical axes, including reduction axes; empty for a scalar
};

// The type of every result; they are all alike. A UserError names the op, the operand types and the rule they break.
InferredType infer(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes);
// The same; nullopt instead of a UserError.
std::optional<InferredType> inferIfValid(Fusion& fusion, OpKind op, std::span<Val* const> operands,
                                         const Attributes& attributes);

// Whether the tensor's axes have the inferred kinds, and the inferred extents where both are constants. Symbolic
// extents are not compared: two symbols may name one size.
bool hasAxes(const TensorView& tensor, const InferredType& type);

// A UserError when an operand is a host tensor: only `item` reads one.
void checkOnDevice(OpKind op, std::span<Val* const> operands);

// The common dtype to which a pointwise op promotes its operands, scalars included.
DataType commonType(OpKind op, std::span<Val* const> operands);

// torch.result_type of the operands; for scalars only, the dtype of the widest category.
DataType resultType(std::span<Val* const> operands);

// The type as .fusion text: "f32[i0, 1]".
std::string typeText(const Val* val);

}  // namespace fuser
