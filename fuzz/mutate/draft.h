#pragma once
// Draft: a case taken apart into lines, for mutations to edit. A draft may be wrong; finish() makes a case of it again,
// or says why it is none: names, types and shapes are worked out anew, as for a file.

#include <string>
#include <utility>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// "%r = op(%a, 1.0) {key = value}"; operands and values as text.
struct DraftLine {
  std::vector<std::string> results;  // without '%'
  std::string op;                    // mnemonic
  std::vector<std::string> operands;
  std::vector<std::pair<std::string, std::string>> attributes;
};

// What is known of a value of the case that the draft was taken from.
struct DraftValue {
  std::string name;  // without '%'
  bool tensor = false;
  DataType dtype = DataType::Float;
  size_t rank = 0;
  size_t line = 0;  // it exists for lines from here on: 0 for inputs
};

struct Draft {
  std::string name;
  std::vector<std::pair<std::string, std::string>> inputs;  // name, type
  std::vector<DraftLine> lines;
  std::vector<std::string> outputs;  // operands: "%y"
  CompileOptions options;
  std::vector<Run> runs;  // an entry an input, in the same order
  std::vector<DraftValue> values;

  // Values that exist where a line is to be inserted.
  std::vector<const DraftValue*> valuesBefore(size_t line) const;
  const DraftValue* find(const std::string& operand) const;  // "%x"; null for literals
  // A name that no value has, from this one.
  std::string freshName(const std::string& base) const;
  // Puts a line in, and makes every later line and output read `name` instead of `former`.
  void insertBehind(const DraftValue& former, DraftLine line);
};

// Schedules, aliases, memory for outputs, stream axes, meshes and shardings are left out: they are made for one program.
Draft draftOf(const Case& testCase);

// A UserError where the draft is no valid case.
Case finish(const Draft& draft);

}  // namespace fuser::fuzz
