// Options back to their defaults, schedules, aliases and stream axes away, one by one.
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
    attempt([&](Case& candidate) { candidate.aliases.erase(candidate.aliases.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
  for (const Val* val : std::vector<Val*>(search.best().fusion->usedVals())) {
    const size_t id = val->id();
    const auto tensorOf = [id](const Case& of) {
      const auto& vals = of.fusion->allVals();
      return id < vals.size() && vals[id]->isTensor() ? vals[id]->as<TensorView>() : nullptr;
    };
    const TensorView* spread = tensorOf(search.best());
    if (!spread || !spread->streamAxis()) continue;
    attempt([&](Case& candidate) {
      for (IterDomain* axis : tensorOf(candidate)->axes()) axis->parallelize(ParallelType::Serial);
    });
  }
  return progress;
}

}  // namespace fuser::fuzz
