// One walk over a kernel's statements, and a look at its buffers and its launch.

#include "fuzz/judge/kernel_features.h"

#include <algorithm>
#include <utility>

#include "fuser/ir/fusion.h"
#include "fuser/kernel/kernel.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kWidths[] = {2, 4, 8, 16};

std::string vectorsOf(int64_t width) { return concat("vectors of ", width); }

// What a block keeps of a row: the places of stores, loads and reductions, which are numbered in preorder.
class KeptRows {
 public:
  explicit KeptRows(const Kernel& kernel) : kernel_(kernel) {
    uses_.resize(kernel.buffers.size());
    visit(kernel.body);
  }

  bool in(MemoryType memory) const {
    for (const Buffer& buffer : kernel_.buffers) {
      if (buffer.memory == memory && isKept(buffer)) return true;
    }
    return false;
  }

 private:
  struct Uses {
    int firstStore = -1, lastLoad = -1;
    bool isReduced = false;  // it holds results of a reduction, which outlive it by themselves
  };

  bool isKept(const Buffer& buffer) const {
    const Uses& uses = uses_[static_cast<size_t>(buffer.id)];
    if (uses.firstStore < 0 || uses.isReduced || !buffer.size || buffer.size->isConstant(1)) return false;
    return std::any_of(ends_.begin(), ends_.end(),
                       [&](int end) { return uses.firstStore < end && end < uses.lastLoad; });
  }

  // Returns whether a statement of a reduction stands in the body itself.
  bool visit(const Body& body) {
    bool reduces = false;
    for (const Statement& statement : body) {
      ++place_;
      if (const For* loop = std::get_if<For>(&statement.node)) {
        if (visit(loop->body)) ends_.push_back(++place_);
      } else if (const If* branch = std::get_if<If>(&statement.node)) {
        reduces |= visit(branch->body);
      } else {
        reduces |= note(statement);
      }
    }
    return reduces;
  }

  bool note(const Statement& statement) {
    if (const Move* move = std::get_if<Move>(&statement.node)) {
      store(move->target);
      load(move->source);
    }
    if (const LoadIndex* index = std::get_if<LoadIndex>(&statement.node)) load(index->source);
    if (std::holds_alternative<BlockWelford>(statement.node)) ends_.push_back(place_);
    if (const BlockReduce* reduce = std::get_if<BlockReduce>(&statement.node)) {
      result(reduce->target);
      ends_.push_back(place_);
    }
    if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
      for (const Access& access : {join->mean, join->squares, join->count}) result(access);
      return true;
    }
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute) return false;
    const bool reduces = compute->source && isReduction(compute->source->op());
    reduces ? result(compute->target) : store(compute->target);
    for (const Operand& operand : compute->operands) {
      if (operand.kind == Operand::Kind::Access) load(operand.access);
    }
    return reduces;
  }

  Uses& usesOf(const Access& access) { return uses_[static_cast<size_t>(access.buffer)]; }
  void result(const Access& access) { usesOf(access).isReduced = true; }
  void load(const Access& access) { usesOf(access).lastLoad = place_; }
  void store(const Access& access) {
    if (usesOf(access).firstStore < 0) usesOf(access).firstStore = place_;
  }

  const Kernel& kernel_;
  std::vector<Uses> uses_;  // by buffer
  std::vector<int> ends_;   // of reductions
  int place_ = 0;
};

// Whether threads that do not reduce together reduce at once.
bool isOfSeveralRows(const Kernel& kernel, const std::array<bool, 3>& reduced) {
  for (size_t dim = 0; dim < 3; ++dim) {
    if (!reduced[dim] && kernel.blockDim[dim] > 1) return true;
  }
  return false;
}

}  // namespace

