#pragma once
// OptimizationPass<Derived>: a named step of the pipeline that can be disabled, as in nvFuser. Derived has a static
// name() and one of
//   static PassList registerPasses(Fusion*), or registerPasses(Fusion*, const CompileContext&)
//     a list of passes that runs to its fixed point
//   static bool runPass(Fusion*, const CompileContext&, OwnRun)
//     custom code; true when it changed the fusion. Only the base class can create an OwnRun, so that the switch cannot
//     be bypassed; `using OptimizationPass::runPass;` keeps the public overload visible.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_context.h"
#include "fuser/passes/pass.h"

namespace fuser {

// Runs the list in order, round after round, until a whole round changes nothing (a fixed point); true when anything
// changed. The IR verifier runs after each pass that changed the fusion; with context.checkInvariants, `modified` is
// compared with the fusion's fingerprint. Oscillation is a CheckError: when a fingerprint repeats, it names the passes
// that changed the fusion in between; after 100 rounds plus one per expression, it names those of the last round.
bool runPassList(Fusion* fusion, std::string_view owner, const PassList& passes, const CompileContext& context);

// Calls `run` and does what the context asks for: dumps the fusion before and after, adds the time to the trace, calls
// the observers' afterPass. `run` gets a context with a PipelineState: that of the given context, or a new one with
// pass_limit.
bool runObserved(Fusion* fusion, std::string_view name, const CompileContext& context,
                 const std::function<bool(const CompileContext&)>& run);

template <class Derived>
class OptimizationPass {
 protected:
  struct OwnRun {};

 public:
  // Process-wide switch; read once per run.
  static void setEnabled(bool enabled) { enabled_.store(enabled); }
  static bool getEnabled() { return enabled_.load(); }

  // True when the fusion changed. Does nothing if disabled by setEnabled or by context.options.disabledPasses.
  static bool runPass(Fusion* fusion, const CompileContext& context = {}) {
    if (!getEnabled() || context.options.disabledPasses.count(std::string(Derived::name())) != 0) return false;
    return runObserved(fusion, Derived::name(), context, [&](const CompileContext& observed) {
      if constexpr (requires { Derived::runPass(fusion, observed, OwnRun{}); }) {
        return Derived::runPass(fusion, observed, OwnRun{});
      } else if constexpr (requires { Derived::registerPasses(fusion, observed); }) {
        return runPassList(fusion, Derived::name(), Derived::registerPasses(fusion, observed), observed);
      } else {
        return runPassList(fusion, Derived::name(), Derived::registerPasses(fusion), observed);
      }
    });
  }

 private:
  inline static std::atomic<bool> enabled_{true};
};

// Enables or disables a pass until the end of the scope (RAII).
template <class P>
class OptimizationPassGuard {
 public:
  explicit OptimizationPassGuard(bool enabled) : previous_(P::getEnabled()) { P::setEnabled(enabled); }
  ~OptimizationPassGuard() { P::setEnabled(previous_); }
  OptimizationPassGuard(const OptimizationPassGuard&) = delete;
  OptimizationPassGuard& operator=(const OptimizationPassGuard&) = delete;

 private:
  bool previous_;
};

}  // namespace fuser
