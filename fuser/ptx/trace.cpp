#include "fuser/ptx/trace.h"

#include <algorithm>
#include <cstring>

#include "fuser/ptx/half.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

using Kind = Operation::Kind;

// visit(place, bytes of a lane) for each register that an operation writes.
template <class Visit>
void forEachResult(const Operation& operation, Visit visit) {
  const auto visitIf = [&](Place place, int bytes) {
    if (place != kNoPlace) visit(place, bytes);
  };
  switch (operation.kind) {
    case Kind::Row: return visitIf(operation.result, laneBytes(operation.row->result));
    case Kind::Load:
      for (size_t i = 1; i <= operation.access.count; ++i)
        visitIf(operation.operands[i], operation.access.registerBytes);
      return;
    case Kind::LoadMatrix:
      for (size_t i = 1; i <= operation.count; ++i) visitIf(operation.operands[i], 4);
      return;
    case Kind::Mma:
      for (int i = 0; i < operation.mma.sums(); ++i) visitIf(operation.result + i * kLanes * 4, 4);
      return;
    case Kind::Parameter:
    case Kind::Atomic: return visitIf(operation.result, bytesOf(operation.access.type));
    case Kind::Barrier: return visitIf(operation.result, operation.barrier == BarrierKind::Count ? 4 : 1);
    case Kind::Vote: return visitIf(operation.result, operation.vote == VoteKind::Ballot ? 4 : 1);
    default: visitIf(operation.result, 4); visitIf(operation.second, 1);
  }
}

// Operand 0 is an address.
bool isAccess(const Operation& operation) {
  switch (operation.kind) {
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
    case Kind::CopyAsync:
    case Kind::LoadMatrix: return true;
    default: return false;
  }
}

// Each lane's result may come from all lanes.
bool mixesLanes(const Operation& operation) {
  switch (operation.kind) {
    case Kind::Shuffle:
    case Kind::Vote:
    case Kind::Match:
    case Kind::Reduce:
    case Kind::Mma: return true;
    default: return false;
  }
}

