// Executes a Program on batches of lanes.
#include "fuser/execute/interp_machine.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "fuser/execute/interp_cost.h"
#include "fuser/execute/launch_shape.h"

namespace fuser::interp {
namespace {

constexpr size_t kRooms = 8;  // arrays over lanes, 8 bytes each, for operands on their way

void fillLanes(std::byte* lanes, size_t elementSize, size_t count) {  // with a copy of the first
  for (size_t filled = 1; filled < count;) {
    const size_t more = std::min(filled, count - filled);
    std::memcpy(lanes + filled * elementSize, lanes, more * elementSize);
    filled += more;
  }
}

class Machine {
 public:
  // With a measuring arena, the members must not be used.
  Machine(const Program& program, const KernelArguments& arguments, const Position& shape, int64_t blocks, Arena& arena)
      : program_(program),
        arguments_(arguments),
        position_(shape),
        blocks_(blocks),
        together_(std::min(blocks, program.blocksTogether)),
        stride_(static_cast<size_t>(program.threads * together_)),
        values_(program.index, stride_),
        memory_(program, arguments, position_, values_, stride_, arena),
        zeroed_(arena.used()),
        masks_(program.branches) {
    values_.useMemory(arena.allocate<int64_t>(program.index.laneSlots() * stride_));
    for (std::byte*& room : rooms_) room = arena.allocate<std::byte>(8 * stride_);
    for (std::byte*& pair : pairs_) pair = arena.allocate<std::byte>(16 * stride_);
    for (CachedMask& mask : masks_) mask.marks = arena.allocate<uint8_t>(stride_);
    for (const Constant& constant : program.constants) {
      constants_.push_back(arena.allocate<std::byte>(dtypeSize(constant.dtype) * stride_));
    }
  }

  size_t zeroed() const { return zeroed_; }
  void countWith(CostCounter& counter) { counter_ = &counter; }

  // All blocks, or about mostBlocks of more: batches at even distances, the first and the last among them.
  void run(int64_t mostBlocks) {
    bindSymbols();
    values_.compute(kLaunchScope, stride_);
    for (size_t i = 0; i < constants_.size(); ++i) fillConstant(program_.constants[i], constants_[i]);
    const int64_t batches = (blocks_ + together_ - 1) / together_;
    const bool samples = mostBlocks > 0 && mostBlocks < blocks_ && batches > 1;
    const int64_t run = samples ? std::clamp<int64_t>(mostBlocks / together_, 2, batches) : batches;
    for (int64_t i = 0; i < run; ++i) {
      const int64_t block = (run == 1 ? 0 : i * (batches - 1) / (run - 1)) * together_;
      lanes_ = static_cast<size_t>(program_.threads * std::min(blocks_ - block, together_));
      position_.firstBlock = block;
      bindBlocks(block);
      values_.compute(kBatchScope, lanes_);
      memory_.beginBatch(lanes_);
      if (counter_) counter_->beginBatch(lanes_);
      this->run(program_.body, Mask{0, lanes_, nullptr});
    }
  }

 private:
  struct CachedMask {
    uint8_t* marks = nullptr;
    uint32_t version = 0;  // of the condition; 0: nothing cached
    size_t lanes = 0;
    Mask mask;
  };

  void bindSymbols() {
    for (size_t i = 0; i < program_.params.size(); ++i) {
      const int64_t value = arguments_.ints[i];
      values_.set(program_.params[i], value);
      values_.bound(program_.params[i], value, value);
    }
    int64_t step = 1;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t size = program_.kernel->blockDim[d];
      if (const int r = program_.threadIdx[d]; r >= 0) {
        values_.bound(r, 0, size - 1);
        int64_t* lanes = values_.setLanes(r);
        for (size_t lane = 0; lane < stride_; ++lane) lanes[lane] = static_cast<int64_t>(lane) / step % size;
      }
      if (const int r = program_.blockIdx[d]; r >= 0) values_.bound(r, 0, position_.grid[d] - 1);
      step *= size;
    }
    values_.prepare();
  }

