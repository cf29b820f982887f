#pragma once
// Expr: one op of the fusion. Its kind is a row of the op table; what a row needs beside its operands is in attributes.
// UnaryOp, BinaryOp, … are names for families, with accessors; there is no other state.

#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/val.h"
#include "fuser/ops/op_table.h"
#include "fuser/types/int_expr.h"

namespace fuser {

class TensorView;

// By op:
//   cast {dtype}; sum, prod, amax, amin {dims}; unsqueeze {dims: places in the result}; squeeze {dims};
//   arange {shape: start, end, step; dtype}; expand {shape}; permute {dims}; full {shape, dtype} (the fill value is
//   operand 0); size {dim}; slice {dims: one; shape: start, end, step}; pad {shape: low, high of the last axis, then of
//   the one before, …} (the value is operand 1); cat {dims: one}; reshape {shape}; repeat {shape: repeats}; item;
//   var, var_mean {dims, correction}
// Axes are counted from 0 in the producer's (unsqueeze: the result's) non-reduction axes, sorted where order is free.
struct Attributes {
  std::vector<int64_t> dims;   // reductions, unsqueeze, squeeze, permute; size, slice, cat: one entry
  std::vector<IntExpr> shape;  // sizes, bounds and counts: of the fusion's arena
  DataType dtype = DataType::Float;  // cast, full: always equal to the result's dtype
  int64_t correction = 1;            // var, var_mean: not negative
  bool operator==(const Attributes&) const = default;
};

class Expr {
 public:
  Expr(Fusion* fusion, uint32_t id, OpKind op, std::vector<Val*> inputs, std::vector<Val*> outputs,
       Attributes attributes)
      : fusion_(fusion),
        id_(id),
        op_(op),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        attributes_(std::move(attributes)) {}
  Expr(const Expr&) = delete;
  Expr& operator=(const Expr&) = delete;

  uint32_t id() const { return id_; }
  Fusion& fusion() const { return *fusion_; }
  OpKind op() const { return op_; }
  const OpInfo& info() const { return opInfo(op_); }
  Family family() const { return info().family; }
  const std::vector<Val*>& inputs() const { return inputs_; }
  const std::vector<Val*>& outputs() const { return outputs_; }
  Val* input(size_t i) const { return inputs_.at(i); }
  Val* output(size_t i = 0) const { return outputs_.at(i); }
  const Attributes& attributes() const { return attributes_; }

  // All outputs are scalars: runs on the host.
  bool isScalarExpr() const { return outputs_[0]->isScalar(); }

  // For the Fusion alone.
  std::vector<Val*>& mutableInputs() { return inputs_; }
  Attributes& mutableAttributes() { return attributes_; }

 private:
  Fusion* fusion_;
  uint32_t id_;
  OpKind op_;
  std::vector<Val*> inputs_;
  std::vector<Val*> outputs_;
  Attributes attributes_;
};

}  // namespace fuser
