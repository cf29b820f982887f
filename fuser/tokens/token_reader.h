#pragma once
// TokenReader: text -> tokens, with one token of lookahead and located errors. Every parser of the compiler uses it;
// each grammar defines its own TokenRules.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuser/support/diagnostic.h"
#include "fuser/support/set_up_error.h"

namespace fuser {

enum class TokenKind : uint8_t {
  Identifier,   // fusion, i0, f32, true
  Value,        // %x.b1; text without '%'
  Number,       // 12, 1.5, 1e-5; no sign
  String,       // "interp"; text between the quotes, escapes not decoded
  Punctuation,  // ( ) [ ] { } , : = + - * // ->
  Metadata,     // #: key = value; text after "#:", without blanks around it
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  size_t offset = 0;  // from the start of the text, in bytes
};

// How an error states its position after the text's name. Lines and columns count from 1; columns count bytes.
enum class ErrorPlace : uint8_t {
  Caret,   // "a.fusion:3:8: message", then the line and a caret below it: LocatedError
  Column,  // "segmented fusion, line 3, column 8: message"
  Line,    // "kernel text, line 3: message"
};

// A grammar's tokens. Blanks are ' ', \t, \r and \n everywhere; names are letters, digits, '_' and '.'.
struct TokenRules {
  std::string_view punctuation = {};           // each of these bytes is a token
  std::array<std::string_view, 4> pairs = {};  // two-byte tokens; unused entries are empty
  bool values = false;                         // '%' begins a value's name
  std::string_view valueBytes = {};            // additional bytes that such a name may contain
  bool strings = false;
  bool comments = false;       // from '#' to the end of the line; "#:" begins metadata
  size_t maxBytes = SIZE_MAX;  // of the text
  size_t maxNameBytes = SIZE_MAX;
  ErrorPlace errors = ErrorPlace::Caret;
};

// isNameByte: whether a name may contain the byte. isNameStart: whether an identifier may start with it.
bool isNameByte(char c);
bool isNameStart(char c);

class TokenReader {
 public:
  // The text and the rules must outlive the reader. Errors call the text `name`. A UserError if the text is too long.
  TokenReader(std::string_view text, std::string name, const TokenRules& rules);

  const Token& peek() const { return token_; }
  Token next();
  // The last token that was read.
  const Token& lastToken() const { return lastToken_; }

  // Whether the next token is this punctuation or word.
  bool at(std::string_view what) const;
  bool accept(std::string_view what);
  Token expect(std::string_view what);
  // `what` describes the expected token in the error: "a value".
  Token expect(TokenKind kind, std::string_view what);

  // Goes back to an earlier token.
  void rewind(const Token& token);

  // Reads "[a, b]": calls f for each entry. A trailing comma is an error.
  template <class F>
  void list(std::string_view open, std::string_view close, size_t maxEntries, F&& entry) {
    expect(open);
    if (accept(close)) return;
    for (size_t count = 1;; ++count) {
      if (count > maxEntries) fail(peek(), "more than ", maxEntries, " entries");
      entry();
      if (accept(close)) return;
      if (!accept(",")) failExpected(concat("',' or '", close, "'"));
    }
  }

  // Throws a UserError at the token.
  template <class... Args>
  [[noreturn]] void fail(const Token& token, const Args&... args) const {
    failAt(token.offset, concat(args...));
  }
  // Throws "expected `what`, found …" at the next token.
  [[noreturn]] void failExpected(std::string_view what) const;

  // Runs f; a UserError without a position gets the token's.
  template <class F>
  decltype(auto) located(const Token& token, F&& f) const {
    try {
      return f();
    } catch (const LocatedError&) {
      throw;
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      fail(token, error.what());
    }
  }

  size_t lineOf(size_t offset) const { return sourcePlaceAt(text_, offset).line; }
  std::string_view text() const { return text_; }
  const std::string& name() const { return name_; }

 private:
  Token scan();
  Token scanHash(size_t start);
  Token scanNumber(size_t start);
  Token scanString(size_t start);
  Token scanName(size_t start);
  Token scanPunctuation(size_t start);
  void skipBlanks();
  [[noreturn]] void failAt(size_t offset, const std::string& message) const;

  std::string_view text_;
  std::string name_;
  const TokenRules& rules_;
  size_t cursor_ = 0;
  size_t lastEnd_ = 0;  // the end of the last token, where errors at the end of the text point
  Token token_;
  Token lastToken_;
};

// Describes a token in errors: "'add'", "%x", "the end of the text".
std::string describe(const Token& token);

}  // namespace fuser
