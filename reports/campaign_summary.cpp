// Figures of a campaign, as JSON and as text.

#include "reports/campaign_summary.h"

#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuser/support/check.h"

namespace reports {
namespace {

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

nlohmann::ordered_json coverageJson(const std::map<std::string, Coverage>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, row] : rows) {
    json[name]["cases"] = row.cases;
    if (row.elements.judged == 0) continue;
    json[name]["elements_judged"] = row.elements.judged;
    json[name]["decided_share"] = share(row.elements.decided, row.elements.judged);
  }
  return json;
}

}  // namespace

double decidedShare(const CampaignSummary& summary) { return share(summary.elements.decided, summary.elements.judged); }
double decidedOutputShare(const CampaignSummary& summary) {
  return share(summary.outputs.decided, summary.outputs.judged);
}
double decidedCaseShare(const CampaignSummary& summary) { return share(summary.decidedCases, summary.judgedCases); }
double rejectedShare(const CampaignSummary& summary) {
  const auto rejected = summary.verdicts.find("rejected");
  return rejected == summary.verdicts.end() ? 0 : share(rejected->second, summary.cases);
}
double casesPerSecond(const CampaignSummary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.cases) / summary.seconds : 0;
}

std::string toJson(const CampaignSummary& summary) {
  nlohmann::ordered_json json;
  for (const auto& [key, value] : summary.stamp) json["stamp"][key] = value;
  json["seed"] = summary.seed;
  json["jobs"] = summary.jobs;
  json["seconds"] = summary.seconds;
  json["interrupted"] = summary.interrupted;
  json["cases"] = summary.cases;
  json["runs"] = summary.runs;
  json["cases_per_second"] = casesPerSecond(summary);
  json["elements"] = summary.elements.judged;
  json["elements_of_outputs"] = summary.outputs.judged;
  json["decided_share"] = decidedShare(summary);
  json["decided_output_share"] = decidedOutputShare(summary);
  json["decided_case_share"] = decidedCaseShare(summary);
  json["probed_cases"] = summary.probedCases;
  json["rejected_share"] = rejectedShare(summary);
  json["rejected_by_reason"] = summary.rejectedByReason;
  json["verdicts"] = summary.verdicts;
  json["stage_seconds"] = summary.stageSeconds;
  const Compilers& compilers = summary.compilers;
  json["compilers"] = {{"cases", compilers.cases},
                       {"kernels", compilers.kernels},
                       {"seconds", compilers.seconds},
                       {"clang_seconds", compilers.clangSeconds},
                       {"nvrtc_seconds", compilers.nvrtcSeconds},
                       {"skipped", compilers.skipped}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : summary.findings) {
    json["findings"].push_back({{"kind", finding.kind},
                                {"reason", finding.reason},
                                {"file", finding.file},
                                {"origin", finding.origin},
                                {"replay", finding.replay},
                                {"reproduces", finding.reproduces}});
  }
  json["coverage"]["op"] = coverageJson(summary.ops);
  json["coverage"]["dtype"] = coverageJson(summary.dtypes);
  json["coverage"]["rank"] = coverageJson(summary.ranks);
  json["coverage"]["scheduler"] = coverageJson(summary.schedulers);
  json["coverage"]["never_generated"] = summary.neverGenerated;
  // Reasons may quote bytes of a stranger's file.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string toText(const CampaignSummary& summary) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(4);
  out << "cases " << summary.cases << " (" << summary.runs << " runs) in " << std::setprecision(1) << summary.seconds
      << " s: " << casesPerSecond(summary) << " cases/s\n"
      << std::setprecision(4);
  out << "decided share of elements " << decidedShare(summary) << " (of outputs " << decidedOutputShare(summary)
      << "), of cases " << decidedCaseShare(summary) << "; elements judged " << summary.elements.judged << "; "
      << summary.probedCases << " cases with probes\n";
  out << "rejected share " << rejectedShare(summary) << "\n";
  for (const auto& [reason, count] : summary.rejectedByReason) out << "  " << count << " x " << reason << "\n";
  out << "verdicts:";
  for (const auto& [kind, count] : summary.verdicts) {
    if (count > 0) out << " " << kind << " " << count;
  }
  double total = 0;
  for (const auto& [stage, seconds] : summary.stageSeconds) total += seconds;
  out << "\ntime of the workers:" << std::setprecision(1);
  for (const auto& [stage, seconds] : summary.stageSeconds) {
    if (seconds >= total / 1000) out << " " << stage << " " << 100 * seconds / total << "%";
  }
  out << "\ncompilers: " << summary.compilers.cases << " cases on the cpu engine, " << summary.compilers.kernels
      << " kernels; " << summary.compilers.seconds << " s, of which clang " << summary.compilers.clangSeconds
      << " s and NVRTC " << summary.compilers.nvrtcSeconds << " s";
  if (!summary.compilers.skipped.empty()) out << "; without " << summary.compilers.skipped;
  out << "\n";
  if (!summary.neverGenerated.empty()) {
    out << "never generated:";
    for (const std::string& op : summary.neverGenerated) out << " " << op;
    out << "\n";
  }
  return out.str();
}

void writeFile(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path partial = path.string() + ".part";
  {
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.flush();
    FUSER_USER_CHECK(out.good(), "cannot write ", partial.string(), "; is the disk full or the folder read-only?");
  }
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  FUSER_USER_CHECK(!error, "cannot write ", path.string(), ": ", error.message());
}

}  // namespace reports
