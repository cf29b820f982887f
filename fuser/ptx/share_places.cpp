// Liveness by basic blocks (Aho, Lam, Sethi and Ullman, Compilers, 9.2.5), then a linear scan (Poletto and Sarkar,
// "Linear Scan Register Allocation", 1999) over intervals of operations, without spilling: there is always a new place.
#include "fuser/ptx/share_places.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>

#include "fuser/ptx/control_flow.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

// visit(place, isWritten) for each place of an operation that is no constant.
template <class EachOperation, class Visit>
void forEachPlace(EachOperation& operation, Visit visit) {
  const auto visitIf = [&](auto& place, bool isWritten) {
    if (place >= 0 && place != kNoPlace) visit(place, isWritten);
  };
  const bool isLoad = operation.kind == Operation::Kind::Load || operation.kind == Operation::Kind::LoadMatrix;
  visitIf(operation.guard, false);
  visitIf(operation.members, false);
  for (size_t i = 0; i < operation.operands.size(); ++i) visitIf(operation.operands[i], isLoad && i > 0);
  visitIf(operation.result, true);
  visitIf(operation.second, true);
}

// A set of registers, by number.
class Bits {
 public:
  explicit Bits(size_t size) : words_((size + 63) / 64, 0) {}
  bool has(size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  // *this |= other & ~without; returns whether that changed it.
  bool join(const Bits& other, const Bits* without = nullptr) {
    bool changed = false;
    for (size_t i = 0; i < words_.size(); ++i) {
      const uint64_t word = words_[i] | (other.words_[i] & ~(without ? without->words_[i] : 0));
      changed = changed || word != words_[i];
      words_[i] = word;
    }
    return changed;
  }
  template <class Visit>
  void forEach(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(64 * i + static_cast<size_t>(std::countr_zero(word)));
    }
  }

 private:
  std::vector<uint64_t> words_;
};

struct BasicBlock {
  uint32_t first = 0, last = 0;  // operations
  std::vector<size_t> successors{};
  Bits reads;   // registers that it reads before it writes them
  Bits writes;  // that all its threads write
  Bits liveIn, liveOut;
};

// The operations between which a register is needed.
struct Interval {
  uint32_t first = ~uint32_t{0}, last = 0;
  bool isUsed() const { return first <= last; }
  void add(uint32_t operation) {
    first = std::min(first, operation);
    last = std::max(last, operation);
  }
};

// A place until the last operation that needs it.
struct Taken {
  uint32_t last = 0;
  size_t bytes = 0;
  Place place = 0;
  auto operator<=>(const Taken&) const = default;
};

class Sharing {
 public:
  Sharing(Program& program, const std::vector<MadePlace>& places) : program_(program), places_(places) {
    const size_t cells = places.empty() ? 0 : cellOf(places.back().place) + 1;
    numbers_.assign(cells, kNoRegister);
    moved_.assign(cells, kNoPlace);
    for (const MadePlace& each : places) {
      if (!each.isRegister) continue;
      numbers_[cellOf(each.place)] = registers_.size();
      registers_.push_back(&each);
    }
  }

  void run() {
    makeBlocks();
    findLive();
    findIntervals();
    allot();
    move();
  }

 private:
  static constexpr size_t kNoRegister = ~size_t{0};
  // Places are multiples of 32.
  static size_t cellOf(Place place) { return static_cast<size_t>(place) / 32; }

  std::vector<Operation>& operations() const { return program_.operations; }

  // visit(register's number, isWritten) of registers alone.
  template <class Visit>
  void forEachRegister(const Operation& operation, Visit visit) const {
    forEachPlace(operation, [&](Place place, bool isWritten) {
      const size_t number = numbers_[cellOf(place)];
      if (number != kNoRegister) visit(number, isWritten);
    });
  }

