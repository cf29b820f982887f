#include "fuzz/export/onnx_formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

struct NamedFormula {
  std::string_view name, formula;
};

constexpr NamedFormula kHelpers[] = {
#define HELPER(name, formula) {#name, formula},
#define FORMULA(...)
#define SELECTION(...)
#define WRITTEN(...)
#define REFUSED(...)
#include "fuzz/export/onnx.def"
#undef HELPER
#undef FORMULA
#undef SELECTION
#undef WRITTEN
#undef REFUSED
};

std::string_view helperFormula(std::string_view name) {
  for (const NamedFormula& helper : kHelpers) {
    if (helper.name == name) return helper.formula;
  }
  FUSER_CHECK(false, "onnx.def: there is no helper '", name, "'");
}

// Operators whose result is bool, whatever their operands are.
bool givesBool(std::string_view op) {
  constexpr std::string_view kOps[] = {
      "And", "Or", "Xor", "Not", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "IsNaN", "IsInf"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

class Reader {
 public:
  Reader(OnnxGraph& graph, std::string_view formula, std::span<const OnnxValue> operands, DataType dtype)
      : graph_(graph), text_(formula), operands_(operands), dtype_(dtype) {}

  OnnxValue read() {
    const OnnxValue value = formula();
    FUSER_CHECK(at_ == text_.size(), "onnx.def: more follows '", text_.substr(0, at_), "'");
    return value;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipSpaces() {
    while (next() == ' ') ++at_;
  }
  void expect(char wanted) {
    FUSER_CHECK(next() == wanted, "onnx.def: '", wanted, "' is expected after '", text_.substr(0, at_), "'");
    ++at_;
  }
  std::string_view word() {
    const size_t start = at_;
    while (std::isalnum(static_cast<unsigned char>(next())) != 0) ++at_;
    return text_.substr(start, at_ - start);
  }

  OnnxValue formula() {
    skipSpaces();
    if (next() == '-' || std::isdigit(static_cast<unsigned char>(next())) != 0) return number();
    const std::string_view name = word();
    FUSER_CHECK(!name.empty(), "onnx.def: a formula is expected after '", text_.substr(0, at_), "'");
    if (next() != '(' && next() != '<') return operandNamed(name);
    return call(name);
  }

  OnnxValue number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    FUSER_CHECK(error == std::errc(), "onnx.def: no number: ", text_.substr(at_));
    at_ = static_cast<size_t>(end - text_.data());
    return graph_.constant(ScalarValue(value), dtype_);
  }

  OnnxValue operandNamed(std::string_view name) const {
    const size_t index = static_cast<size_t>(name.front() - 'a');
    FUSER_CHECK(name.size() == 1 && index < operands_.size(), "onnx.def: there is no operand '", name, "'");
    return operands_[index];
  }

  OnnxValue call(std::string_view name) {
    std::string attributes;
    if (next() == '<') {
      const size_t close = text_.find('>', at_);
      FUSER_CHECK(close != text_.npos, "onnx.def: '<' is open in ", text_);
      attributes = text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
    }
    std::vector<OnnxValue> operands;
    for (expect('('); next() != ')';) {
      operands.push_back(formula());
      skipSpaces();
      if (next() != ')') expect(',');
    }
    ++at_;
    if (std::islower(static_cast<unsigned char>(name.front())) != 0)
      return addFormula(graph_, helperFormula(name), operands, dtype_);
    if (name == "Cast") return graph_.cast(operands.at(0), castTo(attributes));
    return graph_.node(std::string(name), attributes, operands, resultOf(name, operands));
  }

  DataType castTo(std::string_view attributes) const {
    if (attributes == "to = $T") return dtype_;
    if (attributes == "to = $W") return dtype_ == DataType::Int8 ? DataType::Int32 : dtype_;
    FUSER_CHECK(attributes == "to = bool", "onnx.def: a cast has 'to = $T', 'to = $W' or 'to = bool'");
    return DataType::Bool;
  }

  static DataType resultOf(std::string_view op, const std::vector<OnnxValue>& operands) {
    if (givesBool(op)) return DataType::Bool;
    return operands.at(op == "Where" ? 1 : 0).dtype;
  }

  OnnxGraph& graph_;
  std::string_view text_;
  std::span<const OnnxValue> operands_;
  DataType dtype_;
  size_t at_ = 0;
};

}  // namespace

OnnxValue addFormula(OnnxGraph& graph, std::string_view formula, std::span<const OnnxValue> operands, DataType dtype) {
  return Reader(graph, formula, operands, dtype).read();
}

}  // namespace fuser::fuzz
