#include "fuser/passes/pre_segmenter.h"

#include <algorithm>

namespace fuser {

namespace {

constexpr PassInfo kPasses[] = {
#define PASS(NAME, SUMMARY, FILE, REASON) {#NAME, SUMMARY, FILE, REASON, &NAME::runPass},
#include "fuser/passes/pipeline.def"
#undef PASS
};

}  // namespace

std::span<const PassInfo> allPasses() { return kPasses; }

std::string passNames() {
  std::string names(PreSegmenter::name());
  for (const PassInfo& pass : kPasses) names += concat(", ", pass.name);
  return names;
}

bool isPassName(std::string_view name) {
  return name == PreSegmenter::name() ||
         std::any_of(std::begin(kPasses), std::end(kPasses), [&](const PassInfo& pass) { return pass.name == name; });
}

bool PreSegmenter::runPass(Fusion* fusion, const CompileContext& context, OwnRun) {
  for (const std::string& disabled : context.options.disabledPasses) {
    FUSER_USER_CHECK(isPassName(disabled), "no pass is called '", disabled, "'; known: ", passNames());
  }
  bool modified = false;
  for (const PassInfo& pass : kPasses) {
    // There is no resize scheduler yet, but its option decides whether pads stay where the program has them.
    const bool wanted =
        pass.name != MovePadPass::name() || isOptionDisabled(context.options, DisableOption::ResizeScheduler);
    if (wanted) modified |= pass.run(fusion, context);
  }
  return modified;
}

}  // namespace fuser
