// Synchronize: a barrier wherever a thread may store an element in shared memory or a workspace that another thread
// loaded or stored since the last one, or load one that another thread stored; turns of a loop included.
//   S[threadIdx.x] = …              S[threadIdx.x] = …
//   for i { y = S[i] }         ->   barrier (S stored)
//                                   for i { y = S[i] }
// A barrier of the block, or of the grid where the two may be threads of different blocks. None where the same thread
// does both. That is decided from the indices alone: as a sum of an index a term, each less than the next larger term's
// coefficient, an index is a number whose digits are its terms. If the digit of each thread dimension has one place in
// both, equal elements have equal threads; the same for block dimensions. Where strides are parameters, as in i * n +
// j, what belongs to one stride is a coordinate: an element of a workspace has one place along each axis. And none
// where the two touch no common element: under the conditions around them, some digits, taken together, have no common
// value.
//
// Runs before conditions are merged, so that an if has no statement that needs a barrier inside.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "fuser/lower/index_digits.h"
#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

// An access of an element in shared memory, by the threads that the conditions around it let through.
struct Use {
  Access access;
  int width = 1;
  bool stores = false;
  std::array<int64_t, 3> threads{};  // per thread dimension: only those below this number
  std::vector<std::pair<IntExpr, int64_t>> below;  // expressions that the conditions keep below a number
  bool blockWaited = false;          // a barrier of the block lies between this use and the end that it is listed at
};

// The uses that no barrier of the grid separates from the beginning and the end of some statements; those in shared
// memory, no barrier of the block either.
struct Flow {
  std::vector<Use> leading, trailing;
  bool waits = false, gridWaits = false;  // such a barrier certainly runs
};

class Synchronizer {
 public:
  explicit Synchronizer(Kernel& kernel) : kernel_(kernel) {}

  Flow run(Body& body) {
    Flow flow;
    for (size_t i = 0; i < body.size(); ++i) {
      const Flow next = flowOf(body[i]);
      if (const std::optional<Barrier> barrier = between(flow.trailing, next.leading)) {
        body.insert(body.begin() + static_cast<ptrdiff_t>(i++), {*barrier});
        wait(flow, barrier->ofGrid());
      }
      append(flow, next);
    }
    return flow;
  }

  // After the body is done: the semaphore of the grid's barriers is zero again at the end.
  void release() {
    if (semaphore_ >= 0) kernel_.body.push_back({Release{semaphore_}});
  }

 private:
  bool isShared(const Use& use) const {
    return kernel_.buffers[static_cast<size_t>(use.access.buffer)].memory == MemoryType::Shared;
  }

  // The uses that a barrier leaves to meet later ones, or that meet earlier ones across it.
  std::vector<Use> across(const std::vector<Use>& uses, bool ofGrid) const {
    std::vector<Use> left;
    for (const Use& use : uses) {
      if (ofGrid || isShared(use)) continue;
      left.push_back(use);
      left.back().blockWaited = true;
    }
    return left;
  }

  void wait(Flow& flow, bool ofGrid) const {
    flow.trailing = across(flow.trailing, ofGrid);
    flow.waits = true;
    flow.gridWaits |= ofGrid;
  }

  void append(Flow& flow, const Flow& next) const {
    const auto add = [](std::vector<Use>& to, const std::vector<Use>& uses) {
      to.insert(to.end(), uses.begin(), uses.end());
    };
    if (!flow.gridWaits) add(flow.leading, flow.waits ? across(next.leading, false) : next.leading);
    if (next.waits) wait(flow, next.gridWaits);
    add(flow.trailing, next.trailing);
  }

  Flow flowOf(Statement& statement) {
    if (For* loop = std::get_if<For>(&statement.node)) return flowOfLoop(*loop);
    Flow flow;
    collect(statement, flow.leading);
    flow.trailing = flow.leading;
    return flow;
  }

  // What one turn leaves meets the beginning of the next one.
  Flow flowOfLoop(For& loop) {
    Flow flow = run(loop.body);
    if (const std::optional<Barrier> barrier = between(flow.trailing, flow.leading)) {
      loop.body.push_back({*barrier});
      wait(flow, barrier->ofGrid());
    }
    const bool turns = loop.extent->range.low > 0;
    flow.waits &= turns;
    flow.gridWaits &= turns;
    return flow;
  }

