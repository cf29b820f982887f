#pragma once
// Kept: which values, expressions and axes of a case are left when it is changed.

#include <vector>

#include "fuzz/minimize/change.h"

namespace fuser::fuzz {

class Kept {
 public:
  // A UserError where values replace each other. The fusion and the change must outlive this.
  Kept(const Fusion& fusion, const Change& change);

  // What stands in the value's place everywhere: itself, or what replaces it.
  const Val* standIn(const Val* val) const;
  // Whether something reads the value, or it is returned.
  bool has(const Val* val) const { return needed_.at(val->id()); }
  bool isInput(const Val* val) const;
  // Whether the expression still makes something that is read.
  bool isMade(const Expr* expr) const;

  // Of the new program: those of the old that are read, then the values that become inputs, by id.
  std::vector<const Val*> inputs() const;
  std::vector<const Val*> outputs() const;
  // Which of axes() stay.
  std::vector<bool> axes(const TensorView* tensor) const;

 private:
  void need(const Val* wanted);
  void needOperands(const Expr* expr);
  void needScalars(IntExpr extent);
  void needDeadCode();

  const Fusion& fusion_;
  const Change& change_;
  std::vector<bool> needed_;  // by id
};

}  // namespace fuser::fuzz
