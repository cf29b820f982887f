// The list of host passes, and the tracing, dumping and verification around each one.

#include "fuser/host_passes/host_ir_pass.h"

#include <algorithm>
#include <chrono>

#include "fuser/log/log.h"

namespace fuser {

bool runHostPassObserved(HostIrContainer& program, std::string_view name, HostLeaks leaks,
                         const CompileContext& context, const std::function<bool()>& run) {
  const auto start = std::chrono::steady_clock::now();
  const bool changed = run();
  if (context.trace) context.trace->add(std::string(name), std::chrono::steady_clock::now() - start);
  if (context.dumps.count(DebugDumpOption::HostIr) != 0 && isLogged(context.log, LogLevel::Info)) {
    logLine(context.log, LogLevel::Info,
            concat("# after ", name, changed ? "" : " (unchanged)", "\n", toString(program)));
  } else if (isLogged(context.log, LogLevel::Trace)) {
    logLine(context.log, LogLevel::Trace, concat(name, changed ? ": changed the host program" : ": unchanged"));
  }
  verifyHostIr(program, leaks);
  return changed;
}

void runHostPasses(HostIrContainer& program, const CompileContext& context) {
#define HOST_PASS(NAME, LEAKS, SUMMARY, FILE, REASON) NAME::runPass(program, context);
#include "fuser/host_passes/host_passes.def"
}

std::span<const std::string_view> allHostPasses() {
  static constexpr std::string_view kNames[] = {
#define HOST_PASS(NAME, LEAKS, SUMMARY, FILE, REASON) #NAME,
#include "fuser/host_passes/host_passes.def"
  };
  return kNames;
}

bool isHostPassName(std::string_view name) {
  const std::span<const std::string_view> names = allHostPasses();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string hostPassNames() {
  std::string list;
  for (std::string_view name : allHostPasses()) list += concat(list.empty() ? "" : ", ", name);
  return list;
}

}  // namespace fuser