  void bindBlocks(int64_t first) {
    int64_t step = 1;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t size = position_.grid[d];
      if (const int r = program_.blockIdx[d]; r >= 0) {
        int64_t* lanes = values_.setLanes(r);
        const size_t threads = static_cast<size_t>(program_.threads);
        for (size_t lane = 0; lane < lanes_; lane += threads) {
          const int64_t block = first + static_cast<int64_t>(lane / threads);
          std::fill_n(lanes + lane, threads, block / step % size);
        }
      }
      step *= size;
    }
  }

  void fillConstant(const Constant& constant, std::byte* lanes) {
    const Operand& operand = constant.operand;
    const ScalarValue& value = operand.kind == Operand::Kind::Param
                                   ? arguments_.scalars[static_cast<size_t>(operand.param)]
                                   : operand.literal;
    std::visit([&](auto raw) {
      DataType dtype = DataTypeOf<decltype(raw)>::value;
      alignas(8) std::byte rounded[8];
      const void* from = &raw;
      if (operand.roundTo) {
        convertFunction(dtype, *operand.roundTo)(&raw, rounded, 1);
        from = rounded;
        dtype = *operand.roundTo;
      }
      convertFunction(dtype, constant.dtype)(from, lanes, 1);
    }, value.variant());
    fillLanes(lanes, dtypeSize(constant.dtype), stride_);
  }

  void run(const Steps& steps, const Mask& mask) {
    const Statement* outer = position_.statement;
    for (const Step& step : steps) {
      position_.statement = step.source;
      std::visit([&](const auto& node) { execute(node, mask); }, step.node);
    }
    position_.statement = outer;
  }

  // Counts an access that was done.
  void count(Element element, int width, const Mask& mask) {
    if (!counter_) return;
    const bool varying = program_.index[element.index].varying;
    const LaneIndices indices{varying ? values_.lanes(element.index) : nullptr,
                              varying ? 0 : values_.uniform(element.index)};
    counter_->access(element.buffer, width, mask, indices);
  }
  void countBarriers(const Mask& mask, int64_t each) {
    if (counter_) counter_->barriers(mask, each);
  }

  void execute(const AllocateStep& step, const Mask&) { memory_.allocate(step.buffer); }

  void execute(const LoopStep& step, const Mask& mask) {
    const int64_t extent = values_.at(step.extent, mask.begin);
    for (size_t lane = mask.begin; program_.index[step.extent].varying && lane < mask.end; ++lane) {
      if (mask.active(lane) && values_.at(step.extent, lane) != extent) {
        position_.fail(lane, concat("divergent loop: threads of a block turn ", extent, " and ",
                                    values_.at(step.extent, lane), " times"));
      }
    }
    if (extent == kOverflow) position_.failOverflow(mask.begin, "in a loop's extent");
    for (int64_t i = 0; i < extent; ++i) {
      if (step.index >= 0) values_.set(step.index, i);
      values_.compute(step.scope, lanes_);
      run(step.body, mask);
    }
  }

  void execute(const BranchStep& step, const Mask& mask) {
    if (!program_.index[step.condition].varying) {
      const int64_t condition = values_.uniform(step.condition);
      if (condition == kOverflow) position_.failOverflow(mask.begin, "in a condition");
      if (condition != 0) run(step.body, mask);
      return;
    }
    CachedMask& cached = masks_[step.cache];
    const bool whole = !mask.marks && mask.begin == 0 && mask.end == lanes_;
    if (!whole || cached.version != values_.version(step.condition) || cached.lanes != lanes_) {
      cached.mask = narrow(mask, values_.lanes(step.condition), cached.marks);
      cached.version = whole ? values_.version(step.condition) : 0;
      cached.lanes = lanes_;
    }
    if (cached.mask.width() > 0) run(step.body, cached.mask);
  }

