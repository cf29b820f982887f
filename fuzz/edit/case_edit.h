#pragma once
// CaseEdit: a case taken apart into plain data over IR, for mutations and the minimiser to change. An edit may be
// wrong; finish() makes a case of it again, or says why it is none: types and shapes are worked out anew, by the
// builders. No text is printed or read.
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

// One expression. Sizes among the attributes are of the edit's extents.
struct EditLine {
  std::vector<std::string> results;
  OpKind op;
  std::vector<EditOperand> operands;     // those in the parentheses of the text
  Attributes attributes = {};            // axes may count from the end
  std::vector<EditOperand> braced = {};  // those in the braces; none: what the row says of one that is left out
};

struct EditInput {
  std::string name;
  bool tensor = false;
  DataType dtype = DataType::Float;
  // Of a tensor.
  std::vector<AxisType> axes = {};
  std::vector<int> allocationOrder = {};
  std::vector<std::optional<bool>> contiguity = {};  // along that order; empty: contiguous
  bool onHost = false;
};

// What is known of a value of the case that the edit was taken from.
struct EditValue {
  std::string name;
  bool tensor = false;
  DataType dtype = DataType::Float;
  size_t rank = 0;
  size_t line = 0;  // it exists for lines from here on: 0 for inputs
};

struct CaseEdit {
  std::string name;
  EditExtents extents;
  std::vector<EditInput> inputs;
  std::vector<EditLine> lines;
  std::vector<EditOperand> outputs;
  CompileOptions options;
  std::vector<Run> runs;  // an entry an input, in the same order
  std::vector<EditValue> values;

  // What belongs to the tensors of these names, whatever becomes of them.
  DeviceMesh mesh;
  std::map<std::string, TensorPlacement> placements;
  Aliases aliases;
  std::vector<PreallocatedOutput> preallocated;

  // Kept as they are.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<Schedule> schedule;
  std::map<int64_t, Schedule> segmentSchedules;

  // Whether finish() leaves out, so that no run is rejected for it alone, what the runs' sizes or an expression do not
  // suit: shards that are unequal in some run, an axis of more than kMaxTurns places or of an expression that the host
  // does not compute place by place on streams, and on several devices whatever takes one.
  bool dropUnsuited = false;

  // Values that exist where a line is to be inserted.
  std::vector<const EditValue*> valuesBefore(size_t line) const;
  const EditValue* find(const EditOperand& operand) const;  // null for literals
  // A name, from this one, that neither a value of the case has nor any that the edit has got since.
  std::string freshName(const std::string& base) const;
  // Puts a line in where `former` exists, and makes every later line and output read its result instead: as an operand,
  // in braces, or as a size. An output's memory goes with the output. `values` stays what is known of the case, and is
  // right about lines up to there alone.
  void insertBehind(const EditValue& former, EditLine line);
};

// All of the case: finished without a change it prints alike.
CaseEdit caseEditOf(const Case& testCase);

// --- finish.cpp ---

// A UserError where the edit is no valid case, or none that keeps within the limits of the text. Layouts, stream axes,
// devices, aliases and memory stay with the tensors of their names where these can have them (placement.h).
Case finish(const CaseEdit& edit);

}  // namespace fuser::fuzz
