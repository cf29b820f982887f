#pragma once
// Integer expressions of a kernel as C++ text, with quotients, remainders, minima and maxima named once a scope.

#include <string>
#include <unordered_map>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

class IndexPrinter {
 public:
  explicit IndexPrinter(const IntExprArena& arena) : arena_(arena) {}

  // Gives a symbol its name; every symbol needs one before it is printed.
  void name(IntExpr symbol, std::string text);

  // A scope is a pair of braces in the text: names made in it end with it.
  void openScope() { scopes_.emplace_back(); }
  void closeScope();

  // The expression's text: an int64, or an int for a small constant. `declarations` receives the lines that must stand
  // before the statement, in order.
  std::string value(IntExpr expr, std::vector<std::string>& declarations);
  // The same as a condition: true where the value is not 0.
  std::string condition(IntExpr expr, std::vector<std::string>& declarations);

 private:
  std::string compound(IntExpr expr, std::vector<std::string>& declarations);

  const IntExprArena& arena_;
  std::unordered_map<IntExpr, std::string> names_;
  std::vector<std::vector<IntExpr>> scopes_;
};

}  // namespace fuser
