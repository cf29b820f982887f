#pragma once
// Expr: one op of a fusion: a row of the op table, operands, results and attributes. There are no subclasses, so that
// passes, printers and mutators handle a new op through its row, without new code. The Fusion owns an Expr and is the
// only one to change it.

#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/attributes.h"
#include "fuser/ir/val.h"
#include "fuser/ops/op_table.h"

namespace fuser {

class Expr {
 public:
  Expr(Fusion* fusion, uint32_t id, OpKind op, std::vector<Val*> inputs, std::vector<Val*> outputs,
       Attributes attributes)
      : fusion_(fusion),
        id_(id),
        place_(id),
        op_(op),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        attributes_(std::move(attributes)) {}
  Expr(const Expr&) = delete;
  Expr& operator=(const Expr&) = delete;

  uint32_t id() const { return id_; }
  // Its place among the expressions before a schedule copied tensors: its id, or, where it was made for a copy, the
  // place of the expression whose result is copied.
  uint32_t place() const { return place_; }
  void setPlace(uint32_t place) { place_ = place; }
  Fusion& fusion() const { return *fusion_; }
  OpKind op() const { return op_; }
  const OpInfo& info() const { return opInfo(op_); }
  Family family() const { return info().family; }
  const std::vector<Val*>& inputs() const { return inputs_; }    // operands in textual order; a value may repeat
  const std::vector<Val*>& outputs() const { return outputs_; }  // at least one; all scalars or all tensors
  Val* input(size_t i) const { return inputs_.at(i); }
  Val* output(size_t i = 0) const { return outputs_.at(i); }
  const Attributes& attributes() const { return attributes_; }

  // Whether the outputs are scalars; such an op runs on the host.
  bool isScalarExpr() const { return outputs_[0]->isScalar(); }

  // For use by Fusion only.
  std::vector<Val*>& mutableInputs() { return inputs_; }
  Attributes& mutableAttributes() { return attributes_; }

 private:
  Fusion* fusion_;
  uint32_t id_;
  uint32_t place_;
  OpKind op_;
  std::vector<Val*> inputs_;
  std::vector<Val*> outputs_;
  Attributes attributes_;
};

}  // namespace fuser
