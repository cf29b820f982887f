// Cases as settings of a cache.

#include "fuser/runtime/case_settings.h"

#include "fuser/passes/passes.h"

namespace fuser {

FusionExecutorCache::Settings settingsOf(const Case& testCase) {
  FUSER_USER_CHECK(testCase.aliases.empty(), "alias %", testCase.aliases.front().first, " -> %",
                   testCase.aliases.front().second, ": outputs cannot reuse an input's memory");
  for (const std::string& pass : testCase.options.disabledPasses) {
    const auto place = testCase.passPlaces.find(pass);
    FUSER_USER_CHECK(isPassName(pass), place == testCase.passPlaces.end() ? "" : place->second + ": ",
                     "no pass is called '", pass, "'; known: ", passNames());
  }
  FusionExecutorCache::Settings settings;
  settings.context.options = testCase.options;
  settings.schedule = testCase.schedule;
  settings.segmentSchedules = testCase.segmentSchedules;
  return settings;
}

std::vector<HostValue> hostValues(const RunData& data) {
  std::vector<HostValue> values;
  for (const std::variant<size_t, ScalarValue>& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      values.push_back(data.tensors.at(*tensor).ref);
    } else {
      values.push_back(std::get<ScalarValue>(input));
    }
  }
  return values;
}

}  // namespace fuser
