// Synchronize: a barrier wherever a thread may store an element in shared memory that another thread loaded or stored
// since the last one, or load one that another thread stored; turns of a loop included.
//   S[threadIdx.x] = …              S[threadIdx.x] = …
//   for i { y = S[i] }         ->   barrier (S stored)
//                                   for i { y = S[i] }
// No barrier where the same thread does both. That is decided from the indices alone: as a sum of an index a term,
// each less than the next larger term's coefficient, an index is a number whose digits are its terms. If the digit of
// each thread dimension has one place in both, equal elements have equal threads.
//
// Runs before conditions are merged, so that an if has no statement that needs a barrier inside.

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

// An access of an element in shared memory, by the threads that the conditions around it let through.
struct Use {
  Access access;
  int width = 1;
  bool stores = false;
  std::array<int64_t, 3> threads{};  // per thread dimension: only those below this number
};

// The uses that no barrier separates from the beginning and the end of some statements.
struct Flow {
  std::vector<Use> leading, trailing;
  bool waits = false;  // a barrier certainly runs
};

// A term of an index: coefficient * symbol.
struct Digit {
  int64_t coefficient = 0;
  IntExpr symbol = nullptr;
  int64_t size() const { return symbol->range.high + 1; }
};

// The terms of an index from small to large coefficients; none if one is not a product of a constant and a symbol.
// `most` gives the largest value of a symbol here: x % 9 is x where x is less than 9, and x / 9 is 0.
std::optional<std::vector<Digit>> digitsOf(IntExpr index, const std::function<int64_t(IntExpr)>& most) {
  const auto isBelow = [&](IntExpr symbol, IntExpr limit) {
    return symbol->isSymbol() && symbol->range.low == 0 && limit->isConstant() && most(symbol) < limit->value;
  };
  std::vector<Digit> digits;
  std::vector<IntExpr> open{index};
  while (!open.empty()) {
    const IntExpr term = open.back();
    open.pop_back();
    if (term->op == IntOp::Add) {
      open.push_back(term->a);
      open.push_back(term->b);
      continue;
    }
    Digit digit{1, term};
    if (term->op == IntOp::Mul) {
      const bool left = term->a->isConstant();
      digit = {(left ? term->a : term->b)->value, left ? term->b : term->a};
      if (!left && !term->b->isConstant()) return std::nullopt;
    }
    const IntExpr inner = digit.symbol;
    if (inner->isConstant(0) || (inner->op == IntOp::FloorDiv && isBelow(inner->a, inner->b))) continue;
    if (inner->op == IntOp::Mod && isBelow(inner->a, inner->b)) digit.symbol = inner->a;
    if (!digit.symbol->isSymbol() || digit.symbol->range.low != 0 || digit.coefficient <= 0) return std::nullopt;
    digits.push_back(digit);
  }
  std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
  return digits;
}

// The place of a symbol's digit: its coefficient, if what is below is less and what is above are multiples of the whole
// digit, so that index / coefficient % size is the symbol.
std::optional<int64_t> placeOf(IntExpr symbol, const std::vector<Digit>& digits) {
  const auto own = std::find_if(digits.begin(), digits.end(), [&](const Digit& d) { return d.symbol == symbol; });
  if (own == digits.end() || own->size() > kRangeMax / own->coefficient) return std::nullopt;
  int64_t below = 0;
  for (auto digit = digits.begin(); digit != own; ++digit) {
    if (digit->size() > own->coefficient) return std::nullopt;
    below += digit->coefficient * (digit->size() - 1);
  }
  const int64_t whole = own->coefficient * own->size();
  const bool above =
      std::all_of(own + 1, digits.end(), [&](const Digit& digit) { return digit.coefficient % whole == 0; });
  return below < own->coefficient && above ? std::optional(own->coefficient) : std::nullopt;
}

class Synchronizer {
 public:
  explicit Synchronizer(Kernel& kernel) : kernel_(kernel) {}

  Flow run(Body& body) {
    Flow flow;
    for (size_t i = 0; i < body.size(); ++i) {
      const Flow next = flowOf(body[i]);
      if (const std::optional<Barrier> barrier = between(flow.trailing, next.leading)) {
        body.insert(body.begin() + static_cast<ptrdiff_t>(i++), {*barrier});
        flow.trailing.clear();
        flow.waits = true;
      }
      append(flow, next);
    }
    return flow;
  }

