#pragma once
// HostIrPass<Derived>: a rewrite of the host program that can be disabled; the counterpart of OptimizationPass.
// Derived has a static name(), and
//   static constexpr HostLeaks kLeaks: whether the program may leak memory after the pass
//   static bool runPass(HostIrContainer&, OwnRun)
//     the rewrite; true if it changed the program. Only the base class can create an OwnRun, so that the switch cannot
//     be bypassed; `using HostIrPass::runPass;` keeps the public overload visible.
// OptimizationPassGuard works for host passes, too.

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_context.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/passes/optimization_pass.h"  // the guard

namespace fuser {

// Calls `run`, adds its time to the trace, dumps the program (DebugDumpOption::HostIr) and verifies it.
bool runHostPassObserved(HostIrContainer& program, std::string_view name, HostLeaks leaks,
                         const CompileContext& context, const std::function<bool()>& run);

template <class Derived>
class HostIrPass {
 protected:
  struct OwnRun {};

 public:
  // Process-wide switch; read once per run.
  static void setEnabled(bool enabled) { enabled_.store(enabled); }
  static bool getEnabled() { return enabled_.load(); }

  // True if the program changed. Does nothing if disabled by setEnabled or by context.options.disabledPasses. The
  // result is verified.
  static bool runPass(HostIrContainer& program, const CompileContext& context = {}) {
    if (!getEnabled() || context.options.disabledPasses.count(std::string(Derived::name())) != 0) return false;
    return runHostPassObserved(program, Derived::name(), Derived::kLeaks, context,
                               [&] { return Derived::runPass(program, OwnRun{}); });
  }

 private:
  inline static std::atomic<bool> enabled_{true};
};

#define HOST_PASS(NAME, LEAKS, SUMMARY, FILE, REASON)     \
  class NAME : public HostIrPass<NAME> {                  \
   public:                                                \
    static constexpr HostLeaks kLeaks = HostLeaks::LEAKS; \
    static std::string_view name() { return #NAME; }      \
    using HostIrPass::runPass;                            \
    static bool runPass(HostIrContainer&, OwnRun);        \
  };
#include "fuser/host_passes/host_passes.def"

// Runs all host passes in order.
void runHostPasses(HostIrContainer& program, const CompileContext& context);

// The names, in order.
std::span<const std::string_view> allHostPasses();

// Whether `option disable pass NAME` accepts the name.
bool isHostPassName(std::string_view name);
// All names for messages: "StreamParallelTypePass, InsertDeallocationsPass".
std::string hostPassNames();

}  // namespace fuser
