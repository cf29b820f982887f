// The list of host passes, and what surrounds each.

#include "fuser/host_ir/host_ir_pass.h"

#include <chrono>

namespace fuser {

bool runHostPassObserved(HostIrContainer& program, std::string_view name, HostLeaks leaks, const CompileContext& context,
                         const std::function<bool()>& run) {
  const auto start = std::chrono::steady_clock::now();
  const bool changed = run();
  if (context.trace) context.trace->add(std::string(name), std::chrono::steady_clock::now() - start);
  if (context.log && context.dumps.count(DebugDumpOption::HostIr) != 0) {
    context.log(concat("# after ", name, changed ? "" : " (unchanged)", "\n", toString(program)));
  }
  verifyHostIr(program, leaks);
  return changed;
}

void runHostPasses(HostIrContainer& program, const CompileContext& context) {
  // Loops first: they take whole expressions apart, of which nothing was moved or freed yet.
  StreamParallelTypePass::runPass(program, context);
  // Last: it asks where each tensor is used for the last time.
  InsertDeallocationsPass::runPass(program, context);
}

}  // namespace fuser
