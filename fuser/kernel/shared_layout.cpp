#include "fuser/kernel/shared_layout.h"

#include <algorithm>

namespace fuser {
namespace {

constexpr size_t kSharedAlignment = 16;

size_t roundUp(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

int64_t constantElements(const Buffer& buffer) {
  FUSER_CHECK(buffer.size && buffer.size->isConstant() && buffer.size->value > 0, "buffer ", buffer.name,
              " needs a positive constant size");
  return buffer.size->value;
}

SharedLayout sharedLayout(const Kernel& kernel) {
  SharedLayout layout;
  for (const Buffer& buffer : kernel.buffers) {
    layout.offsets.push_back(layout.scratch);
    if (buffer.memory != MemoryType::Shared) continue;
    const size_t bytes = static_cast<size_t>(constantElements(buffer)) * dtypeSize(buffer.dtype);
    layout.scratch = roundUp(layout.scratch + bytes, kSharedAlignment);
  }
  size_t largest = 0;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    if (const BlockReduce* reduce = std::get_if<BlockReduce>(&statement.node)) {
      largest = std::max(largest, dtypeSize(reduce->dtype));
    }
    if (const BlockWelford* join = std::get_if<BlockWelford>(&statement.node)) {
      largest = std::max(largest, 2 * dtypeSize(join->dtype) + sizeof(int64));  // a WelfordPart
    }
  });
  const size_t threads = static_cast<size_t>(kernel.blockDim[0] * kernel.blockDim[1] * kernel.blockDim[2]);
  layout.end = layout.scratch + roundUp(threads * largest, kSharedAlignment);
  return layout;
}

size_t sharedMemoryBytes(const Kernel& kernel) { return sharedLayout(kernel).end; }

bool hasBarrier(const Kernel& kernel) {
  bool found = false;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    found |= std::holds_alternative<Barrier>(statement.node) || std::holds_alternative<BlockReduce>(statement.node) ||
             std::holds_alternative<BlockWelford>(statement.node);
  });
  return found;
}

bool hasGridBarrier(const Kernel& kernel) {
  return std::any_of(kernel.workspaces.begin(), kernel.workspaces.end(),
                     [](const Workspace& workspace) { return workspace.semaphore; });
}

}  // namespace fuser
