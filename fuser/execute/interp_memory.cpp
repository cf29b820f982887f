// Memory accesses of lanes and their checks.
#include "fuser/execute/interp_memory.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>

#include "fuser/execute/launch_shape.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser::interp {
namespace {

// In place of a reader: threads of several blocks, or of one (the block's number in the low bits). Threads are fewer.
constexpr uint32_t kManyBlocks = ~uint32_t{0};
constexpr uint32_t kManyThreads = uint32_t{1} << 31;
constexpr size_t kMostSharedBytes = size_t{1} << 30;  // of a block, whatever the kernel says

// Calls f with the unsigned type of that size.
template <class F>
void withSize(size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    case 8: return f.template operator()<uint64_t>();
  }
  FUSER_CHECK(false, "an element of ", bytes, " bytes");
}

}  // namespace

LaneMemory::LaneMemory(const Program& program, const KernelArguments& arguments, const Position& position,
                       IndexValues& values, size_t stride, Arena& arena)
    : program_(program),
      position_(position),
      values_(values),
      stride_(stride),
      threads_(static_cast<size_t>(program.threads)),
      addsFirstLaneFirst_(arguments.addsFirstLaneFirst) {
  const Kernel& kernel = *program.kernel;
  for (const Buffer& buffer : kernel.buffers) {
    Memory memory;
    memory.buffer = &buffer;
    memory.elementSize = dtypeSize(buffer.dtype);
    if (buffer.memory == MemoryType::Global) {
      const TensorRef& tensor = globalArgument(kernel, buffer, arguments);
      memory.extent = extentInMemory(tensor.sizes, tensor.strides);
      memory.data = static_cast<std::byte*>(tensor.data);
      memory.output = buffer.tensor < 0 || kernel.tensors[static_cast<size_t>(buffer.tensor)].written;
    } else {
      memory.extent = buffer.size->value;
      const size_t cells = static_cast<size_t>(memory.extent) * stride;
      if (buffer.memory == MemoryType::Local) memory.data = arena.allocate<std::byte>(cells * memory.elementSize);
      if (buffer.memory == MemoryType::Local) memory.written = arena.allocate<uint8_t>(cells);
    }
    memories_.push_back(memory);
  }
  takeHistories(arena);
  takeShared(stride, arena);
}

// Tensors that overlap have one history, if one of them is written: what is stored over another one's element is a race
// with who accesses it there. A group is a chain of overlaps, of tensors whose elements lie alike.
void LaneMemory::takeHistories(Arena& arena) {
  const auto address = [](const Memory& m) { return reinterpret_cast<uintptr_t>(m.data); };
  const auto place = [&](const Memory& m) { return std::tuple(m.elementSize, address(m) % m.elementSize, address(m)); };
  std::vector<Memory*> tensors;
  for (Memory& m : memories_) {
    if (m.buffer->memory == MemoryType::Global) tensors.push_back(&m);
  }
  std::stable_sort(tensors.begin(), tensors.end(), [&](Memory* a, Memory* b) { return place(*a) < place(*b); });
  const auto end = [&](const Memory& m) { return address(m) + static_cast<size_t>(m.extent) * m.elementSize; };
  for (size_t first = 0, last; first < tensors.size(); first = last) {
    const Memory& lowest = *tensors[first];
    uintptr_t groupEnd = end(lowest);
    for (last = first + 1; last < tensors.size(); ++last) {
      const Memory& next = *tensors[last];
      const bool liesAlike =
          next.elementSize == lowest.elementSize && (address(next) - address(lowest)) % lowest.elementSize == 0;
      if (!liesAlike || address(next) >= groupEnd) break;
      groupEnd = std::max(groupEnd, end(next));
    }
    const std::span<Memory* const> group = std::span(tensors).subspan(first, last - first);
    if (std::none_of(group.begin(), group.end(), [](Memory* m) { return m->output; })) continue;
    const bool isRead = std::any_of(group.begin(), group.end(), [&](Memory* m) {
      return !m->output || program_.readBack[static_cast<size_t>(m->buffer->id)];
    });
    const History all = takeHistory((groupEnd - address(lowest)) / lowest.elementSize, isRead, arena);
    for (Memory* m : group) {
      m->history = all.from(static_cast<std::ptrdiff_t>((address(*m) - address(lowest)) / m->elementSize));
    }
  }
}

