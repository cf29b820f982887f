// Changes the schedulers' own lists of transforms; compiles to see which changes are legal.

#include "fuzz/views/random_schedule.h"

#include <algorithm>

#include "fuser/execute/launch_shape.h"
#include "fuser/ir/clone.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/schedule/facts.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/choices/choices.h"
#include "fuzz/views/legal_schedules.h"
#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

constexpr int kAttempts = 16;        // of a case
constexpr uint64_t kMaxChanges = 4;  // of one segment
constexpr double kVariances = 0.8;   // of the segments with a variance spread it, over blocks so often
constexpr double kKept = 0.8;        // of the others that keep rows on chip have something of them in shared memory
constexpr double kKeptAndChanged = 0.4;  // of those, and other steps
constexpr double kMemory = 0.5;          // of the others have a tensor in shared or global memory instead
constexpr double kGlobal = 0.15;         // of those, in global memory
constexpr double kSkewed = 0.7;          // of those in shared memory have padded or shifted rows
constexpr double kReductions = 0.7;  // of the others with a reduction, spread it over blocks or partial results
constexpr double kIndexType = 0.15;  // of all segments say whether indices have 32 or 64 bits
constexpr double kShareVectors = 0.2;  // of all segments with vectors have some from or to shared memory
constexpr double kRecompute = 0.15;    // of all segments compute something again
constexpr double kAhead = 0.15;        // of all segments load an input one turn ahead, if that is legal
constexpr double kUnswitch = 0.15;   // of all segments have an unswitched loop, if that is legal

// Most segments are small, and what a step breaks may need several ops beside each other.
constexpr int64_t kFewExprs = 5;
constexpr double kFew = 0.3;  // of the segments with fewer have another schedule

// A schedule's random numbers have nothing to do with the generator's.
constexpr uint64_t kSeed = 0x5c4ed01e;
constexpr uint64_t kIndexTypeSeed = 0x32b17;  // of their own, so that schedules are what they are without them
constexpr uint64_t kUnswitchSeed = 0x7a11;    // the same
constexpr uint64_t kVectorSeed = 0x5ec7;      // the same
constexpr uint64_t kRecomputeSeed = 0xa6a1;   // the same
constexpr uint64_t kAheadSeed = 0xd0b1e;      // the same

// Steps of one kind, by place.
std::vector<size_t> stepsOf(const Schedule& schedule, TransformKind kind) {
  std::vector<size_t> places;
  for (size_t i = 0; i < schedule.size(); ++i) {
    if (schedule[i].kind == kind) places.push_back(i);
  }
  return places;
}

// Vectors need sizes and addresses that the scheduler knew to fit: without them every split is free.
void dropVectors(Schedule& schedule) {
  for (Transform& step : schedule) {
    if (step.type == ParallelType::Vectorize) step.type = ParallelType::Serial;
  }
}

void changeFactor(Schedule& schedule, Choices& choices) {
  constexpr int64_t kFactors[] = {1, 2, 3, 5, 8, 16, 31, 32, 33, 64, 100, 128, 256, 1024};
  const std::vector<size_t> splits = stepsOf(schedule, TransformKind::Split);
  if (splits.empty()) return;
  dropVectors(schedule);
  schedule[choices.pick(splits)].factor = choices.pick(kFactors);
}

// Of a tensor that the schedule splits, before its loops are handed on.
void addSplit(Schedule& schedule, Choices& choices) {
  const std::vector<size_t> splits = stepsOf(schedule, TransformKind::Split);
  if (splits.empty()) return;
  dropVectors(schedule);
  const size_t place = choices.pick(splits);
  Transform step = schedule[place];
  step.axis = choices.integer(-2, 1);
  step.factor = choices.integer(1, 9);
  schedule.insert(schedule.begin() + static_cast<std::ptrdiff_t>(place) + 1, step);
}

void swapAxes(Schedule& schedule, Choices& choices) {
  const std::vector<size_t> splits = stepsOf(schedule, TransformKind::Split);
  if (splits.empty()) return;
  dropVectors(schedule);
  const size_t place = choices.pick(splits);
  Transform step;
  step.kind = TransformKind::Reorder;
  step.tensor = schedule[place].tensor;
  const int64_t axis = choices.integer(0, 2);
  step.old2new = {{axis, axis + 1}, {axis + 1, axis}};
  schedule.insert(schedule.begin() + static_cast<std::ptrdiff_t>(place) + 1, step);
}

