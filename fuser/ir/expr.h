#pragma once
// Expr: one op of a fusion: a row of the op table, operands, results and attributes. There are no subclasses, so that
// passes, printers and mutators handle a new op through its row, without new code. The Fusion owns an Expr and is the
// only one to change it.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/attributes.h"
#include "fuser/ir/val.h"
#include "fuser/ops/op_table.h"

namespace fuser {

// What a text wrote where a parser made several expressions of one statement, or one that reads indices: errors of a
// run speak of that.
struct Spelling {
  std::string result;    // "%y = index_fill"
  std::string operands;  // "(%x, %i)"
  size_t statement = 0;  // its place among the statements
  // How the indices that a gather or scatter reads are those of the text: the same; with those from the end counted
  // from the start; several that are one number, -1 where one of them is out of its range.
  enum class Indices : uint8_t { AsWritten, FromEnd, Several } indices = Indices::AsWritten;
};

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
  const Spelling* spelling() const { return spelling_.get(); }  // null: as it prints
  void setSpelling(std::shared_ptr<const Spelling> spelling) { spelling_ = std::move(spelling); }
  // Of an expression in another one's place, or its clone.
  void spellAs(const Expr* other) { spelling_ = other->spelling_; }
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
  std::shared_ptr<const Spelling> spelling_;
  OpKind op_;
  std::vector<Val*> inputs_;
  std::vector<Val*> outputs_;
  Attributes attributes_;
};

}  // namespace fuser
