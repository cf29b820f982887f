#include "fuser/kernel/shared_layout.h"

#include <algorithm>

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

bool isMeeting(const Statement& statement) {
  return std::holds_alternative<Barrier>(statement.node) || std::holds_alternative<Shuffle>(statement.node) ||
         std::holds_alternative<Mma>(statement.node);
}

bool hasBarrier(const Kernel& kernel) {
  bool found = false;
  forEachStatement(kernel.body, [&](const Statement& statement) { found |= isMeeting(statement); });
  return found;
}

bool hasGridBarrier(const Kernel& kernel) {
  return std::any_of(kernel.workspaces.begin(), kernel.workspaces.end(),
                     [](const Workspace& workspace) { return workspace.kind == Workspace::Kind::Semaphore; });
}

bool isForSeveralSizes(IntExpr blocks) {
  return blocks && (blocks->op == IntOp::Max || isForSeveralSizes(blocks->a) || isForSeveralSizes(blocks->b));
}

bool addsFloatsByAtomics(const Kernel& kernel) {
  return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const TensorParam& tensor) {
    return tensor.startsAs >= 0 && isFloating(kernel.buffers[static_cast<size_t>(tensor.buffer)].dtype);
  });
}

}  // namespace fuser
