#pragma once
// Declares an OptimizationPass class for each line of pipeline.def, and the table of them.

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fuser/passes/optimization_pass.h"

namespace fuser {

// Creates the Pass objects of a line of the list, in the order in which they run.
using MakePasses = PassList (*)(Fusion*, const CompileContext&);

template <class P>
std::unique_ptr<Pass> makePass(Fusion* fusion, const CompileContext& context) {
  if constexpr (std::is_constructible_v<P, Fusion*, const CompileContext&>) {
    return std::make_unique<P>(fusion, context);  // the pass must copy what it keeps of the context
  } else {
    return std::make_unique<P>(fusion);
  }
}

// Creates one pass of each class, in this order.
template <class... Passes>
PassList passesOf(Fusion* fusion, const CompileContext& context) {
  PassList passes;
  (passes.push_back(makePass<Passes>(fusion, context)), ...);
  return passes;
}

// FILE defines the Pass classes and lists them: const MakePasses NAME::kPasses = passesOf<…>;
#define PASS(NAME, CONDITION, SUMMARY, FILE, REASON)                                     \
  class NAME : public OptimizationPass<NAME> {                                           \
   public:                                                                               \
    static std::string_view name() { return #NAME; }                                     \
    static std::string_view summary() { return SUMMARY; }                                \
    static PassList registerPasses(Fusion* fusion, const CompileContext& context = {}) { \
      return kPasses(fusion, context);                                                   \
    }                                                                                    \
                                                                                         \
   private:                                                                              \
    static const MakePasses kPasses;                                                     \
  };
#include "fuser/passes/pipeline.def"
#undef PASS

// When PreSegmenter runs a pass.
enum class PassCondition : uint8_t {
  Always,
  ResizeSchedulerDisabled,  // where kernels do not compute inline what pads read
};
bool holds(PassCondition condition, const CompileOptions& options);
// For help: "with `option disable resize_scheduler`"; empty for Always.
std::string_view describe(PassCondition condition);

struct PassInfo {
  std::string_view name;
  PassCondition condition;
  std::string_view summary;
  std::string_view file;
  std::string_view reason;  // why it has this position in the list
  bool (*run)(Fusion*, const CompileContext&);
};
// In the order of pipeline.def.
std::span<const PassInfo> allPasses();

// Whether `option disable pass NAME` accepts the name: that of a line in the list, or PreSegmenter.
bool isPassName(std::string_view name);
// All of these names for messages: "PreSegmenter, RemoveEmptyPass, …".
std::string passNames();

}  // namespace fuser
