#pragma once
// CaseEdit: a case as plain data over IR, which mutations and the minimizer change. An edit may be invalid; finish()
// converts it to a case or reports why it cannot: the builders infer all types and shapes again. No text is printed or
// parsed.
//
//   %y = sum(%x) {dims = [1]}   ->   results {"y"}, op Sum, operands {%x}, attributes dims(1)

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/ir/infer.h"
#include "fuzz/edit/edit_extents.h"
#include "fuzz/edit/placement.h"

namespace fuser::fuzz {

// A value by its name, without '%', or a literal.
class EditOperand {
 public:
  EditOperand(std::string name) : what_(std::move(name)) {}
  EditOperand(const char* name) : what_(std::string(name)) {}
  EditOperand(ScalarValue literal) : what_(literal) {}

  const std::string* name() const { return std::get_if<std::string>(&what_); }  // null: a literal
  const ScalarValue& literal() const { return std::get<ScalarValue>(what_); }
  bool is(const std::string& wanted) const { return name() && *name() == wanted; }
  bool operator==(const EditOperand&) const = default;

 private:
  std::variant<std::string, ScalarValue> what_;
};

// One expression. Sizes in its attributes belong to the edit's extents.
struct EditLine {
  std::vector<std::string> results;
  OpKind op;
  std::vector<EditOperand> operands;     // in parentheses in the text
  Attributes attributes = {};            // axes may count from the end
  std::vector<EditOperand> braced = {};  // in braces; none: the defaults of the row
};

struct EditInput {
  std::string name;
  bool tensor = false;
  DataType dtype = DataType::Float;
  // For a tensor.
  std::vector<AxisType> axes = {};
  std::vector<int> allocationOrder = {};
  std::vector<std::optional<bool>> contiguity = {};  // along that order; empty: contiguous
  bool onHost = false;
};

// A value of the case from which the edit was created.
struct EditValue {
  std::string name;
  bool tensor = false;
  DataType dtype = DataType::Float;
  size_t rank = 0;
  size_t line = 0;  // the first line that may read it: 0 for inputs
};

struct CaseEdit {
  std::string name;
  EditExtents extents;
  // Whether sizes that meet in the case are equal in every run, whatever their names; else one of them may be 1.
  bool equalSizes = true;
  std::vector<EditInput> inputs;
  std::vector<EditLine> lines;
  std::vector<EditOperand> outputs;
  CompileOptions options;
  std::vector<Run> runs;  // one entry per input, in the same order
  std::vector<EditValue> values;

  // Attached to tensors by name, whatever happens to the tensors.
  DeviceMesh mesh;
  std::map<std::string, TensorPlacement> placements;
  Aliases aliases;
  std::vector<PreallocatedOutput> preallocated;

  // Unchanged.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<Schedule> schedule;
  std::map<int64_t, Schedule> segmentSchedules;

  // Whether finish() drops placements that would make a run invalid: shards that are unequal in some run; stream axes
  // with more than kMaxTurns elements, or of expressions that cannot be sliced; and, on several devices, features for a
  // single device.
  bool dropUnsuited = false;

  // The values that a line inserted here may read.
  std::vector<const EditValue*> valuesBefore(size_t line) const;
  const EditValue* find(const EditOperand& operand) const;  // null for literals
  // A name derived from `base` that no value of the case or of the edit has.
  std::string freshName(const std::string& base) const;
  // Inserts a line after `former` is computed, and makes every later line and output read its result instead: as an
  // operand, in braces, or as a size. An output's memory stays with the output. `values` is not updated: it is valid
  // only for lines before the inserted one.
  void insertBehind(const EditValue& former, EditLine line);
};

// Converts the whole case; finish() of the unchanged edit prints the same text.
CaseEdit caseEditOf(const Case& testCase);

// --- finish.cpp ---

// A UserError if the edit is not a valid case or exceeds the limits of the text. Layouts, stream axes, devices, aliases
// and memory are applied to the tensors of their names where that is valid (placement.h).
Case finish(const CaseEdit& edit);

}  // namespace fuser::fuzz
