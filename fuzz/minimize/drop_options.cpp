// Options back to their defaults, schedules, aliases, memory for outputs and stream axes away, one by one.
#include <utility>

#include "fuser/text/option_table.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

bool dropSettings(Search& search) {
  bool progress = false;
  const CompileOptions usual;
  for (const OptionInfo& option : optionTable()) {
    progress |= search.attempt([&](CaseEdit& edit) {
      if (option.get(edit.options) == option.get(usual)) return false;
      option.set(edit.options, option.get(usual));
      return true;
    });
  }
  for (const std::string& pass : std::set<std::string>(search.best().options.disabledPasses)) {
    progress |= search.attempt([&](CaseEdit& edit) { return edit.options.disabledPasses.erase(pass) > 0; });
  }
  progress |= search.attempt([](CaseEdit& edit) { return !std::exchange(edit.options.fault, "").empty(); });
  return progress;
}

bool dropSchedules(Search& search) {
  bool progress = search.attempt([](CaseEdit& edit) { return std::exchange(edit.schedule, std::nullopt).has_value(); });
  for (size_t i = search.best().schedule ? search.best().schedule->size() : 0; i-- > 0;) {
    progress |= search.attempt([&](CaseEdit& edit) {
      edit.schedule->erase(edit.schedule->begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    });
  }
  const std::map<int64_t, Schedule> segments = search.best().segmentSchedules;
  for (const auto& segment : segments) {
    progress |= search.attempt([&](CaseEdit& edit) { return edit.segmentSchedules.erase(segment.first) > 0; });
  }
  return progress;
}

bool dropMemory(Search& search) {
  bool progress = false;
  for (size_t i = search.best().aliases.size(); i-- > 0;) {
    progress |= search.attempt([&](CaseEdit& edit) {
      edit.aliases.erase(edit.aliases.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    });
  }
  for (size_t i = search.best().preallocated.size(); i-- > 0;) {
    progress |= search.attempt([&](CaseEdit& edit) {
      edit.preallocated.erase(edit.preallocated.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    });
    progress |= search.attempt([&](CaseEdit& edit) {
      if (i >= edit.preallocated.size()) return false;
      const PreallocatedOutput plain{edit.preallocated[i].output, {}, {}, 0};
      return std::exchange(edit.preallocated[i], plain) != plain;
    });
  }
  return progress;
}

bool dropStreams(Search& search) {
  bool progress = false;
  // By name: an attempt that succeeds makes another fusion of the best one.
  std::vector<std::string> names;
  for (const Val* val : search.best().fusion->usedVals()) {
    if (val->isTensor() && val->as<TensorView>()->streamAxis()) names.push_back(val->name());
  }
  for (const std::string& name : names) {
    progress |= search.attempt([&](CaseEdit& edit) {
      return std::exchange(edit.placements.at(name).streamAxis, std::nullopt).has_value();
    });
  }
  return progress;
}

}  // namespace

bool dropOptions(Search& search) {
  bool progress = dropSettings(search);
  progress |= dropSchedules(search);
  progress |= dropMemory(search);
  progress |= dropStreams(search);
  return progress;
}

}  // namespace fuser::fuzz