  void makeBlocks() {
    const auto end = static_cast<uint32_t>(operations().size());
    std::vector<uint8_t> begins(end + 1, 0);
    begins[0] = 1;
    for (uint32_t i = 0; i < end; ++i) {
      bool isNext = false;
      size_t count = 0;
      forEachSuccessor(operations(), i, [&](uint32_t next) {
        ++count;
        isNext = next == i + 1;
        if (next != i + 1) begins[next] = 1;
      });
      if (count != 1 || !isNext) begins[i + 1] = 1;
    }
    std::vector<size_t> blockAt(end + 1, 0);
    const size_t count = registers_.size();
    for (uint32_t i = 0; i < end; ++i) {
      if (begins[i]) blocks_.push_back({i, i, {}, Bits(count), Bits(count), Bits(count), Bits(count)});
      blocks_.back().last = i;
      blockAt[i] = blocks_.size() - 1;
    }
    for (BasicBlock& block : blocks_) {
      forEachSuccessor(operations(), block.last, [&](uint32_t next) {
        if (next < end) block.successors.push_back(blockAt[next]);
      });
      for (uint32_t i = block.first; i <= block.last; ++i) addTo(block, operations()[i]);
    }
  }

  // Threads that a guard leaves out keep what they had.
  void addTo(BasicBlock& block, const Operation& operation) const {
    const bool isGuarded = operation.guard != kNoPlace;
    forEachRegister(operation, [&](size_t number, bool isWritten) {
      if ((!isWritten || isGuarded) && !block.writes.has(number)) block.reads.insert(number);
    });
    forEachRegister(operation, [&](size_t number, bool isWritten) {
      if (isWritten && !isGuarded) block.writes.insert(number);
    });
  }

  void findLive() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = blocks_.size(); i-- > 0;) {
        BasicBlock& block = blocks_[i];
        for (size_t next : block.successors) block.liveOut.join(blocks_[next].liveIn);
        const bool first = block.liveIn.join(block.reads);
        const bool second = block.liveIn.join(block.liveOut, &block.writes);
        changed = changed || first || second;
      }
    }
  }

  void findIntervals() {
    intervals_.resize(registers_.size());
    for (const BasicBlock& block : blocks_) {
      block.liveIn.forEach([&](size_t number) { intervals_[number].add(block.first); });
      block.liveOut.forEach([&](size_t number) { intervals_[number].add(block.last); });
      for (uint32_t i = block.first; i <= block.last; ++i)
        forEachRegister(operations()[i], [&](size_t number, bool) { intervals_[number].add(i); });
    }
  }

  void allot() {
    size_t end = 0;
    const auto newPlace = [&](size_t bytes) {
      const auto place = static_cast<Place>(end);
      end += bytes;
      program_.registers.push_back({place, static_cast<int>(bytes / kLanes)});
      return place;
    };
    for (const MadePlace& each : places_) {
      if (!each.isRegister) moved_[cellOf(each.place)] = newPlace(each.bytes);
    }
    std::vector<size_t> order;  // of the registers, by the beginning of their intervals
    for (size_t i = 0; i < registers_.size(); ++i) {
      if (intervals_[i].isUsed()) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return intervals_[a].first < intervals_[b].first; });
    std::map<size_t, std::vector<Place>> free;                             // by their bytes
    std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken;  // the first that ends is on top
    for (size_t number : order) {
      const MadePlace& old = *registers_[number];
      for (; !taken.empty() && taken.top().last < intervals_[number].first; taken.pop())
        free[taken.top().bytes].push_back(taken.top().place);
      std::vector<Place>& candidates = free[old.bytes];
      if (candidates.empty()) candidates.push_back(newPlace(old.bytes));
      const Place place = candidates.back();
      candidates.pop_back();
      moved_[cellOf(old.place)] = place;
      taken.push({intervals_[number].last, old.bytes, place});
    }
    program_.registerBytes = end;
  }

  void move() {
    for (Operation& operation : operations())
      forEachPlace(operation, [&](Place& place, bool) { place = moved_[cellOf(place)]; });
    for (SpecialPlace& special : program_.specials) special.place = moved_[cellOf(special.place)];
  }

  Program& program_;
  const std::vector<MadePlace>& places_;
  std::vector<const MadePlace*> registers_;
  std::vector<size_t> numbers_;  // of the register at a cell
  std::vector<BasicBlock> blocks_;
  std::vector<Interval> intervals_;  // by a register's number
  std::vector<Place> moved_;         // by cell
};

}  // namespace

void sharePlaces(Program& program, const std::vector<MadePlace>& places) {
  if (!program.operations.empty()) Sharing(program, places).run();
}

}  // namespace fuser::ptx
