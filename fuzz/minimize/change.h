#pragma once
// Changes of a case. rebuild() applies a Change: plain data about values and axes; edited() applies an EditCase to
// fields of the CaseEdit (options, runs, memory, schedules, devices, streams). Both use the builders, which infer all
// types and shapes again.

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {

// Values and expressions are identified by their ids in the original case.
using ValId = uint32_t;
using ExprId = uint32_t;
using AxisOf = std::pair<ValId, size_t>;  // a value and the index of its logical axis

struct Change {
  std::optional<std::vector<ValId>> outputs;  // replaces the fusion's
  std::set<ValId> asInputs;                   // computed values that become inputs
  std::map<ValId, ValId> replaced;            // a value -> its replacement everywhere
  std::map<std::pair<ExprId, size_t>, ScalarValue> literals;  // an operand -> its literal replacement
  std::map<ExprId, std::pair<OpKind, size_t>> ops;  // an expression -> a unary op, and the operand to which it applies
  std::map<ValId, ScalarValue> constants;     // a scalar -> its literal replacement everywhere
  std::set<AxisOf> droppedAxes;               // complete classes (axes.h)
  std::map<AxisOf, int64_t> sizes;            // new sizes in all runs; complete classes
  std::map<DataType, DataType> dtypes;        // of inputs, casts and fulls
  std::map<ValId, DataType> inputDtypes;      // of single inputs
  std::set<ValId> plainLayouts;               // values whose memory becomes row-major and contiguous, at offset 0
  bool dropDeadCode = false;
};

// Changes the edit; false if there is nothing to change.
using EditCase = std::function<bool(CaseEdit& edit)>;

// The recipe of a new input's data.
using MakeRecipe = std::function<Recipe(const Val* val, size_t run, DataType dtype, const Dims& sizes)>;

// --- rebuild.cpp ---

// Applies the change and removes the expressions and inputs that no output needs; a change that sets none of
// dropDeadCode, outputs, asInputs and replaced keeps them. nullopt if the result is not well formed. Does not check
// whether its runs are accepted.
std::optional<Case> rebuild(const Case& from, const Change& change, const MakeRecipe& makeRecipe);
// nullopt if nothing changes or the result is not a valid case.
std::optional<Case> edited(const Case& from, const EditCase& change);

// --- edit_runs.cpp ---

// A short recipe of ordinary values for the dtype; integers contain no zeros.
Recipe plainRecipe(DataType dtype, uint64_t seed);

}  // namespace fuser::fuzz
