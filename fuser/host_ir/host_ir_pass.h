#pragma once
// HostIrPass<Derived>: an edit of the host program with a switch, as OptimizationPass is one of the fusion. Derived has a
// static name(), and
//   static bool runPass(HostIrContainer&, OwnRun)
//     its run; true when it changed anything. Only the base can make an OwnRun, so that nobody gets round the switch;
//     `using HostIrPass::runPass;` keeps the call without one.
// OptimizationPassGuard switches a host pass, too.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_context.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/passes/optimization_pass.h"  // the guard

namespace fuser {

// Calls run, with its time, its log (DebugDumpOption::HostIr) and the verifier behind it.
bool runHostPassObserved(HostIrContainer& program, std::string_view name, HostLeaks leaks, const CompileContext& context,
                         const std::function<bool()>& run);

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

// Loops over streams. Each expression of the top level whose results have a Stream axis runs inside a loop over that axis,
// on the stream of the turn's number, on what its operands and results are at that place:
//   compute (%t) from (%x) as %t
// becomes
//   allocate %t: f32[i0, i1]
//   for index0 in %t {axis = 0} {
//     get stream saved0
//     set stream by index0
//     synchronize saved0
//     select %x.s0: f32[i1] of %x {axis = 0, index = index0}
//     select %t.s1: f32[i1] of %t {axis = 0, index = index0}
//     compute into (%t.s1) from (%x.s0) as %t {without_axis = 0}
//     set stream saved0
//     synchronize by index0
//   }
// Neighbours whose axes have one size share a loop, where what one reads of the other is at the same place. A UserError
// names the tensor whose axis cannot be taken apart, and why.
class StreamParallelTypePass : public HostIrPass<StreamParallelTypePass> {
 public:
  static constexpr HostLeaks kLeaks = HostLeaks::Allowed;
  static std::string_view name() { return "StreamParallelTypePass"; }
  using HostIrPass::runPass;
  static bool runPass(HostIrContainer& program, OwnRun);
};

// Frees each tensor that the program allocates behind the last node of that body which reads or writes it, or memory that is
// seen through it. Outputs of the fusion stay. Must be the last that moves nodes.
class InsertDeallocationsPass : public HostIrPass<InsertDeallocationsPass> {
 public:
  static constexpr HostLeaks kLeaks = HostLeaks::Forbidden;
  static std::string_view name() { return "InsertDeallocationsPass"; }
  using HostIrPass::runPass;
  static bool runPass(HostIrContainer& program, OwnRun);
};

// The passes above, in order.
void runHostPasses(HostIrContainer& program, const CompileContext& context);

}  // namespace fuser
