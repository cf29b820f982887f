// Set-up that counts on several engines have in common.
#include "fuser/runtime/counted_run.h"

#include <algorithm>
#include <optional>

#include "fuser/case/functional_updates.h"

namespace fuser {
namespace {

int64_t elementsOf(const Run& run) {
  int64_t elements = 0;
  for (const RunInput& input : run.inputs) {
    // Sizes of a file may be too large; what is past the limit is no run (materialize).
    if (const auto* tensor = std::get_if<TensorInput>(&input.value)) {
      int64_t product = 1;
      for (int64_t size : tensor->sizes)
        product = std::min(product * std::clamp<int64_t>(size, 0, kMaxElements), kMaxElements);
      elements += product;
    }
  }
  return elements;
}

}  // namespace

size_t dearestRun(const Case& testCase) {
  std::optional<size_t> dearest;
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    if (testCase.runs[i].expectation == Expectation::Rejected) continue;
    if (!dearest || elementsOf(testCase.runs[i]) > elementsOf(testCase.runs[*dearest])) dearest = i;
  }
  FUSER_USER_CHECK(dearest, "cost: the case has no run that is not rejected");
  return *dearest;
}

CountedRun::CountedRun(const Case& statements, size_t maxBytes, size_t device)
    : testCase_(functionalCase(statements)),
      number_(dearestRun(testCase_)),
      maxBytes_(maxBytes),
      device_(device),
      data_(materialize(testCase_, testCase_.runs[number_], maxBytes)),
      inputs_(hostValues(data_)),
      sizes_(*testCase_.fusion) {
  sizes_.bindInputs(inputs_);
}

RunRecord CountedRun::run(std::shared_ptr<Engine> engine) {
  FusionExecutorCache::Settings settings = settingsOf(testCase_);
  settings.context.options.device = device_;
  settings.maxBytes = maxBytes_;
  settings.engine = std::move(engine);
  // The case owns the fusion.
  cache_ = std::make_unique<FusionExecutorCache>(
      std::shared_ptr<const Fusion>(testCase_.fusion.get(), [](const Fusion*) {}), settings);
  memory_ = outputMemory(testCase_, sizes_, maxBytes_);
  return cache_->run(inputs_, sizes_, memory_.refs);
}

}  // namespace fuser