void changeParallelType(Schedule& schedule, Choices& choices) {
  constexpr ParallelType kTypes[] = {ParallelType::Serial, ParallelType::BIDx,  ParallelType::BIDy,
                                     ParallelType::BIDz,   ParallelType::TIDx,  ParallelType::TIDy,
                                     ParallelType::TIDz,   ParallelType::Unroll};
  const std::vector<size_t> places = stepsOf(schedule, TransformKind::Parallelize);
  if (places.empty()) return;
  Transform& step = schedule[choices.pick(places)];
  // A vector keeps its width, or becomes a loop.
  step.type = step.type == ParallelType::Vectorize ? ParallelType::Serial : choices.pick(kTypes);
}

// A tensor that a kernel keeps on chip, and one that reads it, by the names that the schedule's steps give them.
struct OnChip {
  std::string tensor, reader;
};

// Outputs are copies of local tensors, which a step makes.
std::vector<OnChip> keptOnChip(const Fusion& part, const Schedule& schedule) {
  std::map<std::string, std::string> copied;
  for (size_t place : stepsOf(schedule, TransformKind::CacheBefore)) {
    copied[schedule[place].tensor] = schedule[place].other;
  }
  std::vector<OnChip> found;
  for (const Expr* expr : part.exprs()) {
    const std::string& name = expr->output()->name();
    if (expr->isScalarExpr() || isReduction(expr->op())) continue;
    const auto local = copied.find(name);
    if (local != copied.end()) found.push_back({local->second, name});
    if (expr->output()->isFusionOutput() || expr->output()->uses().empty()) continue;
    const std::string& reader = expr->output()->uses().front()->output()->name();
    const auto readersLocal = copied.find(reader);
    found.push_back({name, readersLocal == copied.end() ? reader : readersLocal->second});
  }
  return found;
}

// Inserts steps before the first one of a kind; at the end if there is none.
void insertBefore(Schedule& schedule, TransformKind kind, const std::vector<Transform>& steps) {
  const std::vector<size_t> places = stepsOf(schedule, kind);
  schedule.insert(places.empty() ? schedule.end() : schedule.begin() + static_cast<std::ptrdiff_t>(places.front()),
                  steps.begin(), steps.end());
}

// Variances are rare, and blocks combine them in another way than sums.
bool hasVariance(const Fusion& part) {
  const std::vector<Expr*> exprs = part.exprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return isWelford(expr->op()); });
}

// Gives one loop of a reduction to blocks, which then combine their partial results, or lets each thread have several;
// overBlocks: the chance of the first.
// Often the loop is another one: of a kept axis, or parallel already.
bool spreadReduction(const Fusion& part, Schedule& schedule, double overBlocks, Choices& choices) {
  constexpr ParallelType kBlocks[] = {ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz};
  std::vector<std::string> reductions;
  for (const Expr* expr : part.exprs()) {
    if (expr->isScalarExpr() || !isReduction(expr->op())) continue;
    reductions.push_back(expr->output()->name() + (expr->output()->isFusionOutput() ? ".local" : ""));
  }
  const std::vector<size_t> handedOn = stepsOf(schedule, TransformKind::Propagate);
  if (reductions.empty() || handedOn.empty()) return false;
  dropVectors(schedule);
  const std::string reference = schedule[handedOn.front()].tensor;
  const int64_t axis = choices.integer(0, 2);
  const int64_t factor = choices.integer(2, 5);
  insertBefore(schedule, TransformKind::Propagate, {split(reference, axis, factor)});
  if (choices.chance(overBlocks)) {
    const int64_t outer = choices.chance(0.3) ? 0 : 1;
    insertBefore(schedule, TransformKind::Propagate, {parallelize(reference, axis + outer, choices.pick(kBlocks))});
  } else {
    const std::string& reduction = choices.pick(reductions);
    Transform step = on(TransformKind::RFactor, reduction, reduction + ".partial");
    step.axes = {axis + 1};
    insertBefore(schedule, TransformKind::InlineMost, {step});
  }
  return true;
}