void LaneMemory::takeShared(size_t stride, Arena& arena) {
  const SharedLayout layout = sharedLayout(*program_.kernel);
  if (layout.end == 0) return;
  size_t unit = 8;
  for (const Memory& m : memories_) {
    if (m.buffer->memory == MemoryType::Shared) unit = std::min(unit, m.elementSize);
  }
  FUSER_CHECK(layout.end <= kMostSharedBytes, layout.end, " bytes of shared memory");
  sharedBytes_ = layout.end;
  unitsPerBlock_ = layout.end / unit;
  const size_t units = unitsPerBlock_ * blocksOf(stride);
  std::byte* data = arena.allocate<std::byte>(sharedBytes_ * blocksOf(stride));
  owners_ = arena.allocate<uint32_t>(units);
  shared_ = takeHistory(units, true, arena);
  for (Memory& m : memories_) {
    if (m.buffer->memory != MemoryType::Shared) continue;
    const size_t offset = layout.offsets[static_cast<size_t>(m.buffer->id)];
    FUSER_CHECK(offset % 16 == 0, m.buffer->name, " is at ", offset);
    if (data) m.data = data + offset;
    m.unit = offset / unit;
    m.unitsPerElement = m.elementSize / unit;
    m.history = shared_;
  }
}

bool LaneMemory::isWritten(const Memory& m, int64_t index, size_t lane) const {
  if (m.written) return m.written[cell(m, index, lane)] != 0;
  if (m.buffer->memory != MemoryType::Shared) return true;
  const uint32_t* owners = owners_ + unitOf(m, index, lane);
  const auto own = static_cast<uint32_t>(m.buffer->id + 1);
  return std::all_of(owners, owners + m.unitsPerElement, [&](uint32_t owner) { return owner == own; });
}

void LaneMemory::markWritten(Memory& m, int64_t index, size_t lane) {
  if (m.written) m.written[cell(m, index, lane)] = 1;
  if (m.buffer->memory != MemoryType::Shared) return;
  std::fill_n(owners_ + unitOf(m, index, lane), m.unitsPerElement, static_cast<uint32_t>(m.buffer->id + 1));
}

LaneMemory::History LaneMemory::takeHistory(size_t elements, bool readBack, Arena& arena) const {
  History history;
  history.writer = arena.allocate<uint32_t>(elements);
  if (program_.ordered) history.writeEpoch = arena.allocate<uint32_t>(elements);
  if (readBack) {
    history.reader = arena.allocate<uint32_t>(elements);
    history.readEpoch = arena.allocate<uint32_t>(elements);
  }
  return history;
}

void LaneMemory::beginBatch(size_t lanes) {
  lanes_ = lanes;
  ++epoch_;
  for (Memory& m : memories_) {
    if (m.buffer->memory == MemoryType::Global) continue;
    if (m.buffer->memory == MemoryType::Local) allocate(m.buffer->id);
  }
  if (!owners_) return;
  // The next block's shared memory is new: no thread has accessed it.
  const size_t units = unitsPerBlock_ * blocksOf(lanes);
  std::fill_n(owners_, units, 0u);
  std::fill_n(shared_.writer, units, 0u);
  std::fill_n(shared_.reader, units, 0u);
}