void makeUnique(std::vector<uint32_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

Trace::Id Trace::add(const TracedValue& value, const std::vector<Id>& sources) {
  values_.push_back(value);
  firstSource_.push_back(static_cast<uint32_t>(sources_.size()));
  for (Id id : sources) {
    if (id != 0) sources_.push_back(id);
  }
  return static_cast<Id>(values_.size());
}

Trace::Id& Trace::inRegister(const Warp& warp, Place place, int lane) {
  std::vector<Id>& all = registers_[warp.number];
  const auto at = static_cast<size_t>(place + lane);
  if (at >= all.size()) all.resize(std::max(at + 1, 2 * all.size()), 0);
  return all[at];
}

void Trace::startBlock(bool alone) {
  isDone_ = isDone_ || (alone && isStored_);
  if (isDone_ || !alone) return;
  values_.clear();
  firstSource_.clear();
  sources_.clear();
  registers_.clear();
  memory_.clear();
}

void Trace::begin(const Warp& warp, const Operation& operation, uint32_t mask) {
  if (!records()) return;
  const bool isLoad = operation.kind == Kind::Load || operation.kind == Kind::LoadMatrix;
  const size_t first = isAccess(operation) ? 1 : 0;
  const size_t end = isLoad ? first : operation.kind == Kind::Shuffle ? 1 : operation.operands.size();
  forEachLane(mask, [&](int lane) {
    std::vector<Id>& sources = operands_[static_cast<size_t>(lane)];
    sources.clear();
    for (size_t i = first; i < end; ++i) {
      const Place place = operation.operands[i];
      if (place >= 0 && place != kNoPlace) sources.push_back(inRegister(warp, place, lane));
    }
  });
  if (!mixesLanes(operation)) return;
  std::vector<Id> ofAll;
  forEachLane(mask, [&](int lane) {
    const std::vector<Id>& own = operands_[static_cast<size_t>(lane)];
    ofAll.insert(ofAll.end(), own.begin(), own.end());
  });
  makeUnique(ofAll);
  forEachLane(mask, [&](int lane) { operands_[static_cast<size_t>(lane)] = ofAll; });
}

void Trace::end(const Warp& warp, const Operation& operation, uint32_t mask,
                const std::array<std::byte*, kLanes>& reached) {
  if (!records()) return;
  if (operation.kind == Kind::Store) return endStore(warp, operation, mask, reached);
  if (operation.kind == Kind::Atomic) return endAtomic(warp, operation, mask, reached);
  const int bytes = bytesOf(operation.access.type);
  forEachLane(mask, [&](int lane) {
    int i = 0;
    forEachResult(operation, [&](Place place, int size) {
      std::vector<Id> sources = operands_[static_cast<size_t>(lane)];
      if (operation.kind == Kind::Load)
        addMemorySources(reached[static_cast<size_t>(lane)] + i * bytes, bytes, sources);
      if (operation.kind == Kind::LoadMatrix) addMatrixSources(reached, i, sources);
      const uint64_t bits = laneOf(warp.registers.value(place), size, lane);
      // A shuffle moves a value: the lane that has it is the source.
      if (operation.kind == Kind::Shuffle && place == operation.result)
        std::erase_if(sources, [&](Id id) { return id == 0 || values_[id - 1].bits != bits; });
      inRegister(warp, place, lane) = add({&operation, warp.number, lane, size, bits}, sources);
      ++i;
    });
  });
}

// Which of the lanes that change one element comes first is not seen: each takes from all of them, and what is left
// there is one value.
void Trace::endAtomic(const Warp& warp, const Operation& operation, uint32_t mask,
                      const std::array<std::byte*, kLanes>& reached) {
  const int bytes = bytesOf(operation.access.type);
  for (uint32_t left = mask; left != 0;) {
    const int first = std::countr_zero(left);
    const std::byte* at = reached[static_cast<size_t>(first)];
    uint32_t together = 0;
    std::vector<Id> sources;
    addMemorySources(at, bytes, sources);
    forEachLane(left, [&](int lane) {
      if (reached[static_cast<size_t>(lane)] != at) return;
      together |= uint32_t{1} << lane;
      const std::vector<Id>& own = operands_[static_cast<size_t>(lane)];
      sources.insert(sources.end(), own.begin(), own.end());
    });
    left &= ~together;
    forEachResult(operation, [&](Place place, int size) {
      forEachLane(together, [&](int lane) {
        const uint64_t found = laneOf(warp.registers.value(place), size, lane);
        inRegister(warp, place, lane) = add({&operation, warp.number, lane, size, found}, sources);
      });
    });
    uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(bytes));
    noteStore(warp, operation, first, at, bytes, add({&operation, warp.number, first, bytes, bits}, sources));
  }
}

void Trace::endStore(const Warp& warp, const Operation& operation, uint32_t mask,
                     const std::array<std::byte*, kLanes>& reached) {
  const int bytes = bytesOf(operation.access.type);
  for (int i = 0; i < operation.access.count; ++i) {
    const Place place = operation.operands[static_cast<size_t>(1 + i)];
    forEachLane(mask, [&](int lane) {
      const Id id = place >= 0 && place != kNoPlace ? inRegister(warp, place, lane) : 0;
      noteStore(warp, operation, lane, reached[static_cast<size_t>(lane)] + i * bytes, bytes, id);
    });
  }
}

void Trace::noteStore(const Warp& warp, const Operation& operation, int lane, const std::byte* to, int bytes, Id id) {
  setMemory(to, static_cast<size_t>(bytes), id);
  if (to >= watched_ + watchedBytes_ || to + bytes <= watched_) return;
  isStored_ = true;
  store_ = {&operation, warp.number, lane, bytes, 0};
  std::memcpy(&store_.bits, to, static_cast<size_t>(bytes));
  stored_.clear();
  for (size_t i = 0; i < watchedBytes_; ++i) addMemorySources(watched_ + i, 1, stored_);
}