  // The active lanes whose condition holds; `marks` has room for one mark per lane.
  Mask narrow(const Mask& mask, const int64_t* condition, uint8_t* marks) const {
    size_t count = 0;
    bool overflow = false;
    for (size_t lane = mask.begin; lane < mask.end; ++lane) {
      const bool active = mask.active(lane) & (condition[lane] != 0);
      marks[lane] = active;
      count += active;
      overflow |= active & (condition[lane] == kOverflow);
    }
    for (size_t lane = mask.begin; overflow && lane < mask.end; ++lane) {
      if (marks[lane] && condition[lane] == kOverflow) position_.failOverflow(lane, "in a condition");
    }
    if (count == 0) return {0, 0, nullptr};
    size_t first = mask.begin;
    size_t last = mask.end - 1;
    while (!marks[first]) ++first;
    while (!marks[last]) --last;
    return {first, last + 1, last + 1 - first == count ? nullptr : marks};
  }

  void execute(const LoadIndexStep& step, const Mask& mask) {
    if (step.wide) return loadIndex<int64>(step, mask);
    loadIndex<int32>(step, mask);
  }

  // Inactive lanes get the lower bound, so that arithmetic on them stays inside the bounds from prepare().
  template <class T>
  void loadIndex(const LoadIndexStep& step, const Mask& mask) {
    const T* loaded = static_cast<const T*>(memory_.read(step.source, 0, mask, rooms_[0]));
    count(step.source, 1, mask);
    const int64_t low = values_.uniform(step.low);
    const int64_t extent = values_.uniform(step.extent);
    if (low == kOverflow || extent == kOverflow) position_.fail(mask.begin, "index overflow in the range of an index");
    int64_t* lanes = values_.setLanes(step.index);
    std::fill(lanes, lanes + mask.begin, low);
    std::fill(lanes + mask.end, lanes + lanes_, low);
    bool outside = false;
    for (size_t lane = mask.begin; lane < mask.end; ++lane) {
      const bool active = mask.active(lane);
      const int64_t value = loaded[lane];
      outside |= active & ((value < low) | (value >= extent));
      lanes[lane] = active ? value : low;
    }
    for (size_t lane = mask.begin; outside && lane < mask.end; ++lane) {
      const int64_t value = lanes[lane];
      if (mask.active(lane) && (value < low || value >= extent)) {
        position_.fail(lane, concat("index out of range: ", value, " is not in [", low, ", ", extent, ")"));
      }
    }
    values_.compute(step.scope, lanes_);
  }

  void execute(const MoveStep& step, const Mask& mask) {
    if (step.width > 1) {
      memory_.checkVector(step.source, step.width, mask);
      memory_.checkVector(step.target, step.width, mask);
    }
    for (int i = 0; i < step.width; ++i) {
      if (step.source.buffer != step.target.buffer) {
        if (void* direct = memory_.inPlace(step.target, i, mask)) {
          memory_.load(step.source, i, mask, direct);
          continue;
        }
      }
      memory_.store(step.target, i, mask, memory_.read(step.source, i, mask, rooms_[0]));
    }
    count(step.source, step.width, mask);
    count(step.target, step.width, mask);
  }

  // Loads an operand for the active lanes, in the dtype that the op takes.
  const void* fetch(const Input& input, size_t place, const Mask& mask) {
    const void* values = nullptr;
    switch (input.kind) {
      case Input::Kind::Constant: return constants_[input.constant];
      case Input::Kind::Element:
        values = memory_.read(input.element, 0, mask, rooms_[2 * place]);
        count(input.element, 1, mask);
        break;
      case Input::Kind::Integer: values = integers(input.integer, mask, rooms_[2 * place]); break;
    }
    if (!input.convert) return values;
    const size_t fromSize = input.kind == Input::Kind::Integer
                                ? sizeof(int64_t)
                                : dtypeSize(program_.kernel->buffers[static_cast<size_t>(input.element.buffer)].dtype);
    std::byte* converted = rooms_[2 * place + 1];
    input.convert(static_cast<const std::byte*>(values) + mask.begin * fromSize,
                  converted + mask.begin * dtypeSize(input.dtype), mask.width());
    return converted;
  }