const std::vector<std::string>& allKernelFeatures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {
        "another device",     "block barrier",  "block reduction", "cooperative launch", "grid barrier",
        "grid reduction",     "narrow indices", "random schedule", "row in registers",   "row in shared memory",
        "rows beside rows",   "shared memory",  "thread partials", "unrolled loop",      "Welford of blocks",
        "Welford of threads", "wide indices",   "workspace"};
    for (int64_t width : kWidths) all.push_back(vectorsOf(width));
    std::sort(all.begin(), all.end());
    return all;
  }();
  return names;
}

std::set<std::string> featuresOf(const Kernel& kernel) {
  std::set<std::string> found;
  const auto isIn = [&](const Access& access, MemoryType memory) {
    return kernel.buffers[static_cast<size_t>(access.buffer)].memory == memory;
  };
  forEachStatement(kernel.body, [&](const Statement& statement) {
    if (const Barrier* barrier = std::get_if<Barrier>(&statement.node))
      found.insert(barrier->ofGrid() ? "grid barrier" : "block barrier");
    if (const BlockReduce* reduce = std::get_if<BlockReduce>(&statement.node)) {
      found.insert("block reduction");
      if (isOfSeveralRows(kernel, reduce->dims)) found.insert("rows beside rows");
    }
    if (const BlockWelford* welford = std::get_if<BlockWelford>(&statement.node)) {
      found.insert({"block reduction", "Welford of threads"});
      if (isOfSeveralRows(kernel, welford->dims)) found.insert("rows beside rows");
    }
    const JoinWelford* join = std::get_if<JoinWelford>(&statement.node);
    if (join && isIn(join->otherMean, MemoryType::Global)) found.insert("Welford of blocks");
    const For* loop = std::get_if<For>(&statement.node);
    if (loop && loop->unroll) found.insert("unrolled loop");
    const Move* move = std::get_if<Move>(&statement.node);
    if (move && move->width > 1) found.insert(vectorsOf(move->width));
  });
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory == MemoryType::Shared) found.insert("shared memory");
  }
  for (const Workspace& workspace : kernel.workspaces) {
    if (!workspace.semaphore) found.insert("workspace");
  }
  const KeptRows kept(kernel);
  if (kept.in(MemoryType::Local)) found.insert("row in registers");
  if (kept.in(MemoryType::Shared)) found.insert("row in shared memory");
  if (hasGridBarrier(kernel)) found.insert("cooperative launch");
  if (!(kernel.device == defaultDevice())) found.insert("another device");
  found.insert(kernel.narrowIndices ? "narrow indices" : "wide indices");
  return found;
}

std::set<std::string> featuresOf(const Schedule& schedule, const Fusion& scheduledPart) {
  std::set<std::string> found;
  for (const Transform& step : schedule) {
    if (step.kind == TransformKind::RFactor) found.insert("thread partials");
  }
  for (const Val* val : scheduledPart.usedVals()) {
    if (val->isScalar()) continue;
    for (const IterDomain* loop : val->as<TensorView>()->domain().loop) {
      if (loop->isReduction() && isBlockDim(loop->parallelType())) found.insert("grid reduction");
    }
  }
  return found;
}

void KernelFeatures::beforeSegmentCache(const Fusion&, CacheSettings& inner) {
  inner_.push_back(std::make_unique<KernelFeatures>(counts_));
  inner.context.observers.push_back(inner_.back().get());
}

void KernelFeatures::afterSchedule(int segment, Fusion& part, Schedule& schedule) {
  const std::vector<Expr*> exprs = part.exprs();
  exprs_ = std::count_if(exprs.begin(), exprs.end(), [](const Expr* expr) { return !expr->isScalarExpr(); });
  schedule_ = schedule;
  found_.clear();
  const bool isGiven = case_ && (case_->schedule || case_->segmentSchedules.count(segment) != 0);
  if (isGiven) found_.insert("random schedule");
}

void KernelFeatures::afterApplySchedule(int, Fusion& part) { found_.merge(featuresOf(schedule_, part)); }

void KernelFeatures::afterLower(int, Kernel& kernel) {
  found_.merge(featuresOf(kernel));
  for (const std::string& feature : found_) ++counts_[feature][exprs_];
}

}  // namespace fuser::fuzz
