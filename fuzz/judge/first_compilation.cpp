#include "fuzz/judge/first_compilation.h"

#include <memory>

#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuzz/faults/faults.h"

namespace fuser::fuzz {

void compileFirstRun(const Case& statements, CompileObserver& observer,
                     const std::function<void(const FirstCompilation&)>& begin) {
  FUSER_USER_CHECK(!statements.runs.empty(), "the case has no run to compile it for");
  const Case functional = functionalCase(statements);
  const RunData data = materialize(functional, functional.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  const Case testCase = concreteCase(functional, inputs);
  const FirstCompilation compiled{testCase, inputs};
  begin(compiled);
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  std::unique_ptr<PlantedFault> fault;
  if (!testCase.options.fault.empty()) {
    fault = plantFault(testCase.options.fault);
    settings.context.observers.push_back(fault.get());
  }
  settings.context.observers.push_back(&observer);
  // The case outlives this.
  FusionExecutorCache(std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), testCase.fusion.get()),
                      std::move(settings))
      .run(inputs);
}

}  // namespace fuser::fuzz
