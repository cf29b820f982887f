#pragma once
// Words, numbers and punctuation of a kernel's text form, each with its line.

#include <string>
#include <string_view>

#include "fuser/types/scalar_value.h"

namespace fuser {

class KernelLexer {
 public:
  explicit KernelLexer(std::string_view text) : text_(text) { advance(); }

  // The token that comes next: an identifier ("blockIdx.x" is one), a number ("-1", "2.5e-3", "-inf"), or one of
  // { } ( ) [ ] , : = + * // % < == && $; empty at the end.
  std::string_view peek() const { return token_; }
  bool atEnd() const { return token_.empty(); }
  std::string_view take();
  // Takes the token when it is this one.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  std::string identifier(const char* what);
  int64_t integer(const char* what);
  // A literal of a kernel: f64 where it has '.', 'e', nan or inf; i64; bool.
  ScalarValue literal();

  // A UserError at the token taken last.
  [[noreturn]] void fail(const std::string& message) const { failAt(takenLine_, message); }

 private:
  void advance();
  [[noreturn]] void failAt(int line, const std::string& message) const;
  [[noreturn]] void failExpected(std::string_view what) const;  // instead of the token that comes next

  std::string_view text_;
  std::string_view token_;
  size_t next_ = 0;
  int line_ = 1;  // of token_
  int takenLine_ = 1;
};

}  // namespace fuser
