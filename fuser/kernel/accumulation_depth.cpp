// Interprets the body abstractly: runs each loop until the depth grows by a constant per iteration, then extrapolates.
//
// Each buffer has a value (owner, depth): the reduction result to which its content belongs, and the longest path so
// far. The elements of a buffer are not distinguished. Instead, a statement whose target index contains a multiple of a
// loop's index as a term accesses another element in each iteration, so it counts only in the first iteration of that
// loop. If the index also contains an integer that is loaded in the loop, the statement may access the same element
// again and counts in each iteration.
#include "fuser/kernel/accumulation_depth.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/ir/expr.h"

namespace fuser {
namespace {

constexpr int64_t kMaxTurns = 16;  // walked before growth is taken as it is

struct Content {
  const TensorView* owner = nullptr;
  ReductionDepth depth;
  bool operator==(const Content&) const = default;
};
using State = std::vector<Content>;  // by buffer

bool isTermOf(IntExpr index, IntExpr symbol) {
  if (index == symbol) return true;
  if (index->op == IntOp::Add) return isTermOf(index->a, symbol) || isTermOf(index->b, symbol);
  return index->op == IntOp::Mul && index->b->isConstant() && isTermOf(index->a, symbol);
}

class Walker {
 public:
  Walker(const Kernel& kernel, std::span<const int64_t> intValues) : state_(kernel.buffers.size()) {
    for (size_t i = 0; i < kernel.intParams.size(); ++i) ranges_[kernel.intParams[i].symbol] = intValues[i];
    for (size_t d = 0; d < 3; ++d) {
      ranges_[kernel.threadIdx[d]] = kernel.blockDim[d] - 1;
    }
    for (size_t d = 0; d < 3; ++d) ranges_[kernel.blockIdx[d]] = std::max<int64_t>(largest(kernel.gridDim[d]) - 1, 0);
    indices_.insert(kernel.threadIdx.begin(), kernel.threadIdx.end());
    indices_.insert(kernel.blockIdx.begin(), kernel.blockIdx.end());
  }

  void body(const Body& statements) {
    for (const Statement& s : statements) {
      std::visit([&](const auto& node) { walk(node); }, s.node);
    }
  }

  std::vector<std::pair<const TensorView*, ReductionDepth>> result() const {
    std::vector<std::pair<const TensorView*, ReductionDepth>> list;
    for (const auto& [id, entry] : depths_) list.push_back(entry);
    return list;
  }

 private:
  // The largest value of an extent over all values of the indices.
  int64_t largest(IntExpr expr) const { return bounds(expr).second; }

  std::pair<int64_t, int64_t> bounds(IntExpr expr) const {
    bool fixed = true;
    forEachSymbol(expr, [&](IntExpr symbol) { fixed &= indices_.count(symbol) == 0; });
    if (fixed) {
      const int64_t value = evaluate(expr, [&](IntExpr symbol) { return ranges_.at(symbol); });
      return {value, value};
    }
    if (expr->isSymbol()) return {0, ranges_.at(expr)};
    const auto [al, ah] = bounds(expr->a);
    const auto [bl, bh] = bounds(expr->b);
    return corners(expr->op, al, ah, bl, bh);
  }

  static std::pair<int64_t, int64_t> corners(IntOp op, int64_t al, int64_t ah, int64_t bl, int64_t bh) {
    switch (op) {
      case IntOp::Constant:
      case IntOp::Symbol:
      case IntOp::Meet: break;  // of fusions alone
      case IntOp::Add: return {al + bl, ah + bh};
      case IntOp::Mul: return std::minmax({al * bl, al * bh, ah * bl, ah * bh});
      case IntOp::FloorDiv: return {std::min<int64_t>(al, 0), std::max<int64_t>(ah, 0)};
      case IntOp::Mod: return {0, std::max<int64_t>(bh - 1, 0)};
      case IntOp::Min: return {std::min(al, bl), std::min(ah, bh)};
      case IntOp::Max: return {std::max(al, bl), std::max(ah, bh)};
      case IntOp::Less:
      case IntOp::Equal:
      case IntOp::And: return {0, 1};
    }
    FUSER_CHECK(false, "bad IntOp");
  }

  Content& at(const Access& access) { return state_.at(static_cast<size_t>(access.buffer)); }

  // Whether this is a later iteration of a loop in which the target is another element each time.
  bool skipped(const Access& target) const {
    return std::any_of(laterTurns_.begin(), laterTurns_.end(),
                       [&](IntExpr loop) { return isTermOf(target.index, loop) && !loadsInside(target.index, loop); });
  }

  // Whether the index contains an integer that each iteration of the loop loads again.
  bool loadsInside(IntExpr index, IntExpr loop) const {
    bool found = false;
    forEachSymbol(index, [&](IntExpr symbol) {
      const auto loops = loopsOfLoad_.find(symbol);
      found |= loops != loopsOfLoad_.end() &&
               std::find(loops->second.begin(), loops->second.end(), loop) != loops->second.end();
    });
    return found;
  }

  void walk(const Allocate& node) { state_.at(static_cast<size_t>(node.buffer)) = {}; }
  void walk(const Barrier&) {}
  void walk(const Release&) {}
  void walk(const Report&) {}
  void walk(const AtomicAdd&) {}  // of a scatter: the judge knows its terms
  void walk(const If& node) { body(node.body); }
  void walk(const LoadIndex& node) { loopsOfLoad_[node.index] = openLoops_; }
  void walk(const Move& node) {
    if (!skipped(node.target)) at(node.target) = at(node.source);
  }