// Pads rows of a tensor in shared memory, or shifts each against the one before.
void skewRows(Schedule& schedule, const std::string& tensor, Choices& choices) {
  Transform step = on(choices.chance(0.5) ? TransformKind::Pad : TransformKind::Swizzle, tensor);
  step.axis = choices.integer(-3, -2);
  if (step.kind == TransformKind::Pad) {
    constexpr int64_t kRows[] = {1, 2, 3, 4, 5, 8, 16, 32};
    step.axis = choices.pick(kRows);
    step.factor = choices.integer(1, 5);
  }
  schedule.push_back(step);
}

// Moves a tensor to shared or global memory. Mostly it leaves some loops of its reader, too, and runs on other threads,
// so that threads read each other's elements.
void useMemory(const Fusion& part, Schedule& schedule, Choices& choices) {
  constexpr ParallelType kTypes[] = {ParallelType::Serial, ParallelType::TIDx, ParallelType::TIDy,
                                     ParallelType::Unroll, ParallelType::BIDx, ParallelType::BIDy};
  const std::vector<OnChip> found = keptOnChip(part, schedule);
  if (found.empty()) return;
  const OnChip& moved = choices.pick(found);
  dropVectors(schedule);
  Transform step = on(TransformKind::SetMemoryType, moved.tensor);
  step.memory = choices.chance(kGlobal) ? MemoryType::Global : MemoryType::Shared;
  insertBefore(schedule, TransformKind::InlineMost, {step});
  // In global memory a thread would wait for its own elements alone.
  const bool isShared = step.memory == MemoryType::Shared;
  if (isShared && choices.chance(0.2)) return;
  if (isShared) {
    schedule.push_back(computeAt(moved.tensor, moved.reader, choices.integer(0, 2)));
  }
  if (choices.chance(0.5)) schedule.push_back(split(moved.tensor, -1, choices.integer(1, 9)));
  if (!isShared || choices.chance(0.7)) {
    const int64_t axis = choices.integer(-3, -1);  // drawn before the type, by each compiler
    schedule.push_back(parallelize(moved.tensor, axis, choices.pick(kTypes)));
  }
  if (isShared && choices.chance(kSkewed)) skewRows(schedule, moved.tensor, choices);
}

// Moves a tensor that vectors load or store to shared memory: those that a thread moves at once are then from or to
// there.
void shareVectors(Schedule& schedule, Choices& choices) {
  std::vector<std::string> onChip;
  for (size_t place : stepsOf(schedule, TransformKind::Parallelize)) {
    if (schedule[place].type != ParallelType::Vectorize) continue;
    const std::string& moved = schedule[place].tensor;
    const auto copy = std::find_if(schedule.begin(), schedule.end(), [&](const Transform& step) {
      return step.kind == TransformKind::CacheBefore && step.tensor == moved;
    });
    onChip.push_back(copy == schedule.end() ? moved : copy->other);
  }
  if (onChip.empty()) return;
  Transform step = on(TransformKind::SetMemoryType, choices.pick(onChip));
  step.memory = MemoryType::Shared;
  insertBefore(schedule, TransformKind::InlineMost, {step});
}

// What a row keeps between its passes, in shared memory instead of registers. False where it keeps nothing.
bool keepInShared(Schedule& schedule, Choices& choices) {
  const std::vector<size_t> kept = stepsOf(schedule, TransformKind::ComputeAt);
  if (kept.empty() || stepsOf(schedule, TransformKind::Bound).empty()) return false;
  Transform step = on(TransformKind::SetMemoryType, schedule[choices.pick(kept)].tensor);
  step.memory = MemoryType::Shared;
  dropVectors(schedule);
  insertBefore(schedule, TransformKind::InlineMost, {step});
  return true;
}

// A schedule may repeat all work in each thread of each block. One that makes interp run a statement more often than
// this, some tenths of a second, is as good as illegal.
constexpr int64_t kMostTurns = int64_t{1} << 22;

