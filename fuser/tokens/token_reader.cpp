#include "fuser/tokens/token_reader.h"

#include <algorithm>

namespace fuser {
namespace {

// Not <cctype>: those depend on the locale.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNameByte(char c) { return isNameStart(c) || isDigit(c) || c == '.'; }

std::string describe(const Token& token) {
  constexpr size_t kShown = 40;
  const std::string text(token.text.substr(0, kShown));
  const std::string more = token.text.size() > kShown ? "..." : "";
  switch (token.kind) {
    case TokenKind::Identifier:
    case TokenKind::Number:
    case TokenKind::Punctuation: return "'" + text + more + "'";
    case TokenKind::Value: return "%" + text + more;
    case TokenKind::String: return "a string";
    case TokenKind::Metadata: return "a '#:' line";
    case TokenKind::End: return "the end of the text";
  }
  FUSER_CHECK(false, "bad TokenKind");
}

TokenReader::TokenReader(std::string_view text, std::string name, const TokenRules& rules)
    : text_(text), name_(std::move(name)), rules_(rules) {
  if (text.size() > rules.maxBytes) failAt(0, concat("the text has more than ", rules.maxBytes, " bytes"));
  token_ = scan();
}

void TokenReader::failAt(size_t offset, const std::string& message) const {
  const SourcePlace place = sourcePlaceAt(text_, offset);
  switch (rules_.errors) {
    case ErrorPlace::Caret: throw LocatedError(text_, name_, offset, message);
    case ErrorPlace::Column:
      throw UserError(concat(name_, ", line ", place.line, ", column ", place.column, ": ", message));
    case ErrorPlace::Line: throw UserError(concat(name_, ", line ", place.line, ": ", message));
  }
  FUSER_CHECK(false, "bad ErrorPlace");
}

Token TokenReader::next() {
  lastToken_ = token_;
  token_ = scan();
  return lastToken_;
}

void TokenReader::rewind(const Token& token) {
  cursor_ = token.offset;
  token_ = scan();
}

bool TokenReader::at(std::string_view what) const {
  return (token_.kind == TokenKind::Punctuation || token_.kind == TokenKind::Identifier) && token_.text == what;
}

bool TokenReader::accept(std::string_view what) {
  if (!at(what)) return false;
  next();
  return true;
}

Token TokenReader::expect(std::string_view what) {
  if (!at(what)) failExpected(concat("'", what, "'"));
  return next();
}

Token TokenReader::expect(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) failExpected(what);
  return next();
}

void TokenReader::failExpected(std::string_view what) const {
  fail(token_, "expected ", what, ", found ", describe(token_));
}

void TokenReader::skipBlanks() {
  while (cursor_ < text_.size()) {
    if (isBlank(text_[cursor_])) {
      ++cursor_;
    } else if (rules_.comments && text_[cursor_] == '#' && text_.substr(cursor_, 2) != "#:") {
      const size_t start = cursor_;
      cursor_ = std::min(text_.find('\n', cursor_), text_.size());
      const size_t null = text_.substr(start, cursor_ - start).find('\0');
      if (null != std::string_view::npos) failAt(start + null, "unexpected byte 0x00");
    } else {
      return;
    }
  }
}

Token TokenReader::scan() {
  skipBlanks();
  const size_t start = cursor_;
  if (start >= text_.size()) return {TokenKind::End, {}, lastEnd_};
  const char c = text_[start];
  Token token;
  if (c == '#' && rules_.comments) {
    token = scanHash(start);
  } else if (c == '"' && rules_.strings) {
    token = scanString(start);
  } else if (isDigit(c)) {
    token = scanNumber(start);
  } else if (isNameStart(c) || (c == '%' && rules_.values)) {
    token = scanName(start);
  } else {
    token = scanPunctuation(start);
  }
  lastEnd_ = cursor_;
  return token;
}

Token TokenReader::scanHash(size_t start) {
  cursor_ = std::min(text_.find('\n', start), text_.size());
  return {TokenKind::Metadata, trim(text_.substr(start + 2, cursor_ - start - 2)), start};
}

Token TokenReader::scanNumber(size_t start) {
  size_t end = start;
  const auto digits = [&] {
    while (end < text_.size() && isDigit(text_[end])) ++end;
  };
  digits();
  if (end < text_.size() && text_[end] == '.') {
    ++end;
    digits();
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    size_t exponent = end + 1;
    if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
    if (exponent >= text_.size() || !isDigit(text_[exponent])) failAt(start, "a number's exponent has no digits");
    end = exponent;
    digits();
  }
  if (end < text_.size() && isNameByte(text_[end])) failAt(start, "a number runs into a name");
  cursor_ = end;
  return {TokenKind::Number, text_.substr(start, end - start), start};
}

Token TokenReader::scanString(size_t start) {
  size_t end = start + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') failAt(start, "unterminated string");
  cursor_ = end + 1;
  return {TokenKind::String, text_.substr(start + 1, end - start - 1), start};
}

Token TokenReader::scanName(size_t start) {
  const bool value = text_[start] == '%';
  const size_t first = value ? start + 1 : start;
  const auto belongs = [&](char c) {
    return isNameByte(c) || (value && rules_.valueBytes.find(c) != std::string_view::npos);
  };
  size_t end = first;
  while (end < text_.size() && belongs(text_[end])) ++end;
  if (end == first) failAt(start, "expected a name after '%'");
  if (end - first > rules_.maxNameBytes) failAt(start, concat("a name has at most ", rules_.maxNameBytes, " bytes"));
  cursor_ = end;
  return {value ? TokenKind::Value : TokenKind::Identifier, text_.substr(first, end - first), start};
}

Token TokenReader::scanPunctuation(size_t start) {
  const char c = text_[start];
  const std::string_view two = text_.substr(start, 2);
  const bool pair = std::find(rules_.pairs.begin(), rules_.pairs.end(), two) != rules_.pairs.end();
  if (!pair && rules_.punctuation.find(c) == std::string_view::npos) {
    constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    const bool visible = c > ' ' && c <= '~';
    failAt(start,
           visible ? concat("unexpected '", c, "'") : concat("unexpected byte 0x", kHex[byte >> 4], kHex[byte & 15]));
  }
  cursor_ = start + (pair ? 2 : 1);
  return {TokenKind::Punctuation, text_.substr(start, cursor_ - start), start};
}

}  // namespace fuser
