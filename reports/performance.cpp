#include "reports/performance.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fuser/support/check.h"
#include "reports/figures.h"
#include "reports/json_text.h"
#include "reports/rank_test.h"

namespace reports {
namespace {

using nlohmann::json;

constexpr const char* kCounter = "relative_cost";
// Of Google Benchmark's context, and what tests/bench adds to it.
constexpr const char* kStampFields[] = {"machine", "num_cpus", "build", "compiler", "version"};

void takeRepetition(const json& entry, Measurement& measurement) {
  if (entry.value("run_type", "iteration") != "iteration") return;  // means and medians
  const std::string name = entry.value("run_name", entry.at("name").get<std::string>());
  FUSER_USER_CHECK(!entry.value("error_occurred", false), measurement.origin, ": the benchmark ", name,
                   " failed: ", entry.value("error_message", ""));
  const auto cost = entry.find(kCounter);
  if (cost == entry.end()) return;  // measured for people
  FUSER_USER_CHECK(cost->is_number() && std::isfinite(cost->get<double>()) && cost->get<double>() > 0,
                   measurement.origin, ": the benchmark ", name, " has a ", kCounter,
                   " that is not a positive number: ", cost->dump());
  measurement.relative[name].push_back(cost->get<double>());
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> logs;
  for (double value : values) logs.push_back(std::log(value));
  return logs;
}

void checkRepetitions(const Measurement& measurement, const std::string& name, size_t least) {
  const size_t count = measurement.relative.at(name).size();
  FUSER_USER_CHECK(count >= least, measurement.origin, ": ", name, " has ", count, " repetitions, and at least ", least,
                   " are needed: measure with --benchmark_repetitions=", least);
}

PerformanceRow compare(const std::string& name, const std::vector<double>& baseline, const std::vector<double>& current,
                       const PerformanceSettings& settings) {
  PerformanceRow row;
  row.name = name;
  row.baseline = baseline.size();
  row.current = current.size();
  const std::vector<double> before = logarithms(baseline), after = logarithms(current);
  row.p = mannWhitney(before, after).p;
  const Shift shift = shiftOf(before, after, settings.confidence);
  row.factor = std::exp(shift.estimate);
  row.low = std::exp(shift.low);
  row.high = std::exp(shift.high);
  const double most = 1 + settings.threshold, least = 1 / most;
  const bool significant = row.p <= settings.significance;
  row.verdict = significant && row.factor > most       ? SpeedVerdict::Slow
                : significant && row.factor < least    ? SpeedVerdict::Fast
                : row.low >= least && row.high <= most ? SpeedVerdict::Same
                                                       : SpeedVerdict::Unsure;
  return row;
}

std::string stampOf(const Measurement& measurement, const std::string& field) {
  const auto found = measurement.stamp.find(field);
  return found == measurement.stamp.end() ? "unknown" : found->second;
}

void compareStamps(const Measurement& baseline, const Measurement& current, PerformanceCheck& check) {
  FUSER_USER_CHECK(stampOf(baseline, "build") == stampOf(current, "build"),
                   "the builds cannot be compared: ", baseline.origin, " is of a build '", stampOf(baseline, "build"),
                   "', ", current.origin, " of a build '", stampOf(current, "build"), "'");
  for (const char* field : {"machine", "num_cpus", "compiler"}) {
    const std::string before = stampOf(baseline, field), after = stampOf(current, field);
    if (before == after) continue;
    check.warnings.push_back(std::string("another ") + field + ": " + before + " in " + baseline.origin + ", " + after +
                             " in " + current.origin + "; ratios to the reference move with it");
  }
}

}  // namespace

const char* verdictName(SpeedVerdict verdict) {
  switch (verdict) {
    case SpeedVerdict::Slow: return "SLOW";
    case SpeedVerdict::Fast: return "FAST";
    case SpeedVerdict::Same: return "SAME";
    case SpeedVerdict::Unsure: return "UNSURE";
  }
  FUSER_CHECK(false, "bad SpeedVerdict");
}

Measurement parseMeasurement(const std::string& text, const std::string& origin) {
  Measurement measurement;
  measurement.origin = origin;
  try {
    const json file = parseJson(text, origin);
    const json& context = file.at("context");
    for (const char* field : kStampFields) {
      const auto found = context.find(field);
      if (found == context.end()) continue;
      measurement.stamp[field] = found->is_string() ? found->get<std::string>() : found->dump();
    }
    for (const json& entry : file.at("benchmarks")) takeRepetition(entry, measurement);
  } catch (const json::exception& error) {
    fuser::throwUserError(fuser::concat(origin,
                                        " is not what Google Benchmark writes with "
                                        "--benchmark_out_format=json: ",
                                        inOurWords(error)));
  }
  FUSER_USER_CHECK(!measurement.relative.empty(), origin, " has no benchmark with the counter ", kCounter,
                   "; measure with tests/bench/measure");
  return measurement;
}

PerformanceCheck checkPerformance(const Measurement& baseline, const Measurement& current,
                                  const PerformanceSettings& settings) {
  PerformanceCheck check;
  compareStamps(baseline, current, check);
  for (const auto& [before, after] : settings.renamed) {
    FUSER_USER_CHECK(baseline.relative.count(before), baseline.origin, " has no benchmark ", before);
    FUSER_USER_CHECK(current.relative.count(after), current.origin, " has no benchmark ", after);
  }
  std::map<std::string, bool> used;
  for (const auto& [name, costs] : baseline.relative) {
    const auto other = settings.renamed.find(name);
    const std::string& now = other == settings.renamed.end() ? name : other->second;
    const auto found = current.relative.find(now);
    if (found == current.relative.end()) {
      check.missing.push_back(name);
      continue;
    }
    used[now] = true;
    checkRepetitions(baseline, name, settings.repetitions);
    checkRepetitions(current, now, settings.repetitions);
    check.rows.push_back(compare(name, costs, found->second, settings));
  }
  for (const auto& [name, costs] : current.relative) {
    if (!used.count(name)) check.added.push_back(name);
  }
  FUSER_USER_CHECK(!check.rows.empty(), baseline.origin, " and ", current.origin, " have no benchmark in common");
  return check;
}

bool anySlow(const PerformanceCheck& check) {
  return std::any_of(check.rows.begin(), check.rows.end(),
                     [](const PerformanceRow& row) { return row.verdict == SpeedVerdict::Slow; });
}

std::string toText(const PerformanceCheck& check) {
  std::vector<PerformanceRow> rows = check.rows;
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return (a.verdict == SpeedVerdict::Slow) > (b.verdict == SpeedVerdict::Slow);
  });
  size_t width = 9;
  for (const PerformanceRow& row : rows) width = std::max(width, row.name.size());
  std::string text = "         " + padded("benchmark", width, false) + "   factor  interval          p\n";
  for (const PerformanceRow& row : rows) {
    const std::string interval = "[" + fixed(row.low, 3) + ", " + fixed(row.high, 3) + "]";
    text += padded(verdictName(row.verdict), 7, false) + "  " + padded(row.name, width, false) +
            padded(fixed(row.factor, 3), 9, true) + "  " + padded(interval, 16, false) + "  " + fixed(row.p, 5) + "\n";
  }
  for (const std::string& name : check.missing) text += "gone: " + name + " is in the baseline alone\n";
  for (const std::string& name : check.added) text += "new: " + name + " is not in the baseline\n";
  for (const std::string& warning : check.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace reports
