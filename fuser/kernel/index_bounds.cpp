// Interval arithmetic over the index expressions of a kernel.
#include "fuser/kernel/index_bounds.h"

#include <algorithm>
#include <cstdlib>

#include "fuser/kernel/shared_layout.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

using Wide = __int128;

Range saturated(Wide low, Wide high) {
  return {static_cast<int64_t>(std::clamp<Wide>(low, kRangeMin, kRangeMax)),
          static_cast<int64_t>(std::clamp<Wide>(high, kRangeMin, kRangeMax))};
}

Range productOf(Range a, Range b) {
  const Wide corners[] = {static_cast<Wide>(a.low) * b.low, static_cast<Wide>(a.low) * b.high,
                          static_cast<Wide>(a.high) * b.low, static_cast<Wide>(a.high) * b.high};
  const auto [least, most] = std::minmax_element(std::begin(corners), std::end(corners));
  return saturated(*least, *most);
}

int64_t floorOf(int64_t a, int64_t b) {  // b > 0
  return a / b - (a % b < 0 ? 1 : 0);
}

// By a divisor of at least 1. x // 0 is 0, which is in the range of a quotient of any sign.
Range quotientOf(Range a, Range b) {
  if (b.low < 0) {  // not where the value is used
    const Wide most = std::max(-static_cast<Wide>(a.low), static_cast<Wide>(a.high));
    return saturated(std::min<Wide>(-most, 0), std::max<Wide>(most, 0));
  }
  const int64_t least = std::max<int64_t>(b.low, 1), most = std::max<int64_t>(b.high, 1);
  Range range{floorOf(a.low, a.low < 0 ? least : most), floorOf(a.high, a.high < 0 ? most : least)};
  if (b.low == 0) range = {std::min<int64_t>(range.low, 0), std::max<int64_t>(range.high, 0)};
  return range;
}

Range remainderOf(Range a, Range b) {
  if (b.low < 0) return {std::min<int64_t>(b.low, 0), std::max<int64_t>(b.high, 0)};
  const int64_t most = std::max<int64_t>(b.high - 1, 0);
  // Of what is below the divisor, it is the dividend.
  if (a.low >= 0 && a.high < b.low) return a;
  return {0, a.low >= 0 ? std::min(most, a.high) : most};
}

struct IndexVisitor {
  const std::function<void(IntExpr)>& visit;

  void operator()(const Access& access) const { visit(access.index); }
  void operator()(const Allocate&) const {}
  void operator()(const For& node) const { visit(node.extent); }
  void operator()(const If& node) const { visit(node.condition); }
  void operator()(const LoadIndex& node) const {
    visit(node.source.index);
    visit(node.index);
  }
  void operator()(const Move& node) const {
    visit(node.target.index);
    visit(node.source.index);
  }
  void operator()(const Compute& node) const {
    for (const Operand& operand : node.operands) {
      if (operand.kind == Operand::Kind::Access) visit(operand.access.index);
    }
    visit(node.target.index);
  }
  void operator()(const Shuffle& node) const {
    visit(node.target.index);
    visit(node.source.index);
  }
  void operator()(const JoinWelford& node) const {
    for (const Access* part :
         {&node.mean, &node.squares, &node.count, &node.otherMean, &node.otherSquares, &node.otherCount}) {
      visit(part->index);
    }
  }
  void operator()(const Mma& node) const {
    for (const Access& sum : node.sums) visit(sum.index);
  }
  void operator()(const Barrier&) const {}
  void operator()(const Release&) const {}
  void operator()(const Report& node) const { visit(node.index.index); }
  void operator()(const AtomicAdd& node) const {
    visit(node.target.index);
    visit(node.source.index);
  }
};

// Finds what does not fit among the subexpressions of each index, operands first.
class Search {
 public:
  Search(const Kernel& kernel, std::span<const int64_t> ints)
      : ranges_(kernel, ints), most_(kernel.device.indexBound - 1) {}

  void look(IntExpr expr) {
    if (found_ || !expr) return;
    if (seen_.size() <= expr->id) seen_.resize(expr->id + 1, false);
    if (seen_[expr->id]) return;
    seen_[expr->id] = true;
    look(expr->a);
    look(expr->b);
    const Range range = ranges_.of(expr);
    if (!found_ && (range.low < -most_ || range.high > most_)) found_ = {expr, range};
  }

  std::optional<OutsideIndex> found() const { return found_; }

 private:
  IndexRanges ranges_;
  int64_t most_;
  std::vector<bool> seen_;  // by IntNode::id
  std::optional<OutsideIndex> found_;
};

}  // namespace

void forEachIndex(const Kernel& kernel, const std::function<void(IntExpr)>& visit) {
  forEachStatement(kernel.body, [&](const Statement& statement) { std::visit(IndexVisitor{visit}, statement.node); });
}

IndexRanges::IndexRanges(const Kernel& kernel, std::span<const int64_t> ints)
    : kernel_(kernel), values_(kernel.ints->symbols().size()) {
  FUSER_CHECK(ints.size() == kernel.intParams.size(), "one integer per parameter");
  for (size_t i = 0; i < ints.size(); ++i) {
    values_[static_cast<size_t>(kernel.intParams[i].symbol->value)] = ints[i];
  }
}

Range IndexRanges::of(IntExpr expr) {
  if (known_.size() <= expr->id) known_.resize(expr->id + 1);
  if (!known_[expr->id]) {
    const Range range = expr->isSymbol() ? ofSymbol(expr) : computed(expr);
    known_[expr->id] = range;
  }
  return *known_[expr->id];
}

Range IndexRanges::ofSymbol(IntExpr symbol) {
  const std::optional<int64_t> value = values_[static_cast<size_t>(symbol->value)];
  if (value) return saturated(*value, *value);
  const IntSymbol& index = kernel_.ints->symbolOf(symbol);
  if (!index.extent) return symbol->range;
  const int64_t low = index.low ? of(index.low).low : 0;
  return saturated(low, std::max<Wide>(low, static_cast<Wide>(of(index.extent).high) - 1));
}

Range IndexRanges::computed(IntExpr expr) {
  if (expr->isConstant()) return saturated(expr->value, expr->value);
  const Range a = of(expr->a), b = of(expr->b);
  switch (expr->op) {
    case IntOp::Constant:
    case IntOp::Symbol:
    case IntOp::Meet: break;  // of fusions alone
    case IntOp::Add: return saturated(static_cast<Wide>(a.low) + b.low, static_cast<Wide>(a.high) + b.high);
    case IntOp::Mul: return productOf(a, b);
    case IntOp::FloorDiv: return quotientOf(a, b);
    case IntOp::Mod: return remainderOf(a, b);
    case IntOp::Min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case IntOp::Max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case IntOp::Less:
    case IntOp::Equal:
    case IntOp::And: return {0, 1};
  }
  FUSER_CHECK(false, "bad IntOp");
}

std::optional<OutsideIndex> firstOutside(const Kernel& kernel, std::span<const int64_t> ints) {
  Search search(kernel, ints);
  forEachIndex(kernel, [&](IntExpr index) { search.look(index); });
  return search.found();
}

std::string whyNotNarrow(const Kernel& kernel, std::span<const int64_t> ints) {
  const std::optional<OutsideIndex> outside = firstOutside(kernel, ints);
  if (!outside) return "";
  const int64_t bound = kernel.device.indexBound;
  const int64_t value = outside->range.high >= bound ? outside->range.high : outside->range.low;
  return concat(printIntExpr(outside->expr, nameKernel(kernel)), " may be ", value,
                ", and the device's index_bound is ", bound);
}

}  // namespace fuser