void LaneMemory::allocate(int buffer) {
  Memory& m = memories_[static_cast<size_t>(buffer)];
  if (m.buffer->memory == MemoryType::Shared) {
    const size_t units = static_cast<size_t>(m.extent) * m.unitsPerElement;
    for (size_t block = 0; block < blocksOf(lanes_); ++block) {
      uint32_t* owners = owners_ + block * unitsPerBlock_ + m.unit;
      std::replace(owners, owners + units, static_cast<uint32_t>(buffer + 1), 0u);
    }
    return;
  }
  for (int64_t i = 0; i < m.extent; ++i) std::memset(m.written + static_cast<size_t>(i) * stride_, 0, lanes_);
}

int64_t LaneMemory::indexOf(const Memory& m, Element element, int offset, size_t lane) const {
  const int64_t base = values_.at(element.index, lane);
  if (base == kOverflow) position_.failOverflow(lane, "on " + m.buffer->name);
  const int64_t index = base + offset;
  if (index < 0 || index >= m.extent) {
    position_.fail(lane, concat("out of bounds: element ", index, " of ", m.buffer->name, ", which has ", m.extent));
  }
  return index;
}

// The array over lanes of a Local element with a uniform index; null for any other access.
std::byte* LaneMemory::row(const Memory& m, Element element, int offset, const Mask& mask) const {
  if (m.buffer->memory != MemoryType::Local || program_.index[element.index].varying) return nullptr;
  const int64_t index = indexOf(m, element, offset, mask.begin);
  return m.data + static_cast<size_t>(index) * stride_ * m.elementSize;
}

void LaneMemory::checkRow(const Memory& m, const uint8_t* written, const Mask& mask) const {
  if (!std::memchr(written + mask.begin, 0, mask.width())) return;
  for (size_t lane = mask.begin; lane < mask.end; ++lane) {
    if (mask.active(lane) && !written[lane]) {
      position_.fail(lane, "uninitialised read of " + m.buffer->name);
    }
  }
}

const void* LaneMemory::read(Element element, int offset, const Mask& mask, void* room) {
  const Memory& m = memory(element);
  if (const std::byte* values = row(m, element, offset, mask)) {
    const size_t cells = static_cast<size_t>(values - m.data) / m.elementSize;
    checkRow(m, m.written + cells, mask);
    return values;
  }
  load(element, offset, mask, room);
  return room;
}

void* LaneMemory::inPlace(Element element, int offset, const Mask& mask) {
  if (mask.marks) return nullptr;
  const Memory& m = memory(element);
  std::byte* values = row(m, element, offset, mask);
  if (values) {
    const size_t cells = static_cast<size_t>(values - m.data) / m.elementSize;
    std::memset(m.written + cells + mask.begin, 1, mask.width());
  }
  return values;
}

// Whether all lanes in [begin, end) are active and lane begin + i accesses element first + i * step, all in bounds.
bool LaneMemory::affineRange(const Memory& m, Element element, int offset, const Mask& mask, int64_t& first,
                             int64_t& step) {
  if (mask.marks || m.buffer->memory != MemoryType::Global || !program_.index[element.index].varying) return false;
  const IndexValues::Affine affine = values_.affine(element.index, lanes_);
  if (!affine.is) return false;
  const int64_t* indices = values_.lanes(element.index);
  const int64_t last = indices[mask.end - 1] + offset;
  first = indices[mask.begin] + offset;
  step = affine.step;
  return std::min(first, last) >= 0 && std::max(first, last) < m.extent;
}

bool LaneMemory::loadAffine(const Memory& m, Element element, int offset, const Mask& mask, void* out) {
  int64_t first = 0;
  int64_t step = 0;
  if (m.history.writer || !affineRange(m, element, offset, mask, first, step)) return false;
  withSize(m.elementSize, [&]<class T>() {
    T* to = static_cast<T*>(out) + mask.begin;
    const T* from = reinterpret_cast<const T*>(m.data) + first;
    if (step == 1) {
      std::memcpy(to, from, mask.width() * sizeof(T));
    } else {
      for (size_t i = 0; i < mask.width(); ++i) to[i] = from[static_cast<int64_t>(i) * step];
    }
  });
  return true;
}

