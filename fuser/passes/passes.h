#pragma once
// A class for each line of pipeline.def.

#include <span>
#include <string>
#include <string_view>

#include "fuser/passes/optimization_pass.h"

namespace fuser {

#define PASS(NAME, SUMMARY, FILE, REASON)                 \
  class NAME : public OptimizationPass<NAME> {            \
   public:                                                \
    static std::string_view name() { return #NAME; }      \
    static std::string_view summary() { return SUMMARY; } \
    static PassList registerPasses(Fusion* fusion);       \
  };
#define CONTEXT_PASS(NAME, SUMMARY, FILE, REASON)                                            \
  class NAME : public OptimizationPass<NAME> {                                               \
   public:                                                                                   \
    static std::string_view name() { return #NAME; }                                         \
    static std::string_view summary() { return SUMMARY; }                                    \
    static PassList registerPasses(Fusion* fusion, const CompileContext& context);           \
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
