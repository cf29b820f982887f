#include "fuser/kernel/shared_layout.h"

#include <algorithm>
#include <functional>

namespace fuser {
namespace {

constexpr size_t kSharedAlignment = 16;

size_t roundUp(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

int64_t shuffledLanes(const DeviceProperties& device) {
  constexpr int64_t kMost = 32;  // bits of a mask of lanes in CUDA
  return std::min(kMost, device.warp & -device.warp);
}

int64_t constantElements(const Buffer& buffer) {
  FUSER_CHECK(buffer.size && buffer.size->isConstant() && buffer.size->value > 0, "buffer ", buffer.name,
              " needs a positive constant size");
  return buffer.size->value;
}

SharedLives::SharedLives(const Kernel& kernel) : lives_(kernel.buffers.size()) {
  // Numbers statements, notes accesses, then ends each life at a barrier, in two walks of the same order.
  struct Structure {
    int64_t begin, end;
    bool isLoop, certain;  // of a loop: whether it turns at all
  };
  const std::vector<Buffer>& buffers = kernel.buffers;
  std::vector<size_t> loopsAtAllocate(buffers.size(), 0);
  std::vector<Structure> structures;
  std::vector<std::pair<int, size_t>> inLoops;  // a buffer, and the structure that it lives through
  std::vector<size_t> loops;
  int64_t number = 0;
  const std::function<void(const Body&)> note = [&](const Body& body) {
    for (const Statement& statement : body) {
      const int64_t own = number++;
      if (const Allocate* allocate = std::get_if<Allocate>(&statement.node)) {
        if (static_cast<size_t>(allocate->buffer) < buffers.size()) {
          loopsAtAllocate[static_cast<size_t>(allocate->buffer)] = loops.size();
        }
      }
      forEachAccess(statement, [&](const Access& access) {
        const size_t id = static_cast<size_t>(access.buffer);
        if (id >= buffers.size() || buffers[id].memory != MemoryType::Shared) return;
        Life& life = lives_[id];
        if (life.end < 0) life.begin = own;
        life.end = own;
        if (loops.size() > loopsAtAllocate[id]) inLoops.emplace_back(access.buffer, loops[loopsAtAllocate[id]]);
      });
      const For* loop = std::get_if<For>(&statement.node);
      const If* branch = std::get_if<If>(&statement.node);
      if (!loop && !branch) continue;
      const size_t structure = structures.size();
      structures.push_back({own, own, loop != nullptr, loop && loop->extent && loop->extent->range.low > 0});
      if (loop) loops.push_back(structure);
      note(loop ? loop->body : branch->body);
      if (loop) loops.pop_back();
      structures[structure].end = number - 1;
    }
  };
  note(kernel.body);
  for (const auto& [buffer, structure] : inLoops) {
    Life& life = lives_[static_cast<size_t>(buffer)];
    life.begin = std::min(life.begin, structures[structure].begin);
    life.end = std::max(life.end, structures[structure].end);
  }
  const int64_t last = number;
  std::vector<bool> ended(buffers.size(), false);
  size_t structure = 0;
  number = 0;
  // `uncertain`: the beginning of the innermost structure around that may not run.
  const std::function<void(const Body&, int64_t)> end = [&](const Body& body, int64_t uncertain) {
    for (const Statement& statement : body) {
      const int64_t own = number++;
      if (std::holds_alternative<Barrier>(statement.node)) {
        for (size_t id = 0; id < lives_.size(); ++id) {
          Life& life = lives_[id];
          if (ended[id] || life.end < uncertain || life.end >= own) continue;
          life.end = own;
          ended[id] = true;
        }
      }
      const For* loop = std::get_if<For>(&statement.node);
      const If* branch = std::get_if<If>(&statement.node);
      if (!loop && !branch) continue;
      const Structure around = structures[structure++];
      end(loop ? loop->body : branch->body, around.certain ? uncertain : own);
      for (size_t id = 0; loop && id < lives_.size(); ++id) {
        Life& life = lives_[id];
        if (ended[id] || life.end <= around.begin || life.end > around.end) continue;
        life.begin = std::min(life.begin, around.begin);
        life.end = around.end;
      }
    }
  };
  end(kernel.body, 0);
  for (size_t id = 0; id < lives_.size(); ++id) {
    if (!ended[id] && lives_[id].end >= 0) lives_[id].end = last;
  }
}

bool SharedLives::together(int a, int b) const {
  const Life& x = lives_[static_cast<size_t>(a)];
  const Life& y = lives_[static_cast<size_t>(b)];
  return x.end >= 0 && y.end >= 0 && x.begin < y.end && y.begin < x.end;
}

SharedLayout sharedLayout(const Kernel& kernel) {
  SharedLayout layout;
  layout.offsets.resize(kernel.buffers.size(), 0);
  std::vector<int> order;
  bool given = true;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory != MemoryType::Shared) continue;
    order.push_back(buffer.id);
    given &= buffer.offset >= 0;
  }
  const auto bytesOf = [&](int id) {
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(id)];
    return roundUp(static_cast<size_t>(constantElements(buffer)) * dtypeSize(buffer.dtype), kSharedAlignment);
  };
  if (!given) {
    const SharedLives lives(kernel);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bytesOf(a) > bytesOf(b); });
    for (size_t i = 0; i < order.size(); ++i) {
      size_t& offset = layout.offsets[static_cast<size_t>(order[i])];
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < i; ++j) {
          const size_t other = layout.offsets[static_cast<size_t>(order[j])];
          const bool overlaps = offset < other + bytesOf(order[j]) && other < offset + bytesOf(order[i]);
          if (!overlaps || !lives.together(order[i], order[j])) continue;
          offset = other + bytesOf(order[j]);
          moved = true;
        }
      }
    }
  }
  for (int id : order) {
    size_t& offset = layout.offsets[static_cast<size_t>(id)];
    if (given) offset = static_cast<size_t>(kernel.buffers[static_cast<size_t>(id)].offset);
    layout.end = std::max(layout.end, offset + bytesOf(id));
  }
  return layout;
}

size_t sharedMemoryBytes(const Kernel& kernel) { return sharedLayout(kernel).end; }

bool hasBarrier(const Kernel& kernel) {
  bool found = false;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    found |= std::holds_alternative<Barrier>(statement.node) || std::holds_alternative<Shuffle>(statement.node);
  });
  return found;
}

bool hasGridBarrier(const Kernel& kernel) {
  return std::any_of(kernel.workspaces.begin(), kernel.workspaces.end(),
                     [](const Workspace& workspace) { return workspace.semaphore; });
}

}  // namespace fuser
