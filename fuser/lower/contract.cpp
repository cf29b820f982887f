// Contract: with `option enable contraction`, a sum that reads a product becomes one fma, which rounds once.
//   T5[0] = Mul f32 (A[0], B[0])  T6[0] = Add f32 (T5[0], C[0])   ->   T6[0] = Fma f32 (A[0], B[0], C[0])
// A product is a `mul` in f32 or f64, itself, or through copies, `neg`, and casts of f32 to f64, which are exact: the
// fma is one of f64 then. A sum is an `add` or `sub`, or a term's of a `sum` or `mean` (oracle/ORACLE.md#2-rounding);
// or both are of one `var`, whose squares they update. The sum stands behind the product in the same body, or in a loop
// or an if there, and nothing writes the registers of its factors in between. Of two products the first one joins. What
// nobody reads any more is gone.
//
// So all engines compute the same: no compiler is allowed to contract anything itself.

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "fuser/ir/tensor_view.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

// The product of two factors, or its negative, that a register holds.
struct Product {
  Access at;
  bool isNegative = false;
  std::array<Operand, 2> factors;
  const Expr* source = nullptr;
};
using Products = std::vector<Product>;

bool isSame(const Access& a, const Access& b) { return a.buffer == b.buffer && a.index == b.index; }

bool mayBeSame(const Access& a, const Access& b) {
  return a.buffer == b.buffer && !(a.index->isConstant() && b.index->isConstant() && a.index != b.index);
}

bool isOf(const Compute& compute, std::initializer_list<OpKind> ops) {
  return compute.source && std::find(ops.begin(), ops.end(), compute.source->op()) != ops.end();
}

bool isHeldByFloat(DataType dtype) { return dtype == DataType::Float || isNarrowFloat(dtype); }

bool isOfWelford(const Compute& compute) { return compute.source && isWelford(compute.source->op()); }

std::optional<Access> targetOf(const Statement& statement) {
  if (const Move* move = std::get_if<Move>(&statement.node)) return move->target;
  if (const Compute* compute = std::get_if<Compute>(&statement.node)) return compute->target;
  if (const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node)) return shuffle->target;
  return std::nullopt;
}

class Contraction {
 public:
  explicit Contraction(Kernel& kernel) : kernel_(kernel) {}

  void run() {
    contract(kernel_.body, {});
    while (removeUnread()) {
    }
  }

 private:
  const Buffer& buffer(const Access& access) const { return kernel_.buffers[static_cast<size_t>(access.buffer)]; }
  bool isRegister(const Access& access) const { return buffer(access).memory == MemoryType::Local; }

  void contract(Body& body, Products known) {
    Body contracted;
    for (Statement& statement : body) {
      if (For* loop = std::get_if<For>(&statement.node)) {
        forget(loop->body, known);  // of the turn before
        contract(loop->body, known);
      } else if (If* guarded = std::get_if<If>(&statement.node)) {
        contract(guarded->body, known);
        forget(guarded->body, known);
      } else if (Compute* compute = std::get_if<Compute>(&statement.node)) {
        if (isProduct(*compute)) loadFactors(*compute, contracted);
        if (std::optional<Compute> joined = joinedWithProduct(*compute, known, contracted))
          *compute = std::move(*joined);
        const std::optional<Product> made = productOf(*compute, known);
        forget(statement, known);
        if (made) remember(*made, known);
      } else if (const Move* move = std::get_if<Move>(&statement.node)) {
        const Product* source = move->width == 1 ? find(move->source, known) : nullptr;
        std::optional<Product> copy = source && isRegister(move->target) ? std::optional(*source) : std::nullopt;
        forget(statement, known);
        if (copy) {
          copy->at = move->target;
          remember(*copy, known);
        }
      } else {
        forget(statement, known);
      }
      contracted.push_back(std::move(statement));
    }
    body = std::move(contracted);
  }

  void remember(const Product& product, Products& known) {
    // A sum of itself, as in t = t * b, has other factors from now on.
    const auto reads = [&](const Operand& factor) {
      return factor.kind == Operand::Kind::Access && mayBeSame(factor.access, product.at);
    };
    if (std::any_of(product.factors.begin(), product.factors.end(), reads)) return;
    known.push_back(product);
    held_.insert(product.at.buffer);
  }

