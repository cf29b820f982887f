#include "fuser/codegen/index_printer.h"

#include "fuser/codegen/literal.h"
#include "fuser/support/check.h"

namespace fuser {
namespace {

// Whether the range is not saturated, so that no operation on the way to it can overflow an int64.
bool staysInRange(Range range) { return range.low > kRangeMin && range.high < kRangeMax; }

// Whether the op gets a variable: one that costs instructions and often occurs several times in an index.
bool isNamed(IntExpr expr) {
  return expr->op == IntOp::FloorDiv || expr->op == IntOp::Mod || expr->op == IntOp::Min || expr->op == IntOp::Max;
}

std::string widened(const std::string& text) { return concat("static_cast<int64>(", text, ")"); }

std::string infix(const std::string& a, const char* op, const std::string& b) {
  return concat("(", a, " ", op, " ", b, ")");
}

}  // namespace

void IndexPrinter::addIndex(IntExpr expr) {
  if (!expr || isIndex(expr)) return;
  if (isIndex_.size() <= expr->id) isIndex_.resize(expr->id + 1, false);
  isIndex_[expr->id] = true;
  addIndex(expr->a);
  addIndex(expr->b);
}

void IndexPrinter::name(IntExpr symbol, const std::string& variable) {
  name(symbol, variable, narrow_ ? widened(variable) : variable);
}

void IndexPrinter::name(IntExpr symbol, std::string variable, std::string data) {
  FUSER_CHECK(symbol->isSymbol());
  names_[{symbol, false}] = std::move(variable);
  names_[{symbol, true}] = std::move(data);
}

void IndexPrinter::closeScope() {
  for (const Key& key : scopes_.back()) names_.erase(key);
  scopes_.pop_back();
}

std::string IndexPrinter::data(IntExpr expr, std::vector<std::string>& declarations) {
  const std::string text = value(expr, true, declarations);
  return expr->isConstant() ? widened(text) : text;
}

std::string IndexPrinter::truth(IntExpr expr, bool wraps, std::vector<std::string>& declarations) {
  if (expr->isConstant()) return expr->value != 0 ? "true" : "false";
  if (!isCondition(expr)) return infix(value(expr, wraps, declarations), "!=", "0");
  if (expr->op == IntOp::And) {
    const std::string a = truth(expr->a, wraps, declarations);
    return infix(a, "&&", truth(expr->b, wraps, declarations));
  }
  const std::string a = value(expr->a, wraps, declarations);
  return infix(a, expr->op == IntOp::Less ? "<" : "==", value(expr->b, wraps, declarations));
}

std::string IndexPrinter::value(IntExpr expr, bool wraps, std::vector<std::string>& declarations) {
  if (expr->isConstant()) {
    const bool isInt = expr->value == static_cast<int32_t>(expr->value);
    const std::string text = printInteger(expr->value);
    return isInt || wraps || !narrow_ ? text : concat("static_cast<int32>(", text, ")");  // of no launch that fits
  }
  if (isCondition(expr)) return concat("static_cast<", typeOf(wraps), ">", truth(expr, wraps, declarations));
  const auto found = names_.find({expr, wraps});
  if (found != names_.end()) return found->second;
  if (wraps && narrow_ && isIndex(expr) && !expr->isSymbol()) return widened(value(expr, false, declarations));
  FUSER_CHECK(!expr->isSymbol(), "the index symbol ", arena_.symbolOf(expr).name, " has no value here");
  std::string text = compound(expr, wraps, declarations);
  if (!isNamed(expr) || scopes_.empty()) return text;
  std::string named = concat(wraps ? "w" : "q", expr->id);
  declarations.push_back(concat("const ", typeOf(wraps), " ", named, " = ", text, ";"));
  scopes_.back().push_back({expr, wraps});
  names_[{expr, wraps}] = named;
  return named;
}

std::string IndexPrinter::compound(IntExpr expr, bool wraps, std::vector<std::string>& declarations) {
  const std::string a = value(expr->a, wraps, declarations);
  const std::string b = value(expr->b, wraps, declarations);
  const auto call = [&](const char* function) {
    // Both arguments have one type, constants too.
    const auto argument = [&](IntExpr of, const std::string& text) {
      return of->isConstant() ? concat("static_cast<", typeOf(wraps), ">(", printInteger(of->value), ")") : text;
    };
    return concat(function, "(", argument(expr->a, a), ", ", argument(expr->b, b), ")");
  };
  const bool plain = !wraps || staysInRange(expr->range);
  const bool natural = expr->a->range.low >= 0 && expr->b->range.low >= 0;
  const bool positive = natural && expr->b->range.low > 0;
  switch (expr->op) {
    case IntOp::Add: return plain ? infix(a, "+", b) : call("add");
    case IntOp::Mul: return plain ? infix(a, "*", b) : call("mul");
    case IntOp::FloorDiv: return positive ? infix(a, "/", b) : call(natural ? "quotientOrZero" : "floorDiv");
    case IntOp::Mod: return positive ? infix(a, "%", b) : call(natural ? "remainderOrZero" : "floorMod");
    case IntOp::Min: return call("smaller");
    case IntOp::Max: return call("larger");
    case IntOp::Constant:
    case IntOp::Symbol:
    case IntOp::Meet:
    case IntOp::Less:
    case IntOp::Equal:
    case IntOp::And: break;
  }
  FUSER_CHECK(false, "bad IntOp");
}

}  // namespace fuser
