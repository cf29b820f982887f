// Finds when the Shared buffers of a kernel are in use: one walk over the statements notes the accesses, a second one,
// in the same order, ends each life at a barrier.
#include <algorithm>

#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

// A For or If, by the numbers of its first and last statement in pre-order.
struct Structure {
  int64_t begin = 0, end = 0;
  bool runs = false;  // certainly: a loop that turns
};

struct Span {
  int64_t begin = 0, end = -1;
  bool ended = false;  // by a barrier
};

class LifeFinder {
 public:
  explicit LifeFinder(const Kernel& kernel)
      : kernel_(kernel), spans_(kernel.buffers.size()), loopsAtAllocate_(kernel.buffers.size(), 0) {}

  std::vector<Span> find() {
    note(kernel_.body);
    for (const auto& [id, structure] : inLoops_) {
      spans_[id].begin = std::min(spans_[id].begin, structures_[structure].begin);
      spans_[id].end = std::max(spans_[id].end, structures_[structure].end);
    }
    const int64_t last = number_;
    number_ = 0;
    end(kernel_.body, 0);
    for (Span& span : spans_) {
      if (!span.ended && span.end >= 0) span.end = last;
    }
    return spans_;
  }

 private:
  void note(const Body& body) {
    for (const Statement& statement : body) {
      const int64_t own = number_++;
      if (const Allocate* allocate = std::get_if<Allocate>(&statement.node)) {
        const size_t id = static_cast<size_t>(allocate->buffer);
        if (id < spans_.size()) loopsAtAllocate_[id] = loops_.size();
      }
      forEachAccess(statement, [&](const Access& access) { note(access, own); });
      const For* loop = std::get_if<For>(&statement.node);
      const If* branch = std::get_if<If>(&statement.node);
      if (!loop && !branch) continue;
      const size_t structure = structures_.size();
      structures_.push_back({own, own, loop && loop->extent && loop->extent->range.low > 0});
      if (loop) loops_.push_back(structure);
      note(loop ? loop->body : branch->body);
      if (loop) loops_.pop_back();
      structures_[structure].end = number_ - 1;
    }
  }

  void note(const Access& access, int64_t number) {
    const size_t id = static_cast<size_t>(access.buffer);
    if (id >= spans_.size() || kernel_.buffers[id].memory != MemoryType::Shared) return;
    Span& span = spans_[id];
    if (span.end < 0) span.begin = number;
    span.end = number;
    if (loops_.size() > loopsAtAllocate_[id]) inLoops_.emplace_back(id, loops_[loopsAtAllocate_[id]]);
  }

  // `uncertain`: the first statement of the innermost structure around that may not run.
  void end(const Body& body, int64_t uncertain) {
    for (const Statement& statement : body) {
      const int64_t own = number_++;
      if (std::holds_alternative<Barrier>(statement.node)) endAt(own, uncertain);
      const For* loop = std::get_if<For>(&statement.node);
      const If* branch = std::get_if<If>(&statement.node);
      if (!loop && !branch) continue;
      const Structure around = structures_[structure_++];
      end(loop ? loop->body : branch->body, around.runs ? uncertain : own);
      if (loop) liveThrough(around);
    }
  }

  void endAt(int64_t barrier, int64_t uncertain) {
    for (Span& span : spans_) {
      if (span.ended || span.end < uncertain || span.end >= barrier) continue;
      span.end = barrier;
      span.ended = true;
    }
  }

  // What no barrier has ended inside the loop meets the next turn.
  void liveThrough(const Structure& loop) {
    for (Span& span : spans_) {
      if (span.ended || span.end <= loop.begin || span.end > loop.end) continue;
      span.begin = std::min(span.begin, loop.begin);
      span.end = loop.end;
    }
  }

  const Kernel& kernel_;
  std::vector<Span> spans_;                          // by buffer id
  std::vector<size_t> loopsAtAllocate_;              // by buffer id: how many loops are around its Allocate
  std::vector<Structure> structures_;                // in pre-order
  std::vector<std::pair<size_t, size_t>> inLoops_;   // a buffer, and a loop around an access inside the Allocate's body
  std::vector<size_t> loops_;                        // around the statement: structures
  int64_t number_ = 0;
  size_t structure_ = 0;  // of the second walk: the next
};

}  // namespace

SharedLives::SharedLives(const Kernel& kernel) {
  for (const Span& span : LifeFinder(kernel).find()) lives_.push_back({span.begin, span.end});
}

bool SharedLives::together(int a, int b) const {
  const Life& x = lives_[static_cast<size_t>(a)];
  const Life& y = lives_[static_cast<size_t>(b)];
  return x.end >= 0 && y.end >= 0 && x.begin < y.end && y.begin < x.end;
}

}  // namespace fuser
