#pragma once
// A class for each line of pipeline.def.

#include <span>

#include "fuser/passes/optimization_pass.h"

namespace fuser {

#define PASS(NAME, SUMMARY, FILE)                         \
  class NAME : public OptimizationPass<NAME> {            \
   public:                                                \
    static std::string_view name() { return #NAME; }      \
    static std::string_view summary() { return SUMMARY; } \
    static PassList registerPasses(Fusion* fusion);       \
  };
#include "fuser/passes/pipeline.def"
#undef PASS

struct PassInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view file;
  bool (*run)(Fusion*, const CompileContext&);
};
// In the order of pipeline.def.
std::span<const PassInfo> allPasses();

}  // namespace fuser
