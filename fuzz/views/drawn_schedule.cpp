#include "fuzz/views/drawn_schedule.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/scan_loops.h"
#include "fuser/schedule/pointwise_facts.h"
#include "fuzz/choices/choices.h"
#include "fuzz/views/drawn_adds.h"
#include "fuzz/views/drawn_loops.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kMostThreads = 256;   // of a block: the cpu engine has a stack for each
constexpr int64_t kMostElements = 512;  // of a buffer in shared memory
constexpr int64_t kMostRegisters = 32;  // of a buffer in registers
constexpr int64_t kMostBlocks = 8;      // that a reduction is spread over
constexpr int64_t kTurnsOfLine = 6;     // that a block takes of a line that others share
constexpr int64_t kMostFactors = 1 << 20;
constexpr size_t kMostLoops = 9;
constexpr int64_t kFactors[] = {2, 2, 3, 4, 4, 5, 7, 8, 16, 31, 32, 33, 64, 128};

constexpr double kEmpty = 0.5;          // of the parts that keep no rows begin from an empty list
constexpr double kVectors = 0.6;        // of the parts where the scheduler has vectors
constexpr double kCopies = 0.55;        // of the other inputs are copied to registers first
constexpr double kMemoryOrder = 0.5;    // have their axes as they lie in memory
constexpr double kOnThreads = 0.7;      // of the loops of constant extents
constexpr double kOnBlocks = 0.7;       // of the other kept ones
constexpr double kOverBlocks = 0.35;    // of the reduced ones of constant extents
constexpr double kVariances = 0.7;      // of the parts with a variance spread it so
constexpr double kUnroll = 0.4;         // of the short ones that are left
constexpr double kUnswitch = 0.3;       // of the others, one
constexpr double kPartial = 0.6;        // of the reductions with such a loop
constexpr double kMemory = 0.5;         // of the parts with such a tensor
constexpr double kGlobal = 0.2;         // of those, in global memory
constexpr double kSkewed = 0.7;         // of the others have padded or shifted rows
constexpr double kShareVectors = 0.8;   // of the parts with vectors have some in shared memory
constexpr double kPlaces = 0.4;         // of the parts with nothing in memory compute a tensor elsewhere
constexpr double kSharedLines = 0.7;    // of the parts with scans: threads share a line
constexpr double kLinesOfBlocks = 0.3;  // of the parts with scans that keep nothing between them: blocks do
constexpr double kAhead = 0.9;          // of those with such a loop

bool isStep(const Transform& step, TransformKind kind, const std::string& tensor) {
  return step.kind == kind && step.tensor == tensor;
}

