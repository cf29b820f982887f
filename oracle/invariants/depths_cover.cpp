// DepthsCover: what a run records as the depth of a reduction or a scan (fuser/kernel/accumulation_depth.h, from the
// text of its kernels) covers what its threads do. Here each thread's partial results are followed one by one, without
// data: the longest path of updates and joins of which both sides hold a term. The bounds of the oracle rest on the
// recorded one.
//
// Kernels of more than kMostSteps statements, over all threads, are left out.

#include <algorithm>
#include <map>

#include "fuser/execute/launch_shape.h"
#include "fuser/kernel/accumulation_depth.h"
#include "fuser/ops/op_table.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 15;

// A partial result of some terms, or of none.
struct Partial {
  bool any = false;
  ReductionDepth depth;
  int64_t path = 0;  // updates and joins together
};

Partial joined(const Partial& a, const Partial& b, bool update) {
  if (!a.any || !b.any) return a.any ? a : b;
  Partial both{true, deeper(a.depth, b.depth), std::max(a.path, b.path) + 1};
  ++(update ? both.depth.updates : both.depth.joins);
  return both;
}

const Partial kElement{true, {}, 0};

struct Counted {
  ReductionDepth depth;
  int64_t path = 0;
};

class Follower {
 public:
  Follower(const Kernel& kernel, const std::vector<int64_t>& ints) : kernel_(kernel) {
    values_.resize(kernel.ints->symbols().size());
    for (size_t i = 0; i < ints.size(); ++i) values_[numberOf(kernel.intParams[i].symbol)] = ints[i];
    for (size_t d = 0; d < 3; ++d) grid_[d] = std::max<int64_t>(valueOf(kernel.gridDim[d]), 0);
    perBlock_ = kernel.blockDim[0] * kernel.blockDim[1] * kernel.blockDim[2];
    threads_ = perBlock_ * grid_[0] * grid_[1] * grid_[2];
    partials_.resize(kernel.buffers.size());
  }

  // False if the kernel has too many steps.
  bool run() {
    std::vector<int64_t> all;
    if (threads_ > kMostSteps) return false;
    for (int64_t thread = 0; thread < threads_; ++thread) all.push_back(thread);
    body(kernel_.body, all);
    return steps_ <= kMostSteps;
  }

  const std::map<const Expr*, Counted>& counted() const { return counted_; }

 private:
  static size_t numberOf(IntExpr symbol) { return static_cast<size_t>(symbol->value); }
  int64_t valueOf(IntExpr expr) const {
    return evaluate(expr, [&](IntExpr symbol) { return values_[numberOf(symbol)]; });
  }

  void become(int64_t thread) {
    int64_t inBlock = thread % perBlock_, block = thread / perBlock_;
    for (size_t d = 0; d < 3; ++d) {
      if (kernel_.threadIdx[d]->isSymbol()) values_[numberOf(kernel_.threadIdx[d])] = inBlock % kernel_.blockDim[d];
      if (kernel_.blockIdx[d]->isSymbol()) values_[numberOf(kernel_.blockIdx[d])] = block % grid_[d];
      inBlock /= kernel_.blockDim[d];
      block /= grid_[d];
    }
  }

  // The partial result that the current thread has there.
  Partial& at(const Access& access, int64_t thread) {
    const bool own = kernel_.buffers[static_cast<size_t>(access.buffer)].memory == MemoryType::Local;
    return partials_[static_cast<size_t>(access.buffer)][{own ? thread : -1, valueOf(access.index)}];
  }

  void body(const Body& statements, const std::vector<int64_t>& threads) {
    for (const Statement& statement : statements) {
      steps_ += static_cast<int64_t>(threads.size());
      if (steps_ > kMostSteps) return;
      std::visit([&](const auto& node) { follow(node, threads); }, statement.node);
    }
  }

  void follow(const Allocate&, const std::vector<int64_t>&) {}
  void follow(const Barrier&, const std::vector<int64_t>&) {}
  void follow(const Release&, const std::vector<int64_t>&) {}
  void follow(const Report&, const std::vector<int64_t>&) {}
  void follow(const AtomicAdd&, const std::vector<int64_t>&) {}                            // of a scatter
  void follow(const LoadIndex&, const std::vector<int64_t>&) { steps_ = kMostSteps + 1; }  // it needs data

  void follow(const For& node, const std::vector<int64_t>& threads) {
    const int64_t turns = valueOf(node.extent);
    for (int64_t turn = 0; turn < turns && steps_ <= kMostSteps; ++turn) {
      if (node.index->isSymbol()) values_[numberOf(node.index)] = turn;
      body(node.body, threads);
    }
  }

  void follow(const If& node, const std::vector<int64_t>& threads) {
    std::vector<int64_t> active;
    for (int64_t thread : threads) {
      become(thread);
      if (valueOf(node.condition) != 0) active.push_back(thread);
    }
    if (!active.empty()) body(node.body, active);
  }

  void follow(const Move& node, const std::vector<int64_t>& threads) {
    // With an element, where it goes to what holds partial results.
    const bool begins = !isPartial(node.source.buffer) || isOfAnotherScan(node.source.buffer, node.target.buffer);
    if (begins && !isPartial(node.target.buffer)) return;
    for (int64_t thread : threads) {
      become(thread);
      at(node.target, thread) = begins ? kElement : at(node.source, thread);
    }
  }

  void follow(const Shuffle& node, const std::vector<int64_t>& threads) {
    if (!isPartial(node.source.buffer)) return;
    std::vector<Partial> given;
    for (int64_t thread : threads) {
      const int64_t place = thread % perBlock_;
      int64_t from = node.from == Shuffle::From::Xor ? place ^ node.lanes : place - place % node.lanes;
      if (from >= perBlock_) from = place;
      become(thread - place + from);
      given.push_back(at(node.source, thread - place + from));
    }
    for (size_t i = 0; i < threads.size(); ++i) {
      become(threads[i]);
      at(node.target, threads[i]) = given[i];
    }
  }