  static const Product* find(const Access& at, const Products& known) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Product& each) { return isSame(each.at, at); });
    return found == known.end() ? nullptr : &*found;
  }
  static const Product* find(const Operand& operand, const Products& known) {
    return operand.kind == Operand::Kind::Access ? find(operand.access, known) : nullptr;
  }

  bool isWideRegister(const Compute& compute) const {
    return isRegister(compute.target) && isFloating(compute.computeDtype) &&
           buffer(compute.target).dtype == compute.computeDtype;
  }
  bool isProduct(const Compute& compute) const {
    return compute.op == OpKind::Mul && (isOf(compute, {OpKind::Mul}) || isOfWelford(compute)) &&
           isWideRegister(compute);
  }

  Access newRegister(DataType dtype, const TensorView* source, Body& body) {
    Buffer made;
    made.id = static_cast<int>(kernel_.buffers.size());
    made.name = concat("T", made.id);
    made.dtype = dtype;
    made.size = kernel_.ints->constant(1);
    made.source = source;
    kernel_.buffers.push_back(made);
    body.push_back({Allocate{made.id}});
    return {made.id, kernel_.ints->constant(0)};
  }

  // Other memory may be written before a sum reads the factors: they are loaded where the product stands.
  void loadFactors(Compute& product, Body& before) {
    std::vector<std::pair<Access, Access>> loaded;
    for (Operand& factor : product.operands) {
      if (factor.kind != Operand::Kind::Access || isRegister(factor.access)) continue;
      const Access source = factor.access;
      const auto same =
          std::find_if(loaded.begin(), loaded.end(), [&](const auto& each) { return isSame(each.first, source); });
      if (same != loaded.end()) {
        factor.access = same->second;
        continue;
      }
      factor.access = newRegister(buffer(source).dtype, buffer(source).source, before);
      before.push_back({Move{factor.access, source, 1}});
      loaded.emplace_back(source, factor.access);
    }
  }

  // What the statement makes, if it is a product that a sum may take unrounded.
  std::optional<Product> productOf(const Compute& compute, const Products& known) const {
    if (isProduct(compute))
      return Product{compute.target, false, {compute.operands[0], compute.operands[1]}, compute.source};
    if (std::optional<Product> wide = widened(compute, known)) return wide;
    if (compute.op != OpKind::Neg || !isOf(compute, {OpKind::Neg}) || !isWideRegister(compute)) return std::nullopt;
    const Product* negated = find(compute.operands[0], known);
    if (!negated) return std::nullopt;
    return Product{compute.target, !negated->isNegative, negated->factors, negated->source};
  }

  // Of f32 in f64: the product of the factors as f32 has them.
  std::optional<Product> widened(const Compute& compute, const Products& known) const {
    const bool isCast = compute.op == OpKind::Set || compute.op == OpKind::Cast;
    if (!isCast || !isRegister(compute.target) || buffer(compute.target).dtype != DataType::Double) return std::nullopt;
    const Product* narrow = find(compute.operands[0], known);
    if (!narrow || buffer(narrow->at).dtype != DataType::Float) return std::nullopt;
    Product wide = *narrow;
    wide.at = compute.target;
    for (Operand& factor : wide.factors) {
      const bool isExact = factor.kind != Operand::Kind::Access || isHeldByFloat(buffer(factor.access).dtype);
      if (!isExact) return std::nullopt;
      if (factor.kind != Operand::Kind::Access && !factor.roundTo) factor.roundTo = DataType::Float;
    }
    return wide;
  }

  // The sum as an fma; what it needs in front of it is added to `before`.
  std::optional<Compute> joinedWithProduct(const Compute& sum, const Products& known, Body& before) {
    const bool isSum = (sum.op == OpKind::Add || sum.op == OpKind::Sub) &&
                       (isOf(sum, {OpKind::Add, OpKind::Sub, OpKind::Sum, OpKind::Mean}) || isOfWelford(sum));
    if (!isSum) return std::nullopt;
    for (const size_t side : {0, 1}) {
      const Product* product = find(sum.operands[side], known);
      if (!product || buffer(product->at).dtype != sum.computeDtype) continue;
      // Where both `x - mean` took an unrounded x, var's terms would be others.
      if (isOfWelford(sum) && product->source != sum.source) continue;
      const bool subtracts = sum.op == OpKind::Sub;
      Compute fma = sum;
      fma.op = OpKind::Fma;
      fma.operands = {product->factors[0], product->factors[1], sum.operands[1 - side]};
      if (product->isNegative != (subtracts && side == 1)) negate(fma, 0, before);
      if (subtracts && side == 0) negate(fma, 2, before);
      return fma;
    }
    return std::nullopt;
  }

  void negate(Compute& fma, size_t place, Body& before) {
    Operand& operand = fma.operands[place];
    if (operand.kind == Operand::Kind::Literal && operand.literal.dtype() == DataType::Double) {
      operand.literal = -operand.literal.as<double>();
      return;
    }
    Compute statement;
    statement.op = OpKind::Neg;
    statement.computeDtype = fma.computeDtype;
    statement.target = newRegister(fma.computeDtype, buffer(fma.target).source, before);
    statement.operands = {operand};
    statement.source = fma.source;
    operand = Operand{};
    operand.kind = Operand::Kind::Access;
    operand.access = statement.target;
    before.push_back({std::move(statement)});
  }

  // Forgets what the statement may have changed: the products that it overwrites, and those of which it writes a
  // factor.
  void forget(const Statement& statement, Products& known) const {
    const Move* move = std::get_if<Move>(&statement.node);
    const std::optional<Access> target = targetOf(statement);
    std::vector<Access> written;
    if (target) written = {*target};
    if (move && move->width > 1) written.back().index = nullptr;  // any of the buffer
    if (!target) forEachAccess(statement, [&](const Access& access) { written.push_back({access.buffer, nullptr}); });
    const auto touches = [&](const Access& access) {
      return std::any_of(written.begin(), written.end(), [&](const Access& each) {
        return each.buffer == access.buffer && (!each.index || mayBeSame(each, access));
      });
    };
    const auto isTouched = [&](const Product& product) {
      return touches(product.at) ||
             std::any_of(product.factors.begin(), product.factors.end(), [&](const Operand& each) {
               return each.kind == Operand::Kind::Access && touches(each.access);
             });
    };
    known.erase(std::remove_if(known.begin(), known.end(), isTouched), known.end());
  }

  void forget(const Body& body, Products& known) const {
    forEachStatement(body, [&](const Statement& statement) {
      const bool isScope = std::holds_alternative<For>(statement.node) || std::holds_alternative<If>(statement.node);
      if (!isScope) forget(statement, known);
    });
  }

  // Removes what computes products, copies and negatives that nothing reads; false: there are none.
  bool removeUnread() {
    std::vector<int> reads(kernel_.buffers.size(), 0);
    forEachStatement(kernel_.body, [&](const Statement& statement) {
      forEachAccess(statement, [&](const Access& access) { ++reads[static_cast<size_t>(access.buffer)]; });
      if (const std::optional<Access> target = targetOf(statement)) --reads[static_cast<size_t>(target->buffer)];
    });
    std::set<int> unread;
    for (const int buffer : held_) {
      if (reads[static_cast<size_t>(buffer)] == 0) unread.insert(buffer);
    }
    for (const int buffer : unread) held_.erase(buffer);
    if (!unread.empty()) remove(kernel_.body, unread);
    return !unread.empty();
  }

  static void remove(Body& body, const std::set<int>& unread) {
    const auto isOfUnread = [&](const Statement& statement) {
      const Allocate* allocate = std::get_if<Allocate>(&statement.node);
      const std::optional<Access> target = targetOf(statement);
      return (allocate && unread.count(allocate->buffer)) || (target && unread.count(target->buffer));
    };
    body.erase(std::remove_if(body.begin(), body.end(), isOfUnread), body.end());
    for (Statement& statement : body) {
      if (For* loop = std::get_if<For>(&statement.node)) remove(loop->body, unread);
      if (If* guarded = std::get_if<If>(&statement.node)) remove(guarded->body, unread);
    }
  }

  Kernel& kernel_;
  std::set<int> held_;  // buffers that hold or held products
};

}  // namespace

void runContract(const Fusion&, Kernel& kernel, const ScheduleRules&) {
  if (kernel.contraction) Contraction(kernel).run();
}

}  // namespace fuser
