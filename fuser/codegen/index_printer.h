#pragma once
// Integer expressions of a kernel as C++ text, with quotients, remainders, minima and maxima named once a scope. Apart
// from the printer of statements, so that what an index may assume of overflow stands in one place.
//
// An index or a condition of a correct kernel does not overflow (the interpreter checks that), so it is printed with
// plain operators. An integer that a kernel uses as data may come from any extent or scalar: it wraps, as `evaluate`
// does, through add and mul of op_math.cuh wherever its range does not rule an overflow out.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

class IndexPrinter {
 public:
  // The arena, whose expressions alone are printed, outlives this.
  explicit IndexPrinter(const IntExprArena& arena) : arena_(arena) {}

  // Gives a symbol its name, in every scope from now on; every symbol needs one before it is printed (CheckError).
  void name(IntExpr symbol, std::string text);

  // A scope is a pair of braces in the text: names made in it end with it.
  void openScope() { scopes_.emplace_back(); }
  void closeScope();

  // The expression's text: an int64, or an int for a small constant. `declarations` receives the lines that must stand
  // before the statement, in order.
  std::string index(IntExpr expr, std::vector<std::string>& declarations) { return value(expr, false, declarations); }
  std::string data(IntExpr expr, std::vector<std::string>& declarations) { return value(expr, true, declarations); }
  // The same as a condition: true where the value is not 0.
  std::string condition(IntExpr expr, std::vector<std::string>& declarations) {
    return truth(expr, false, declarations);
  }

 private:
  using Key = std::pair<IntExpr, bool>;  // with whether it wraps

  std::string value(IntExpr expr, bool wraps, std::vector<std::string>& declarations);
  std::string truth(IntExpr expr, bool wraps, std::vector<std::string>& declarations);
  std::string compound(IntExpr expr, bool wraps, std::vector<std::string>& declarations);

  const IntExprArena& arena_;
  std::map<Key, std::string> names_;
  std::vector<std::vector<Key>> scopes_;
};

}  // namespace fuser