  const void* integers(int r, const Mask& mask, std::byte* room) {
    for (size_t lane = mask.begin; lane < mask.end; ++lane) {
      if (mask.active(lane) && values_.at(r, lane) == kOverflow) position_.fail(lane, "index overflow in an operand");
    }
    if (program_.index[r].varying) return values_.lanes(r);
    std::fill_n(reinterpret_cast<int64_t*>(room) + mask.begin, mask.width(), values_.uniform(r));
    return room;
  }

  void execute(const ComputeStep& step, const Mask& mask) {
    const std::byte* in[3] = {};
    for (size_t i = 0; i < step.inputCount; ++i) {
      in[i] = static_cast<const std::byte*>(fetch(step.inputs[i], i, mask));
    }
    const size_t resultSize = dtypeSize(step.resultDtype);
    std::byte* direct = static_cast<std::byte*>(memory_.inPlace(step.target, 0, mask));
    const std::byte* result = in[0];
    if (step.function) {
      std::byte* out = direct && !step.convert ? direct : rooms_[6];
      for (size_t i = 0; i < step.inputCount; ++i) in[i] += mask.begin * dtypeSize(step.inputs[i].dtype);
      step.function(in[0], in[1], in[2], out + mask.begin * resultSize, mask.width());
      result = out;
    }
    if (step.convert) {
      std::byte* out = direct ? direct : rooms_[7];
      const size_t targetSize =
          dtypeSize(program_.kernel->buffers[static_cast<size_t>(step.target.buffer)].dtype);
      step.convert(result + mask.begin * resultSize, out + mask.begin * targetSize, mask.width());
      result = out;
    }
    if (!direct) {
      memory_.store(step.target, 0, mask, result);
    } else if (result != direct) {
      std::memcpy(direct + mask.begin * resultSize, result + mask.begin * resultSize, mask.width() * resultSize);
    }
    count(step.target, 1, mask);
  }

  // Checks that all or none of the threads of each block arrive.
  void checkMeeting(const Mask& mask, const char* what) const {
    const size_t threads = static_cast<size_t>(program_.threads);
    if (!mask.marks && mask.begin % threads == 0 && mask.end % threads == 0) return;
    for (size_t block = mask.begin / threads * threads; block < mask.end; block += threads) {
      const auto runs = [&](size_t lane) { return lane >= mask.begin && lane < mask.end && mask.active(lane); };
      size_t arrived = 0;
      size_t missing = block;
      for (size_t lane = block; lane < block + threads; ++lane) {
        arrived += runs(lane);
        if (!runs(lane)) missing = lane;
      }
      if (arrived != 0 && arrived != threads) {
        position_.fail(missing, concat("divergent ", what, ": this thread does not arrive, others of its block do"));
      }
    }
  }

  void execute(const BarrierStep& step, const Mask& mask) {
    if (step.semaphore < 0) {
      checkMeeting(mask, "barrier");
      memory_.barrier();
      return countBarriers(mask, 1);
    }
    for (size_t lane = 0; lane < lanes_; ++lane) {
      if (lane >= mask.begin && lane < mask.end && mask.active(lane)) continue;
      position_.fail(lane, "divergent grid barrier: this thread does not arrive, others do");
    }
    memory_.gridBarrier(step.semaphore, static_cast<int32_t>(blocks_), mask.begin);
    countBarriers(mask, CostCounter::kBarriersOfGrid);
  }

  void execute(const ReleaseStep& step, const Mask&) { memory_.release(step.semaphore); }

