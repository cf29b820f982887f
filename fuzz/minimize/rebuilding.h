#pragma once
// Rebuilding: the state that the steps of rebuild() share: the case, its change, and the CaseEdit to which they apply
// it.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/text/value_names.h"
#include "fuzz/edit/case_edit.h"
#include "fuzz/minimize/change.h"
#include "fuzz/minimize/remaining_values.h"

namespace fuser::fuzz {

struct Rebuilding {
  // A UserError if the runs do not fit the case or replacements form a cycle. The arguments must outlive this object.
  Rebuilding(const Case& from, const Change& change, const MakeRecipe& makeRecipe);

  // --- values and sizes of the old case, translated to the edit ---

  EditOperand operandOf(const Val* val) const;
  // A symbol that is no longer bound becomes its size if that is equal in all runs. Null stays null.
  IntExpr sizeOf(IntExpr extent);
  // The extent of an axis with a new size: a constant becomes that size, a symbol stays.
  IntExpr resized(IntExpr extent, AxisOf axis);
  // The extent of a value that becomes an input: symbols and constants stay; any other expression becomes a new symbol,
  // with a name that no remaining size mentions.
  IntExpr inputSizeOf(IntExpr extent);
  // The size, if it is equal in all runs.
  std::optional<int64_t> numberOf(IntExpr extent);
  DataType dtypeOf(DataType dtype) const;
  DataType dtypeOfInput(const Val* val) const;
  // Keeps the tensor's placement, restricted to the axes that remain.
  void keepPlacement(const TensorView* tensor);

  const Case& from;
  const Fusion& old;
  const Change& change;
  const MakeRecipe& makeRecipe;
  const ValueNames names;
  const RemainingValues kept;
  std::vector<std::unique_ptr<ExpressionEvaluator>> evaluators;  // over the old fusion, one per run
  CaseEdit edit;                                                 // of `from`; the steps replace its lists
  std::map<ValId, EditOperand> standIns;  // replacements for results of expressions that became trivial

 private:
  void noteBound();
  void noteMentioned();

  std::set<std::string> bound_;               // extent symbols that inputs bind
  std::set<std::string> mentioned_;           // extent symbols of the old program that the rest of it mentions
  std::map<IntExpr, IntExpr> computedSizes_;  // for lookups only
};

// Each step updates a part of the edit: inputs, lines, then outputs and runs.

// --- edit_inputs.cpp ---
void editInputs(Rebuilding& rebuilding);

// --- edit_lines.cpp ---
void editLines(Rebuilding& rebuilding);

// --- edit_runs.cpp ---
void editRuns(Rebuilding& rebuilding);

}  // namespace fuser::fuzz