// Loads arbitrary lanes from an input. False, with `out` unspecified, if one is out of bounds.
bool LaneMemory::gather(const Memory& m, Element element, int offset, const Mask& mask, void* out) const {
  const bool isPlain = m.buffer->memory == MemoryType::Global && !m.history.writer && m.extent > 0;
  if (!isPlain || !program_.index[element.index].varying) return false;
  const int64_t* indices = values_.lanes(element.index);
  bool outside = false;
  withSize(m.elementSize, [&]<class T>() {
    T* to = static_cast<T*>(out);
    const T* from = reinterpret_cast<const T*>(m.data);
    const auto each = [&](auto active) {
      for (size_t lane = mask.begin; lane < mask.end; ++lane) {
        const uint64_t index = static_cast<uint64_t>(indices[lane]) + static_cast<uint64_t>(offset);
        const bool inside = index < static_cast<uint64_t>(m.extent);
        const bool taken = active(lane);
        outside |= taken && !inside;
        to[lane] = taken && inside ? from[index] : T{0};
      }
    };
    if (mask.marks) {
      each([&](size_t lane) { return mask.marks[lane] != 0; });
    } else {
      each([](size_t) { return true; });
    }
  });
  return !outside;
}

// Stores arbitrary lanes to a tensor that the kernel does not read, in a kernel without barriers. False at the first
// violation.
bool LaneMemory::scatter(Memory& m, Element element, int offset, const Mask& mask, const void* values) {
  if (!program_.index[element.index].varying || m.history.reader || m.history.writeEpoch) return false;
  const int64_t* indices = values_.lanes(element.index);
  uint32_t* writers = m.history.writer;
  bool good = true;
  withSize(m.elementSize, [&]<class T>() {
    T* to = reinterpret_cast<T*>(m.data);
    const T* from = static_cast<const T*>(values);
    const uint32_t firstId = idOf(0);
    for (size_t lane = mask.begin; lane < mask.end && good; ++lane) {
      if (!mask.active(lane)) continue;
      const uint64_t index = static_cast<uint64_t>(indices[lane]) + static_cast<uint64_t>(offset);
      const uint32_t id = firstId + static_cast<uint32_t>(lane);
      good = index < static_cast<uint64_t>(m.extent) && (writers[index] == 0 || writers[index] == id);
      if (!good) break;
      writers[index] = id;
      to[index] = from[lane];
    }
  });
  return good;
}

void LaneMemory::load(Element element, int offset, const Mask& mask, void* out) {
  Memory& m = memory(element);
  if (loadAffine(m, element, offset, mask, out) || gather(m, element, offset, mask, out)) return;
  withSize(m.elementSize, [&]<class T>() {
    T* to = static_cast<T*>(out);
    const T* from = reinterpret_cast<const T*>(m.data);
    for (size_t lane = mask.begin; lane < mask.end; ++lane) {
      to[lane] = 0;
      if (!mask.active(lane)) continue;
      const int64_t index = indexOf(m, element, offset, lane);
      const size_t at = cell(m, index, lane);
      if (!isWritten(m, index, lane)) position_.fail(lane, "uninitialised read of " + m.buffer->name);
      const size_t unit = unitOf(m, index, lane);
      for (size_t i = 0; m.history.writer && i < m.unitsPerElement; ++i) noteRead(m, index, lane, unit + i);
      to[lane] = from[at];
    }
  });
}

bool LaneMemory::storeAffine(Memory& m, Element element, int offset, const Mask& mask, const void* values) {
  int64_t first = 0;
  int64_t step = 0;
  if (!affineRange(m, element, offset, mask, first, step) || step != 1) return false;
  if (m.history.reader || m.history.writeEpoch) return false;
  uint32_t* writer = m.history.writer + first;
  uint32_t touched = 0;
  for (size_t i = 0; i < mask.width(); ++i) touched |= writer[i];
  if (touched != 0) return false;
  const uint32_t id = idOf(mask.begin);
  for (size_t i = 0; i < mask.width(); ++i) writer[i] = id + static_cast<uint32_t>(i);
  std::memcpy(m.data + static_cast<size_t>(first) * m.elementSize,
              static_cast<const std::byte*>(values) + mask.begin * m.elementSize, mask.width() * m.elementSize);
  return true;
}

