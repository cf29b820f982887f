#include "fuser/passes/pre_segmenter.h"

#include <algorithm>

namespace fuser {

namespace {

constexpr PassInfo kPasses[] = {
#define PASS(NAME, SUMMARY, FILE) {#NAME, SUMMARY, FILE, &NAME::runPass},
#include "fuser/passes/pipeline.def"
#undef PASS
};

}  // namespace

std::span<const PassInfo> allPasses() { return kPasses; }

bool PreSegmenter::runSequence(Fusion* fusion, const CompileContext& context) {
  for (const std::string& disabled : context.options.disabledPasses) {
    const bool known = disabled == name() || std::any_of(std::begin(kPasses), std::end(kPasses),
                                                         [&](const PassInfo& pass) { return pass.name == disabled; });
    FUSER_USER_CHECK(known, "no pass is called '", disabled, "'");
  }
  bool modified = false;
  for (const PassInfo& pass : kPasses) modified |= pass.run(fusion, context);
  return modified;
}

}  // namespace fuser
