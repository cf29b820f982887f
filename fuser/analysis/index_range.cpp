#include "fuser/analysis/index_range.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "fuser/ir/fusion.h"

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
    const Ends ends = val->definition() ? ofResult(val->definition()) : ofType(val->dtype());
    found_[val] = ends;
    return ends;
  }

 private:
  static constexpr int kMostVisited = 64;

  IntExpr number(int64_t value) { return ints_.constant(value); }
  Ends ofType(DataType dtype) { return dtype == DataType::Bool ? Ends{number(0), number(1)} : Ends{}; }

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
  Ends hull(const Expr* expr, size_t first) {
    Ends all;
    for (size_t i = first; i < expr->inputs().size(); ++i) {
      const Ends ends = of(expr->input(i));
      all.low = i == first ? ends.low : all.low && ends.low ? ints_.min(all.low, ends.low) : nullptr;
      all.high = i == first ? ends.high : all.high && ends.high ? ints_.max(all.high, ends.high) : nullptr;
    }
    return all;
  }

  // The greater of two is at least either, and at most the greater end; the lesser likewise.
  Ends greater(const Ends& a, const Ends& b) {
    return {a.low && b.low ? ints_.max(a.low, b.low)
            : a.low        ? a.low
                           : b.low,
            a.high && b.high ? ints_.max(a.high, b.high) : nullptr};
  }
  Ends lesser(const Ends& a, const Ends& b) {
    return {a.low && b.low ? ints_.min(a.low, b.low) : nullptr, a.high && b.high ? ints_.min(a.high, b.high)
                                                                : a.high         ? a.high
                                                                                 : b.high};
  }

  static bool isSmall(IntExpr end) { return end && end->range.low >= -kMostNumber && end->range.high <= kMostNumber; }

  // Of what no operation wraps.
  Ends ofArithmetic(const Expr* expr) {
    const Ends a = of(expr->input(0)), b = of(expr->input(1));
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

  Ends ofPointwise(const Expr* expr) {
    const auto operand = [&](size_t i) { return of(expr->input(i)); };
    switch (expr->op()) {
      case OpKind::Maximum:
      case OpKind::ClampMin: return greater(operand(0), operand(1));
      case OpKind::Minimum:
      case OpKind::ClampMax: return lesser(operand(0), operand(1));
      case OpKind::Clamp: return lesser(greater(operand(0), operand(1)), operand(2));
      case OpKind::Remainder: return remainder(operand(1));
      case OpKind::Where: return hull(expr, 1);
      case OpKind::Add:
      case OpKind::Sub:
      case OpKind::Mul: return ofArithmetic(expr);
      default: return ofType(expr->output()->dtype());
    }
  }

  // From the start towards the end, which it does not reach.
  Ends ofRange(const Expr* expr) {
    const Attributes& attributes = expr->attributes();
    const IntExpr start = attributes.start(), end = attributes.end();
    const bool rises = attributes.step()->value > 0;
    return rises ? Ends{start, ints_.sub(end, number(1))} : Ends{ints_.add(end, number(1)), start};
  }

  // To a dtype that may not hold them all, nothing is known.
  Ends ofCast(const Expr* expr) {
    const Ends ends = of(expr->input(0));
    const DataType to = expr->output()->dtype();
    if (to == DataType::Int64 || !ends.low || !ends.high) return to == DataType::Int64 ? ends : ofType(to);
    const int64_t limit = int64_t{1} << (8 * dtypeSize(to) - 1);
    const bool fits = to != DataType::Bool && ends.low->range.low >= -limit && ends.high->range.high < limit;
    return fits ? ends : ofType(to);
  }

  Ends ofResult(const Expr* expr) {
    const FamilyInfo& family = familyInfo(expr->family());
    if (isPointwise(expr->op())) return ofPointwise(expr);
    if (family.operands == FamilyOperands::Indexed) return of(expr->input(0));
    if (family.coordinates == Coordinates::AxisMap) return hull(expr, 0);  // of what it moves, and puts beside that
    if (expr->family() == Family::Cast) return ofCast(expr);
    if (expr->family() == Family::Range) return ofRange(expr);
    if (expr->family() == Family::Eye) return {number(0), number(1)};
    const bool keeps = expr->family() == Family::LoadStore || expr->family() == Family::Factory ||
                       expr->op() == OpKind::Amax || expr->op() == OpKind::Amin;
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
