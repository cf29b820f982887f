#pragma once
// Formulas of onnx.def and stablehlo.def, written as calls in calls: "Where(Less(a, 0), Neg(a), a)".
//
//   formula  = call | number | word
//   call     = name[<attributes>] "(" formula {"," formula} ")"
//
// A name is a helper, which is a row HELPER of the table, or an op of the format. The words "a", "b", "c" are the
// operands of the op, or of the helper; a format may have other words for numbers that depend on the dtype.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fuser/ir/expr.h"

namespace fuser::fuzz {

struct Formula {
  enum class Kind : uint8_t { Number, Word, Call };
  Kind kind = Kind::Number;
  double number = 0;
  std::string_view name;        // of a word or call
  std::string_view attributes;  // of a call
  std::vector<Formula> operands;
};

// A CheckError for a text that is no formula. The formula refers to the text.
Formula parseFormula(std::string_view text);

// Which operand a word names: 0 for "a"; nullopt: none.
std::optional<size_t> operandOf(const Formula& word);

// A row HELPER.
struct NamedFormula {
  std::string_view name, formula;
};

// Writes a formula in a format, and returns its value. Writer has
//   number(double)                                  a constant
//   word(name)                                      what another word than an operand is
//   call(name, attributes, operands)                an op
//   helpers()                                       the table's rows
template <class Value, class Writer>
Value writeFormula(const Formula& formula, std::span<const Value> operands, Writer& writer) {
  switch (formula.kind) {
    case Formula::Kind::Number: return writer.number(formula.number);
    case Formula::Kind::Word: {
      const std::optional<size_t> index = operandOf(formula);
      if (!index) return writer.word(formula.name);
      FUSER_CHECK(*index < operands.size(), "there is no operand '", formula.name, "'");
      return operands[*index];
    }
    case Formula::Kind::Call: break;
  }
  std::vector<Value> values;
  for (const Formula& operand : formula.operands) values.push_back(writeFormula(operand, operands, writer));
  for (const NamedFormula& helper : writer.helpers()) {
    if (helper.name == formula.name) return writeFormula<Value>(parseFormula(helper.formula), values, writer);
  }
  return writer.call(formula.name, formula.attributes, values);
}

// The dtype that an op's operands have in common: promotion of tensors is casts of its own in the fusion.
DataType commonType(const Expr* expr);
// The dtype that operand i has in the formula of an op on `common`, before it is converted to the dtype that computes:
// a scalar beside a tensor of 16 bits is rounded to 16 bits, or not, as its row of the op table says.
DataType operandType(const Expr* expr, size_t i, DataType common);

}  // namespace fuser::fuzz
