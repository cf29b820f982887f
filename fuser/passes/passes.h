#pragma once
// A class for each line of pipeline.def.

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fuser/passes/optimization_pass.h"

namespace fuser {

// The Pass objects that a line of the list runs, in their turn.
using MakePasses = PassList (*)(Fusion*, const CompileContext&);

template <class P>
std::unique_ptr<Pass> makePass(Fusion* fusion, const CompileContext& context) {
  if constexpr (std::is_constructible_v<P, Fusion*, const CompileContext&>) {
    return std::make_unique<P>(fusion, context);  // what it keeps of the context is a copy
  } else {
    return std::make_unique<P>(fusion);
  }
}

// One of each class, in this order.
template <class... Passes>
PassList passesOf(Fusion* fusion, const CompileContext& context) {
  PassList passes;
  (passes.push_back(makePass<Passes>(fusion, context)), ...);
  return passes;
}

// FILE has the Pass classes, and says so: const MakePasses NAME::kPasses = passesOf<…>;
#define PASS(NAME, SUMMARY, FILE, REASON)                                                     \
  class NAME : public OptimizationPass<NAME> {                                                \
   public:                                                                                    \
    static std::string_view name() { return #NAME; }                                          \
    static std::string_view summary() { return SUMMARY; }                                     \
    static PassList registerPasses(Fusion* fusion, const CompileContext& context = {}) {      \
      return kPasses(fusion, context);                                                        \
    }                                                                                         \
                                                                                              \
   private:                                                                                   \
    static const MakePasses kPasses;                                                          \
  };
#include "fuser/passes/pipeline.def"
#undef PASS

struct PassInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view file;
  std::string_view reason;  // why it stands where it stands
  bool (*run)(Fusion*, const CompileContext&);
};
// In the order of pipeline.def.
std::span<const PassInfo> allPasses();

// Whether `option disable pass NAME` may name it: a line of the list, or PreSegmenter.
bool isPassName(std::string_view name);
// All of these, for messages: "PreSegmenter, RemoveEmptyPass, …".
std::string passNames();

}  // namespace fuser
