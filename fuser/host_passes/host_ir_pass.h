#pragma once
// HostIrPass<Derived>: an edit of the host program with a switch, as OptimizationPass is one of the fusion.
// Derived has a static name(), and
//   static constexpr HostLeaks kLeaks, what the verifier takes after it
//   static bool runPass(HostIrContainer&, OwnRun)
//     its run; true when it changed anything. Only the base can make an OwnRun, so that nobody gets round the switch;
//     `using HostIrPass::runPass;` keeps the call without one.
// OptimizationPassGuard switches a host pass, too.

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_context.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/passes/optimization_pass.h"  // the guard

namespace fuser {

// Calls run, with its time, its log (DebugDumpOption::HostIr) and the verifier behind it.
bool runHostPassObserved(HostIrContainer& program, std::string_view name, HostLeaks leaks,
                         const CompileContext& context, const std::function<bool()>& run);

template <class Derived>
class HostIrPass {
 protected:
  struct OwnRun {};

 public:
  // For the whole process; read once per run.
  static void setEnabled(bool enabled) { enabled_.store(enabled); }
  static bool getEnabled() { return enabled_.load(); }

  // True when the program changed. Does nothing when disabled, here or in context.options.disabledPasses. The result is
  // verified.
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

// All of them, in order.
void runHostPasses(HostIrContainer& program, const CompileContext& context);

// The names, in order.
std::span<const std::string_view> allHostPasses();

// Whether `option disable pass NAME` may name it.
bool isHostPassName(std::string_view name);
// "StreamParallelTypePass, InsertDeallocationsPass"
std::string hostPassNames();

}  // namespace fuser
