#include "reports/night.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "fuser/support/check.h"
#include "reports/figures.h"
#include "reports/json_text.h"

namespace reports {
namespace {

using nlohmann::json;

constexpr double kMillis = 1e3, kPercent = 100, kSectorBytes = 32;

constexpr Figure kFigures[] = {
    {"certified_cases_per_second", "certified cases a second", "", Basis::Campaign, Better::More, 1, 1, false},
    {"cases", "cases", "", Basis::Campaign, Better::Neither, 1, 0, false},
    {"decided_case_share", "share of cases decided", "%", Basis::Campaign, Better::More, kPercent, 2, false},
    {"decided_share", "share of elements decided", "%", Basis::Campaign, Better::More, kPercent, 2, false},
    {"decided_output_share", "share of output elements decided", "%", Basis::Campaign, Better::More, kPercent, 2,
     false},
    {"buckets", "buckets of findings", "", Basis::Campaign, Better::Neither, 1, 0, false},
    {"compile_seconds_per_case", "time of our compiler a case", "ms", Basis::Campaign, Better::Less, kMillis, 2, false},
    {"clang_seconds_per_kernel", "time of clang a kernel", "ms", Basis::Campaign, Better::Less, kMillis, 1, false},
    {"nvrtc_seconds_per_kernel", "time of NVRTC a kernel", "ms", Basis::Campaign, Better::Less, kMillis, 1, false},
    {"faults_missed", "planted faults that are missed", "", Basis::Selftest, Better::Less, 1, 0, false},
    {"fault_cases", "cases until a planted fault is caught (median)", "", Basis::Selftest, Better::Less, 1, 0, false},
    {"fault_seconds", "time of workers until a planted fault is caught (median)", "s", Basis::Selftest, Better::Less, 1,
     2, false},
    {"seed_kernels", "kernels of the seeds", "", Basis::Seeds, Better::Less, 1, 0, true},
    {"seed_requested_bytes", "bytes that kernels of the seeds ask for", "", Basis::Seeds, Better::Less, 1, 0, true},
    {"seed_compulsory_bytes", "bytes that kernels of the seeds need", "", Basis::Seeds, Better::Less, 1, 0, true},
};

// Of the stages of report.json, those that make a program of a fusion (fuser/runtime/build_program.cpp).
constexpr const char* kCompileStages[] = {"passes", "segment",     "schedule", "apply schedule",
                                          "lower",  "index width", "host"};

// Of a stamp, what says with what a campaign ran, not what it was asked to do. All else are options, so that a new one
// is never overlooked.
const std::set<std::string> kNoOptions = {"version",  "format", "stream", "libtorch", "clang",
                                          "compiler", "device", "target", "seed"};

std::string textAt(const json& object, const char* key) { return object.value(key, std::string()); }

Options optionsOf(const json& stamp) {
  Options options;
  for (const auto& [key, value] : stamp.items()) {
    if (!kNoOptions.count(key)) options[key] = value.get<std::string>();
  }
  return options;
}

// Reads with `read`; a value of another type than it should be is a UserError.
template <class Read>
void readJson(const std::string& text, const std::string& origin, const char* what, const Read& read) {
  const json file = parseJson(text, origin);
  try {
    read(file);
  } catch (const json::exception& error) {
    fuser::throwUserError(fuser::concat(origin, " is no ", what, ": ", inOurWords(error)));
  }
}

// part / whole, where both are there and whole is not 0.
void addRatio(Night& night, const char* key, const json& part, const json& whole) {
  if (whole.get<double>() > 0) night.figures[key] = part.get<double>() / whole.get<double>();
}

void addShare(Night& night, const char* key, const json& file, const char* whole) {
  if (file.at(whole).get<double>() > 0) night.figures[key] = file.at(key).get<double>();
}

void addCompileTimes(Night& night, const json& file) {
  json seconds = 0.0;
  bool isTimed = false;
  for (const char* stage : kCompileStages) {
    const auto found = file.at("stage_seconds").find(stage);
    if (found == file.at("stage_seconds").end()) continue;
    isTimed = true;
    seconds = seconds.get<double>() + found->get<double>();
  }
  if (isTimed) addRatio(night, "compile_seconds_per_case", seconds, file.at("cases"));
  const json& compilers = file.at("compilers");
  const json& kernels = compilers.at("kernels");
  if (compilers.at("clang_seconds") > 0)
    addRatio(night, "clang_seconds_per_kernel", compilers.at("clang_seconds"), kernels);
  if (compilers.at("nvrtc_seconds") > 0)
    addRatio(night, "nvrtc_seconds_per_kernel", compilers.at("nvrtc_seconds"), kernels);
}

}  // namespace

std::span<const Figure> allFigures() { return kFigures; }

std::string valueText(const Figure& figure, double value) {
  const double shown = value * figure.scale;
  const std::string unit = *figure.unit ? std::string(" ") + figure.unit : "";
  return (figure.digits == 0 ? grouped(std::llround(shown)) : fixed(shown, figure.digits)) + unit;
}

void readCampaign(Night& night, const std::string& text, const std::string& origin) {
  readJson(text, origin, "report.json", [&](const json& file) {
    const json& stamp = file.at("stamp");
    night.hasCampaign = true;
    night.started = textAt(file, "started");  // older programs do not write it
    night.target = textAt(stamp, "target");
    night.processor = textAt(stamp, "device");
    night.version = textAt(stamp, "version");
    night.seconds = file.at("seconds").get<double>();
    night.campaign = optionsOf(stamp);
    night.campaign["jobs"] = std::to_string(file.at("jobs").get<int64_t>());
    night.figures["cases"] = file.at("cases").get<double>();
    addRatio(night, "certified_cases_per_second", file.at("decided_cases"), file.at("seconds"));
    addShare(night, "decided_case_share", file, "judged_cases");
    addShare(night, "decided_share", file, "elements");
    addShare(night, "decided_output_share", file, "elements_of_outputs");
    addCompileTimes(night, file);
    for (const json& bucket : file.at("buckets")) {
      night.buckets.push_back({textAt(bucket, "bucket"), textAt(bucket, "title"), textAt(bucket, "known"),
                               bucket.at("findings").get<int64_t>()});
    }
    night.figures["buckets"] = static_cast<double>(night.buckets.size());
  });
}

void readSelftest(Night& night, const std::string& text, const std::string& origin) {
  readJson(text, origin, "selftest.json", [&](const json& file) {
    const json& stamp = file.at("stamp");
    const std::string processor = textAt(stamp, "device"), target = textAt(stamp, "target");
    if (night.hasCampaign && (processor != night.processor || target != night.target)) {
      night.notes.push_back(origin + " is of another processor or target than the campaign beside it, and is left out");
      return;
    }
    night.processor = processor;
    night.target = target;
    if (night.started.empty()) night.started = textAt(file, "started");
    if (night.version.empty()) night.version = textAt(stamp, "version");
    if (file.at("interrupted").get<bool>()) {
      night.notes.push_back(origin + " is of a selftest that was interrupted, and is left out");
      return;
    }
    night.selftest = optionsOf(stamp);
    night.selftest["cases a fault"] = std::to_string(file.at("control").at("cases").get<int64_t>());
    size_t missed = 0;
    for (const json& fault : file.at("faults")) missed += !fault.at("caught").get<bool>();
    night.figures["faults_missed"] = static_cast<double>(missed);
    if (missed == file.at("faults").size()) return;  // no median of none
    night.figures["fault_cases"] = file.at("median_cases").get<double>();
    if (file.contains("median_seconds")) night.figures["fault_seconds"] = file.at("median_seconds").get<double>();
  });
}

std::map<std::string, double> seedFigures(const ProgramCosts& program) {
  const CostLine& total = program.lines.back();
  const auto bytes = [&](Count count) {
    return kSectorBytes * static_cast<double>(total.counts[static_cast<size_t>(count)]);
  };
  return {{"seed_kernels", static_cast<double>(program.lines.size() - 1)},
          {"seed_requested_bytes", bytes(Count::Requested)},
          {"seed_compulsory_bytes", bytes(Count::Compulsory)}};
}

void readSeeds(Night& night, const std::string& text, const std::string& origin) {
  night.seeds = parseCostTable(text, origin);
  for (const ProgramCosts& program : night.seeds->programs) {
    for (const auto& [key, value] : seedFigures(program)) night.figures[key] += value;
  }
}

}  // namespace reports
