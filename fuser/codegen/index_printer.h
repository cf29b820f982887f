#pragma once
// IndexPrinter: prints integer expressions of a kernel as C++, with one variable per scope for each quotient,
// remainder, minimum and maximum (common subexpression elimination). It is separate from the printer of statements, so
// that one file has the rules about overflow.
// An index or condition of a correct kernel does not overflow (interp checks that), so it prints with plain operators,
// in int32 where the kernel is narrow, else in int64.
// An integer that a kernel uses as data may come from any extent or scalar; it wraps, through add and mul of
// op_math.cuh, unless its range rules out an overflow. It is an int64 in any kernel; where a narrow kernel computes the
// same expression as an index, the data is the index, widened: a launch has 32 bits for all indices, or another kernel.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

class IndexPrinter {
 public:
  // Prints expressions of this arena, which must outlive the printer.
  IndexPrinter(const IntExprArena& arena, bool narrow) : arena_(arena), narrow_(narrow) {}

  // "int32" or "int64", the type of indices.
  const char* type() const { return narrow_ ? "int32" : "int64"; }

  // The kernel computes the expression, and all of its operands, as an index.
  void addIndex(IntExpr expr);
  bool isIndex(IntExpr expr) const { return isIndex_.size() > expr->id && isIndex_[expr->id]; }

  // Names a symbol, for all scopes from now on: a variable of the type of indices. Printing a symbol without a name is
  // a CheckError.
  void name(IntExpr symbol, const std::string& variable);
  // The same for a symbol that has an int64 of its own for data.
  void name(IntExpr symbol, std::string variable, std::string data);

  // A scope corresponds to a pair of braces in the text; variables declared in it end with it.
  void openScope() { scopes_.emplace_back(); }
  void closeScope();

  // The text of the expression: of the type of indices, or an int for a small constant; as data, an int64. Appends the
  // declarations that must precede the statement to `declarations`, in order.
  std::string index(IntExpr expr, std::vector<std::string>& declarations) { return value(expr, false, declarations); }
  std::string data(IntExpr expr, std::vector<std::string>& declarations);
  // The same as a C++ condition: true if the value is not 0.
  std::string condition(IntExpr expr, std::vector<std::string>& declarations) {
    return truth(expr, false, declarations);
  }

 private:
  using Key = std::pair<IntExpr, bool>;  // (expression, whether it wraps)

  std::string value(IntExpr expr, bool wraps, std::vector<std::string>& declarations);
  std::string truth(IntExpr expr, bool wraps, std::vector<std::string>& declarations);
  std::string compound(IntExpr expr, bool wraps, std::vector<std::string>& declarations);

  const char* typeOf(bool wraps) const { return wraps ? "int64" : type(); }

  const IntExprArena& arena_;
  bool narrow_;
  std::vector<bool> isIndex_;  // by IntNode::id
  std::map<Key, std::string> names_;
  std::vector<std::vector<Key>> scopes_;
};

}  // namespace fuser
