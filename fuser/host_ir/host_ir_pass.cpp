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
#define HOST_PASS(NAME, LEAKS, SUMMARY, FILE, REASON) NAME::runPass(program, context);
#include "fuser/host_ir/host_passes.def"
}

bool isHostPassName(std::string_view name) {
#define HOST_PASS(NAME, LEAKS, SUMMARY, FILE, REASON) \
  if (name == #NAME) return true;
#include "fuser/host_ir/host_passes.def"
  return false;
}

std::string hostPassNames() {
  std::string names;
#define HOST_PASS(NAME, LEAKS, SUMMARY, FILE, REASON) names += concat(names.empty() ? "" : ", ", #NAME);
#include "fuser/host_ir/host_passes.def"
  return names;
}

}  // namespace fuser
