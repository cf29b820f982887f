#pragma once
// Expr: one op of the fusion. Its kind is a row of the op table; what a row needs beside its operands is in attributes.
// There are no subclasses: passes, printers and mutators treat a new op by its row, without a line of their own.
// Owned by its Fusion, which alone changes it.

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
  const std::vector<Val*>& inputs() const { return inputs_; }    // operands in the text's order, repeats included
  const std::vector<Val*>& outputs() const { return outputs_; }  // at least one; all scalars or all tensors
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
