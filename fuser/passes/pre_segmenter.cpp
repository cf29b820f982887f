#include "fuser/passes/pre_segmenter.h"

#include <algorithm>

namespace fuser {

namespace {

constexpr PassInfo kPasses[] = {
#define PASS(NAME, CONDITION, SUMMARY, FILE, REASON) \
  {#NAME, PassCondition::CONDITION, SUMMARY, FILE, REASON, &NAME::runPass},
#include "fuser/passes/pipeline.def"
#undef PASS
};

}  // namespace

std::span<const PassInfo> allPasses() { return kPasses; }

bool holds(PassCondition condition, const CompileOptions& options) {
  switch (condition) {
    case PassCondition::Always: return true;
    case PassCondition::ResizeSchedulerDisabled: return isOptionDisabled(options, DisableOption::ResizeScheduler);
  }
  FUSER_CHECK(false, "bad PassCondition");
}

std::string_view describe(PassCondition condition) {
  switch (condition) {
    case PassCondition::Always: return "";
    case PassCondition::ResizeSchedulerDisabled: return "with `option disable resize_scheduler`";
  }
  FUSER_CHECK(false, "bad PassCondition");
}

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
    if (holds(pass.condition, context.options)) modified |= pass.run(fusion, context);
  }
  return modified;
}

}  // namespace fuser
