#include "fuser/analysis/index_range.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"

namespace fuser {
namespace {

// Both ends belong to the range, and are expressions of the fusion's sizes; null: not known.
struct Ends {
  IntExpr low = nullptr;
  IntExpr high = nullptr;
};

class RangeFinder {
 public:
  explicit RangeFinder(IntExprArena& ints) : ints_(ints) {}

  Ends of(const Val* val) {
    if (val->isScalar()) return ofScalar(val->as<Scalar>());
    const auto known = found_.find(val);
    if (known != found_.end()) return known->second;
    if (++visited_ > kMostVisited || isFloating(val->dtype())) return {};
    const Ends ends = fitted(val->definition() ? ofResult(val->definition()) : Ends{}, val->dtype());
    found_[val] = ends;
    return ends;
  }

 private:
  static constexpr int kMostVisited = 64;

  IntExpr number(int64_t value) { return ints_.constant(value); }
  Ends ofType(DataType dtype) { return dtype == DataType::Bool ? Ends{number(0), number(1)} : Ends{}; }

  // As the dtype holds them: what it may not hold is another number there.
  Ends fitted(const Ends& ends, DataType dtype) {
    if (dtype == DataType::Bool || isFloating(dtype)) return ofType(dtype);
    if (dtype == DataType::Int64) return ends;
    const int64_t limit = int64_t{1} << (8 * dtypeSize(dtype) - 1);
    const auto fits = [&](IntExpr end) { return !end || (end->range.low >= -limit && end->range.high < limit); };
    return fits(ends.low) && fits(ends.high) ? ends : Ends{};
  }

  // A literal, or a size.
  Ends ofScalar(const Scalar* scalar) {
    if (const std::optional<ScalarValue>& literal = scalar->constant()) {
      if (isFloating(literal->dtype())) return {};
      const int64_t value = literal->as<int64>();
      return value >= -kMostNumber && value <= kMostNumber ? Ends{number(value), number(value)} : Ends{};
    }
    const Expr* maker = scalar->definition();
    if (!maker || maker->op() != OpKind::Size) return {};
    const std::vector<IterDomain*> axes = maker->input(0)->as<TensorView>()->axes();
    const IntExpr size = axes.at(static_cast<size_t>(maker->attributes().dim()))->size();
    return {size, size};
  }

  // Where one of them is not known, nor is the hull.
  Ends hull(const std::vector<Ends>& parts) {
    Ends all = parts.front();
    for (const Ends& ends : parts) {
      all.low = all.low && ends.low ? ints_.min(all.low, ends.low) : nullptr;
      all.high = all.high && ends.high ? ints_.max(all.high, ends.high) : nullptr;
    }
    return all;
  }
  Ends ofOperands(const Expr* expr) {
    std::vector<Ends> parts;
    for (const Val* operand : expr->inputs()) parts.push_back(of(operand));
    return hull(parts);
  }

  // The greater of two is at least either, and at most the greater end; the lesser likewise.
  Ends greater(const Ends& a, const Ends& b) {
    const bool both = a.low && b.low;
    return {both ? ints_.max(a.low, b.low) : either(a.low, b.low),
            a.high && b.high ? ints_.max(a.high, b.high) : nullptr};
  }
  Ends lesser(const Ends& a, const Ends& b) {
    const bool both = a.high && b.high;
    return {a.low && b.low ? ints_.min(a.low, b.low) : nullptr,
            both ? ints_.min(a.high, b.high) : either(a.high, b.high)};
  }
  static IntExpr either(IntExpr a, IntExpr b) { return a ? a : b; }

  static bool isSmall(IntExpr end) { return end && end->range.low >= -kMostNumber && end->range.high <= kMostNumber; }

  // Of what no operation wraps.
  Ends ofArithmetic(const Expr* expr, const Ends& a, const Ends& b) {
    const bool small = isSmall(a.low) && isSmall(a.high) && isSmall(b.low) && isSmall(b.high);
    if (!small || expr->output()->dtype() != DataType::Int64) return {};
    if (expr->op() == OpKind::Add) return {ints_.add(a.low, b.low), ints_.add(a.high, b.high)};
    if (expr->op() == OpKind::Sub) return {ints_.sub(a.low, b.high), ints_.sub(a.high, b.low)};
    const bool isScale = b.low == b.high && b.low->range.low >= 0 && b.high->range.high < kMostFactor;
    return isScale ? Ends{ints_.mul(a.low, b.low), ints_.mul(a.high, b.high)} : Ends{};
  }