 private:
  static void append(Flow& flow, const Flow& next) {
    if (!flow.waits) flow.leading.insert(flow.leading.end(), next.leading.begin(), next.leading.end());
    if (next.waits) flow.trailing.clear();
    flow.trailing.insert(flow.trailing.end(), next.trailing.begin(), next.trailing.end());
    flow.waits |= next.waits;
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
      flow.trailing.clear();
      flow.waits = true;
    }
    flow.waits &= loop.extent->range.low > 0;
    return flow;
  }

  void collect(const Statement& statement, std::vector<Use>& uses) {
    if (const If* branch = std::get_if<If>(&statement.node)) {
      const std::array<int64_t, 3> outside = threads_;
      restrict(branch->condition);
      for (const Statement& inner : branch->body) collect(inner, uses);
      threads_ = outside;
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
    } else {
      // Block reductions and allocations touch no element of a shared buffer.
      FUSER_CHECK(!std::holds_alternative<For>(statement.node), "a loop under a condition before barriers are known");
    }
  }

  void note(const Access& access, int width, bool stores, std::vector<Use>& uses) const {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(access.buffer)];
    if (buffer.memory == MemoryType::Shared) uses.push_back({access, width, stores, threads_});
  }

  // Notes how many threads of each dimension a condition lets through.
  void restrict(IntExpr condition) {
    if (condition->op == IntOp::And) {
      restrict(condition->a);
      restrict(condition->b);
      return;
    }
    for (size_t d = 0; d < 3; ++d) {
      const IntExpr thread = kernel_.threadIdx[d];
      const bool equal = condition->op == IntOp::Equal && ((condition->a == thread && condition->b->isConstant(0)) ||
                                                           (condition->b == thread && condition->a->isConstant(0)));
      const bool less = condition->op == IntOp::Less && condition->a == thread && condition->b->isConstant();
      if (equal || less) threads_[d] = std::min(threads_[d], equal ? 1 : condition->b->value);
    }
  }

  // The barrier that two sets of uses need between them, with the first reason in the order of the statements.
  std::optional<Barrier> between(const std::vector<Use>& before, const std::vector<Use>& after) const {
    for (const Use& later : after) {
      for (const Use& earlier : before) {
        if (earlier.access.buffer != later.access.buffer || !(earlier.stores || later.stores)) continue;
        if (inOneThread(earlier, later)) continue;
        return Barrier{later.access.buffer, earlier.stores ? Barrier::After::Store : Barrier::After::Load};
      }
    }
    return std::nullopt;
  }

  // Whether two uses of one element are by one thread.
  bool inOneThread(const Use& a, const Use& b) const {
    if (a.width != b.width) return false;
    std::optional<std::vector<Digit>> ofA, ofB;
    for (size_t d = 0; d < 3; ++d) {
      const IntExpr thread = kernel_.threadIdx[d];
      if (thread->isConstant() || (a.threads[d] == 1 && b.threads[d] == 1)) continue;
      if (!ofA) {
        ofA = digitsOf(a);
        ofB = digitsOf(b);
        if (!ofA || !ofB) return false;
      }
      const std::optional<int64_t> place = placeOf(thread, *ofA);
      if (!place || place != placeOf(thread, *ofB)) return false;
    }
    return true;
  }

  std::optional<std::vector<Digit>> digitsOf(const Use& use) const {
    return fuser::digitsOf(use.access.index, [&](IntExpr symbol) {
      for (size_t d = 0; d < 3; ++d) {
        if (symbol == kernel_.threadIdx[d]) return use.threads[d] - 1;
      }
      return symbol->range.high;
    });
  }

  Kernel& kernel_;
  std::array<int64_t, 3> threads_ = kernel_.blockDim;  // that the ifs around the current statement let through
};

}  // namespace

void runSynchronize(const Fusion&, Kernel& kernel) {
  const bool shared = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                  [](const Buffer& buffer) { return buffer.memory == MemoryType::Shared; });
  if (shared) Synchronizer(kernel).run(kernel.body);
}

}  // namespace fuser
