// Splits the text of a kernel into tokens.
#include "fuser/kernel/lexer.h"

#include <charconv>
#include <limits>

namespace fuser {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWord(char c) { return isWordStart(c) || isDigit(c) || c == '.'; }

}  // namespace

void KernelLexer::failAt(int line, const std::string& message) const {
  throwUserError(concat("kernel text, line ", line, ": ", message));
}

void KernelLexer::failExpected(std::string_view what) const {
  failAt(line_, concat("expected ", what, ", found '", token_, "'"));
}

void KernelLexer::advance() {
  while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\n')) line_ += text_[next_++] == '\n';
  const size_t start = next_;
  const auto at = [&](size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  const char first = at(start);
  if (isWordStart(first) || (first == '-' && isWordStart(at(start + 1)))) {
    for (++next_; isWord(at(next_));) ++next_;
  } else if (isDigit(first) || (first == '-' && isDigit(at(start + 1)))) {
    for (++next_; isWord(at(next_)) || ((at(next_) == '-' || at(next_) == '+') && at(next_ - 1) == 'e');) ++next_;
  } else if (start < text_.size()) {
    const std::string_view two = text_.substr(start, 2);
    next_ += two == "//" || two == "==" || two == "&&" ? 2 : 1;
  }
  token_ = text_.substr(start, next_ - start);
}

std::string_view KernelLexer::take() {
  const std::string_view token = token_;
  takenLine_ = line_;
  advance();
  return token;
}

bool KernelLexer::accept(std::string_view token) {
  if (token_ != token) return false;
  take();
  return true;
}

void KernelLexer::expect(std::string_view token) {
  if (!accept(token)) failExpected(concat("'", token, "'"));
}

std::string KernelLexer::identifier(const char* what) {
  if (token_.empty() || !isWordStart(token_[0])) failExpected(what);
  return std::string(take());
}

int64_t KernelLexer::integer(const char* what) {
  int64_t value = 0;
  const std::from_chars_result end = std::from_chars(token_.data(), token_.data() + token_.size(), value);
  if (end.ec != std::errc() || end.ptr != token_.data() + token_.size()) {
    failExpected(what);
  }
  take();
  return value;
}

ScalarValue KernelLexer::literal() {
  if (accept("true")) return true;
  if (accept("false")) return false;
  if (accept("nan")) return std::numeric_limits<double>::quiet_NaN();
  if (accept("inf")) return std::numeric_limits<double>::infinity();
  if (accept("-inf")) return -std::numeric_limits<double>::infinity();
  if (token_.find_first_of(".e") == std::string_view::npos) return integer("a literal");
  double value = 0;
  const std::from_chars_result end = std::from_chars(token_.data(), token_.data() + token_.size(), value);
  if (end.ec != std::errc() || end.ptr != token_.data() + token_.size()) {
    failExpected("a literal");
  }
  take();
  return value;
}

}  // namespace fuser