  // Whether the buffer has held partial results.
  bool isPartial(int buffer) const { return !partials_[static_cast<size_t>(buffer)].empty(); }
  // What a scan reads of another one's result is an element to it, however deep that one went.
  bool isOfAnotherScan(int from, int to) const {
    const TensorView* read = kernel_.buffers[static_cast<size_t>(from)].source;
    const TensorView* written = kernel_.buffers[static_cast<size_t>(to)].source;
    return read && written && written->definition()->family() == Family::Scan &&
           read->definition() != written->definition();
  }
  bool isOf(int buffer, const Expr* reduction) const {
    const TensorView* source = kernel_.buffers[static_cast<size_t>(buffer)].source;
    return isPartial(buffer) && source && source->definition() == reduction;
  }

  void follow(const Compute& node, const std::vector<int64_t>& threads) {
    const Expr* reduction = node.source;
    if (!reduction || !(isReduction(reduction->op()) || reduction->family() == Family::Scan)) return;
    const bool starts = node.operands.size() == 1 && node.operands[0].kind == Operand::Kind::Literal;
    const bool begins = reduction->family() == Family::Scan && node.operands.size() == 1 && !starts &&
                        isOf(node.target.buffer, reduction) && !isOf(node.operands[0].access.buffer, reduction);
    // Of a variance, the count says how many terms there are.
    const bool welford = isWelford(reduction->op());
    const bool counts = welford && node.op == OpKind::Add && node.computeDtype == DataType::Int64;
    const bool combines = !welford && node.op == reduction->info().combine && node.operands.size() == 2;
    // With contraction the term may be a product, and the accumulator is what an fma adds.
    const bool fuses = !welford && node.op == OpKind::Fma && reduction->info().combine == OpKind::Add;
    if (!starts && !begins && !counts && !combines && !fuses) return;
    for (int64_t thread : threads) {
      become(thread);
      Partial& own = at(node.target, thread);
      if (starts || begins) {
        own = begins ? kElement : Partial{};
        continue;
      }
      const auto isPart = [&](const Operand& operand) {
        return operand.kind == Operand::Kind::Access && isOf(operand.access.buffer, reduction);
      };
      const auto valueAt = [&](const Operand& operand) {
        return isPart(operand) ? at(operand.access, thread) : kElement;
      };
      if (fuses) {
        own = joined(valueAt(node.operands[2]), kElement, true);
      } else {
        const Partial left = counts ? own : valueAt(node.operands[0]), right = valueAt(node.operands[1]);
        own = joined(left, right, !isPart(node.operands[1]));
      }
      note(reduction, own);
    }
  }

  void follow(const Mma& node, const std::vector<int64_t>& threads) {
    for (const Access& sum : node.sums) {
      for (int64_t thread : threads) {
        become(thread);
        Partial& own = at(sum, thread);
        for (int64_t term = 0; term < Mma::kTerms; ++term) own = joined(own, {true, {}, 0}, true);
        note(node.source, own);
      }
    }
  }

  void follow(const JoinWelford& node, const std::vector<int64_t>& threads) {
    for (int64_t thread : threads) {
      become(thread);
      Partial& own = at(node.count, thread);
      own = joined(own, at(node.otherCount, thread), false);
      note(node.sourceExpr, own);
    }
  }

  void note(const Expr* reduction, const Partial& partial) {
    if (!reduction || !partial.any) return;
    Counted& counted = counted_[reduction];
    counted.depth = deeper(counted.depth, partial.depth);
    counted.path = std::max(counted.path, partial.path);
  }

  const Kernel& kernel_;
  std::vector<int64_t> values_;  // of the current thread, by symbol
  std::array<int64_t, 3> grid_{};
  int64_t perBlock_ = 1, threads_ = 1, steps_ = 0;
  std::vector<std::map<std::pair<int64_t, int64_t>, Partial>> partials_;  // by buffer; by thread and index
  std::map<const Expr*, Counted> counted_;                                // look-ups by address only
};

std::string problemOf(const Kernel& kernel, const std::vector<int64_t>& ints) {
  Follower follower(kernel, ints);
  if (!follower.run()) return "";
  for (const auto& [result, recorded] : accumulationDepth(kernel, ints)) {
    const auto found = follower.counted().find(result->definition());
    if (found == follower.counted().end()) continue;
    const auto& [depth, path] = found->second;
    // The bound of a variance takes them apart, that of a sum together.
    const bool apart = depth.updates <= recorded.updates && depth.joins <= recorded.joins;
    if (path <= recorded.total() && (apart || !isWelford(result->definition()->op()))) continue;
    return concat("%", result->name(), " of ", kernel.name, " takes ", depth.updates, " updates, ", depth.joins,
                  " joins and ", path, " of both on a path, and ", recorded.updates, " and ", recorded.joins,
                  " are recorded");
  }
  return "";
}

}  // namespace

std::string checkDepthsCover(const Compilation& compilation) {
  ExpressionEvaluator evaluator = compilation.run->evaluator;
  for (const hir::HostExpr* expr : hostExprsOf<hir::LaunchKernel>(compilation.host)) {
    const auto& launch = std::get<hir::LaunchKernel>(expr->node);
    const Kernel& kernel = *compilation.host.kernels[static_cast<size_t>(launch.kernel)];
    std::vector<int64_t> ints;
    for (IntExpr extent : launch.ints) ints.push_back(extent ? evaluator.evaluate(extent) : 1);  // strides: any
    const std::string problem = problemOf(kernel, ints);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace oracle