void Trace::addMemorySources(const std::byte* from, int bytes, std::vector<Id>& sources) const {
  for (int i = 0; i < bytes; ++i) {
    const auto found = memory_.find(from + i);
    if (found != memory_.end() && (sources.empty() || sources.back() != found->second))
      sources.push_back(found->second);
  }
}

// An element of a matrix may be in any of its rows.
void Trace::addMatrixSources(const std::array<std::byte*, kLanes>& reached, int matrix,
                             std::vector<Id>& sources) const {
  for (size_t row = 0; row < 8; ++row) addMemorySources(reached[8 * static_cast<size_t>(matrix) + row], 16, sources);
  makeUnique(sources);
}

void Trace::setMemory(const std::byte* to, size_t bytes, Id id) {
  for (size_t i = 0; i < bytes; ++i) memory_[to + i] = id;
}

void Trace::copy(const std::byte* from, const std::byte* to, size_t bytes) {
  if (!records()) return;
  for (size_t i = 0; i < bytes; ++i) {
    const auto found = from ? memory_.find(from + i) : memory_.end();
    memory_[to + i] = found == memory_.end() ? 0 : found->second;
  }
}

void Trace::forget(const Warp& warp, const Operation& operation, uint32_t mask) {
  if (!records()) return;
  forEachResult(operation,
                [&](Place place, int) { forEachLane(mask, [&](int lane) { inRegister(warp, place, lane) = 0; }); });
}

std::vector<TracedValue> Trace::slice() const {
  if (!isStored_ || values_.size() >= kMostValues) return {};
  std::vector<bool> isNeeded(values_.size() + 1, false);
  for (Id id : stored_) isNeeded[id] = true;
  for (size_t id = values_.size(); id > 0; --id) {
    if (!isNeeded[id]) continue;
    const size_t last = id < values_.size() ? firstSource_[id] : sources_.size();
    for (size_t i = firstSource_[id - 1]; i < last; ++i) isNeeded[sources_[i]] = true;
  }
  std::vector<TracedValue> slice;
  for (size_t id = 1; id <= values_.size(); ++id) {
    if (isNeeded[id]) slice.push_back(values_[id - 1]);
  }
  slice.push_back(store_);
  return slice;
}

std::set<uint64_t> Trace::bitsOfAll() const {
  std::set<uint64_t> all;
  for (const TracedValue& value : values_) all.insert(value.bits);
  return all;
}

std::string valueText(const TracedValue& value) {
  std::string text = "0x";
  for (int digit = 2 * value.bytes; digit-- > 0;) text += "0123456789abcdef"[value.bits >> (4 * digit) & 15];
  const Operation& operation = *value.operation;
  const Type type = operation.kind == Operation::Kind::Row ? operation.row->result : operation.access.type;
  switch (bytesOf(type) == value.bytes ? type : Type::B32) {
    case Type::F16: return concat(double{Half::ofBits(static_cast<uint16_t>(value.bits))}, " (", text, ")");
    case Type::BF16: return concat(double{Bfloat::ofBits(static_cast<uint16_t>(value.bits))}, " (", text, ")");
    case Type::F32: return concat(std::bit_cast<float>(static_cast<uint32_t>(value.bits)), " (", text, ")");
    case Type::F64: return concat(std::bit_cast<double>(value.bits), " (", text, ")");
    default: return text;
  }
}

TracedValue firstOnlyIn(const Trace& trace, const Trace& other) {
  std::vector<TracedValue> slice = trace.slice();
  if (slice.empty()) return {};
  slice.pop_back();
  const std::set<uint64_t> known = other.bitsOfAll();
  std::erase_if(slice, [&](const TracedValue& value) { return known.contains(value.bits); });
  const auto isNumber = [](const TracedValue& value) {
    return value.operation->kind == Kind::Row && isFloat(value.operation->row->result);
  };
  const auto number = std::find_if(slice.begin(), slice.end(), isNumber);
  if (number != slice.end()) return *number;
  return slice.empty() ? TracedValue{} : slice.front();
}

}  // namespace fuser::ptx
