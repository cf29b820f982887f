// HostFreesOnce: a tensor that is no output of the fusion is freed once after it was allocated; nothing else is freed.

#include "fuser/host_ir/host_ir_pass.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkHostFreesOnce(const Compilation& compilation) {
  const HostIrContainer& host = compilation.host;
  if (compilation.settings.context.options.disabledPasses.count(std::string(InsertDeallocationsPass::name())) != 0) return "";
  std::vector<int> frees(host.fusion().valCount(), 0);
  std::vector<bool> allocated(host.fusion().valCount(), false);
  std::vector<const TensorView*> made;
  std::string problem;
  forEachHostExpr(host, [&](const hir::HostExpr* expr) {
    const size_t before = made.size();
    if (const auto* allocate = std::get_if<hir::Allocate>(&expr->node)) made.push_back(allocate->tensor);
    const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
    if (op && !op->preallocated) made.insert(made.end(), op->outputs.begin(), op->outputs.end());
    for (size_t i = before; i < made.size(); ++i) allocated.at(made[i]->id()) = true;
    const auto* free = std::get_if<hir::Deallocate>(&expr->node);
    if (!free) return;
    if (!allocated.at(free->tensor->id())) problem = concat("%", free->tensor->name(), " is freed and was not allocated");
    ++frees[free->tensor->id()];
  });
  if (!problem.empty()) return problem;
  for (const TensorView* tensor : made) {
    const int wanted = tensor->isFusionOutput() ? 0 : 1;
    const int count = frees[tensor->id()];
    if (count != wanted) return concat("%", tensor->name(), " is freed ", count, " times and not ", wanted);
  }
  return "";
}

}  // namespace oracle
