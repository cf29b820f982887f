#pragma once
// IndexPrinter: prints integer expressions of a kernel as C++, with one variable per scope for each quotient,
// remainder, minimum and maximum (common subexpression elimination). It is separate from the printer of statements, so
// that one file has the rules about overflow.
// An index or condition of a correct kernel does not overflow (interp checks that), so it prints with plain operators.
// An integer that a kernel uses as data may come from any extent or scalar; it wraps, through add and mul of
// op_math.cuh, unless its range rules out an overflow.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

class IndexPrinter {
 public:
  // Prints expressions of this arena, which must outlive the printer.
  explicit IndexPrinter(const IntExprArena& arena) : arena_(arena) {}

  // Names a symbol, for all scopes from now on. Printing a symbol without a name is a CheckError.
  void name(IntExpr symbol, std::string text);

  // A scope corresponds to a pair of braces in the text; variables declared in it end with it.
  void openScope() { scopes_.emplace_back(); }
  void closeScope();

  // The text of the expression: an int64, or an int for a small constant. Appends the declarations that must precede
  // the statement to `declarations`, in order.
  std::string index(IntExpr expr, std::vector<std::string>& declarations) { return value(expr, false, declarations); }
  std::string data(IntExpr expr, std::vector<std::string>& declarations) { return value(expr, true, declarations); }
  // The same as a C++ condition: true if the value is not 0.
  std::string condition(IntExpr expr, std::vector<std::string>& declarations) {
    return truth(expr, false, declarations);
  }

 private:
  using Key = std::pair<IntExpr, bool>;  // (expression, whether it wraps)

  std::string value(IntExpr expr, bool wraps, std::vector<std::string>& declarations);
  std::string truth(IntExpr expr, bool wraps, std::vector<std::string>& declarations);
  std::string compound(IntExpr expr, bool wraps, std::vector<std::string>& declarations);

  const IntExprArena& arena_;
  std::map<Key, std::string> names_;
  std::vector<std::vector<Key>> scopes_;
};

}  // namespace fuser