  void execute(const ReportStep& step, const Mask& mask) {
    const void* loaded = memory_.read(step.index, 0, mask, rooms_[0]);
    count(step.index, 1, mask);
    for (size_t lane = mask.begin; lane < mask.end; ++lane) {
      if (!mask.active(lane)) continue;
      const int64_t place = values_.at(step.place, lane);
      if (place == kOverflow || place >= kNotedPlaces) position_.failOverflow(lane, "in a report");
      const int64_t index =
          step.wide ? static_cast<const int64*>(loaded)[lane] : static_cast<const int32*>(loaded)[lane];
      memory_.report(step.errorWord, step.check, noteOf(place, index));
    }
  }

  void execute(const AtomicAddStep& step, const Mask& mask) {
    memory_.add(step.target, step.dtype, mask, memory_.read(step.source, 0, mask, rooms_[0]));
    count(step.source, 1, mask);
    count(step.target, 1, mask);
  }

  void execute(const ShuffleStep& step, const Mask& mask) {
    checkMeeting(mask, "shuffle");
    const void* source = memory_.read(step.source, 0, mask, rooms_[0]);
    switch (step.elementSize) {
      case 1: return shuffle<uint8_t>(step, mask, source);
      case 2: return shuffle<uint16_t>(step, mask, source);
      case 4: return shuffle<uint32_t>(step, mask, source);
      case 8: return shuffle<uint64_t>(step, mask, source);
    }
    FUSER_CHECK(false, "an element of ", step.elementSize, " bytes");
  }

  // A thread without a partner gets its own value, and the target counts as not written.
  template <class T>
  void shuffle(const ShuffleStep& step, const Mask& mask, const void* source) {
    const bool exchanges = step.from == Shuffle::From::Xor;
    void* direct = memory_.inPlace(step.target, 0, mask);
    const bool overItself = exchanges && step.source.buffer == step.target.buffer;
    T* to = reinterpret_cast<T*>(direct && !overItself ? direct : rooms_[1]);
    const size_t threads = static_cast<size_t>(program_.threads);
    for (size_t block = mask.begin / threads * threads; block < mask.end; block += threads) {
      const T* from = static_cast<const T*>(source) + block;
      if (exchanges) {
        exchange(from, to + block, threads, step.lanes);
      } else {
        for (size_t i = 0; i < threads; i += step.lanes) {
          std::fill(to + block + i, to + block + std::min(i + step.lanes, threads), from[i]);
        }
      }
    }
    if (direct && overItself) std::copy(to + mask.begin, to + mask.end, static_cast<T*>(direct) + mask.begin);
    if (!direct) memory_.store(step.target, 0, mask, to);
    const size_t whole = threads / (2 * step.lanes) * 2 * step.lanes;
    for (size_t lane = mask.begin; exchanges && whole < threads && lane < mask.end; ++lane) {
      const bool partner = ((lane % threads) ^ step.lanes) < threads;
      if (mask.active(lane) && !partner) memory_.forget(step.target, lane);
    }
  }

  // to[i] = from[i ^ lanes], of the threads of a block.
  template <class T>
  static void exchange(const T* from, T* to, size_t threads, size_t lanes) {
    if (lanes == 1 && threads % 2 == 0) return exchangePairs<T, 1>(from, to, threads);
    if (lanes == 2 && threads % 4 == 0) return exchangePairs<T, 2>(from, to, threads);
    if (lanes == 4 && threads % 8 == 0) return exchangePairs<T, 4>(from, to, threads);
    size_t i = 0;
    for (; i + 2 * lanes <= threads; i += 2 * lanes) {
      std::copy_n(from + i + lanes, lanes, to + i);
      std::copy_n(from + i, lanes, to + i + lanes);
    }
    for (; i < threads; ++i) to[i] = from[(i ^ lanes) < threads ? i ^ lanes : i];
  }

  // The same of few lanes, where each has a partner: a loop that the compiler writes out.
  template <class T, size_t lanes>
  static void exchangePairs(const T* from, T* to, size_t threads) {
    for (size_t i = 0; i < threads; i += 2 * lanes) {
      for (size_t k = 0; k < 2 * lanes; ++k) to[i + k] = from[i + (k ^ lanes)];
    }
  }

