#pragma once
// Creates a FusionExecutorCache for a generated case.

#include <memory>

#include "fuser/runtime/case_settings.h"

namespace fuser {

// The case's settings, with the interp engine. The case must outlive the cache.
inline FusionExecutorCache::Settings interpSettings(const Case& testCase) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.options.engine = EngineKind::Interp;
  return settings;
}

inline std::unique_ptr<FusionExecutorCache> makeCache(const Case& testCase, FusionExecutorCache::Settings settings) {
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());  // owns nothing
  return std::make_unique<FusionExecutorCache>(std::move(fusion), std::move(settings));
}

// Whether the first run gives outputs: none of its indices is out of range, say.
inline bool givesOutputs(const Case& testCase) { return testCase.runs.front().expectation == Expectation::Agrees; }

}  // namespace fuser
