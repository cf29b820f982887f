#pragma once
// RemainingValues: the values, expressions and axes of a case that remain after a change.

#include <vector>

#include "fuzz/minimize/change.h"

namespace fuser::fuzz {

class RemainingValues {
 public:
  // A UserError if replacements form a cycle. The fusion and the change must outlive this object.
  RemainingValues(const Fusion& fusion, const Change& change);

  // The value's replacement, or the value itself.
  const Val* standIn(const Val* val) const;
  // Whether the value is read or returned.
  bool has(const Val* val) const { return needed_.at(val->id()); }
  bool isInput(const Val* val) const;
  // Whether some result of the expression is used.
  bool isMade(const Expr* expr) const;

  // The inputs of the new program: the old ones that are read, then the values that become inputs, by id.
  std::vector<const Val*> inputs() const;
  std::vector<const Val*> outputs() const;
  // For each of axes(), whether it remains.
  std::vector<bool> axes(const TensorView* tensor) const;

 private:
  void need(const Val* wanted);
  void needOperands(const Expr* expr);
  void needScalars(IntExpr extent);
  void needUpdates();
  void needDeadCode();

  const Fusion& fusion_;
  const Change& change_;
  std::vector<bool> needed_;  // by id
};

}  // namespace fuser::fuzz