  void execute(const JoinStep& step, const Mask& mask) {
    if (step.dtype == DataType::Float) return joinOther<float>(step, mask);
    joinOther<double>(step, mask);
  }

  // WelfordFunction joins element i + width to element i.
  template <class T>
  void joinOther(const JoinStep& step, const Mask& mask) {
    const size_t width = mask.width();
    const auto gather = [&]<class Part>(Part* pair, size_t part) {
      const Element elements[] = {step.own[part], step.other[part]};
      for (size_t side = 0; side < 2; ++side) {
        const Part* from = static_cast<const Part*>(memory_.read(elements[side], 0, mask, rooms_[side]));
        std::copy_n(from + mask.begin, width, pair + side * width);
      }
      count(step.other[part], 1, mask);
    };
    T* mean = reinterpret_cast<T*>(pairs_[0]);
    T* squares = reinterpret_cast<T*>(pairs_[1]);
    int64* terms = reinterpret_cast<int64*>(pairs_[2]);
    gather(mean, 0);
    gather(squares, 1);
    gather(terms, 2);
    for (size_t i = 0; mask.marks && i < width; ++i) {
      if (!mask.active(mask.begin + i)) terms[i] = terms[width + i] = 0;  // whose sum may overflow
    }
    step.function(mean, squares, terms, width, width);
    put(step.own[0], mask, mean);
    put(step.own[1], mask, squares);
    put(step.own[2], mask, terms);
  }

  // The numbers of a warp's matrices, widened.
  struct Matrices {
    float left[Mma::kRows][Mma::kTerms], right[Mma::kColumns][Mma::kTerms];
  };

  void execute(const MmaStep& step, const Mask& mask) {
    checkMeeting(mask, "mma");
    matrices_.resize(lanes_ / Mma::kLanes);
    const auto forEachLane = [&](const auto& visit) {
      for (size_t lane = mask.begin; lane < mask.end; ++lane) {
        if (mask.active(lane))
          visit(matrices_[lane / Mma::kLanes], lane, lane % Mma::kLanes / 4, 2 * (lane % Mma::kLanes % 4));
      }
    };
    const ConvertFunction widen = convertFunction(step.isHalf ? DataType::Half : DataType::BFloat16, DataType::Float);
    const auto numbers = [&](Element first, int at) {
      const std::byte* raw = static_cast<const std::byte*>(memory_.read(first, at, mask, rooms_[0]));
      widen(raw + 2 * mask.begin, rooms_[1] + 4 * mask.begin, mask.width());
      return reinterpret_cast<const float*>(rooms_[1]);
    };
    for (int e = 0; e < Mma::kLeft; ++e) {
      const float* left = numbers(step.left, e);
      forEachLane([&](Matrices& of, size_t lane, size_t g, size_t t2) {
        of.left[g + e / 2 % 2 * 8][t2 + e % 2 + e / 4 * 8] = left[lane];
      });
    }
    for (int e = 0; e < Mma::kRight; ++e) {
      const float* right = numbers(step.right, e);
      forEachLane(
          [&](Matrices& of, size_t lane, size_t g, size_t t2) { of.right[g][t2 + e % 2 + e / 2 * 8] = right[lane]; });
    }
    for (size_t e = 0; e < step.sums.size(); ++e) {
      const float* before = static_cast<const float*>(memory_.read(step.sums[e], 0, mask, rooms_[0]));
      float* sums = reinterpret_cast<float*>(rooms_[1]);
      forEachLane([&](const Matrices& of, size_t lane, size_t g, size_t t2) {
        sums[lane] = sumWithProducts(before[lane], of.left[g + e / 2 * 8], of.right[t2 + e % 2]);
      });
      memory_.store(step.sums[e], 0, mask, sums);
    }
  }