class LimitWork final : public CompileObserver {
 public:
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override {
    const auto valueOf = [&](IntExpr symbol) {
      for (size_t i = 0; i < kernel.intParams.size(); ++i) {
        if (kernel.intParams[i].symbol == symbol) return arguments.ints[i];
      }
      return symbol->range.high;
    };
    int64_t threads = 1;
    for (int64_t size : kernel.blockDim) threads = limited(threads, size);
    for (int64_t size : gridOf(kernel, arguments)) threads = limited(threads, size);
    const int64_t turns = limited(threads, turnsOf(kernel.body, valueOf));
    FUSER_USER_CHECK(turns <= kMostTurns, kernel.name, " runs a statement more than ", kMostTurns, " times");
  }

 private:
  static int64_t limited(int64_t a, int64_t b) { return b > 0 && a > kMostTurns / b ? kMostTurns + 1 : a * b; }

  template <class ValueOf>
  static int64_t turnsOf(const Body& body, const ValueOf& valueOf) {
    int64_t turns = 1;
    for (const Statement& statement : body) {
      const For* loop = std::get_if<For>(&statement.node);
      const If* branch = std::get_if<If>(&statement.node);
      if (branch) turns = std::max(turns, turnsOf(branch->body, valueOf));
      if (loop) turns = std::max(turns, limited(turnsOf(loop->body, valueOf), evaluate(loop->extent, valueOf)));
    }
    return turns;
  }
};

Transform indexTypeOf(Choices& choices) {
  Transform step;
  step.kind = TransformKind::IndexType;
  step.indexType = choices.chance(0.5) ? DataType::Int32 : DataType::Int64;
  return step;
}

// Unswitches a loop of the tensor whose loops are handed on; mostly one that a split makes for it.
void unswitchLoop(Schedule& schedule, Choices& choices) {
  const std::vector<size_t> handedOn = stepsOf(schedule, TransformKind::Propagate);
  if (handedOn.empty()) return;
  const std::string reference = schedule[handedOn.front()].tensor;
  const int64_t axis = choices.integer(0, 2);
  const int64_t factor = choices.integer(1, 5);
  if (choices.chance(0.6)) insertBefore(schedule, TransformKind::Propagate, {split(reference, axis, factor)});
  const int64_t outer = choices.integer(0, 1);
  insertBefore(schedule, TransformKind::ParallelizeAllLike,
               {parallelize(reference, axis + outer, ParallelType::Unswitch)});
}

// Lets a reader compute an operand again, which the schedule leaves where it was for the other readers.
void recomputeOperand(const Fusion& part, Schedule& schedule, Choices& choices) {
  std::vector<std::pair<std::string, int64_t>> reads;  // a reader and an operand, by the names in the kernel
  for (const Expr* expr : part.exprs()) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      const Val* operand = expr->input(i);
      const bool isRepeated = operand->isTensor() && operand->definition() && !isReduction(operand->definition()->op());
      if (!isRepeated) continue;
      reads.emplace_back(nameInKernel(expr->output()), static_cast<int64_t>(i));
    }
  }
  if (reads.empty()) return;
  const auto& [reader, operand] = choices.pick(reads);
  Transform step = on(TransformKind::Recompute, reader, reader + ".again");
  step.axis = operand;
  // Behind the copies of inputs and outputs, whose names the other steps know.
  const auto isCopy = [](const Transform& each) {
    return each.kind == TransformKind::CacheBefore || each.kind == TransformKind::CacheAfter;
  };
  schedule.insert(std::find_if_not(schedule.begin(), schedule.end(), isCopy), step);
}

// Loads an input ahead of a loop; through a copy of its own, if the schedule makes none. Mostly the loop is a new one,
// serial, of the tensor whose loops are handed on.
void loadAhead(const Fusion& part, Schedule& schedule, Choices& choices) {
  std::vector<std::string> inputs;
  for (const Val* input : part.inputs()) {
    if (input->isTensor() && !input->uses().empty()) inputs.push_back(input->name());
  }
  const std::vector<size_t> handedOn = stepsOf(schedule, TransformKind::Propagate);
  if (inputs.empty() || handedOn.empty()) return;
  const std::string reference = schedule[handedOn.front()].tensor;
  const std::string& input = choices.pick(inputs);
  const int64_t axis = choices.integer(0, 1);
  const int64_t factor = choices.integer(2, 33);
  if (choices.chance(0.7)) {
    dropVectors(schedule);
    insertBefore(schedule, TransformKind::Propagate, {split(reference, axis, factor)});
  }
  const std::string copy = input + ".cache";
  const bool isThere =
      std::any_of(schedule.begin(), schedule.end(), [&](const Transform& step) { return step.other == copy; });
  if (!isThere) schedule.insert(schedule.begin(), on(TransformKind::CacheAfter, input, copy));
  schedule.push_back(on(TransformKind::DoubleBuffer, copy));
}