  void walk(const For& node) {
    const int64_t turns = largest(node.extent);
    if (turns <= 0) return;
    ranges_[node.index] = turns - 1;
    indices_.insert(node.index);
    openLoops_.push_back(node.index);
    body(node.body);
    laterTurns_.push_back(node.index);
    State before = state_;
    int64_t lastGrowth = -1;
    for (int64_t turn = 1; turn < turns; ++turn) {
      body(node.body);
      const int64_t growth = growthFrom(before);
      if (growth >= 0 && (growth == lastGrowth || turn == kMaxTurns || growth == 0)) {
        extrapolate(before, turns - 1 - turn);
        break;
      }
      lastGrowth = growth;
      before = state_;
    }
    laterTurns_.pop_back();
    openLoops_.pop_back();
    indices_.erase(node.index);
  }

  // The largest increase of any buffer's depth since that state.
  int64_t growthFrom(const State& before) const {
    int64_t growth = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      growth = std::max(growth, state_[i].depth.total() - before[i].depth.total());
    }
    return growth;
  }

  void extrapolate(const State& before, int64_t turns) {
    for (size_t i = 0; i < before.size(); ++i) {
      ReductionDepth& depth = state_[i].depth;
      depth.updates += std::max<int64_t>(depth.updates - before[i].depth.updates, 0) * turns;
      depth.joins += std::max<int64_t>(depth.joins - before[i].depth.joins, 0) * turns;
      if (depth.total() > 0) record(state_[i]);
    }
  }

  void record(const Content& content) {
    if (!content.owner) return;
    // All results of one op use the same accumulators.
    for (const Val* result :
         content.owner->definition() ? content.owner->definition()->outputs() : std::vector<Val*>{}) {
      auto& entry = depths_.try_emplace(result->id(), result->as<TensorView>(), ReductionDepth{}).first->second;
      entry.second = deeper(entry.second, content.depth);
    }
  }

  static bool accumulates(const Expr* expr) { return isReduction(expr->op()) || expr->family() == Family::Scan; }

  static bool isPartial(const TensorView* operand) {
    return operand && !operand->origin() && operand->definition() && isReduction(operand->definition()->op());
  }

  // Of Welford's three accumulators, the count increases by one per term.
  static bool counts(const Compute& node) {
    return node.source && isWelford(node.source->op()) && node.op == OpKind::Add &&
           node.computeDtype == DataType::Int64;
  }

  // Whether it combines an accumulator with a term or with another one; a term of a sum may be a product, by one fma.
  static bool combines(const Compute& node) {
    const std::optional<OpKind> combine = opInfo(node.source->op()).combine;
    return node.op == combine || (node.op == OpKind::Fma && combine == OpKind::Add) || counts(node);
  }

  void walk(const Shuffle& node) {
    if (!skipped(node.target)) at(node.target) = at(node.source);
  }

  void walk(const Mma& node) {
    const Access& target = node.sums.front();
    if (skipped(target) || !node.source) return;
    Content& content = at(target);
    content.owner = node.source->output()->as<TensorView>();
    content.depth.updates += Mma::kTerms;
    content.depth.byMma = true;
    record(content);
  }

  void walk(const JoinWelford& node) {
    if (skipped(node.count)) return;
    Content& content = at(node.count);
    content.depth = deeper(content.depth, at(node.otherCount).depth);
    if (!content.owner) content.owner = at(node.otherCount).owner;
    ++content.depth.joins;
    record(content);
  }

  void walk(const Compute& node) {
    if (skipped(node.target)) return;
    const bool converts = node.op == OpKind::Cast || node.op == OpKind::Set;
    if (node.source && accumulates(node.source) && combines(node)) {
      const TensorView* owner = node.source->output()->as<TensorView>();
      ReductionDepth depth;
      for (const Operand& operand : node.operands) depth = deeper(depth, depthOf(operand, owner, node.source));
      ++(joins(node, owner) ? depth.joins : depth.updates);
      record(at(node.target) = {owner, depth});
    } else if (converts && node.operands.at(0).kind == Operand::Kind::Access) {
      at(node.target) = at(node.operands[0].access);
    } else {
      at(node.target) = {};
    }
  }

  // Whether the second operand is another partial result.
  bool joins(const Compute& node, const TensorView* owner) {
    return node.operands.size() == 2 && node.operands[1].kind == Operand::Kind::Access &&
           at(node.operands[1].access).owner == owner;
  }

  // The part of an operand's depth that belongs to this reduction.
  ReductionDepth depthOf(const Operand& operand, const TensorView* owner, const Expr* reduction) {
    if (operand.kind != Operand::Kind::Access) return {};
    const Content& content = at(operand.access);
    const bool counts = content.owner == owner || (content.owner == reduction->input(0) && isPartial(content.owner));
    return counts ? content.depth : ReductionDepth{};
  }

  State state_;
  std::map<IntExpr, int64_t> ranges_;  // a parameter's value; an index's largest
  std::set<IntExpr> indices_;
  std::vector<IntExpr> openLoops_;                       // around the statement
  std::vector<IntExpr> laterTurns_;                      // of those, the ones that are past their first turn
  std::map<IntExpr, std::vector<IntExpr>> loopsOfLoad_;  // by loaded index: the loops around its LoadIndex
  std::map<uint32_t, std::pair<const TensorView*, ReductionDepth>> depths_;  // by id of the result
};

}  // namespace

std::vector<std::pair<const TensorView*, ReductionDepth>> accumulationDepth(const Kernel& kernel,
                                                                            std::span<const int64_t> intValues) {
  FUSER_CHECK(intValues.size() == kernel.intParams.size(), "one value per integer parameter");
  Walker walker(kernel, intValues);
  walker.body(kernel.body);
  return walker.result();
}

}  // namespace fuser
