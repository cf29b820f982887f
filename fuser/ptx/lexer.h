#pragma once
// PtxLexer: PTX text -> tokens, with one token of lookahead (PTX ISA 9.0, 4). Opcodes and directives are names with
// their dots: "ld.global.u32", ".reg", "%tid.x".

#include <cstdint>
#include <string>
#include <string_view>

#include "fuser/support/check.h"

namespace fuser::ptx {

struct Token {
  enum class Kind : uint8_t { Name, Number, String, Punctuation, End };
  Kind kind = Kind::End;
  std::string_view text;
  size_t offset = 0;
};

class PtxLexer {
 public:
  // Both outlive the lexer.
  PtxLexer(std::string_view text, const std::string& name);

  const Token& peek() const { return token_; }
  Token next();
  bool at(std::string_view text) const { return token_.text == text && token_.kind != Token::Kind::String; }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string_view expectName(std::string_view what);
  // An integer with its sign, or signs.
  int64_t expectInteger(std::string_view what);
  void skipLine();    // what is left of the line of the last token that was read
  void skipBraces();  // from '{' to its '}'

  // Of a token that is peeked at or read in order, from 1.
  uint32_t lineOf(const Token& token);
  // "expected `what`, found …" at the next token.
  [[noreturn]] void failExpected(std::string_view what) const;
  template <class... Args>
  [[noreturn]] void fail(const Token& token, const Args&... args) const {
    failAt(token, concat(args...));
  }

 private:
  Token scan();
  void skipBlanks();
  [[noreturn]] void failAt(const Token& token, const std::string& message) const;

  std::string_view text_;
  const std::string& name_;
  size_t cursor_ = 0;
  size_t readTo_ = 0;  // the end of the last token that was read
  size_t countedTo_ = 0;
  uint32_t line_ = 1;
  Token token_;
};

// The value of a literal: decimal, 0x…, octal, binary 0b…, with a U behind it; false where the text is none.
bool readInteger(std::string_view text, uint64_t& value);

}  // namespace fuser::ptx