  // Stores values that begin with that of mask.begin.
  template <class T>
  void put(Element element, const Mask& mask, const T* values) {
    void* direct = memory_.inPlace(element, 0, mask);
    T* to = reinterpret_cast<T*>(direct ? direct : rooms_[0]);
    std::copy_n(values, mask.width(), to + mask.begin);
    if (!direct) memory_.store(element, 0, mask, to);
  }

  const Program& program_;
  const KernelArguments& arguments_;
  Position position_;
  int64_t blocks_;
  int64_t together_;  // blocks of a batch
  size_t stride_;
  size_t lanes_ = 0;
  IndexValues values_;
  LaneMemory memory_;
  size_t zeroed_;
  std::array<std::byte*, kRooms> rooms_{};
  std::vector<Matrices> matrices_;     // of the warps of a batch
  std::array<std::byte*, 3> pairs_{};  // for the parts of a join, each of two arrays over lanes, 8 bytes each
  std::vector<CachedMask> masks_;
  std::vector<std::byte*> constants_;
  CostCounter* counter_ = nullptr;  // null: nothing is counted
};

void checkTensors(const Kernel& kernel, const KernelArguments& arguments) {
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorRef& tensor = arguments.tensors[i];
    FUSER_CHECK(tensor.device.kind == DeviceKind::Cpu, "the interpreter takes tensors of the CPU");
    FUSER_CHECK(tensor.sizes.size() == kernel.tensors[i].rank, "argument ", i, " of kernel ", kernel.name, " has rank ",
                tensor.sizes.size());
    FUSER_CHECK(extentInMemory(tensor.sizes, tensor.strides) <= kMaxElements, "argument ", i, " is too large");
  }
}

}  // namespace

std::byte* Scratch::get(size_t bytes, size_t zeroed) {
  if (size_ < bytes) {
    size_ = 0;
    memory_.reset(new std::byte[bytes + 64]);
    size_ = bytes;
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory_.get());
  std::byte* aligned = memory_.get() + (64 - address % 64) % 64;
  std::memset(aligned, 0, zeroed);
  return aligned;
}

void runLaunch(const Program& program, const KernelArguments& arguments, Scratch& scratch, LaunchCost* cost,
               int64_t mostBlocks) {
  const Kernel& kernel = *program.kernel;
  checkArguments(kernel, arguments);
  checkTensors(kernel, arguments);
  Position shape;
  shape.kernel = &kernel;
  shape.threads = program.threads;
  shape.grid = gridOf(kernel, arguments);
  __int128 blocks = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (shape.grid[d] == 0) return;
    const int64_t most = std::array{kernel.device.gridX, kernel.device.gridY, kernel.device.gridZ}[d];
    if (shape.grid[d] > most) {
      shape.failLaunch(concat("grid size ", shape.grid[d], " along ", "xyz"[d], "; the device takes ", most));
    }
    blocks *= shape.grid[d];
  }
  if (const std::string reason = whyNotAtOnce(kernel, shape.grid); !reason.empty()) shape.failLaunch(reason);
  FUSER_USER_CHECK(blocks * program.threads < std::numeric_limits<int32_t>::max(), "kernel ", kernel.name,
                   " runs more threads than the interpreter counts");
  FUSER_USER_CHECK(!program.atOnce || blocks * program.threads * program.localBytes <= (size_t{1} << 30), "kernel ",
                   kernel.name, " needs ", program.localBytes, " bytes of local memory for each of its ",
                   static_cast<int64_t>(blocks) * program.threads, " threads, which run at once");
  Arena measure;
  const Machine measured(program, arguments, shape, static_cast<int64_t>(blocks), measure);
  Arena arena(scratch.get(measure.used(), measured.zeroed()));
  Machine machine(program, arguments, shape, static_cast<int64_t>(blocks), arena);
  std::optional<CostCounter> counter;
  if (cost) machine.countWith(counter.emplace(program, arguments));
  machine.run(mostBlocks);
  if (cost) *cost += counter->finish(static_cast<int64_t>(blocks));
}

}  // namespace fuser::interp