void LaneMemory::store(Element element, int offset, const Mask& mask, const void* values) {
  Memory& m = memory(element);
  if (m.buffer->memory == MemoryType::Global && !m.output) {
    position_.fail(mask.begin, "the input " + m.buffer->name + " is written");
  }
  if (m.output && (storeAffine(m, element, offset, mask, values) || scatter(m, element, offset, mask, values))) return;
  withSize(m.elementSize, [&]<class T>() {
    T* to = reinterpret_cast<T*>(m.data);
    const T* from = static_cast<const T*>(values);
    for (size_t lane = mask.begin; lane < mask.end; ++lane) {
      if (!mask.active(lane)) continue;
      const int64_t index = indexOf(m, element, offset, lane);
      const size_t at = cell(m, index, lane);
      markWritten(m, index, lane);
      const size_t unit = unitOf(m, index, lane);
      for (size_t i = 0; m.history.writer && i < m.unitsPerElement; ++i) noteWrite(m, index, lane, unit + i);
      to[at] = from[lane];
    }
  });
}

void LaneMemory::add(Element element, DataType dtype, const Mask& mask, const void* values) {
  Memory& m = memory(element);
  dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32> ||
                  std::is_same_v<T, int64>) {
      T* to = reinterpret_cast<T*>(m.data);
      const T* from = static_cast<const T*>(values);
      for (size_t place = mask.begin; place < mask.end; ++place) {
        const size_t lane = addsFirstLaneFirst_ ? place : mask.end - 1 - (place - mask.begin);
        if (!mask.active(lane)) continue;
        const int64_t index = indexOf(m, element, 0, lane);
        if constexpr (std::is_integral_v<T>) {
          using Unsigned = std::make_unsigned_t<T>;
          to[index] = static_cast<T>(static_cast<Unsigned>(to[index]) + static_cast<Unsigned>(from[lane]));
        } else {
          to[index] += from[lane];
        }
      }
    }
  });
}

void LaneMemory::forget(Element element, size_t lane) {
  const Memory& m = memory(element);
  m.written[cell(m, indexOf(m, element, 0, lane), lane)] = 0;
}

void LaneMemory::checkVector(Element element, int width, const Mask& mask) const {
  const Memory& m = memory(element);
  const size_t bytes = static_cast<size_t>(width) * m.elementSize;
  const bool aligned = m.buffer->memory != MemoryType::Global || reinterpret_cast<uintptr_t>(m.data) % bytes == 0;
  for (size_t lane = mask.begin; lane < mask.end; ++lane) {
    if (!mask.active(lane)) continue;
    const int64_t index = values_.at(element.index, lane);
    if (index == kOverflow) position_.failOverflow(lane, "on " + m.buffer->name);
    if (index % width != 0) {
      position_.fail(lane, concat("misaligned vector: element ", index, " of ", m.buffer->name, ", width ", width));
    }
    if (!aligned) {
      position_.fail(lane, concat("misaligned vector: the address of ", m.buffer->name, " is not a multiple of ", bytes,
                                  " bytes"));
    }
  }
}

void LaneMemory::gridBarrier(int semaphore, int32_t blocks, size_t lane) {
  int32* counts = reinterpret_cast<int32*>(memories_[static_cast<size_t>(semaphore)].data);
  if (counts[0] != arrived_ || counts[1] != 0) {
    position_.fail(lane, concat("semaphore ", memories_[static_cast<size_t>(semaphore)].buffer->name,
                                " is not zero before the launch"));
  }
  arrived_ = counts[0] += blocks;
  gridEpoch_ = ++epoch_;
}

