// Numbers, booleans and strings, read and written.

#include <charconv>
#include <cmath>
#include <limits>

#include "fuser/tokens/literals.h"

namespace fuser {
namespace {

bool isFloatingText(std::string_view text) { return text.find_first_of(".eE") != std::string_view::npos; }

template <class T>
T convertNumber(TokenReader& reader, const Token& token, std::string_view digits, std::string_view type) {
  T value{};
  const std::from_chars_result result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) {
    reader.fail(token, digits, " is outside of the range of ", type);
  }
  return value;
}

// The number that stands next, with its sign in front.
struct Signed {
  Token first;
  std::string text;
};

Signed readSigned(TokenReader& reader, std::string_view what) {
  Signed number{reader.peek(), ""};
  if (reader.accept("-")) number.text = "-";
  if (reader.at("inf") || reader.at("nan")) {
    number.text += reader.next().text;
  } else {
    number.text += reader.expect(TokenKind::Number, what).text;
  }
  return number;
}

double toDouble(TokenReader& reader, const Signed& number) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (number.text == "inf") return infinity;
  if (number.text == "-inf") return -infinity;
  if (number.text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (number.text == "-nan") reader.fail(number.first, "nan has no sign");
  return convertNumber<double>(reader, number.first, number.text, "f64");
}

std::optional<int> hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> acceptInteger(TokenReader& reader) {
  const Token first = reader.peek();
  std::string text = reader.accept("-") ? "-" : "";
  if (reader.peek().kind == TokenKind::Number) {
    text += reader.next().text;
    int64_t value = 0;
    const std::from_chars_result result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc() && result.ptr == text.data() + text.size()) return value;
  }
  reader.rewind(first);
  return std::nullopt;
}

int64_t readInteger(TokenReader& reader) {
  const Signed number = readSigned(reader, "an integer");
  if (number.text.find_first_not_of("-0123456789") != std::string::npos) {
    reader.fail(number.first, "expected an integer, found ", number.text);
  }
  return convertNumber<int64_t>(reader, number.first, number.text, "i64");
}

uint64_t readUnsigned(TokenReader& reader) {
  const Token token = reader.expect(TokenKind::Number, "an integer that is not negative");
  if (isFloatingText(token.text)) reader.fail(token, "expected an integer, found ", token.text);
  return convertNumber<uint64_t>(reader, token, token.text, "64 bits");
}

bool readBool(TokenReader& reader) {
  if (reader.accept("true")) return true;
  if (reader.accept("false")) return false;
  reader.failExpected("true or false");
}

double readNumber(TokenReader& reader) { return toDouble(reader, readSigned(reader, "a number")); }

bool atLiteral(const TokenReader& reader) {
  if (reader.peek().kind == TokenKind::Number || reader.at("-")) return true;
  return reader.at("nan") || reader.at("inf") || reader.at("true") || reader.at("false");
}

ScalarValue readLiteral(TokenReader& reader) {
  if (reader.at("true") || reader.at("false")) return readBool(reader);
  const Signed number = readSigned(reader, "a literal");
  const bool integer = number.text.find_first_not_of("-0123456789") == std::string::npos;
  if (integer) return convertNumber<int64_t>(reader, number.first, number.text, "i64");
  return toDouble(reader, number);
}

std::string unquote(const TokenReader& reader, const Token& token) {
  std::string out;
  for (size_t i = 0; i < token.text.size(); ++i) {
    if (token.text[i] != '\\') {
      out += token.text[i];
      continue;
    }
    const char escape = ++i < token.text.size() ? token.text[i] : '\0';
    if (escape == '\\' || escape == '"') {
      out += escape;
    } else if (escape == 'n') {
      out += '\n';
    } else if (escape == 'r') {
      out += '\r';
    } else if (escape == 't') {
      out += '\t';
    } else if (escape == 'x' && i + 2 < token.text.size() && hexDigit(token.text[i + 1]) &&
               hexDigit(token.text[i + 2])) {
      out += static_cast<char>(*hexDigit(token.text[i + 1]) * 16 + *hexDigit(token.text[i + 2]));
      i += 2;
    } else {
      reader.fail(token, "a string takes the escapes \\\\ \\\" \\n \\r \\t \\xHH");
    }
  }
  return out;
}

std::string quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < ' ' || c > '~') {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace fuser
