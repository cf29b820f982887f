#pragma once
// Rebuilding: what the parts of rebuild() share: the case, the change of it, and the CaseEdit that they apply it to.

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
#include "fuzz/minimize/kept.h"

namespace fuser::fuzz {

struct Rebuilding {
  // A UserError where the runs do not fit the case, or values replace each other. All must outlive this.
  Rebuilding(const Case& from, const Change& change, const MakeRecipe& makeRecipe);

  // --- values and sizes of the old case, as the edit has them ---

  EditOperand operandOf(const Val* val) const;
  // A symbol that nothing binds any more becomes its size where that is one number in all runs. Null stays null.
  IntExpr sizeOf(IntExpr extent);
  // Of an axis that gets another size: a number becomes that number, a symbol stays.
  IntExpr resized(IntExpr extent, AxisOf axis);
  // Of what becomes an input: a symbol or a number as it is; what is computed becomes a symbol of its own, with a name
  // that no size of what is left mentions.
  IntExpr inputSizeOf(IntExpr extent);
  // The size in all runs, where it is the same.
  std::optional<int64_t> numberOf(IntExpr extent);
  DataType dtypeOf(DataType dtype) const;
  DataType dtypeOfInput(const Val* val) const;
  // What is said of the tensor's place goes on being said, of the axes that stay.
  void keepPlacement(const TensorView* tensor);

  const Case& from;
  const Fusion& old;
  const Change& change;
  const MakeRecipe& makeRecipe;
  const ValueNames names;
  const Kept kept;
  std::vector<std::unique_ptr<ExpressionEvaluator>> evaluators;  // of the old fusion: one a run
  CaseEdit edit;                          // of `from`; the parts put new lists in the places of its own
  std::map<ValId, EditOperand> standIns;  // results of expressions that have nothing left to do

 private:
  void noteBound();
  void noteMentioned();

  std::set<std::string> bound_;               // extent symbols that an input binds
  std::set<std::string> mentioned_;           // extent symbols of the old program that what is left of it speaks of
  std::map<IntExpr, IntExpr> computedSizes_;  // look-ups only
};

// Each puts a part of the edit in order: inputs, lines, then what is returned, and runs.

// --- edit_inputs.cpp ---
void editInputs(Rebuilding& rebuilding);

// --- edit_lines.cpp ---
void editLines(Rebuilding& rebuilding);

// --- edit_runs.cpp ---
void editRuns(Rebuilding& rebuilding);

}  // namespace fuser::fuzz
