#pragma once
// Memory of a launch as the lanes of a batch see it, with the checks of every access:
//   bounds          of Local and Shared buffers by their size, of tensors by the extent that sizes and strides address
//   alignment       of vectors: the index in elements, and a tensor's address in bytes
//   initialisation  of Local, Shared and written Global elements (outputs are fresh: they hold nothing)
//   races           on Shared and written Global elements: two threads, one of them writing, with no barrier between;
//                   threads of different blocks have none. Writing the same value twice is a race too.
// Lanes outside a mask touch nothing.
//
// A Local buffer is kept element by element, each an array over lanes: with a uniform index, ops run on it in place.

#include <cstddef>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuser/execute/interp_index.h"
#include "fuser/execute/interp_position.h"
#include "fuser/execute/interp_program.h"

namespace fuser::interp {

// The lanes that run: all of [begin, end), or those of them that are marked.
struct Mask {
  size_t begin = 0;
  size_t end = 0;
  const uint8_t* marks = nullptr;  // by lane; null: all
  bool active(size_t lane) const { return !marks || marks[lane]; }
  size_t width() const { return end - begin; }
};

// Hands out parts of one block of memory: first measured with a null base, then taken.
class Arena {
 public:
  explicit Arena(std::byte* base = nullptr) : base_(base) {}
  template <class T>
  T* take(size_t count) {
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
  // The arena's memory must be zero, or the arena a measuring one: then nothing else may be called. stride: lanes of a
  // whole batch.
  LaneMemory(const Program& program, const KernelArguments& arguments, const Position& position, IndexValues& values,
             size_t stride, Arena& arena);

  void beginBatch(size_t lanes);
  void allocate(int buffer);
  void barrier() { ++epoch_; }

  // Element `element` + offset of each active lane, in an array over lanes: read in place where that can be, else
  // through `room`. Lanes that do not run may hold anything of the dtype.
  const void* read(Element element, int offset, const Mask& mask, void* room);
  // Into `out`, zero for lanes in [begin, end) that do not run.
  void load(Element element, int offset, const Mask& mask, void* out);
  void store(Element element, int offset, const Mask& mask, const void* values);
  // The array itself where all of [begin, end) may be written in place (then it counts as written), else null.
  void* inPlace(Element element, int offset, const Mask& mask);

  void checkVector(Element element, int width, const Mask& mask) const;

 private:
  // Who touched an element last: threads of the launch from 1, 0 for nobody.
  struct History {
    uint32_t* writer = nullptr;
    uint32_t* writeEpoch = nullptr;  // null without barriers: all is one epoch
    uint32_t* reader = nullptr;      // kMany: several in this epoch
    uint32_t* readEpoch = nullptr;
  };
  struct Memory {
    const Buffer* buffer = nullptr;
    size_t elementSize = 0;
    int64_t extent = 0;           // elements
    std::byte* data = nullptr;    // Local: extent arrays over stride_ lanes
    uint8_t* written = nullptr;   // Local, Shared: as data
    bool output = false;          // a written tensor
    History history;
  };

  Memory& memory(Element element) { return memories_[static_cast<size_t>(element.buffer)]; }
  const Memory& memory(Element element) const { return memories_[static_cast<size_t>(element.buffer)]; }
  History takeHistory(size_t elements, bool readBack, Arena& arena) const;
  int64_t indexOf(const Memory& memory, Element element, int offset, size_t lane) const;
  // The place in data and written.
  size_t cell(const Memory& memory, int64_t index, size_t lane) const {
    return static_cast<size_t>(index) * (memory.buffer->memory == MemoryType::Local ? stride_ : 1) +
           (memory.buffer->memory == MemoryType::Local ? lane : 0);
  }
  std::byte* row(const Memory& memory, Element element, int offset, const Mask& mask) const;
  void checkRow(const Memory& memory, const uint8_t* written, const Mask& mask) const;
  bool loadAffine(const Memory& memory, Element element, int offset, const Mask& mask, void* out);
  bool storeAffine(Memory& memory, Element element, int offset, const Mask& mask, const void* values);
  bool gather(const Memory& memory, Element element, int offset, const Mask& mask, void* out) const;
  bool scatter(Memory& memory, Element element, int offset, const Mask& mask, const void* values);
  bool affineRange(const Memory& memory, Element element, int offset, const Mask& mask, int64_t& first, int64_t& step);
  void noteRead(Memory& memory, int64_t index, size_t lane);
  void noteWrite(Memory& memory, int64_t index, size_t lane);
  uint32_t idOf(size_t lane) const { return static_cast<uint32_t>(position_.threadOf(lane) + 1); }
  bool sameBlock(uint32_t a, uint32_t b) const {
    return (a - 1) / static_cast<uint32_t>(position_.threads) == (b - 1) / static_cast<uint32_t>(position_.threads);
  }
  [[noreturn]] void failRace(const Memory& memory, int64_t index, size_t lane, const char* mine, uint32_t other,
                             const char* theirs) const;

  const Program& program_;
  const Position& position_;
  IndexValues& values_;
  size_t stride_;
  size_t lanes_ = 0;
  uint32_t epoch_ = 1;
  std::vector<Memory> memories_;
};

}  // namespace fuser::interp
