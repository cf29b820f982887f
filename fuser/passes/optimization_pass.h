#pragma once
// OptimizationPass<Derived>: a named step of the pipeline, with a switch. Derived has a static name(), and one of
//   static PassList registerPasses(Fusion*), or registerPasses(Fusion*, const CompileContext&)
//     passes that run in turn until a whole turn changes nothing
//   static bool runPass(Fusion*, const CompileContext&, OwnRun)
//     its own run, once; true when it changed anything. Only the base can make an OwnRun, so that nobody gets round the
//     switch; `using OptimizationPass::runPass;` keeps the call without one.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_context.h"
#include "fuser/passes/pass.h"

namespace fuser {

// Runs the list in order; whenever a full turn modified anything, starts again from its beginning, until a clean turn.
// True when anything changed. Each pass that changed the fusion is followed by the IR's verifier; with
// context.checkInvariants, `modified` is compared with the fusion's fingerprint. A CheckError names every pass that
// changed the fusion since, where the fusion comes back to a state that it was in before, and the last ones where the
// budget of turns (100 and one an expression) is used up.
bool runPassList(Fusion* fusion, std::string_view owner, const PassList& passes, const CompileContext& context);

// Calls run, with what the context asks for around it: the fusion's text before and after, the time, the observers'
// afterPass. run gets a context with the state of the pipeline: the given one, or its own with the options' limit.
bool runObserved(Fusion* fusion, std::string_view name, const CompileContext& context,
                 const std::function<bool(const CompileContext&)>& run);

template <class Derived>
class OptimizationPass {
 protected:
  struct OwnRun {};

 public:
  // For the whole process; read once per run.
  static void setEnabled(bool enabled) { enabled_.store(enabled); }
  static bool getEnabled() { return enabled_.load(); }

  // True when the fusion changed. Does nothing when disabled, here or in context.options.disabledPasses.
  static bool runPass(Fusion* fusion, const CompileContext& context = {}) {
    if (!getEnabled() || context.options.disabledPasses.count(std::string(Derived::name())) != 0) return false;
    return runObserved(fusion, Derived::name(), context, [&](const CompileContext& counted) {
      if constexpr (requires { Derived::runPass(fusion, counted, OwnRun{}); }) {
        return Derived::runPass(fusion, counted, OwnRun{});
      } else if constexpr (requires { Derived::registerPasses(fusion, counted); }) {
        return runPassList(fusion, Derived::name(), Derived::registerPasses(fusion, counted), counted);
      } else {
        return runPassList(fusion, Derived::name(), Derived::registerPasses(fusion), counted);
      }
    });
  }

 private:
  inline static std::atomic<bool> enabled_{true};
};

// Switches a pass on or off until the end of the scope.
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