  void collect(const Statement& statement, std::vector<Use>& uses) {
    if (const If* branch = std::get_if<If>(&statement.node)) {
      const std::array<int64_t, 3> outside = threads_;
      const size_t belowOutside = below_.size();
      restrict(branch->condition);
      for (const Statement& inner : branch->body) collect(inner, uses);
      threads_ = outside;
      below_.resize(belowOutside);
    } else if (const Move* move = std::get_if<Move>(&statement.node)) {
      note(move->source, move->width, false, uses);
      note(move->target, move->width, true, uses);
    } else if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
      for (const Operand& operand : compute->operands) {
        if (operand.kind == Operand::Kind::Access) note(operand.access, 1, false, uses);
      }
      note(compute->target, 1, true, uses);
    } else if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) {
      note(load->source, 1, false, uses);
    } else if (const Report* report = std::get_if<Report>(&statement.node)) {
      note(report->index, 1, false, uses);
    } else if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
      for (const Access* part : {&join->otherMean, &join->otherSquares, &join->otherCount}) note(*part, 1, false, uses);
    } else {
      // Shuffles and allocations touch no element that threads share.
      FUSER_CHECK(!std::holds_alternative<For>(statement.node), "a loop under a condition before barriers are known");
    }
  }

  void note(const Access& access, int width, bool stores, std::vector<Use>& uses) const {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(access.buffer)];
    const bool workspace = buffer.memory == MemoryType::Global && buffer.tensor < 0;
    if (buffer.memory == MemoryType::Shared || workspace) uses.push_back({access, width, stores, threads_, below_});
  }

  // Notes how many threads of each dimension a condition lets through.
  void restrict(IntExpr condition) {
    if (condition->op == IntOp::And) {
      restrict(condition->a);
      restrict(condition->b);
      return;
    }
    const bool isBound = condition->op == IntOp::Less && condition->b->isConstant();
    if (isBound) below_.emplace_back(condition->a, condition->b->value);
    for (size_t d = 0; d < 3; ++d) {
      const IntExpr thread = kernel_.threadIdx[d];
      const bool equal = condition->op == IntOp::Equal && ((condition->a == thread && condition->b->isConstant(0)) ||
                                                           (condition->b == thread && condition->a->isConstant(0)));
      const bool less = condition->op == IntOp::Less && condition->a == thread && condition->b->isConstant();
      if (equal || less) threads_[d] = std::min(threads_[d], equal ? 1 : condition->b->value);
    }
  }

  // The barrier that two sets of uses need between them, with the first reason in the order of the statements.
  std::optional<Barrier> between(const std::vector<Use>& before, const std::vector<Use>& after) {
    std::optional<Barrier> found;
    for (const Use& later : after) {
      for (const Use& earlier : before) {
        if (earlier.access.buffer != later.access.buffer || !(earlier.stores || later.stores)) continue;
        if (haveNoCommonElement(earlier, later)) continue;
        const Apart apart = howApart(earlier, later);
        const bool ofGrid = apart == Apart::Grid;
        if (apart == Apart::OneThread || (found && !ofGrid)) continue;
        if (!ofGrid && (earlier.blockWaited || later.blockWaited)) continue;
        found = Barrier{later.access.buffer, earlier.stores ? Barrier::After::Store : Barrier::After::Load,
                        ofGrid ? semaphore() : -1};
        if (ofGrid) return found;
      }
    }
    return found;
  }

  // The values that the expression takes where the use is.
  static Range rangeOf(IntExpr expr, const Use& use) {
    Range range = expr->range;
    for (const auto& [bounded, below] : use.below) {
      if (bounded == expr) range.high = std::min(range.high, below - 1);
    }
    return range;
  }

  // The values of the sum of those products whose coefficient `of` divides, without it, or of the others.
  Range partOf(const Terms& terms, int64_t of, bool divided, const Use& use) const {
    IntExpr sum = kernel_.ints->constant(0);
    Range range{0, 0};
    for (const auto& [coefficient, expr] : terms.products) {
      if ((coefficient % of == 0) != divided) continue;
      const int64_t factor = divided ? coefficient / of : coefficient;
      sum = kernel_.ints->add(sum, kernel_.ints->mul(expr, kernel_.ints->constant(factor)));
      const Range own = rangeOf(expr, use);
      const auto bound = [&](int64_t end) { return std::clamp(end, -kRangeMax, kRangeMax); };
      const int64_t most = std::max(std::abs(bound(own.low)), std::abs(bound(own.high)));
      if (most > 0 && std::abs(factor) > kRangeMax / 16 / most) return {kRangeMin, kRangeMax};
      range.low += factor * (factor < 0 ? own.high : own.low);
      range.high += factor * (factor < 0 ? own.low : own.high);
    }
    const Range whole = rangeOf(sum, use);
    const int64_t constant = divided ? terms.constant / of : terms.constant % of;
    return {std::max(range.low, whole.low) + constant, std::min(range.high, whole.high) + constant};
  }

  // Whether the elements of both have digits apart: for some k, those below k make a number from 0 to k - 1 in both,
  // and it, or what is left divided by k, has no value in both.
  bool haveNoCommonElement(const Use& a, const Use& b) const {
    if (a.width != 1 || b.width != 1) return false;
    const Terms ofA = termsOf(a.access.index), ofB = termsOf(b.access.index);
    if (ofA.constant < 0 || ofB.constant < 0) return false;
    std::vector<int64_t> places{1};
    for (const auto& [coefficient, expr] : ofA.products) places.push_back(coefficient);
    const auto apart = [](Range x, Range y) { return x.high < y.low || y.high < x.low; };
    return std::any_of(places.begin(), places.end(), [&](int64_t place) {
      if (place < 1) return false;
      const Range lowOfA = partOf(ofA, place, false, a), lowOfB = partOf(ofB, place, false, b);
      if (std::min(lowOfA.low, lowOfB.low) < 0 || std::max(lowOfA.high, lowOfB.high) >= place) return false;
      return apart(lowOfA, lowOfB) || apart(partOf(ofA, place, true, a), partOf(ofB, place, true, b));
    });
  }

  // The one semaphore of the kernel.
  int semaphore() {
    if (semaphore_ >= 0) return semaphore_;
    Buffer buffer;
    semaphore_ = buffer.id = static_cast<int>(kernel_.buffers.size());
    buffer.name = concat("S", buffer.id);
    buffer.dtype = DataType::Int32;
    buffer.memory = MemoryType::Global;
    buffer.size = kernel_.ints->constant(kSemaphoreInts);
    kernel_.buffers.push_back(buffer);
    kernel_.workspaces.push_back({buffer.id, Workspace::Kind::Semaphore});
    return semaphore_;
  }

  // The coordinates of an index, by what their stride multiplies of parameters: of ((h * m + i) * 4 + j) * n + k, h by
  // m and n, i * 4 + j by n, and k by nothing. Those that are no sums of digits are left out.
  using Coordinates = std::map<std::vector<uint32_t>, std::vector<Digit>>;

  // With `elements`, those of any element of a vector.
  Coordinates coordinatesOf(const Use& use, IntExpr index, bool elements) const {
    Sums sums;
    addCoordinates(index, {}, kernel_.ints->constant(1), sums);
    if (elements && use.width > 1) {
      const IntExpr element = kernel_.ints->index("v", kernel_.ints->constant(use.width));
      addCoordinates(element, {}, kernel_.ints->constant(1), sums);
    }
    Coordinates coordinates;
    for (const auto& [stride, sum] : sums) {
      if (std::optional<std::vector<Digit>> digits = digitsOf(sum, use.threads)) coordinates[stride] = *digits;
    }
    return coordinates;
  }

  using Sums = std::map<std::vector<uint32_t>, IntExpr>;

  // Adds what the index, multiplied by a stride and by a constant, has along each coordinate.
  void addCoordinates(IntExpr index, const std::vector<uint32_t>& outer, IntExpr times, Sums& sums) const {
    for (IntExpr term : summandsOf(index)) {
      IntExpr scale = times, rest = kernel_.ints->constant(1);
      std::vector<uint32_t> stride = outer;
      std::vector<IntExpr> factors{term};
      while (!factors.empty()) {
        const IntExpr factor = factors.back();
        factors.pop_back();
        if (factor->op == IntOp::Mul) {
          factors.push_back(factor->a);
          factors.push_back(factor->b);
        } else if (factor->isConstant()) {
          scale = kernel_.ints->mul(scale, factor);
        } else if (isParametric(factor)) {
          stride.push_back(factor->id);
        } else {
          rest = kernel_.ints->mul(rest, factor);
        }
      }
      if (rest->op == IntOp::Add) {
        addCoordinates(rest, stride, scale, sums);
        continue;
      }
      std::sort(stride.begin(), stride.end());
      IntExpr& sum = sums.emplace(stride, kernel_.ints->constant(0)).first->second;
      sum = kernel_.ints->add(sum, kernel_.ints->mul(scale, rest));
    }
  }

  bool isParametric(IntExpr expr) const {
    bool all = true;
    forEachSymbol(expr, [&](IntExpr symbol) {
      all &= std::any_of(kernel_.intParams.begin(), kernel_.intParams.end(),
                         [&](const IntParam& param) { return param.symbol == symbol; });
    });
    return all;
  }

  enum class Apart : uint8_t { OneThread, Block, Grid };

  // Which threads two uses of one element may be of.
  Apart howApart(const Use& a, const Use& b) const {
    const bool elements = a.width != b.width;
    const PlainIndex plainA = plainIndex(*kernel_.ints, a.access.index),
                     plainB = plainIndex(*kernel_.ints, b.access.index);
    const bool plain = !elements && plainA.skews == plainB.skews;
    const bool shifted = plain && plainA.shifted;
    const Coordinates ofA = coordinatesOf(a, plain ? plainA.index : a.access.index, elements);
    const Coordinates ofB = coordinatesOf(b, plain ? plainB.index : b.access.index, elements);
    const auto same = [&](IntExpr index) {
      return index->isConstant() || std::any_of(ofA.begin(), ofA.end(), [&](const auto& coordinate) {
               const auto other = ofB.find(coordinate.first);
               if (other == ofB.end()) return false;
               const std::optional<int64_t> place = placeOf(index, coordinate.second);
               return (!shifted && place && place == placeOf(index, other->second)) ||
                      haveSameDigit(index, a, coordinate.second, b, other->second);
             });
    };
    if (!isShared(a) && !std::all_of(kernel_.blockIdx.begin(), kernel_.blockIdx.end(), same)) return Apart::Grid;
    for (size_t d = 0; d < 3; ++d) {
      const bool first = a.threads[d] == 1 && b.threads[d] == 1;
      if (!first && !same(kernel_.threadIdx[d])) return Apart::Block;
    }
    return Apart::OneThread;
  }

  // Whether two equal indices have equal digits, and the symbol is the same one in both: they have the same terms, each
  // more than what is below can be, as in i * 33 + j of a row of 32 elements that is padded, or where conditions keep
  // that below the term: i * 28 + j * 4 + k < 128 beside block * 128.
  bool haveSameDigit(IntExpr symbol, const Use& useOfA, const std::vector<Digit>& a, const Use& useOfB,
                     const std::vector<Digit>& b) const {
    if (a.size() != b.size()) return false;
    bool found = false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].coefficient != b[i].coefficient || a[i].padding != b[i].padding) return false;
      const std::optional<int64_t> mine = mostBelow(a, i, useOfA), theirs = mostBelow(b, i, useOfB);
      if (!mine || !theirs || a[i].coefficient <= std::max(*mine, *theirs)) return false;
      found |= a[i].symbol == symbol && b[i].symbol == symbol;
    }
    return found;
  }

  // The most that the digits before this one make together where the use is.
  std::optional<int64_t> mostBelow(const std::vector<Digit>& digits, size_t count, const Use& use) const {
    IntExpr sum = kernel_.ints->constant(0);
    std::optional<int64_t> all = 0;
    bool padded = false;
    for (size_t i = 0; i < count; ++i) {
      const std::optional<int64_t> most = digits[i].most();
      all = all && most && *most <= kRangeMax - *all ? std::optional(*all + *most) : std::nullopt;
      padded |= !digits[i].padding.empty();
      sum = kernel_.ints->add(sum, kernel_.ints->mul(digits[i].symbol, kernel_.ints->constant(digits[i].coefficient)));
    }
    if (padded) return all;
    const int64_t bound = rangeOf(sum, use).high;
    return all ? std::min(*all, bound) : bound < kRangeMax ? std::optional(bound) : std::nullopt;
  }

  std::optional<std::vector<Digit>> digitsOf(IntExpr sum, const std::array<int64_t, 3>& threads) const {
    return fuser::digitsOf(sum, [&](IntExpr symbol) {
      for (size_t d = 0; d < 3; ++d) {
        if (symbol == kernel_.threadIdx[d]) return threads[d] - 1;
      }
      return symbol->range.high;
    });
  }

  Kernel& kernel_;
  int semaphore_ = -1;
  std::array<int64_t, 3> threads_ = kernel_.blockDim;  // that the ifs around the current statement let through
  std::vector<std::pair<IntExpr, int64_t>> below_;     // what they keep below a number
};

}  // namespace

void runSynchronize(const Fusion&, Kernel& kernel, const ScheduleRules&) {
  const bool shared = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                  [](const Buffer& buffer) { return buffer.memory == MemoryType::Shared; });
  if (!shared && kernel.workspaces.empty()) return;
  Synchronizer synchronizer(kernel);
  synchronizer.run(kernel.body);
  synchronizer.release();
}

}  // namespace fuser
