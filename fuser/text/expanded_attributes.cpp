// Attributes of PyTorch's that an op here does not have: with them the op's name is read as several ops.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
// The elements are converted before they are reduced, as in PyTorch. Integers are reduced in i64, of which a narrower
// dtype keeps the low bits.
template <OpKind kOp>
TensorView* reducedIn(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  const DataType dtype = attributes.dtype(AttributeName::dtype);
  FUSER_USER_CHECK(dtype != DataType::Bool, opInfo(kOp).mnemonic, " gives no bool: use any or all");
  FUSER_USER_CHECK(kOp != OpKind::Mean || isFloating(dtype), "mean gives a float, not ", dtype);
  Val* converted = operands[0];
  if (converted->dtype() != dtype) converted = build::cast(fusion, converted, dtype, name + ".from");
  std::vector<int64_t> dims;
  if (attributes.has(AttributeName::dims)) dims = attributes.axes(AttributeName::dims);
  const bool isNarrow = !isFloating(dtype) && dtype != DataType::Int64;
  const bool keepdim = attributes.flagOr(AttributeName::keepdim, false);
  TensorView* reduced = build::reduction(fusion, kOp, converted->as<TensorView>(), std::move(dims), keepdim,
                                         isNarrow ? name + ".wide" : name);
  return isNarrow ? build::cast(fusion, reduced, dtype, name)->as<TensorView>() : reduced;
}

// a + value * b * c, or / c: from left to right, of 16 bits in f32 and rounded once, as in PyTorch.
template <OpKind kOp>
TensorView* addedBy(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  Val* value = attributes.operand(AttributeName::value);
  const DataType common = commonType(kOp, operands);
  FUSER_USER_CHECK(isFloating(common) || !isFloating(value->dtype()), opInfo(kOp).mnemonic,
                   ": 'value' is a floating scalar beside integers");
  FUSER_USER_CHECK(std::any_of(operands.begin(), operands.end(), [](const Val* val) { return val->isTensor(); }),
                   opInfo(kOp).mnemonic, " with a value takes a tensor");
  const bool isNarrow = isFloating(common) && dtypeSize(common) == 2;
  std::vector<Val*> wide = operands;
  for (size_t i = 0; isNarrow && i < wide.size(); ++i) {
    if (wide[i]->isTensor()) wide[i] = build::cast(fusion, wide[i], DataType::Float, concat(name, ".wide", i));
  }
  wide[1] = build::binary(fusion, OpKind::Mul, wide[1], value, name + ".scaled");
  Val* sum = build::pointwise(fusion, kOp, wide, isNarrow ? name + ".sum" : name);
  return (isNarrow ? build::cast(fusion, sum, common, name) : sum)->as<TensorView>();
}

template ExpansionFunction reducedIn<OpKind::Sum>;
template ExpansionFunction reducedIn<OpKind::Prod>;
template ExpansionFunction reducedIn<OpKind::Mean>;
template ExpansionFunction addedBy<OpKind::Addcmul>;
template ExpansionFunction addedBy<OpKind::Addcdiv>;

// A slice along each of `dims`, one after another.
TensorView* slicedAlongAxes(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                            const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  const std::vector<int64_t>& dims = attributes.axes(AttributeName::dims);
  const std::vector<IntExpr>& starts = attributes.integers(AttributeName::starts);
  const std::vector<IntExpr>& ends = attributes.integers(AttributeName::ends);
  std::vector<IntExpr> steps(dims.size(), nullptr);
  if (attributes.has(AttributeName::steps)) steps = attributes.integers(AttributeName::steps);
  FUSER_USER_CHECK(starts.size() == dims.size() && ends.size() == dims.size() && steps.size() == dims.size(),
                   "slice: ", dims.size(), " dims, ", starts.size(), " starts, ", ends.size(), " ends and ",
                   steps.size(), " steps");
  std::vector<size_t> seen;
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t dim = axisOf("slice", tensor, dims[i]);
    FUSER_USER_CHECK(std::find(seen.begin(), seen.end(), dim) == seen.end(), "slice: axis ", dim, " is given twice");
    seen.push_back(dim);
    const bool isLast = i + 1 == dims.size();
    tensor = build::slice(fusion, tensor, static_cast<int64_t>(dim), starts[i], ends[i], steps[i],
                          isLast ? name : concat(name, ".along", dim));
  }
  return dims.empty() ? build::set(fusion, tensor, name) : tensor;
}

}  // namespace fuser::text
