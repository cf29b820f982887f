#pragma once
// Changes of a case. Both kinds are applied to its CaseEdit and made through the builders, so that inference makes
// every type and shape anew: a Change, plain data about values and axes, by rebuild(); an EditCase, for what the edit
// has a field of (options, runs, memory, schedules, devices, streams), by edited().

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

// Values and expressions are named by their ids in the case that is changed.
using ValId = uint32_t;
using ExprId = uint32_t;
using AxisOf = std::pair<ValId, size_t>;  // a value's axis, by its place in the logical domain

struct Change {
  std::optional<std::vector<ValId>> outputs;  // instead of the fusion's
  std::set<ValId> asInputs;                   // made by an expression: become inputs of their own
  std::map<ValId, ValId> replaced;            // a value -> the one that stands in its place everywhere
  std::map<std::pair<ExprId, size_t>, ScalarValue> literals;  // an operand -> a literal
  std::map<ExprId, std::pair<OpKind, size_t>> ops;  // an expression -> an op of this one of its operands
  std::map<ValId, ScalarValue> constants;     // a scalar -> a literal, everywhere
  std::set<AxisOf> droppedAxes;               // whole classes of axes (axes.h)
  std::map<AxisOf, int64_t> sizes;            // new sizes in all runs; whole classes too
  std::map<DataType, DataType> dtypes;        // of inputs, casts and fulls
  std::map<ValId, DataType> inputDtypes;      // of single inputs
  std::set<ValId> plainLayouts;               // values whose memory becomes row-major and contiguous, at offset 0
  bool dropDeadCode = false;
};

// Changes the edit; false where there is nothing to change.
using EditCase = std::function<bool(CaseEdit& edit)>;

// The recipe of a new input's data.
using MakeRecipe = std::function<Recipe(const Val* val, size_t run, DataType dtype, const Dims& sizes)>;

// --- rebuild.cpp ---

// What outputs do not need is left out (dead code only where asked for), and inputs that nothing needs. Nothing where
// the change does not lead to a well-formed program; whether its runs are accepted is for a run to see.
std::optional<Case> rebuild(const Case& from, const Change& change, const MakeRecipe& makeRecipe);
// Nothing where nothing is changed, or where that is no case.
std::optional<Case> edited(const Case& from, const EditCase& change);

// --- edit_runs.cpp ---

// A short recipe that suits the dtype: ordinary values without zeros among integers.
Recipe plainRecipe(DataType dtype, uint64_t seed);

}  // namespace fuser::fuzz
