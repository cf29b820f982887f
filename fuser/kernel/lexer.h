#pragma once
// KernelLexer: splits the text form of a kernel into tokens; errors have line numbers.

#include <string>
#include <string_view>

#include "fuser/tokens/literals.h"

namespace fuser {

class KernelLexer {
 public:
  explicit KernelLexer(std::string_view text) : tokens_(text, "kernel text", kRules) {}

  // The next token, without consuming it; empty at the end.
  std::string_view peek() const { return tokens_.peek().text; }
  bool atEnd() const { return tokens_.peek().kind == TokenKind::End; }
  std::string_view next() { return tokens_.next().text; }
  // Consumes the next token if it is this one; true if so.
  bool accept(std::string_view token) { return tokens_.accept(token); }
  void expect(std::string_view token) { tokens_.expect(token); }
  // Consumes an identifier; "blockIdx.x" is a single one.
  std::string identifier(std::string_view what) {
    return std::string(tokens_.expect(TokenKind::Identifier, what).text);
  }
  int64_t integer(std::string_view what) {
    if (const std::optional<int64_t> value = acceptInteger(tokens_)) return *value;
    tokens_.failExpected(what);
  }
  ScalarValue literal() { return readLiteral(tokens_); }

  // Throws a UserError at the last consumed token.
  [[noreturn]] void fail(const std::string& message) const { tokens_.fail(tokens_.lastToken(), message); }

 private:
  static constexpr TokenRules kRules = {
      .punctuation = "(){}[],:=+-*%<$", .pairs = {"//", "==", "&&", "+="}, .errors = ErrorPlace::Line};

  TokenReader tokens_;
};

}  // namespace fuser
