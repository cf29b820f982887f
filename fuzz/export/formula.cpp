#include "fuzz/export/formula.h"

#include <cctype>
#include <charconv>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Formula read() {
    const Formula read = formula();
    FUSER_CHECK(at_ == text_.size(), "more follows the formula '", text_.substr(0, at_), "'");
    return read;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipSpaces() {
    while (next() == ' ') ++at_;
  }
  void expect(char wanted) {
    FUSER_CHECK(next() == wanted, "'", wanted, "' is expected after '", text_.substr(0, at_), "'");
    ++at_;
  }
  std::string_view word() {
    const size_t start = at_;
    while (std::isalnum(static_cast<unsigned char>(next())) != 0 || next() == '_') ++at_;
    return text_.substr(start, at_ - start);
  }

  Formula formula() {
    skipSpaces();
    if (next() == '-' || std::isdigit(static_cast<unsigned char>(next())) != 0) return number();
    Formula read;
    read.name = word();
    FUSER_CHECK(!read.name.empty(), "a formula is expected after '", text_.substr(0, at_), "'");
    read.kind = next() == '(' || next() == '<' ? Formula::Kind::Call : Formula::Kind::Word;
    if (read.kind == Formula::Kind::Call) readCall(read);
    return read;
  }

  Formula number() {
    Formula read;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), read.number);
    FUSER_CHECK(error == std::errc(), "no number: ", text_.substr(at_));
    at_ = static_cast<size_t>(end - text_.data());
    return read;
  }

  void readCall(Formula& call) {
    if (next() == '<') {
      const size_t close = text_.find('>', at_);
      FUSER_CHECK(close != text_.npos, "'<' is open in ", text_);
      call.attributes = text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
    }
    for (expect('('); next() != ')';) {
      call.operands.push_back(formula());
      skipSpaces();
      if (next() != ')') expect(',');
    }
    ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Formula parseFormula(std::string_view text) { return Reader(text).read(); }

std::optional<size_t> operandOf(const Formula& word) {
  const bool isOperand = word.kind == Formula::Kind::Word && word.name.size() == 1;
  return isOperand ? std::optional(static_cast<size_t>(word.name.front() - 'a')) : std::nullopt;
}

DataType commonType(const Expr* expr) {
  if (expr->info().result == Result::Same) return expr->output()->dtype();
  for (const Val* operand : expr->inputs()) {
    if (operand->isTensor()) return operand->dtype();
  }
  DataType common = expr->input(0)->dtype();
  for (const Val* operand : expr->inputs()) common = promoteTypes(common, operand->dtype());
  return common;
}

DataType operandType(const Expr* expr, size_t i, DataType common) {
  if (takesCondition(expr->op(), i)) return DataType::Bool;
  const bool isKept = expr->input(i)->isScalar() && expr->info().scalar == ScalarOperand::Keep;
  return isKept ? computeType(common) : common;
}

}  // namespace fuser::fuzz
