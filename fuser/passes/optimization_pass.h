#pragma once
// OptimizationPass<Derived>: a named step of the pipeline, with a switch. Derived has a static name(), and one of
//   static PassList registerPasses(Fusion*)                    passes that run in turn until nothing changes any more
//   static bool runSequence(Fusion*, const CompileContext&)    a fixed sequence, run once; true when it changed
//   anything

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_context.h"
#include "fuser/passes/pass.h"

namespace fuser {

// Runs the list in order; whenever a full turn modified anything, starts again from its beginning, until a clean turn.
// True when anything changed. Each pass that changed the fusion is followed by the IR's verifier; with
// context.checkInvariants, `modified` is compared with the fusion's fingerprint. A CheckError names the passes where
// the fusion comes back to a state that it was in before, or the budget of turns (100 and one an expression) is used
// up.
bool runPassList(Fusion* fusion, std::string_view owner, const PassList& passes, const CompileContext& context);

// Calls run, with all that the context asks for around it: the fusion's text before and after, the time, onPass.
bool runObserved(Fusion* fusion, std::string_view name, const CompileContext& context,
                 const std::function<bool()>& run);

template <class Derived>
class OptimizationPass {
 public:
  // For the whole process; read once per run.
  static void setEnabled(bool enabled) { enabled_.store(enabled); }
  static bool getEnabled() { return enabled_.load(); }

  // True when the fusion changed. Does nothing when disabled, here or in context.options.disabledPasses.
  static bool runPass(Fusion* fusion, const CompileContext& context = {}) {
    if (!getEnabled() || context.options.disabledPasses.count(std::string(Derived::name())) != 0) return false;
    return runObserved(fusion, Derived::name(), context, [&] {
      if constexpr (requires { Derived::runSequence(fusion, context); }) {
        return Derived::runSequence(fusion, context);
      } else {
        return runPassList(fusion, Derived::name(), Derived::registerPasses(fusion), context);
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
