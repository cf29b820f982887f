// report.json. reports/README.md#reportjson says what each field holds; a test compares the two.

#include <nlohmann/json.hpp>

#include "reports/buckets.h"
#include "reports/campaign_summary.h"

namespace reports {
namespace {

using Json = nlohmann::ordered_json;

Json coverageJson(const std::map<std::string, Coverage>& rows) {
  Json json = Json::object();
  for (const auto& [name, row] : rows) {
    json[name]["cases"] = row.cases;
    json[name]["verdicts"] = row.verdicts;
    json[name]["known"] = row.known;
    if (row.elements.judged == 0) continue;
    json[name]["elements_judged"] = row.elements.judged;
    json[name]["decided_share"] = static_cast<double>(row.elements.decided) / static_cast<double>(row.elements.judged);
  }
  return json;
}

Json findingsJson(const CampaignSummary& summary) {
  Json json = Json::array();
  for (const Finding& finding : summary.findings) {
    json.push_back({{"kind", finding.kind},
                    {"bucket", finding.bucket},
                    {"reason", finding.reason},
                    {"detail", finding.detail},
                    {"file", finding.file},
                    {"origin", finding.origin},
                    {"reproduces", finding.reproduces},
                    {"known", finding.known},
                    {"replay", finding.replay},
                    {"minimize", finding.minimize}});
  }
  return json;
}

Json bucketsJson(const CampaignSummary& summary) {
  Json json = Json::array();
  for (const Bucket& bucket : bucketsOf(summary)) {
    json.push_back({{"bucket", bucket.name}, {"findings", bucket.findings.size()}, {"known", bucket.known}});
    if (!bucket.minimized) continue;
    const MinimizedFinding& minimized = *bucket.minimized;
    json.back()["minimized"] = {{"file", minimized.file},
                                {"text", minimized.text},
                                {"exprs_before", minimized.exprsBefore},
                                {"exprs_after", minimized.exprsAfter},
                                {"seconds", minimized.seconds},
                                {"problem", minimized.problem},
                                {"segments", Json::parse(toJson(minimized.picture))}};
  }
  return json;
}

Json progressJson(const CampaignSummary& summary) {
  Json json = Json::array();
  for (const Progress& progress : summary.progress) {
    json.push_back({{"seconds", progress.seconds}, {"cases", progress.cases}, {"findings", progress.findings}});
  }
  return json;
}

Json corpusJson(const CampaignSummary& summary) {
  Json json = Json::array();
  for (const CorpusCase& one : summary.corpus) {
    json.push_back({{"file", one.file}, {"verdict", one.verdict}, {"problem", one.problem}, {"known", one.known}});
  }
  return json;
}

Json compilersJson(const Compilers& compilers) {
  return {{"cases", compilers.cases},
          {"kernels", compilers.kernels},
          {"seconds", compilers.seconds},
          {"clang_seconds", compilers.clangSeconds},
          {"nvrtc_seconds", compilers.nvrtcSeconds},
          {"skipped", compilers.skipped}};
}

Json viewsJson(const CampaignSummary& summary) {
  Json json = Json::object();
  for (const auto& [name, view] : summary.views) {
    json[name] = {{"summary", view.summary}, {"one_in", view.oneIn}, {"verdicts", view.verdicts},
                  {"segments_of_cases", view.segmentsOfCases}, {"segments_in_view", view.segmentsInView}};
  }
  return json;
}

}  // namespace

std::string toJson(const CampaignSummary& summary) {
  Json json;
  json["stamp"] = Json::object();
  for (const auto& [key, value] : summary.stamp) json["stamp"][key] = value;
  json["seed"] = summary.seed;
  json["jobs"] = summary.jobs;
  json["seconds"] = summary.seconds;
  json["interrupted"] = summary.interrupted;
  json["exit_code"] = summary.exitCode;
  json["cases"] = summary.cases;
  json["runs"] = summary.runs;
  json["cases_per_second"] = casesPerSecond(summary);
  json["elements"] = summary.elements.judged;
  json["elements_of_outputs"] = summary.outputs.judged;
  json["decided_share"] = decidedShare(summary);
  json["decided_output_share"] = decidedOutputShare(summary);
  json["judged_cases"] = summary.judgedCases;
  json["decided_cases"] = summary.decidedCases;
  json["decided_case_share"] = decidedCaseShare(summary);
  json["probed_cases"] = summary.probedCases;
  json["slow_cases"] = summary.slowCases;
  json["slowest_seconds"] = summary.slowestSeconds;
  json["rejected_share"] = rejectedShare(summary);
  json["rejected_by_reason"] = summary.rejectedByReason;
  json["verdicts"] = summary.verdicts;
  json["stage_seconds"] = summary.stageSeconds;
  json["progress"] = progressJson(summary);
  json["compilers"] = compilersJson(summary.compilers);
  json["views"] = viewsJson(summary);
  json["corpus"] = corpusJson(summary);
  json["findings"] = findingsJson(summary);
  json["buckets"] = bucketsJson(summary);
  json["coverage"]["op"] = coverageJson(summary.ops);
  json["coverage"]["dtype"] = coverageJson(summary.dtypes);
  json["coverage"]["rank"] = coverageJson(summary.ranks);
  json["coverage"]["scheduler"] = coverageJson(summary.schedulers);
  json["coverage"]["trait"] = coverageJson(summary.traits);
  json["coverage"]["pass"] = coverageJson(summary.passes);
  json["coverage"]["segmenter_decision"] = coverageJson(summary.decisions);
  json["coverage"]["op_dtype_scheduler"] = summary.opCoverage;
  json["coverage"]["never_generated"] = summary.neverGenerated;
  json["coverage"]["never_fused"] = summary.neverFused;
  json["margins"] = summary.margins;
  // Reasons may quote bytes of a stranger's file.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace reports