class ScheduleDrawer {
 public:
  ScheduleDrawer(const Fusion& part, const TensorView* reference, const ReferenceMap& map, const PartLoops& loops,
                 const DeviceProperties& device, Choices& choices)
      : part_(part), reference_(reference), map_(map), partLoops_(loops), device_(device), choices_(choices) {
    const std::vector<IterDomain*>& axes = reference->domain().logical;
    reduces_ = std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isReduction(); });
    name_ = reduces_ ? nameInKernel(reference) : reference->name();
  }

  Schedule draw(const Schedule& chosen) {
    const auto handedOn = std::find_if(chosen.begin(), chosen.end(),
                                       [](const Transform& step) { return step.kind == TransformKind::Propagate; });
    const Schedule before(chosen.begin(), handedOn), after(handedOn + 1, chosen.end());
    keepsRows_ = std::any_of(before.begin(), before.end(),
                             [](const Transform& step) { return step.kind == TransformKind::Bound; });
    for (const Transform& step : after) {
      const bool vector = step.kind == TransformKind::Parallelize && step.type == ParallelType::Vectorize;
      if (vector) vectors_.push_back(step.tensor);
    }
    if (!keepsRows_ && choices_.chance(kEmpty)) {
      beginEmpty(before);
    } else {
      beginWith(before);
    }
    spreadVariance();
    hand(after);
    return steps_;
  }

 private:
  // A tensor that may have loops of its own, one that reads it, and how many loops it has.
  struct OnChip {
    std::string tensor, reader;
    size_t loops = 0;
    bool readsInputs = false;  // alone: any thread may compute any element
  };

  void add(const Transform& step) { steps_.push_back(step); }

  // Outputs are copies of local tensors, as in every schedule. A vector is loaded through a copy.
  void copyTensors() {
    for (const Val* input : part_.inputs()) {
      if (input->isScalar() || input->uses().empty()) continue;
      const auto* tensor = input->as<TensorView>();
      const std::string copy = tensor->name() + ".cache";
      const bool vector = std::find(vectors_.begin(), vectors_.end(), copy) != vectors_.end();
      const bool mayCopy = partLoops_.readInline.count(input) == 0 && onlyReading(tensor->uses(), map_, tensor);
      // A copy that is read before and behind a wait of the blocks would need both's loops.
      if (vector || (mayCopy && !sharesLines_ && choices_.chance(kCopies)))
        add(on(TransformKind::CacheAfter, tensor->name(), copy));
    }
    cacheOutputs(part_, steps_);
  }

  // Vectors lie along the fastest axis of the reference, which then is the last loop.
  void beginEmpty(const Schedule& before) {
    const auto first = std::find_if(before.begin(), before.end(),
                                    [&](const Transform& step) { return isStep(step, TransformKind::Split, name_); });
    if (reduces_ || first == before.end() || !choices_.chance(kVectors)) vectors_.clear();
    const std::vector<Expr*>& exprs = partLoops_.view.exprs;
    sharesLines_ = scannedPosition(exprs, map_) >= 0 && device_.cooperative && vectors_.empty() &&
                   !mustKeepAcrossScans(exprs) && choices_.chance(kLinesOfBlocks);
    copyTensors();
    orderAxes();
    if (!vectors_.empty()) {
      splitLoop(loops_.size() - 1, first->factor);
      loops_.back().vector = true;
    }
    for (int64_t changes = choices_.integer(2, 6); changes > 0; --changes) changeLoops();
    if (!loops_.empty() && loops_.back().scanned) divideLine();
    chooseTypes();
  }

  // A line into what blocks, turns and threads take of it.
  void divideLine() {
    const int64_t width = std::min(choices_.pick(kFactors), mostOfBlock());
    const size_t before = loops_.size();
    if (sharesLines_) {
      splitLoop(before - 1, width * choices_.integer(1, kTurnsOfLine));
      sharesLines_ = loops_.size() > before;
    }
    if (sharesLines_ || choices_.chance(kSharedLines)) splitLoop(loops_.size() - 1, width);
    if (sharesLines_) line_ = before - 1;
  }

  // The scheduler's loops and types of the reference, and changes of those.
  void beginWith(const Schedule& before) {
    for (int i = 0; i < static_cast<int>(reference_->domain().logical.size()); ++i) loops_.push_back(loopAlong(i));
    for (const Transform& step : before) {
      const bool isOwn = step.tensor == name_;
      if (isOwn) followStep(loops_, step);
      if (isOwn && step.kind == TransformKind::Split) factors_ *= step.factor;
      if (!isOwn || step.kind != TransformKind::Parallelize) add(step);  // types are given at the end
    }
    if (!vectors_.empty()) loops_.back().vector = true;
    for (int64_t changes = choices_.integer(4, 7); changes > 0; --changes) {
      if (choices_.chance(0.4)) {
        changeType();
      } else {
        changeLoops();
      }
    }
  }

  // What comes behind the loops of the reference: they are handed on; memory, places of computation, loads ahead.
  void hand(const Schedule& chosen) {
    const std::optional<OnChip> moved =
        !vectors_.empty() || keepsRows_ || !choices_.chance(kMemory) ? std::nullopt : drawTensor();
    const std::string shared = choices_.chance(kShareVectors) ? drawVector() : "";
    if (!moved && shared.empty() && !keepsRows_) unswitch();
    for (size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].type != ParallelType::Serial) add(parallelize(name_, static_cast<int64_t>(i), loops_[i].type));
    }
    add(on(TransformKind::Propagate, name_));
    add(on(TransformKind::ParallelizeAllLike, name_));
    for (const std::string& tensor : vectors_) add(parallelize(tensor, -1, ParallelType::Vectorize));
    keepPartialResults();
    if (!shared.empty()) setMemory(shared, MemoryType::Shared);
    if (keepsRows_) return keepRows(chosen);
    if (moved) return move(*moved);
    add(on(TransformKind::InlineMost, ""));
    if (vectors_.empty() && choices_.chance(kPlaces)) {
      if (const std::optional<OnChip> placed = drawTensor()) place(*placed);
    }
    loadAhead();
  }

  void setMemory(const std::string& tensor, MemoryType memory) {
    add(on(TransformKind::SetMemoryType, tensor));
    steps_.back().memory = memory;
  }

  // A tensor on chip that vectors load or store; "" if there is none.
  std::string drawVector() {
    if (vectors_.empty()) return "";
    const std::string tensor = choices_.pick(vectors_);
    const auto copy = std::find_if(steps_.begin(), steps_.end(), [&](const Transform& step) {
      return isStep(step, TransformKind::CacheBefore, tensor);
    });
    return copy == steps_.end() ? tensor : copy->other;
  }

  // The scheduler's own steps: what is kept between passes over a row, some of it in shared memory instead.
  void keepRows(const Schedule& chosen) {
    std::vector<std::string> kept, shared;
    for (const Transform& step : chosen) {
      if (step.kind == TransformKind::ComputeAt) kept.push_back(step.tensor);
      if (step.kind == TransformKind::SetMemoryType) shared.push_back(step.tensor);
    }
    for (const std::string& tensor : shared) setMemory(tensor, MemoryType::Shared);
    if (!kept.empty() && vectors_.empty() && choices_.chance(kMemory)) {
      const std::string tensor = choices_.pick(kept);
      const bool isThere = std::find(shared.begin(), shared.end(), tensor) != shared.end();
      if (!isThere) setMemory(tensor, MemoryType::Shared);
      const size_t rows = keptLoops();
      if (choices_.chance(kSkewed)) skew({tensor, "", loops_.size()}, rows);
    }
    add(on(TransformKind::InlineMost, ""));
    for (Transform step : chosen) {
      if (step.kind != TransformKind::ComputeAt) continue;
      step.axis = static_cast<int64_t>(keptLoops());
      add(step);
    }
  }

  size_t keptLoops() const {
    return static_cast<size_t>(
        std::count_if(loops_.begin(), loops_.end(), [](const DrawnLoop& loop) { return !loop.reduced; }));
  }

  // Reduced axes are inside of the others, so that these are shared with readers (rule 4).
  void orderAxes() {
    std::vector<int> order = memoryOrder(reference_);
    const std::vector<IterDomain*>& axes = reference_->domain().logical;
    const auto isReduced = [&](int axis) { return axes[static_cast<size_t>(axis)]->isReduction(); };
    if (!choices_.chance(kMemoryOrder)) {
      const std::vector<int> before = order;
      choices_.shuffle(order);
      std::stable_partition(order.begin(), order.end(), [&](int axis) { return !isReduced(axis); });
      if (!vectors_.empty()) {
        order.erase(std::find(order.begin(), order.end(), before.back()));
        order.push_back(before.back());
      }
    }
    std::stable_partition(order.begin(), order.end(), [&](int axis) { return !loopAlong(axis).scanned; });
    reorder(steps_, name_, order);
    for (int axis : order) loops_.push_back(loopAlong(axis));
  }

  DrawnLoop loopAlong(int axis) const {
    const IterDomain* along = reference_->domain().logical[static_cast<size_t>(axis)];
    const bool isScanned = scannedPosition(partLoops_.view.exprs, map_) == axis;
    return {along->isReduction(), along->isBroadcast() ? 1 : 0, ParallelType::Serial, false, isScanned};
  }
  int64_t mostOfBlock() const { return std::min(kMostThreads, device_.threadsPerBlock); }

  void splitLoop(size_t at, int64_t factor) {
    const DrawnLoop& loop = loops_[at];
    const bool fits = !isThreadDim(loop.type) || (factor <= loop.extent && !(keepsRows_ && loop.reduced));
    if (!fits || factors_ * factor > kMostFactors || loops_.size() >= kMostLoops) return;
    add(split(name_, static_cast<int64_t>(at), factor));
    factors_ *= factor;
    divideLoop(loops_, at, factor);
  }

  // Merges or swaps neighbours of one kind, or splits a loop.
  void changeLoops() {
    if (loops_.empty()) return;
    const size_t at = choices_.index(loops_.size());
    const int64_t factor = choices_.pick(kFactors);
    const double kind = choices_.real(0, 1);
    if (loops_[at].vector || loops_[at].scanned) return;
    const bool alike = at + 1 < loops_.size() && loops_[at].reduced == loops_[at + 1].reduced &&
                       !loops_[at + 1].vector && !loops_[at + 1].scanned;
    if (kind < 0.5 || !alike) return splitLoop(at, factor);
    const auto axis = static_cast<int64_t>(at);
    if (kind >= 0.75) {
      add(on(TransformKind::Reorder, name_));
      steps_.back().old2new = {{axis, axis + 1}, {axis + 1, axis}};
      std::swap(loops_[at], loops_[at + 1]);
    } else if (!loops_[at].isParallel() && !loops_[at + 1].isParallel()) {
      add(merge(name_, axis));
      joinLoops(loops_, at);
      loops_[at].type = ParallelType::Serial;
    }
  }

  // Accumulators of several parts are rare, and blocks combine them in another way than sums.
  void spreadVariance() {
    const std::vector<Expr*>& exprs = partLoops_.view.exprs;
    const bool has = std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return hasParts(expr->op()); });
    const int64_t blocks = choices_.integer(2, kMostBlocks);
    const bool spread = std::any_of(loops_.begin(), loops_.end(),
                                    [](const DrawnLoop& loop) { return loop.reduced && isBlockDim(loop.type); });
    if (!has || spread || !device_.cooperative || !choices_.chance(kVariances)) return;
    for (ParallelType type : {ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz}) {
      if (std::any_of(loops_.begin(), loops_.end(), [&](const DrawnLoop& loop) { return loop.type == type; })) continue;
      for (size_t i = 0; i < loops_.size(); ++i) {
        const size_t before = loops_.size();
        if (!loops_[i].reduced || loops_[i].vector || loops_[i].isParallel()) continue;
        splitLoop(i, blocks);
        if (loops_.size() > before) loops_[i + 1].type = type;
        return;
      }
    }
  }

  // Gives a loop another type that no loop has, or none.
  void changeType() {
    if (loops_.empty()) return;
    DrawnLoop& loop = loops_[choices_.index(loops_.size())];
    if (loop.vector || loop.scanned || (keepsRows_ && loop.reduced && loop.isParallel())) return;
    int64_t threads = 1;
    std::vector<ParallelType> types{ParallelType::Serial};
    for (const DrawnLoop& each : loops_) {
      if (&each != &loop && isThreadDim(each.type)) threads *= each.extent;
    }
    const auto addUnused = [&](std::initializer_list<ParallelType> all) {
      for (ParallelType type : all) {
        const bool isUsed =
            std::any_of(loops_.begin(), loops_.end(), [&](const DrawnLoop& each) { return each.type == type; });
        if (!isUsed) types.push_back(type);
      }
    };
    if (loop.extent > 1 && threads * loop.extent <= mostOfBlock()) {
      addUnused({ParallelType::TIDx, ParallelType::TIDy});
      if (loop.extent <= device_.threadsAlongZ) addUnused({ParallelType::TIDz});
    }
    const bool spread = loop.reduced && loop.extent > 1 && loop.extent <= kMostBlocks && device_.cooperative;
    if ((loop.extent == 0 && !loop.reduced) || spread)
      addUnused({ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz});
    if (loop.extent > 1 && loop.extent <= 16) types.push_back(ParallelType::Unroll);
    loop.type = choices_.pick(types);
  }

  void chooseTypes() {
    std::vector<ParallelType> threads{ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};
    std::vector<ParallelType> blocks{ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz};
    choices_.shuffle(threads);
    choices_.shuffle(blocks);
    int64_t left = mostOfBlock();
    const auto take = [](std::vector<ParallelType>& types) {
      const ParallelType type = types.back();
      types.pop_back();
      return type;
    };
    const auto isTooLong = [&](const DrawnLoop& loop, ParallelType type) {
      return type == ParallelType::TIDz && loop.extent > device_.threadsAlongZ;
    };
    for (size_t number = loops_.size(); number-- > 0;) {
      DrawnLoop& loop = loops_[number];
      const bool isShared = loop.scanned && loop.extent > 1 && number + 1 == loops_.size();  // the inner part of a line
      if (line_ == number) loop.type = take(blocks);
      if (loop.vector || (loop.scanned && !isShared)) continue;
      const double draw = isShared ? 0 : choices_.real(0, 1);
      if (loop.extent > 1 && loop.extent <= left && !threads.empty() && draw < kOnThreads) {
        if (isTooLong(loop, threads.back())) std::swap(threads.front(), threads.back());
        if (isTooLong(loop, threads.back())) continue;  // z alone is left
        loop.type = take(threads);
        left /= loop.extent;
      } else if (!loop.reduced && loop.extent == 0 && !blocks.empty() && draw < kOnBlocks) {
        loop.type = take(blocks);
      } else if (loop.reduced && loop.extent > 1 && loop.extent <= kMostBlocks && !blocks.empty() &&
                 device_.cooperative && choices_.chance(kOverBlocks)) {
        loop.type = take(blocks);
      } else if (loop.extent > 1 && loop.extent <= 16 && choices_.chance(kUnroll)) {
        loop.type = ParallelType::Unroll;
      }
    }
  }

  // Threads do not wait for each other in an unswitched loop: they do where they reduce, or share a line of a scan.
  void unswitch() {
    const bool waits = std::any_of(loops_.begin(), loops_.end(), [](const DrawnLoop& loop) {
      return (loop.reduced || loop.scanned) && loop.isParallel();
    });
    if (waits) return;
    for (DrawnLoop& loop : loops_) {
      const bool turns = loop.type == ParallelType::Serial && loop.extent != 1 && !loop.reduced && !loop.scanned;
      if (!turns || !choices_.chance(kUnswitch)) continue;
      loop.type = ParallelType::Unswitch;
      return;
    }
  }

  void keepPartialResults() {
    std::vector<int64_t> serial;
    for (size_t i = 0; i < loops_.size(); ++i) {
      const DrawnLoop& loop = loops_[i];
      const bool inTurns = loop.type == ParallelType::Serial || loop.type == ParallelType::Unroll;
      if (loop.reduced && inTurns && loop.extent > 1 && loop.extent <= kMostRegisters)
        serial.push_back(static_cast<int64_t>(i));
    }
    if (serial.empty() || !choices_.chance(kPartial)) return;
    Transform step = on(TransformKind::RFactor, name_, name_ + ".partial");
    step.axes = {choices_.pick(serial)};
    add(step);
  }

  bool readsInPlaceAlone(const TensorView* tensor) const {
    const std::vector<Expr*>& exprs = partLoops_.view.exprs;
    return partLoops_.readInline.count(tensor) == 0 &&
           std::all_of(tensor->uses().begin(), tensor->uses().end(), [&](const Expr* use) {
             return std::find(exprs.begin(), exprs.end(), use) != exprs.end() && readsInPlace(use, tensor);
           });
  }

  // What its operands are computed for alone, so that no loops need each other; copies of inputs, too.
  std::optional<OnChip> drawTensor() {
    std::vector<OnChip> found;
    for (const Transform& step : steps_) {
      if (step.kind != TransformKind::CacheAfter) continue;
      const Val* input = findInput(step.tensor);
      const std::optional<std::vector<int>> positions =
          input ? onlyReading(input->uses(), map_, input->as<TensorView>()) : std::nullopt;
      if (!positions) continue;
      const std::string reader = nameInKernel(input->uses().front()->output());
      found.push_back({step.other, reader, loopsAlong(*positions, input->as<TensorView>()->axes()), true});
    }
    for (const Expr* expr : partLoops_.view.exprs) {
      if (expr->isScalarExpr() || isReduction(expr->op()) || expr->outputs().size() != 1) continue;
      const auto* tensor = expr->output()->as<TensorView>();
      if (map_.trailing(tensor) || !map_.contains(tensor)) continue;
      const bool isOutput = tensor->isFusionOutput();
      if (!isOutput && (tensor->uses().empty() || !readsInPlaceAlone(tensor))) continue;
      if (isOutput && !tensor->uses().empty()) continue;
      bool alone = true, inputs = true;
      for (const Val* operand : expr->inputs()) {
        if (operand->isScalar()) continue;
        const bool isInput = operand->isFusionInput() && !isCopied(operand);
        inputs &= isInput;
        alone &= isInput || operand->uses().size() == 1;
      }
      if (!alone) continue;
      const std::string reader = isOutput ? tensor->name() : nameInKernel(tensor->uses().front()->output());
      const size_t loops = loopsAlong(map_.positions(tensor), tensor->domain().logical);
      found.push_back({nameInKernel(tensor), reader, loops, inputs});
    }
    if (found.empty()) return std::nullopt;
    return choices_.pick(found);
  }

  const Val* findInput(const std::string& name) const {
    for (const Val* input : part_.inputs()) {
      if (input->isTensor() && input->name() == name) return input;
    }
    return nullptr;
  }

  bool isCopied(const Val* input) const {
    return std::any_of(steps_.begin(), steps_.end(),
                       [&](const Transform& step) { return isStep(step, TransformKind::CacheAfter, input->name()); });
  }

  // A tensor without elements along the reduced axes has no loops there.
  size_t loopsAlong(const std::vector<int>& positions, const std::vector<IterDomain*>& own) const {
    const std::vector<IterDomain*>& axes = reference_->domain().logical;
    for (size_t i = 0; i < positions.size(); ++i) {
      const bool reduced = positions[i] >= 0 && axes[static_cast<size_t>(positions[i])]->isReduction();
      if (reduced && !own[i]->isBroadcast()) return loops_.size();
    }
    return keptLoops();
  }

  // The fewest loops that a tensor in a buffer of at most so many elements shares with its readers (rule 6), and no
  // more than it has. A block has all elements of its threads in shared memory.
  size_t fewestShared(const OnChip& tensor, int64_t most, bool shared) const {
    int64_t elements = 1;
    for (const DrawnLoop& loop : loops_) {
      if (shared && isThreadDim(loop.type)) elements *= loop.extent;
    }
    size_t first = tensor.loops;
    for (; first > 0; --first) {
      const DrawnLoop& loop = loops_[first - 1];
      if (loop.isParallel()) continue;
      if (loop.extent == 0 || elements * loop.extent > most) break;
      elements *= loop.extent;
    }
    return first;
  }

  void place(const OnChip& tensor) {
    const size_t fewest = fewestShared(tensor, kMostRegisters, false);
    const int64_t position = choices_.integer(static_cast<int64_t>(fewest), static_cast<int64_t>(tensor.loops));
    add(computeAt(tensor.tensor, tensor.reader, position));
  }

  // Gives a tensor to shared or global memory. What reads inputs alone may have other threads than its readers.
  void move(const OnChip& tensor) {
    const bool global = device_.cooperative && choices_.chance(kGlobal);
    const size_t own = global ? 0 : fewestShared(tensor, kMostElements, true);
    if (choices_.chance(0.6)) exchange(tensor, own);
    setMemory(tensor.tensor, global ? MemoryType::Global : MemoryType::Shared);
    if (!global && choices_.chance(kSkewed)) skew(tensor, own);
    add(on(TransformKind::InlineMost, ""));
    if (!global) add(computeAt(tensor.tensor, tensor.reader, static_cast<int64_t>(own)));
  }

  // Swaps the types of two loops of the tensor's own, or the loops themselves.
  void exchange(const OnChip& tensor, size_t own) {
    std::vector<size_t> threads, serial;
    for (size_t i = own; i < tensor.loops; ++i) {
      if (isThreadDim(loops_[i].type)) threads.push_back(i);
      if (loops_[i].type == ParallelType::Serial && loops_[i].extent > 1) serial.push_back(i);
    }
    if (tensor.readsInputs && !threads.empty() && !serial.empty()) {
      const size_t thread = choices_.pick(threads), turn = choices_.pick(serial);
      if (loops_[turn].extent <= loops_[thread].extent) {
        add(parallelize(tensor.tensor, static_cast<int64_t>(thread), ParallelType::Serial));
        add(parallelize(tensor.tensor, static_cast<int64_t>(turn), loops_[thread].type));
        return;
      }
    }
    if (own + 1 >= tensor.loops) return;
    const int64_t axis = choices_.integer(static_cast<int64_t>(own), static_cast<int64_t>(tensor.loops) - 2);
    add(on(TransformKind::Reorder, tensor.tensor));
    steps_.back().old2new = {{axis, axis + 1}, {axis + 1, axis}};
  }

  void skew(const OnChip& tensor, size_t own) {
    constexpr int64_t kRows[] = {1, 2, 3, 4, 5, 8, 16, 32};
    if (tensor.loops > own && choices_.chance(0.5)) {
      Transform step = on(TransformKind::Swizzle, tensor.tensor);
      step.axis = choices_.integer(static_cast<int64_t>(own), static_cast<int64_t>(tensor.loops) - 1);
      return add(step);
    }
    Transform step = on(TransformKind::Pad, tensor.tensor);
    step.axis = choices_.pick(kRows);
    step.factor = choices_.integer(1, 5);
    add(step);
  }

  // Rule 18: inside the last serial loop are threads and blocks alone.
  void loadAhead() {
    const auto last = std::find_if(loops_.rbegin(), loops_.rend(),
                                   [](const DrawnLoop& loop) { return loop.isInTurns() && !loop.vector; });
    std::vector<std::string> copies;
    for (const Transform& step : steps_) {
      if (step.kind == TransformKind::CacheAfter) copies.push_back(step.other);
    }
    const bool turns = last != loops_.rend() && last->type == ParallelType::Serial;
    if (!turns || copies.empty() || !choices_.chance(kAhead)) return;
    if (choices_.chance(0.85)) return add(on(TransformKind::DoubleBuffer, choices_.pick(copies)));
    Transform step = on(TransformKind::CircularBuffer, choices_.pick(copies));
    step.axis = choices_.integer(2, 6);
    step.factor = choices_.integer(1, step.axis - 1);
    add(step);
  }

  const Fusion& part_;
  const TensorView* reference_;
  const ReferenceMap& map_;
  const PartLoops& partLoops_;
  const DeviceProperties& device_;
  Choices& choices_;
  bool reduces_ = false, keepsRows_ = false;
  bool sharesLines_ = false;    // blocks take parts of a line
  std::optional<size_t> line_;  // the loop that they go along it
  std::string name_;            // of the reference, in the kernel
  DrawnLoops loops_;
  std::vector<std::string> vectors_;  // the tensors that have vectors
  int64_t factors_ = 1;
  Schedule steps_;
};

}  // namespace

std::optional<Schedule> drawSchedule(const Fusion& part, const Schedule& chosen, const DeviceProperties& device,
                                     Choices& choices) {
  if (!chosen.empty() && chosen.front().kind == TransformKind::AddByAtomics) return drawAdds(part, device, choices);
  const auto handedOn = std::find_if(chosen.begin(), chosen.end(),
                                     [](const Transform& step) { return step.kind == TransformKind::Propagate; });
  if (handedOn == chosen.end()) return std::nullopt;
  const PartLoops loops = loopsOf(part);
  const TensorView* reference = nullptr;
  for (const TensorView* tensor : tensorsOf(loops.view.exprs)) {
    if (tensor->name() == handedOn->tensor || nameInKernel(tensor) == handedOn->tensor) reference = tensor;
  }
  if (!reference || reference->definition()->output() != reference) return std::nullopt;
  const std::variant<ReferenceMap, std::string> built = ReferenceMap::build(loops.view.exprs, reference);
  const ReferenceMap* map = std::get_if<ReferenceMap>(&built);
  if (!map) return std::nullopt;
  return ScheduleDrawer(part, reference, *map, loops, device, choices).draw(chosen);
}

}  // namespace fuser::fuzz
