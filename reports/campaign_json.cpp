// report.json. reports/README.md#reportjson says what each field holds; a test compares the two.

#include <nlohmann/json.hpp>

#include "reports/buckets.h"
#include "reports/campaign_summary.h"
#include "reports/fields_json.h"

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
    const auto judged = static_cast<double>(row.elements.judged);
    const auto shareOf = [judged](int64_t count) { return static_cast<double>(count) / judged; };
    json[name]["decided_share"] = shareOf(row.elements.decided);
    json[name]["within_10_share"] = shareOf(row.elements.within10);
    json[name]["within_14_share"] = shareOf(row.elements.within14);
  }
  return json;
}

std::string pageOf(const CampaignSummary& summary, const Bucket& bucket) {
  const auto found = summary.pages.find(bucket.name);
  return found == summary.pages.end() ? "" : found->second;
}

Json bucketsJson(const CampaignSummary& summary) {
  Json json = Json::array();
  for (const Bucket& bucket : bucketsOf(summary)) {
    json.push_back({{"bucket", bucket.name},
                    {"title", bucket.title()},
                    {"findings", bucket.findings.size()},
                    {"minimized_findings", bucket.minimized.size()},
                    {"placed_by_likeness", bucket.placedByLikeness},
                    {"page", pageOf(summary, bucket)},
                    {"known", bucket.known}});
    if (bucket.minimized.empty()) continue;
    const MinimizedFinding& minimized = *bucket.minimized.front();
    json.back()["minimized"] = {{"file", minimized.file},
                                {"program_file", minimized.programFile},
                                {"finding", minimized.finding},
                                {"text", minimized.text},
                                {"reason", minimized.reason},
                                {"detail", minimized.detail},
                                {"replay", minimized.replay},
                                {"exprs_before", minimized.exprsBefore},
                                {"exprs_after", minimized.exprsAfter},
                                {"seconds", minimized.seconds},
                                {"problem", minimized.problem},
                                {"segments", allFields<nlohmann::json>(minimized.picture)}};
  }
  return json;
}

Json viewsJson(const CampaignSummary& summary) {
  Json json = Json::object();
  for (const auto& [name, view] : summary.views) json[name] = allFields<Json>(view);
  return json;
}

Json costsJson(const Costs& costs) {
  Json json = {{"cases", costs.cases}, {"own_sectors", costs.ownSectors}, {"schedulers", Json::object()}};
  for (const auto& [name, each] : costs.schedulers) json["schedulers"][name] = allFields<Json>(each);
  return json;
}

Json featuresJson(const CampaignSummary& summary) {
  Json json = Json::object();
  for (const auto& [name, feature] : summary.features) {
    json[name] = {{"cases", feature.cases},
                  {"share", share(feature.cases, summary.cases)},
                  {"segments", countOf(feature.segments)},
                  {"median_expressions", medianOf(feature.segments)},
                  {"median_expressions_of_largest", medianOf(feature.largest)}};
  }
  return json;
}

Json edgesJson(const CampaignSummary& summary) {
  Json json = {{"kinds", Json::object()}, {"none", summary.noEdge}};
  for (const auto& [kind, count] : summary.edges) json["kinds"][kind] = allFields<Json>(count);
  return json;
}

// Of a campaign on another compiler.
Json exactModeJson(const CampaignSummary& summary) {
  Json json = allFields<Json>(summary.exactMode);
  json["median_expressions"] = medianOf(summary.exactMode.expressions);
  json["never_exact"] = summary.neverExact;
  return json;
}

Json stampJson(const CampaignSummary& summary) {
  Json json = Json::object();
  for (const auto& [name, value] : summary.stamp) json[keyFromWords(name)] = value;
  return json;
}

}  // namespace

std::string toJson(const CampaignSummary& summary) {
  Json json;
  json["stamp"] = stampJson(summary);
  json["seed"] = summary.seed;
  json["started"] = summary.started;
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
  json["within_10_share"] = share(summary.elements.within10, summary.elements.judged);
  json["within_12_share"] = share(summary.elements.within12, summary.elements.judged);
  json["within_14_share"] = share(summary.elements.within14, summary.elements.judged);
  json["judged_cases"] = summary.judgedCases;
  json["decided_cases"] = summary.decidedCases;
  json["decided_case_share"] = decidedCaseShare(summary);
  json["probed_cases"] = summary.probedCases;
  json["second_looks"] = allFields<Json>(summary.secondLooks);
  json["slow_cases"] = summary.slowCases;
  json["slowest_seconds"] = summary.slowestSeconds.value;
  json["rejected_share"] = rejectedShare(summary);
  json["rejected_by_reason"] = summary.rejectedByReason;
  json["open_by_reason"] = summary.openByReason;
  json["verdicts"] = summary.verdicts;
  json["stage_seconds"] = summary.stageSeconds;
  json["progress"] = allFields<Json>(summary.progress);
  json["compilers"] = allFields<Json>(summary.compilers);
  json["views"] = viewsJson(summary);
  json["costs"] = costsJson(summary.costs);
  json["kernel_features"] = featuresJson(summary);
  json["edges"] = edgesJson(summary);
  if (summary.exactMode.cases > 0) json["exact_mode"] = exactModeJson(summary);
  json["corpus"] = allFields<Json>(summary.corpus);
  json["findings"] = allFields<Json>(summary.findings);
  json["buckets"] = bucketsJson(summary);
  json["coverage"]["op"] = coverageJson(summary.ops);
  json["coverage"]["dtype"] = coverageJson(summary.dtypes);
  json["coverage"]["rank"] = coverageJson(summary.ranks);
  json["coverage"]["scheduler"] = coverageJson(summary.schedulers);
  json["coverage"]["trait"] = coverageJson(summary.traits);
  json["coverage"]["pass"] = coverageJson(summary.passes);
  json["coverage"]["segmenter_decision"] = coverageJson(summary.decisions);
  json["coverage"]["op_dtype_scheduler"] = summary.opCoverage;
  json["coverage"]["op_dtype_rank"] = summary.combinations;
  json["coverage"]["never_drawn"] = summary.neverDrawn;
  json["coverage"]["cells"] = summary.cells;
  json["coverage"]["cells_never_drawn"] = summary.neverInCell;
  json["coverage"]["seldom_drawn"] = summary.seldomDrawn;
  json["coverage"]["never_generated"] = summary.neverGenerated;
  json["coverage"]["never_fused"] = summary.neverFused;
  json["margins"] = summary.margins;
  // Reasons may quote bytes of a stranger's file.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace reports
