#pragma once
// IntExpr: an integer expression over symbols (extents, scalars; loop, thread and loaded indices). Immutable, kept in
// an IntExprArena: two expressions of one arena are equal exactly when their pointers are. Built simplified: every node
// carries the range of its values, and the rules in int_expr.cpp use ranges and the extents of index symbols.
//
// Arithmetic is over the integers (no wrap); floorDiv and mod take a divisor that is positive wherever the value is
// used (a loop over an extent of 0 runs no iteration, no integer is loaded into an empty range); x // 0 and x % 0
// evaluate to 0.
//
// Why it is here: extents, index arithmetic and predicates are one language, so a size that the host evaluates and the
// bound of a kernel's loop simplify by the same rules, and "are these two sizes the same?" is a comparison of pointers.
// (Interning of equal nodes is known as hash-consing: Ershov 1958.)
//
// Nodes live as long as their arena, and a node of another arena is never mixed in: import() copies it. Making
// expressions changes the arena: by one thread at a time.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fuser {

enum class IntOp : uint8_t { Constant, Symbol, Add, Mul, FloorDiv, Mod, Min, Max, Less, Equal, And };

struct Range {
  int64_t low;   // saturates at kRangeMin
  int64_t high;  // saturates at kRangeMax, both ends included
  bool operator==(const Range&) const = default;
};
inline constexpr int64_t kRangeMax = std::numeric_limits<int64_t>::max() / 4;
inline constexpr int64_t kRangeMin = -kRangeMax;

struct IntNode;
using IntExpr = const IntNode*;

struct IntNode {
  IntOp op;
  int64_t value;  // Constant: the value; Symbol: its index in the arena
  IntExpr a;
  IntExpr b;
  Range range;
  uint32_t id;  // dense, in order of creation

  bool isConstant() const { return op == IntOp::Constant; }
  bool isConstant(int64_t v) const { return op == IntOp::Constant && value == v; }
  bool isSymbol() const { return op == IntOp::Symbol; }
};

struct IntSymbol {
  std::string name;
  IntExpr extent;  // an index runs over [0, extent), a loaded one over [low, extent); null for a free symbol
  IntExpr low;     // of a loaded index; null for any other symbol
  IntExpr expr;    // the symbol as an expression
};

class IntExprArena {
 public:
  IntExprArena() = default;
  IntExprArena(const IntExprArena&) = delete;
  IntExprArena& operator=(const IntExprArena&) = delete;

  IntExpr constant(int64_t value);
  // A new symbol every time; its name need not be unique.
  IntExpr symbol(std::string name, Range range = {0, int64_t{1} << 40});
  // A new index symbol over [0, extent).
  IntExpr index(std::string name, IntExpr extent);
  // A new symbol over [low, extent), for an integer that only memory knows. A symbol even where the range is one value.
  IntExpr loaded(std::string name, IntExpr low, IntExpr extent);

  IntExpr add(IntExpr a, IntExpr b);
  IntExpr sub(IntExpr a, IntExpr b) { return add(a, mul(b, constant(-1))); }
  IntExpr mul(IntExpr a, IntExpr b);
  IntExpr floorDiv(IntExpr a, IntExpr b);
  IntExpr mod(IntExpr a, IntExpr b);
  IntExpr ceilDiv(IntExpr a, IntExpr b) { return floorDiv(add(a, sub(b, constant(1))), b); }
  IntExpr min(IntExpr a, IntExpr b);
  IntExpr max(IntExpr a, IntExpr b);
  // Conditions are 0 or 1.
  IntExpr less(IntExpr a, IntExpr b);
  IntExpr equal(IntExpr a, IntExpr b);
  IntExpr conjunction(IntExpr a, IntExpr b);

  // True when a < b (a <= b) wherever both are defined; false means unknown.
  bool provablyLess(IntExpr a, IntExpr b) const;
  bool provablyAtMost(IntExpr a, IntExpr b) const;

  const IntSymbol& symbolOf(IntExpr symbol) const { return symbols_[static_cast<size_t>(symbol->value)]; }
  const std::vector<IntSymbol>& symbols() const { return symbols_; }

  // Copies an expression of another arena into this one, simplified anew; map gives the image of each symbol, in this
  // arena.
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
  IntExpr product(std::vector<IntExpr> factors);       // of what are no products and no constants
  IntExpr exactQuotient(IntExpr a, IntExpr b);          // a / b where the factors of b are among those of a; or null
  IntExpr divideSum(IntExpr a, IntExpr b);
  IntExpr modSum(IntExpr a, IntExpr b);

  std::vector<std::unique_ptr<IntNode>> nodes_;
  std::vector<IntSymbol> symbols_;
  std::unordered_map<Key, IntExpr, KeyHash> interned_;
};

// The value, given each symbol's. Conditions give 0 or 1. A UserError where a sum or product is outside of the range of
// i64.
int64_t evaluate(IntExpr expr, const std::function<int64_t(IntExpr symbol)>& valueOf);

// Calls visit for every symbol in the expression, from left to right, repeats included.
void forEachSymbol(IntExpr expr, const std::function<void(IntExpr)>& visit);

// "(i0 * 4 + i1)", names given by nameOf. Conditions print as C++.
std::string toString(IntExpr expr, const std::function<std::string(IntExpr symbol)>& nameOf);

}  // namespace fuser
