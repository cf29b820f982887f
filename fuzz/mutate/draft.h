#pragma once
// Draft: a case taken apart into plain data over IR, for mutations to edit. A draft may be wrong; finish() makes a case
// of it again, or says why it is none: types and shapes are worked out anew, by the builders. No text is printed or
// read.
//
//   %y = sum(%x) {dims = [1]}   ->   results {"y"}, op Sum, operands {%x}, attributes dims(1)

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/ir/infer.h"
#include "fuzz/choices/choices.h"
#include "fuzz/mutate/draft_extents.h"
#include "fuzz/mutate/placement.h"

namespace fuser::fuzz {

// A value by its name, without '%', or a literal.
class DraftOperand {
 public:
  DraftOperand(std::string name) : what_(std::move(name)) {}
  DraftOperand(const char* name) : what_(std::string(name)) {}
  DraftOperand(ScalarValue literal) : what_(literal) {}

  const std::string* name() const { return std::get_if<std::string>(&what_); }  // null: a literal
  const ScalarValue& literal() const { return std::get<ScalarValue>(what_); }
  bool is(const std::string& wanted) const { return name() && *name() == wanted; }
  bool operator==(const DraftOperand&) const = default;

 private:
  std::variant<std::string, ScalarValue> what_;
};

// One expression. Sizes among the attributes are of the draft's extents.
struct DraftLine {
  std::vector<std::string> results;
  OpKind op;
  std::vector<DraftOperand> operands;  // those in the parentheses of the text
  Attributes attributes = {};          // axes may count from the end
  std::vector<DraftOperand> braced = {};  // those in the braces; none: what the row says of one that is left out
};

struct DraftInput {
  std::string name;
  bool tensor = false;
  DataType dtype = DataType::Float;
  // Of a tensor.
  std::vector<AxisType> axes = {};
  std::vector<int> allocationOrder = {};
  std::vector<std::optional<bool>> contiguity = {};  // along that order; empty: contiguous
  bool onHost = false;
};

// What is known of a value of the case that the draft was taken from.
struct DraftValue {
  std::string name;
  bool tensor = false;
  DataType dtype = DataType::Float;
  size_t rank = 0;
  size_t line = 0;  // it exists for lines from here on: 0 for inputs
};

struct Draft {
  std::string name;
  DraftExtents extents;
  std::vector<DraftInput> inputs;
  std::vector<DraftLine> lines;
  std::vector<DraftOperand> outputs;
  CompileOptions options;
  std::vector<Run> runs;  // an entry an input, in the same order
  std::vector<DraftValue> values;

  // What belongs to the tensors of these names, whatever becomes of them.
  DeviceMesh mesh;
  std::map<std::string, TensorPlacement> placements;
  Aliases aliases;
  std::vector<PreallocatedOutput> preallocated;

  // Values that exist where a line is to be inserted.
  std::vector<const DraftValue*> valuesBefore(size_t line) const;
  const DraftValue* find(const DraftOperand& operand) const;  // null for literals
  // A name that no value has, from this one.
  std::string freshName(const std::string& base) const;
  // Puts a line in, and makes every later line and output read its result instead of `former`. An output's memory goes
  // with the output.
  void insertBehind(const DraftValue& former, DraftLine line);
};

// Schedules are left out: they are made for one program. What is expected becomes that runs agree or are rejected.
Draft draftOf(const Case& testCase);

// --- finish.cpp ---

// A UserError where the draft is no valid case, or none that keeps within the limits of the text. Layouts, stream axes,
// devices, aliases and memory stay with the tensors of their names where these can have them (placement.h). So that a
// run is not rejected for them alone, what the runs' sizes or an expression do not suit is left out: shards that are
// unequal in some run, an axis of more than kMaxTurns places or of an expression that the host does not compute place
// by place on streams, and on several devices whatever takes one.
Case finish(const Draft& draft);

// --- draft.cpp ---

// The draft becomes that of its case after a change of it, for mutations that need to know types. False where `change`,
// which is asked once, says that it found no place, or the runs do not fit the program; the draft stays then as it is.
bool changeCase(Draft& draft, Choices& choices, bool (*change)(Case& testCase, Choices& choices));

}  // namespace fuser::fuzz
