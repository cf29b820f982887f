// HostFreesOnce: a tensor that is no output of the fusion is freed once after it was allocated; nothing else is freed.

#include "fuser/host_ir/host_program.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostFreesOnce(const Compilation& compilation) {
  const HostProgram& host = compilation.host;
  std::vector<int> frees(host.fusion->valCount(), 0);
  std::vector<bool> allocated(host.fusion->valCount(), false);
  for (const hir::Node& node : host.nodes) {
    if (const auto* allocate = std::get_if<hir::Allocate>(&node)) allocated.at(allocate->tensor->id()) = true;
    const auto* free = std::get_if<hir::Deallocate>(&node);
    if (!free) continue;
    if (!allocated.at(free->tensor->id())) return concat("%", free->tensor->name(), " is freed and was not allocated");
    ++frees[free->tensor->id()];
  }
  for (const hir::Node& node : host.nodes) {
    const auto* allocate = std::get_if<hir::Allocate>(&node);
    if (!allocate) continue;
    const TensorView* tensor = allocate->tensor;
    const int wanted = tensor->isFusionOutput() ? 0 : 1;
    const int count = frees[tensor->id()];
    if (count != wanted) return concat("%", tensor->name(), " is freed ", count, " times and not ", wanted);
  }
  return "";
}

}  // namespace oracle
