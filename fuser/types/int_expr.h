#pragma once
// IntExpr: an immutable integer expression over symbols (extents, scalars; loop, thread and loaded indices). An
// IntExprArena owns the nodes and interns them (hash-consing, Ershov 1958): two expressions of one arena are equal
// exactly when their pointers are. Nodes are simplified as they are built; each carries the range of its values
// (interval arithmetic, Moore 1966), which the rules in int_expr.cpp use.
//
// Arithmetic is over the integers: a constant outside of the range of i64 is a UserError. floorDiv and mod take a
// divisor that is positive wherever the value is used (a loop over an extent of 0 runs no iteration, no integer is
// loaded into an empty range); x // 0 and x % 0 evaluate to 0.
//
// Extents, index arithmetic and predicates share this one representation, so that a size on the host and a loop bound
// in a kernel simplify by the same rules, and "are these two sizes equal?" is a pointer comparison.
//
// Nodes live as long as their arena. Expressions of two arenas never mix: import() copies one over. Building an
// expression modifies the arena, so only one thread may do it at a time.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fuser {

enum class IntOp : uint8_t { Constant, Symbol, Add, Mul, FloorDiv, Mod, Min, Max, Meet, Less, Equal, And };

struct Range {
  int64_t low;   // inclusive; saturates at kRangeMin
  int64_t high;  // inclusive; saturates at kRangeMax
  bool operator==(const Range&) const = default;
};
inline constexpr int64_t kRangeMax = std::numeric_limits<int64_t>::max() / 4;
inline constexpr int64_t kRangeMin = -kRangeMax;

struct IntNode;
using IntExpr = const IntNode*;

struct IntNode {
  IntOp op;
  int64_t value;  // Constant: the value; Symbol: its index in IntExprArena::symbols()
  IntExpr a;      // first and second operand; null for constants and symbols
  IntExpr b;
  Range range;
  uint32_t id;  // dense, in order of creation

  bool isConstant() const { return op == IntOp::Constant; }
  bool isConstant(int64_t v) const { return op == IntOp::Constant && value == v; }
  bool isSymbol() const { return op == IntOp::Symbol; }
};

struct IntSymbol {
  std::string name;
  IntExpr extent;  // an index is in [0, extent), a loaded index in [low, extent); null for a free symbol
  IntExpr low;     // lower bound of a loaded index; null for any other symbol
  IntExpr expr;    // the symbol as an expression
};

class IntExprArena {
 public:
  IntExprArena() = default;
  IntExprArena(const IntExprArena&) = delete;
  IntExprArena& operator=(const IntExprArena&) = delete;

  IntExpr constant(int64_t value);
  // Creates a new free symbol on every call; the name need not be unique. The range is inclusive.
  IntExpr symbol(std::string name, Range range = {0, int64_t{1} << 40});
  // Creates an index symbol in [0, extent).
  IntExpr index(std::string name, IntExpr extent);
  // Creates a symbol in [low, extent) for an integer loaded from memory. It stays a symbol even if the range is [n, n].
  IntExpr loaded(std::string name, IntExpr low, IntExpr extent);

  IntExpr add(IntExpr a, IntExpr b);
  IntExpr sub(IntExpr a, IntExpr b) { return add(a, mul(b, constant(-1))); }
  IntExpr mul(IntExpr a, IntExpr b);
  IntExpr floorDiv(IntExpr a, IntExpr b);
  IntExpr mod(IntExpr a, IntExpr b);
  IntExpr ceilDiv(IntExpr a, IntExpr b) { return floorDiv(add(a, sub(b, constant(1))), b); }
  IntExpr min(IntExpr a, IntExpr b);
  IntExpr max(IntExpr a, IntExpr b);
  // The size that axes of a and b elements have where they meet in an op: a, or b where a is 1. Both are sizes; they
  // are equal, or one of them is 1.
  IntExpr meet(IntExpr a, IntExpr b);
  // The node of that op, which has two operands.
  IntExpr join(IntOp op, IntExpr a, IntExpr b);
  // Predicates: the value is 0 or 1.
  IntExpr less(IntExpr a, IntExpr b);
  IntExpr equal(IntExpr a, IntExpr b);
  IntExpr conjunction(IntExpr a, IntExpr b);

  // True when a < b (a <= b) holds for all values of the symbols; false means that it is not known.
  bool provablyLess(IntExpr a, IntExpr b) const;
  bool provablyAtMost(IntExpr a, IntExpr b) const;

  const IntSymbol& symbolOf(IntExpr symbol) const { return symbols_[static_cast<size_t>(symbol->value)]; }
  const std::vector<IntSymbol>& symbols() const { return symbols_; }

  // Copies an expression of another arena into this one and simplifies it again. `map` returns, for each symbol of the
  // other arena, the expression in this arena that replaces it.
  IntExpr import(IntExpr expr, const std::function<IntExpr(IntExpr)>& map);

 private:
  struct Key {
    IntOp op;
    int64_t value;
    IntExpr a;
    IntExpr b;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  IntExpr intern(IntOp op, int64_t value, IntExpr a, IntExpr b, Range range);
  IntExpr product(std::vector<IntExpr> factors);  // no factor is a product or a constant
  IntExpr withoutCommon(IntExpr a);               // divided by its commonCoefficient (int_terms.h)
  IntExpr exactQuotient(IntExpr a, IntExpr b);    // a / b if the factors of a include those of b, else null
  IntExpr divideSum(IntExpr a, IntExpr b);
  IntExpr modSum(IntExpr a, IntExpr b);

  std::vector<std::unique_ptr<IntNode>> nodes_;
  std::vector<IntSymbol> symbols_;
  std::unordered_map<Key, IntExpr, KeyHash> interned_;
};

// Evaluates the expression; valueOf returns the value of each symbol. Predicates give 0 or 1. A UserError when a sum or
// product overflows i64.
int64_t evaluate(IntExpr expr, const std::function<int64_t(IntExpr symbol)>& valueOf);

// The sizes that a meet consists of, which are none themselves; the expression itself where it is no meet.
std::vector<IntExpr> sizesThatMeet(IntExpr expr);

// Whether the expression is a predicate: its value is 0 or 1, and it prints as a bool.
bool isCondition(IntExpr expr);

// The parts of a conjunction, in order; the expression itself where it is none.
std::vector<IntExpr> partsOf(IntExpr condition);

// Calls visit for every occurrence of a symbol, from left to right.
void forEachSymbol(IntExpr expr, const std::function<void(IntExpr)>& visit);

// Prints the expression, "(i0 * 4 + i1)"; nameOf returns each symbol's name. Predicates print as C++.
std::string toString(IntExpr expr, const std::function<std::string(IntExpr symbol)>& nameOf);

}  // namespace fuser