void LaneMemory::release(int semaphore) {
  int32* counts = reinterpret_cast<int32*>(memories_[static_cast<size_t>(semaphore)].data);
  counts[0] = counts[1] = 0;
}

void LaneMemory::report(int errorWord, int64_t check, int64_t note) {
  int64* notes = reinterpret_cast<int64*>(memories_[static_cast<size_t>(errorWord)].data);
  const auto kept = static_cast<uint64_t>(notes[check]), given = static_cast<uint64_t>(note);
  notes[check] = static_cast<int64>(std::max(kept, given));
}

void LaneMemory::failRace(const Memory& m, int64_t index, size_t lane, const char* mine, uint32_t other,
                          const char* theirs) const {
  const std::string who = other == kManyBlocks || (other & kManyThreads) != 0
                              ? "several threads"
                              : position_.describeThread(int64_t{other} - 1);
  position_.fail(lane, concat("race: ", mine, " element ", index, " of ", m.buffer->name, ", which ", who, " ", theirs,
                              " with no barrier between"));
}

bool LaneMemory::mayMeet(uint32_t other, uint32_t epoch, uint32_t id) const {
  if (other == 0 || other == id) return false;
  // What happened before the last barrier of the grid, or after the last one of any kind, tells without blocks.
  if (epoch >= epoch_ || epoch < gridEpoch_) return epoch >= epoch_;
  const bool sameBlock =
      other != kManyBlocks && blockOf(id) == ((other & kManyThreads) != 0 ? other - kManyThreads : blockOf(other));
  return !sameBlock;
}

void LaneMemory::noteRead(Memory& m, int64_t index, size_t lane, size_t at) {
  const uint32_t id = idOf(lane);
  const History& h = m.history;
  const uint32_t writer = h.writer[at];
  if (writer == 0 && m.output) position_.fail(lane, "uninitialised read of " + m.buffer->name);
  const uint32_t wrote = h.writeEpoch ? h.writeEpoch[at] : epoch_;
  const bool ofOneBlock = m.buffer->memory == MemoryType::Shared;  // then only what is since the last barrier meets
  if ((!ofOneBlock || wrote >= epoch_) && mayMeet(writer, wrote, id)) {
    failRace(m, index, lane, "reads", writer, "wrote");
  }
  uint32_t& reader = h.reader[at];
  if (reader == 0 || h.readEpoch[at] < gridEpoch_) {
    reader = id;
  } else if (reader != id && ofOneBlock) {
    reader = h.readEpoch[at] == epoch_ ? kManyThreads : id;
  } else if (reader != id && reader != kManyBlocks) {
    const bool many = (reader & kManyThreads) != 0;
    const uint32_t block = many ? reader - kManyThreads : blockOf(reader);
    if (block != blockOf(id)) {
      reader = kManyBlocks;
    } else {
      reader = h.readEpoch[at] == epoch_ ? kManyThreads + block : id;
    }
  }
  h.readEpoch[at] = epoch_;
}

void LaneMemory::noteWrite(Memory& m, int64_t index, size_t lane, size_t at) {
  const uint32_t id = idOf(lane);
  const History& h = m.history;
  const bool ofOneBlock = m.buffer->memory == MemoryType::Shared;
  const uint32_t wrote = h.writeEpoch ? h.writeEpoch[at] : epoch_;
  if ((!ofOneBlock || wrote >= epoch_) && mayMeet(h.writer[at], wrote, id)) {
    failRace(m, index, lane, "writes", h.writer[at], "wrote");
  }
  if (h.reader && (!ofOneBlock || h.readEpoch[at] >= epoch_) && mayMeet(h.reader[at], h.readEpoch[at], id)) {
    failRace(m, index, lane, "writes", h.reader[at], "read");
  }
  h.writer[at] = id;
  if (h.writeEpoch) h.writeEpoch[at] = epoch_;
}

}  // namespace fuser::interp
