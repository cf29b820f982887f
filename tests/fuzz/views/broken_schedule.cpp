#include "tests/fuzz/views/broken_schedule.h"

#include <algorithm>

#include "fuser/schedule/facts.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kFactors[] = {1, 2, 3, 4, 5, 8, 16, 31, 64, 128, 1024, 2048};
constexpr ParallelType kTypes[] = {ParallelType::Serial, ParallelType::TIDx,      ParallelType::TIDy,
                                   ParallelType::TIDz,   ParallelType::BIDx,      ParallelType::BIDy,
                                   ParallelType::BIDz,   ParallelType::Vectorize, ParallelType::Vectorize,
                                   ParallelType::Unroll, ParallelType::Unswitch};
constexpr MemoryType kMemories[] = {MemoryType::Local, MemoryType::Shared, MemoryType::Shared, MemoryType::Global};
constexpr TransformKind kInserted[] = {
    TransformKind::Parallelize, TransformKind::Parallelize, TransformKind::Parallelize,   TransformKind::ComputeAt,
    TransformKind::ComputeAt,   TransformKind::ComputeAt,   TransformKind::SetMemoryType, TransformKind::SetMemoryType,
    TransformKind::Pad,         TransformKind::Swizzle,     TransformKind::DoubleBuffer,  TransformKind::CircularBuffer,
    TransformKind::RFactor,     TransformKind::IndexType,   TransformKind::Split,         TransformKind::Merge,
    TransformKind::Reorder,     TransformKind::Bound,       TransformKind::Recompute,     TransformKind::AddByAtomics};
constexpr double kInsert = 0.4, kErase = 0.15, kSwap = 0.1;  // else a step is changed
constexpr double kAtTheEnd = 0.7;                            // of the inserted ones
constexpr double kTwice = 0.25;

class Breaker {
 public:
  Breaker(const NamesInPart& names, Choices& choices) : names_(names), choices_(choices) {}

  void breakOne(Schedule& schedule) {
    const double draw = choices_.real(0, 1);
    if (schedule.empty() || draw < kInsert) return insert(schedule);
    const size_t at = choices_.index(schedule.size());
    const auto place = schedule.begin() + static_cast<ptrdiff_t>(at);
    if (draw < kInsert + kErase) {
      schedule.erase(place);
    } else if (draw < kInsert + kErase + kSwap && at + 1 < schedule.size()) {
      std::swap(schedule[at], schedule[at + 1]);
    } else {
      change(*place);
    }
  }

 private:
  void insert(Schedule& schedule) {
    Transform step;
    step.kind = choices_.pick(kInserted);
    step.tensor = choices_.pick(names_.tensors);
    fill(step);
    if (step.kind == TransformKind::ComputeAt && !names_.reads.empty()) {
      const auto& [operand, reader] = choices_.pick(names_.reads);
      step.tensor = operand;
      step.other = reader;
    }
    if (step.kind == TransformKind::RFactor || step.kind == TransformKind::Recompute) step.other = step.tensor + ".new";
    if (step.kind == TransformKind::IndexType) step.tensor.clear();
    const bool last = choices_.chance(kAtTheEnd);
    const size_t at = last ? schedule.size() : choices_.index(schedule.size() + 1);
    schedule.insert(schedule.begin() + static_cast<ptrdiff_t>(at), step);
  }

  // All that the kind of step has.
  void fill(Transform& step) {
    step.axis = choices_.integer(-1, 4);
    step.factor = choices_.pick(kFactors);
    step.type = choices_.pick(kTypes);
    step.memory = choices_.pick(kMemories);
    step.indexType = DataType::Int32;
    step.axes = {choices_.integer(0, 4)};
    const int64_t moved = choices_.integer(0, 3);
    step.old2new = {{moved, moved + 1}, {moved + 1, moved}};
    if (step.kind == TransformKind::Pad) {
      step.axis = choices_.integer(1, 32);
      step.factor = choices_.integer(1, 5);
    }
    if (step.kind == TransformKind::CircularBuffer) {
      step.axis = choices_.integer(2, 6);
      step.factor = choices_.integer(1, step.axis);
    }
  }

  // One part of the step.
  void change(Transform& step) {
    const Transform before = step;
    Transform other = step;
    fill(other);
    switch (step.kind) {
      case TransformKind::Split:
      case TransformKind::Bound:
      case TransformKind::CircularBuffer:
      case TransformKind::Pad: choices_.chance(0.5) ? step.factor = other.factor : step.axis = other.axis; break;
      case TransformKind::Parallelize:
        choices_.chance(0.7) ? void(step.type = other.type) : void(step.axis = other.axis);
        break;
      case TransformKind::Merge:
      case TransformKind::Swizzle:
      case TransformKind::Recompute: step.axis = other.axis; break;
      case TransformKind::ComputeAt: step.axis = std::max<int64_t>(other.axis, 0); break;
      case TransformKind::Reorder: step.old2new = other.old2new; break;
      case TransformKind::RFactor: step.axes = other.axes; break;
      case TransformKind::SetMemoryType: step.memory = other.memory; break;
      case TransformKind::IndexType: step.indexType = other.indexType; break;
      case TransformKind::ParallelizeAllLike:
      case TransformKind::Propagate:
      case TransformKind::FollowReduced:
      case TransformKind::InlineMost:
      case TransformKind::AddByAtomics:
      case TransformKind::CacheBefore:
      case TransformKind::CacheAfter:
      case TransformKind::DoubleBuffer: break;
    }
    if (step == before && !step.tensor.empty()) step.tensor = choices_.pick(names_.tensors);
  }

  const NamesInPart& names_;
  Choices& choices_;
};

}  // namespace

NamesInPart namesIn(const Fusion& part, const Schedule& schedule) {
  NamesInPart names;
  const auto add = [&](const std::string& name) {
    const bool isNew = std::find(names.tensors.begin(), names.tensors.end(), name) == names.tensors.end();
    if (isNew && !name.empty()) names.tensors.push_back(name);
  };
  for (const Expr* expr : part.exprs()) {
    if (expr->isScalarExpr()) continue;
    add(nameInKernel(expr->output()));
    for (const Val* operand : expr->inputs()) {
      if (operand->isTensor() && operand->definition())
        names.reads.emplace_back(nameInKernel(operand), nameInKernel(expr->output()));
    }
  }
  for (const Transform& step : schedule) {
    if (step.kind == TransformKind::RFactor) continue;  // nothing names a partial result
    add(step.tensor);
    add(step.other);
    if (step.kind == TransformKind::CacheBefore) names.reads.emplace_back(step.other, step.tensor);
    for (const Expr* expr : part.exprs()) {
      const bool reads = step.kind == TransformKind::CacheAfter && !expr->isScalarExpr() &&
                         std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                     [&](const Val* operand) { return operand->name() == step.tensor; });
      if (reads) names.reads.emplace_back(step.other, nameInKernel(expr->output()));
    }
  }
  return names;
}

Schedule brokenSchedule(Schedule schedule, const NamesInPart& names, Choices& choices) {
  if (names.tensors.empty()) return schedule;
  Breaker breaker(names, choices);
  breaker.breakOne(schedule);
  if (choices.chance(kTwice)) breaker.breakOne(schedule);
  return schedule;
}

}  // namespace fuser::fuzz
