#include "fuser/ptx/lexer.h"

#include <algorithm>
#include <charconv>

#include "fuser/support/diagnostic.h"

namespace fuser::ptx {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool isNameStart(char c) { return isLetter(c) || c == '%' || c == '.'; }
bool isNameByte(char c) { return isLetter(c) || isDigit(c) || c == '.'; }

}  // namespace

PtxLexer::PtxLexer(std::string_view text, const std::string& name) : text_(text), name_(name) { token_ = scan(); }

Token PtxLexer::next() {
  const Token read = token_;
  readTo_ = cursor_;
  token_ = scan();
  return read;
}

bool PtxLexer::accept(std::string_view text) {
  if (!at(text)) return false;
  next();
  return true;
}

void PtxLexer::expect(std::string_view text) {
  if (!accept(text)) failExpected(concat("'", text, "'"));
}

std::string_view PtxLexer::expectName(std::string_view what) {
  if (token_.kind != Token::Kind::Name) failExpected(what);
  return next().text;
}

int64_t PtxLexer::expectInteger(std::string_view what) {
  bool isNegative = false;
  while (at("-") || at("+")) isNegative ^= next().text == "-";
  uint64_t value = 0;
  if (token_.kind != Token::Kind::Number || !readInteger(token_.text, value)) failExpected(what);
  next();
  return static_cast<int64_t>(isNegative ? 0 - value : value);
}

void PtxLexer::failExpected(std::string_view what) const {
  fail(token_, "expected ", what, ", found ",
       token_.kind == Token::Kind::End ? "the end of the text" : concat("'", token_.text, "'"));
}

void PtxLexer::skipLine() {
  cursor_ = std::min(text_.find('\n', readTo_), text_.size());
  token_ = scan();
}

void PtxLexer::skipBraces() {
  expect("{");
  for (int depth = 1; depth > 0;) {
    if (token_.kind == Token::Kind::End) failExpected("'}'");
    depth += at("{") ? 1 : at("}") ? -1 : 0;
    next();
  }
}

uint32_t PtxLexer::lineOf(const Token& token) {
  line_ += static_cast<uint32_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(countedTo_),
                                            text_.begin() + static_cast<ptrdiff_t>(token.offset), '\n'));
  countedTo_ = token.offset;
  return line_;
}

void PtxLexer::skipBlanks() {
  while (cursor_ < text_.size()) {
    const char c = text_[cursor_];
    const std::string_view two = text_.substr(cursor_, 2);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++cursor_;
    } else if (two == "//") {
      cursor_ = std::min(text_.find('\n', cursor_), text_.size());
    } else if (two == "/*") {
      const size_t end = text_.find("*/", cursor_ + 2);
      cursor_ = end == text_.npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

Token PtxLexer::scan() {
  skipBlanks();
  const size_t start = cursor_;
  if (start == text_.size()) return {Token::Kind::End, {}, start};
  const char c = text_[start];
  const auto take = [&](Token::Kind kind) { return Token{kind, text_.substr(start, cursor_ - start), start}; };
  if (isNameStart(c)) {
    ++cursor_;
    while (cursor_ < text_.size()) {
      // "shared::cta" is one name; a label's ':' is not its own.
      if (text_.substr(cursor_, 2) == "::") {
        cursor_ += 2;
      } else if (isNameByte(text_[cursor_])) {
        ++cursor_;
      } else {
        break;
      }
    }
    return take(Token::Kind::Name);
  }
  if (isDigit(c)) {
    while (cursor_ < text_.size() && isNameByte(text_[cursor_])) ++cursor_;
    return take(Token::Kind::Number);
  }
  if (c == '"') {
    const size_t end = text_.find('"', start + 1);
    if (end == text_.npos) failAt({Token::Kind::String, {}, start}, "a string without an end");
    cursor_ = end + 1;
    return {Token::Kind::String, text_.substr(start + 1, cursor_ - start - 2), start};
  }
  ++cursor_;
  return take(Token::Kind::Punctuation);
}

void PtxLexer::failAt(const Token& token, const std::string& message) const {
  throw LocatedError(text_, name_, token.offset, message);
}

bool readInteger(std::string_view text, uint64_t& value) {
  int base = 10;
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
  } else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
    base = 2;
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  if (base == 16 || base == 2) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace fuser::ptx
