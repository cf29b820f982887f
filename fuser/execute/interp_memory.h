#pragma once
// LaneMemory: the memory of a launch, with checks of every access by active lanes:
//   bounds          Local and Shared buffers by their size, tensors by the extent that sizes and strides address
//   alignment       of vectors: the index in elements, and a tensor's address in bytes
//   initialization  Local, Shared and written Global elements must be written before they are read
//   races           on Shared and written Global elements, and on inputs in the same memory: two threads access one
//                   element, at least one writes, and no barrier is in between: of their block, or of the grid if they
//                   are of different ones. Writing equal values is a race, too. What is found does not depend on the
//                   order in which blocks run.
//   semaphores      zero before the launch and after it
//
// Shared buffers lie where the kernel's layout puts them. An element whose bytes another buffer was stored in since
// counts as not written.
//
// A Local buffer is stored as one array over lanes per element, so that ops with a uniform index run on it in place.

#include <cstddef>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuser/execute/interp_index.h"
#include "fuser/execute/interp_position.h"
#include "fuser/execute/interp_program.h"

namespace fuser::interp {

// The active lanes: all of [begin, end), or the marked ones among them.
struct Mask {
  size_t begin = 0;
  size_t end = 0;
  const uint8_t* marks = nullptr;  // by lane; null: all
  bool active(size_t lane) const { return !marks || marks[lane]; }
  size_t width() const { return end - begin; }
};

// A bump allocator over one block of memory. With a null base it only measures how much memory is needed.
class Arena {
 public:
  explicit Arena(std::byte* base = nullptr) : base_(base) {}
  template <class T>
  T* allocate(size_t count) {
    const size_t at = used_;
    used_ += (count * sizeof(T) + 63) / 64 * 64;
    return base_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }
  size_t used() const { return used_; }

 private:
  std::byte* base_;
  size_t used_ = 0;
};

class LaneMemory {
 public:
  // The arena's memory must be zero. With a measuring arena, no other member may be called. `stride` is the number of
  // lanes in a whole batch.
  LaneMemory(const Program& program, const KernelArguments& arguments, const Position& position, IndexValues& values,
             size_t stride, Arena& arena);

  void beginBatch(size_t lanes);
  void allocate(int buffer);
  void barrier() { ++epoch_; }
  // Counts the arrival of `blocks` blocks at a barrier of the grid.
  void gridBarrier(int semaphore, int32_t blocks, size_t lane);
  void release(int semaphore);
  // Keeps the larger note of the check.
  void report(int errorWord, int64_t check, int64_t note);

  // Loads element `element` + offset of each active lane. Returns an array over lanes: the memory itself if possible,
  // otherwise `room`. Inactive lanes hold arbitrary values of the dtype.
  const void* read(Element element, int offset, const Mask& mask, void* room);
  // The same into `out`, with zero for inactive lanes in [begin, end).
  void load(Element element, int offset, const Mask& mask, void* out);
  void store(Element element, int offset, const Mask& mask, const void* values);
  // Adds the values to elements of a tensor that AtomicAdds alone access: no race. The last lane comes first, which is
  // not the order of the cpu engine, or the first one (KernelArguments::addsFirstLaneFirst): nothing relies on one.
  void add(Element element, DataType dtype, const Mask& mask, const void* values);
  // Returns the memory itself, marked as written, if all lanes in [begin, end) can be written in place; else null.
  void* inPlace(Element element, int offset, const Mask& mask);

  // The lane's Local element counts as not written.
  void forget(Element element, size_t lane);

  void checkVector(Element element, int width, const Mask& mask) const;

 private:
  // The last accesses of each element, for race detection. Threads of the launch are numbered from 1; 0: none.
  struct History {
    uint32_t* writer = nullptr;
    uint32_t* writeEpoch = nullptr;  // null for kernels without barriers, which have one epoch
    uint32_t* reader = nullptr;      // since the last barrier of the grid: a thread, or kManyThreads, or kManyBlocks
    uint32_t* readEpoch = nullptr;