  // By a divisor of at least 1.
  Ends remainder(const Ends& divisor) {
    if (!divisor.low || !divisor.high || !ints_.provablyLess(number(0), divisor.low)) return {};
    return {number(0), ints_.sub(divisor.high, number(1))};
  }

  // Operands are converted to the dtype in which the op computes.
  Ends ofPointwise(const Expr* expr) {
    const DataType common = commonType(expr->op(), expr->inputs());
    if (isFloating(common)) return ofType(expr->output()->dtype());
    const auto operand = [&](size_t i) { return fitted(of(expr->input(i)), common); };
    switch (expr->op()) {
      case OpKind::Maximum:
      case OpKind::ClampMin: return greater(operand(0), operand(1));
      case OpKind::Minimum:
      case OpKind::ClampMax: return lesser(operand(0), operand(1));
      case OpKind::Clamp: return lesser(greater(operand(0), operand(1)), operand(2));
      case OpKind::Remainder: return remainder(operand(1));
      case OpKind::Where: return hull({operand(1), operand(2)});
      case OpKind::Add:
      case OpKind::Sub:
      case OpKind::Mul: return ofArithmetic(expr, operand(0), operand(1));
      default: return ofType(expr->output()->dtype());
    }
  }

  // From the start towards the end, which it does not reach.
  Ends ofRange(const Expr* expr) {
    const Attributes& attributes = expr->attributes();
    const IntExpr start = attributes.start(), end = attributes.end();
    const Ends rising{start, ints_.sub(end, number(1))}, falling{ints_.add(end, number(1)), start};
    if (!attributes.step()->isConstant()) return hull({rising, falling});
    return attributes.step()->value > 0 ? rising : falling;
  }

  // How many elements one result reduces; at least one, or the run is refused.
  IntExpr termsOf(const Expr* expr) {
    const std::vector<IntExpr> sizes = sizesOf(expr->input(0)->as<TensorView>());
    IntExpr terms = number(1);
    for (int64_t dim : expr->attributes().dims()) terms = ints_.mul(terms, sizes.at(static_cast<size_t>(dim)));
    return terms;
  }

  Ends ofResult(const Expr* expr) {
    const FamilyInfo& family = familyInfo(expr->family());
    if (isPointwise(expr->op())) return ofPointwise(expr);
    // At a bad index there is a 0, until the run is refused.
    if (family.operands == FamilyOperands::Indexed) return hull({of(expr->input(0)), {number(0), number(0)}});
    if (family.operands == FamilyOperands::Scattered) {
      const bool joins = expr->info().combine != OpKind::Set;
      return joins ? ofType(expr->output()->dtype()) : hull({of(expr->input(0)), of(expr->input(2))});
    }
    if (family.coordinates == Coordinates::AxisMap) return ofOperands(expr);  // what it moves, and puts beside that
    if (expr->family() == Family::Range) return ofRange(expr);
    if (expr->family() == Family::Eye) return {number(0), number(1)};
    if (expr->family() == Family::ExtremeIndex) return {number(0), ints_.sub(termsOf(expr), number(1))};
    const bool keeps = expr->family() == Family::Cast || expr->family() == Family::LoadStore ||
                       expr->family() == Family::Factory || expr->op() == OpKind::Amax || expr->op() == OpKind::Amin;
    return keeps ? of(expr->input(0)) : ofType(expr->output()->dtype());
  }

  static constexpr int64_t kMostNumber = int64_t{1} << 40;
  static constexpr int64_t kMostFactor = int64_t{1} << 20;

  IntExprArena& ints_;
  std::unordered_map<const Val*, Ends> found_;  // for lookups only
  int visited_ = 0;
};

}  // namespace

bool isIndexInside(const TensorView* indices, IntExpr size) {
  IntExprArena& ints = indices->fusion().ints();
  const Ends ends = RangeFinder(ints).of(indices);
  return ends.low && ends.high && ints.provablyAtMost(ints.constant(0), ends.low) &&
         ints.provablyAtMost(ints.add(ends.high, ints.constant(1)), size);
}

}  // namespace fuser