Schedule varied(const Schedule& schedule, Choices& choices) {
  constexpr void (*kChanges[])(Schedule&, Choices&) = {changeFactor, addSplit, swapAxes, changeParallelType};
  Schedule result = schedule;
  choices.pick(kChanges)(result, choices);
  return result;
}

}  // namespace

Schedule varied(const Schedule& schedule, uint64_t draw) {
  Choices choices(kSeed, draw);
  return varied(schedule, choices);
}

std::optional<std::map<int64_t, Schedule>> randomSchedules(const Case& testCase, uint64_t draw) {
  if (testCase.runs.empty() || testCase.schedule || !testCase.segmentSchedules.empty()) return std::nullopt;
  if (testCase.options.probes) return std::nullopt;
  const RunData data = materialize(testCase, testCase.runs.front(), kMaxInputBytes);
  const std::vector<HostValue> inputs = hostValues(data);
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  Choices choices(kSeed, draw), indexTypes(kIndexTypeSeed, draw), unswitches(kUnswitchSeed, draw),
      vectors(kVectorSeed, draw), recomputes(kRecomputeSeed, draw), aheads(kAheadSeed, draw);
  LegalSchedules legal([&](const Fusion& part, Schedule& schedule) {
    const Schedule chosen = schedule;
    const std::vector<Expr*> exprs = part.exprs();
    const bool isOfVariance = hasVariance(part), keepsRows = !stepsOf(schedule, TransformKind::Bound).empty();
    const bool isSmall = static_cast<int64_t>(exprs.size()) < kFewExprs && !isOfVariance && !keepsRows;
    if (isSmall && !choices.chance(kFew)) return;
    const auto change = [&] {
      for (int64_t changes = choices.integer(1, kMaxChanges); changes > 0; --changes)
        schedule = varied(schedule, choices);
    };
    if (isOfVariance && choices.chance(kVariances) && spreadReduction(part, schedule, kVariances, choices)) {
      // Blocks or partial results have it.
    } else if (choices.chance(kKept) && keepInShared(schedule, choices)) {
      if (choices.chance(kKeptAndChanged)) change();
    } else if (choices.chance(kMemory)) {
      useMemory(part, schedule, choices);
    } else if (!choices.chance(kReductions) || !spreadReduction(part, schedule, 0.5, choices)) {
      change();
    }
    if (vectors.chance(kShareVectors)) {
      schedule = chosen;
      shareVectors(schedule, vectors);
    }
    if (recomputes.chance(kRecompute)) recomputeOperand(part, schedule, recomputes);
    if (aheads.chance(kAhead)) loadAhead(part, schedule, aheads);
    if (unswitches.chance(kUnswitch)) unswitchLoop(schedule, unswitches);
    if (indexTypes.chance(kIndexType)) schedule.push_back(indexTypeOf(indexTypes));
  });
  settings.context.observers.push_back(&legal);
  LimitWork limit;
  settings.context.observers.push_back(&limit);
  const std::shared_ptr<const Fusion> fusion = cloneFusion(*testCase.fusion).fusion;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    try {
      FusionExecutorCache(fusion, settings).run(inputs);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      if (!legal.refuse()) return std::nullopt;  // the case itself is refused
      continue;
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      // Legal, and broken: whoever judges the case will see it again.
    }
    std::map<int64_t, Schedule> schedules = legal.drawn();
    if (schedules.empty()) return std::nullopt;
    return schedules;
  }
  return std::nullopt;
}

// For the first run alone: schedules may rely on its sizes.
bool randomSchedule(Case& testCase, uint64_t draw) {
  if (hasFixedSegments(testCase)) return false;
  std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, draw);
  if (!schedules) return false;
  testCase.segmentSchedules = std::move(*schedules);
  testCase.runs.resize(1);
  return true;
}

}  // namespace fuser::fuzz