    // That of the memory from an element on.
    History from(std::ptrdiff_t element) const {
      const auto behind = [&](uint32_t* of) { return of ? of + element : nullptr; };
      return {behind(writer), behind(writeEpoch), behind(reader), behind(readEpoch)};
    }
  };
  struct Memory {
    const Buffer* buffer = nullptr;
    size_t elementSize = 0;
    int64_t extent = 0;           // in elements
    std::byte* data = nullptr;    // Local: extent arrays over stride_ lanes
    uint8_t* written = nullptr;   // Local: a flag per element, laid out as `data`
    size_t unit = 0;              // Shared: the first unit of a block's shared memory that the buffer has,
    size_t unitsPerElement = 1;   // and how many each element has
    bool output = false;          // whether it is a written tensor
    History history;
  };

  Memory& memory(Element element) { return memories_[static_cast<size_t>(element.buffer)]; }
  const Memory& memory(Element element) const { return memories_[static_cast<size_t>(element.buffer)]; }
  History takeHistory(size_t elements, bool readBack, Arena& arena) const;
  void takeHistories(Arena& arena);
  int64_t indexOf(const Memory& memory, Element element, int offset, size_t lane) const;
  // The offset of an element in `data` and `written`.
  size_t cell(const Memory& memory, int64_t index, size_t lane) const {
    const size_t element = static_cast<size_t>(index);
    switch (memory.buffer->memory) {
      case MemoryType::Local: return element * stride_ + lane;
      case MemoryType::Shared: return lane / threads_ * (sharedBytes_ / memory.elementSize) + element;
      case MemoryType::Global: break;
    }
    return element;
  }
  // The offset of an element, or of its first unit, in `history`, and of that in owners_.
  size_t unitOf(const Memory& memory, int64_t index, size_t lane) const {
    if (memory.buffer->memory != MemoryType::Shared) return cell(memory, index, lane);
    return lane / threads_ * unitsPerBlock_ + memory.unit + static_cast<size_t>(index) * memory.unitsPerElement;
  }
  void takeShared(size_t stride, Arena& arena);
  bool isWritten(const Memory& memory, int64_t index, size_t lane) const;
  void markWritten(Memory& memory, int64_t index, size_t lane);
  // The blocks of a batch, each of which has its own shared memory.
  size_t blocksOf(size_t lanes) const { return (lanes + threads_ - 1) / threads_; }
  std::byte* row(const Memory& memory, Element element, int offset, const Mask& mask) const;
  void checkRow(const Memory& memory, const uint8_t* written, const Mask& mask) const;
  bool loadAffine(const Memory& memory, Element element, int offset, const Mask& mask, void* out);
  bool storeAffine(Memory& memory, Element element, int offset, const Mask& mask, const void* values);
  bool gather(const Memory& memory, Element element, int offset, const Mask& mask, void* out) const;
  bool scatter(Memory& memory, Element element, int offset, const Mask& mask, const void* values);
  bool affineRange(const Memory& memory, Element element, int offset, const Mask& mask, int64_t& first, int64_t& step);
  // Of one unit of the element, at `at` in the history.
  void noteRead(Memory& memory, int64_t index, size_t lane, size_t at);
  void noteWrite(Memory& memory, int64_t index, size_t lane, size_t at);
  // Whether what a thread did at that time may meet what the thread `id` does now.
  bool mayMeet(uint32_t other, uint32_t epoch, uint32_t id) const;
  uint32_t idOf(size_t lane) const { return static_cast<uint32_t>(position_.threadOf(lane) + 1); }
  uint32_t blockOf(uint32_t id) const { return (id - 1) / static_cast<uint32_t>(threads_); }
  [[noreturn]] void failRace(const Memory& memory, int64_t index, size_t lane, const char* mine, uint32_t other,
                             const char* theirs) const;

  const Program& program_;
  const Position& position_;
  IndexValues& values_;
  size_t stride_;
  size_t threads_;  // of a block
  bool addsFirstLaneFirst_;
  size_t lanes_ = 0;
  uint32_t epoch_ = 1;      // barriers so far, of blocks and of the grid
  int32_t arrived_ = 0;     // blocks at barriers of the grid so far
  uint32_t gridEpoch_ = 1;  // the epoch after the last barrier of the grid
  std::vector<Memory> memories_;
  // Shared memory of a block, as sharedLayout lays it out, in units of the smallest element there: buffers that have
  // the same bytes share them here, too, with the history of who accessed them.
  size_t sharedBytes_ = 0, unitsPerBlock_ = 0;
  uint32_t* owners_ = nullptr;  // by unit: 1 + the buffer that was last stored there; 0: none since its Allocate
  History shared_;
};

}  // namespace fuser::interp
