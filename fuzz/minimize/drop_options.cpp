// Options back to their defaults, schedules, aliases, memory for outputs and stream axes away, one by one.
#include <functional>

#include "fuser/text/option_table.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropOptions(Search& search) {
  bool progress = false;
  const auto attempt = [&](const std::function<void(Case&)>& change) {
    Case candidate = cloneCase(search.best());
    change(candidate);
    progress |= search.attempt(candidate);
  };
  const CompileOptions usual;
  for (const OptionInfo& option : optionTable()) {
    if (option.get(search.best().options) == option.get(usual)) continue;
    attempt([&](Case& candidate) { option.set(candidate.options, option.get(usual)); });
  }
  for (const std::string& pass : std::set<std::string>(search.best().options.disabledPasses)) {
    attempt([&](Case& candidate) { candidate.options.disabledPasses.erase(pass); });
  }
  if (!search.best().options.fault.empty()) attempt([](Case& candidate) { candidate.options.fault.clear(); });
  if (search.best().schedule) attempt([](Case& candidate) { candidate.schedule.reset(); });
  for (size_t i = search.best().schedule ? search.best().schedule->size() : 0; i-- > 0;) {
    attempt([&](Case& candidate) {
      candidate.schedule->erase(candidate.schedule->begin() + static_cast<std::ptrdiff_t>(i));
    });
  }
  const std::map<int64_t, Schedule> segments = search.best().segmentSchedules;
  for (const auto& [segment, schedule] : segments) {
    attempt([segment = segment](Case& candidate) { candidate.segmentSchedules.erase(segment); });
  }
  for (size_t i = search.best().aliases.size(); i-- > 0;) {
    attempt(
        [&](Case& candidate) { candidate.aliases.erase(candidate.aliases.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
  for (size_t i = search.best().preallocated.size(); i-- > 0;) {
    attempt([&](Case& candidate) {
      candidate.preallocated.erase(candidate.preallocated.begin() + static_cast<std::ptrdiff_t>(i));
    });
    if (i >= search.best().preallocated.size()) continue;
    const PreallocatedOutput plain{search.best().preallocated[i].output, {}, {}, 0};
    if (search.best().preallocated[i] != plain) attempt([&](Case& candidate) { candidate.preallocated[i] = plain; });
  }
  // By name: an attempt that succeeds makes another fusion of the best one.
  const auto spreadTensor = [](const Case& of, const std::string& name) -> const TensorView* {
    for (const Val* val : of.fusion->usedVals()) {
      if (val->isTensor() && val->name() == name && val->as<TensorView>()->streamAxis()) return val->as<TensorView>();
    }
    return nullptr;
  };
  std::vector<std::string> spread;
  for (const Val* val : search.best().fusion->usedVals()) {
    if (spreadTensor(search.best(), val->name())) spread.push_back(val->name());
  }
  for (const std::string& name : spread) {
    if (!spreadTensor(search.best(), name)) continue;
    attempt([&](Case& candidate) {
      const TensorView* tensor = spreadTensor(candidate, name);
      for (IterDomain* axis : tensor ? tensor->axes() : std::vector<IterDomain*>{}) {
        axis->parallelize(ParallelType::Serial);
      }
    });
  }
  return progress;
}

}  // namespace fuser::fuzz
