// LayOutShared: gives each buffer in shared memory its place, by when it is in use (kernel/shared_layout.h): buffers
// that never are at once take the same bytes.
//   shared A : f32 [32]; shared B : f32 [32]      A at 0, B at 0: a barrier stands between A's last use and B's first
// Runs last, since what moves statements moves lives.

#include "fuser/kernel/shared_layout.h"
#include "fuser/lower/step_list.h"

namespace fuser {

void runLayOutShared(const Fusion&, Kernel& kernel, const ScheduleRules& rules) {
  const SharedLayout layout = sharedLayout(kernel);
  for (Buffer& buffer : kernel.buffers) {
    if (buffer.memory != MemoryType::Shared) continue;
    buffer.offset = static_cast<int64_t>(layout.offsets[static_cast<size_t>(buffer.id)]);
  }
  const auto bytes = static_cast<int64_t>(layout.end);
  rules.require(bytes <= kernel.device.optInShared, 8, "shared memory, with the scratch of block reductions, is ",
                bytes, " bytes: a block has at most ", kernel.device.optInShared);
}

}  // namespace fuser
