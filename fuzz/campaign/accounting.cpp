// Sums of results, and their text in a ledger.

#include "fuzz/campaign/accounting.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuser/passes/passes.h"
#include "fuser/segment/named_counts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

using nlohmann::json;

json elementsJson(const reports::Elements& elements) { return {elements.judged, elements.decided}; }
reports::Elements elementsFrom(const json& array) { return {array.at(0), array.at(1)}; }

json coverageJson(const std::map<std::string, reports::Coverage>& rows) {
  json object = json::object();
  for (const auto& [name, row] : rows) object[name] = {row.cases, elementsJson(row.elements), row.verdicts};
  return object;
}

std::map<std::string, reports::Coverage> coverageFrom(const json& object) {
  std::map<std::string, reports::Coverage> rows;
  for (const auto& [name, row] : object.items()) {
    rows[name] = {row.at(0), elementsFrom(row.at(1)), row.at(2).get<std::map<std::string, int64_t>>()};
  }
  return rows;
}

json compilersJson(const reports::Compilers& compilers) {
  return {compilers.cases,        compilers.kernels,      compilers.seconds,
          compilers.clangSeconds, compilers.nvrtcSeconds, compilers.skipped};
}

reports::Compilers compilersFrom(const json& array) {
  return {array.at(0), array.at(1), array.at(2), array.at(3), array.at(4), array.at(5)};
}

}  // namespace

Accounting::Accounting() {
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::Crash); ++kind) {
    sums_.verdicts[std::string(verdictName(static_cast<VerdictKind>(kind)))] = 0;
  }
  for (const std::string& trait : allTraits()) sums_.traits[trait] = {};
  for (const PassInfo& pass : allPasses()) sums_.passes[std::string(pass.name)] = {};
  for (const auto& [decision, count] : namedCounts({})) sums_.decisions[decision] = {};
  for (const View& view : allViews()) {
    sums_.views[std::string(view.name)] = {std::string(view.summary), view.oneIn, {}, 0, 0};
  }
}

bool Accounting::add(const std::string& key, const TaskResult& result, double seconds) {
  std::istringstream words(key);
  std::string kind;
  uint64_t number = 0;
  words >> kind >> number;
  const bool isBatch = kind == "batch";
  FUSER_USER_CHECK(!words.fail() && (isBatch || kind == "case" || kind == "file"), "no task is called '", key, "'");
  if (isBatch) number /= kBatchStride;
  NumberSet& done = isBatch ? batches_ : kind == "case" ? cases_ : files_;
  if (done.contains(number)) return false;
  done.add(number);
  if (kind == "file") {
    const CaseVerdict& verdict = result.verdict;
    const bool bad = isFinding(verdict.kind) || !verdict.expected;
    const std::string problem = verdict.reason.empty() ? "it expects another verdict" : verdict.reason;
    fileVerdicts_[number] = {std::string(verdictName(verdict.kind)), bad ? problem : ""};
  }
  if (!isBatch) {
    addCase(result);
    return true;
  }
  reports::Compilers& compilers = sums_.compilers;
  compilers.cases += result.batch.cases;
  compilers.kernels += result.batch.kernels;
  compilers.clangSeconds += result.batch.clangSeconds;
  compilers.nvrtcSeconds += result.batch.nvrtcSeconds;
  compilers.seconds += seconds;
  if (!result.batch.skipped.empty()) compilers.skipped = result.batch.skipped;
  return true;
}

void Accounting::addCase(const TaskResult& result) {
  const CaseVerdict& verdict = result.verdict;
  const std::string kind(verdictName(verdict.kind));
  ++sums_.cases;
  sums_.runs += result.runs;
  ++sums_.verdicts[kind];
  if (verdict.kind == VerdictKind::Rejected) ++sums_.rejectedByReason[withoutNumbers(verdict.reason)];
  const bool decided = verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Differs;
  sums_.judgedCases += decided || verdict.kind == VerdictKind::Undecided;
  sums_.decidedCases += decided;
  sums_.probedCases += verdict.probed;
  sums_.slowCases += result.slow > 0;
  sums_.slowestSeconds = std::max(sums_.slowestSeconds, result.slow);
  sums_.elements.judged += verdict.elements.judged;
  sums_.elements.decided += verdict.elements.decided;
  sums_.outputs.judged += verdict.outputs.judged;
  sums_.outputs.decided += verdict.outputs.decided;
  const auto count = [&](reports::Coverage& row) {
    ++row.cases;
    ++row.verdicts[kind];
  };
  for (const std::string& op : result.ops) count(sums_.ops[op]);
  for (const std::string& dtype : result.dtypes) count(sums_.dtypes[dtype]);
  for (const std::string& rank : result.ranks) count(sums_.ranks[rank]);
  for (const std::string& trait : result.traits) count(sums_.traits[trait]);
  for (const auto& [scheduler, segments] : verdict.schedulers) {
    if (segments > 0) count(sums_.schedulers[scheduler]);
  }
  for (const auto& [pass, compilations] : verdict.passes) {
    if (compilations > 0) count(sums_.passes[pass]);
  }
  for (const auto& [decision, times] : verdict.decisions) {
    if (times > 0) count(sums_.decisions[decision]);
  }
  for (const auto& [op, counts] : verdict.ops) {
    reports::Elements& elements = sums_.ops[std::string(opName(op))].elements;
    elements.judged += counts.judged;
    elements.decided += counts.decided;
  }
  for (const auto& [op, margins] : verdict.margins) {
    reports::Margins& sums = sums_.margins[std::string(opName(op))];
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += margins.tenths[i];
  }
  for (const auto& [op, dtype, scheduler] : result.places) ++sums_.opCoverage[op][dtype][scheduler];
  for (const auto& [view, kind] : result.views) ++sums_.views[view].verdicts[kind];
  for (const auto& [view, segments] : result.viewSegments) {
    sums_.views[view].segmentsOfCases += segments[0];
    sums_.views[view].segmentsInView += segments[1];
  }
  fused_.insert(result.fused.begin(), result.fused.end());
  for (const auto& [stage, seconds] : verdict.seconds) sums_.stageSeconds[stage] += seconds;
}

// Host scalars have no kernel to share.
bool Accounting::isHostScalar(const std::string& op) const {
  const auto dtypes = sums_.opCoverage.find(op);
  if (dtypes == sums_.opCoverage.end()) return false;
  const std::string onHost(schedulerTypeName(SchedulerType::ExprEval));
  return std::all_of(dtypes->second.begin(), dtypes->second.end(), [&](const auto& row) {
    return row.second.size() == 1 && row.second.begin()->first == onHost;
  });
}

reports::CampaignSummary Accounting::summary() const {
  reports::CampaignSummary summary = sums_;
  for (OpKind op : kAllOps) {
    const std::string name(opName(op));
    const auto row = sums_.ops.find(name);
    if (row == sums_.ops.end() || row->second.cases == 0) {
      summary.neverGenerated.push_back(name);
    } else if (!fused_.count(name) && !isHostScalar(name)) {
      summary.neverFused.push_back(name);
    }
  }
  return summary;
}

std::string Accounting::toJson() const {
  json out;
  out["done"] = {cases_.toString(), files_.toString(), batches_.toString()};
  for (const auto& [number, file] : fileVerdicts_) out["files"].push_back({number, file.verdict, file.problem});
  out["cases"] = sums_.cases;
  out["runs"] = sums_.runs;
  out["verdicts"] = sums_.verdicts;
  out["rejected by reason"] = sums_.rejectedByReason;
  out["judged, decided, probed"] = {sums_.judgedCases, sums_.decidedCases, sums_.probedCases};
  out["slow"] = {sums_.slowCases, sums_.slowestSeconds};
  out["elements"] = elementsJson(sums_.elements);
  out["outputs"] = elementsJson(sums_.outputs);
  out["ops"] = coverageJson(sums_.ops);
  out["dtypes"] = coverageJson(sums_.dtypes);
  out["ranks"] = coverageJson(sums_.ranks);
  out["traits"] = coverageJson(sums_.traits);
  out["schedulers"] = coverageJson(sums_.schedulers);
  out["passes"] = coverageJson(sums_.passes);
  out["decisions"] = coverageJson(sums_.decisions);
  out["places"] = sums_.opCoverage;
  out["fused"] = fused_;
  out["margins"] = sums_.margins;
  for (const auto& [name, view] : sums_.views) {
    out["views"][name] = view.verdicts;
    out["view_segments"][name] = {view.segmentsOfCases, view.segmentsInView};
  }
  out["stage seconds"] = sums_.stageSeconds;
  out["compilers"] = compilersJson(sums_.compilers);
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Accounting Accounting::fromJson(const std::string& text) {
  const json in = json::parse(text);
  Accounting accounting;
  const json& done = in.at("done");
  accounting.cases_ = NumberSet::parse(done.at(0).get<std::string>());
  accounting.files_ = NumberSet::parse(done.at(1).get<std::string>());
  accounting.batches_ = NumberSet::parse(done.at(2).get<std::string>());
  if (in.contains("files")) {
    for (const json& file : in.at("files"))
      accounting.fileVerdicts_[file.at(0).get<uint64_t>()] = {file.at(1), file.at(2)};
  }
  reports::CampaignSummary& sums = accounting.sums_;
  in.at("cases").get_to(sums.cases);
  in.at("runs").get_to(sums.runs);
  in.at("verdicts").get_to(sums.verdicts);
  in.at("rejected by reason").get_to(sums.rejectedByReason);
  const json& cases = in.at("judged, decided, probed");
  cases.at(0).get_to(sums.judgedCases);
  cases.at(1).get_to(sums.decidedCases);
  cases.at(2).get_to(sums.probedCases);
  in.at("slow").at(0).get_to(sums.slowCases);
  in.at("slow").at(1).get_to(sums.slowestSeconds);
  sums.elements = elementsFrom(in.at("elements"));
  sums.outputs = elementsFrom(in.at("outputs"));
  sums.ops = coverageFrom(in.at("ops"));
  sums.dtypes = coverageFrom(in.at("dtypes"));
  sums.ranks = coverageFrom(in.at("ranks"));
  sums.schedulers = coverageFrom(in.at("schedulers"));
  if (in.contains("traits")) {
    for (auto& [trait, row] : coverageFrom(in.at("traits"))) sums.traits[trait] = row;
  }
  if (in.contains("passes")) {
    for (auto& [pass, row] : coverageFrom(in.at("passes"))) sums.passes[pass] = row;
  }
  if (in.contains("decisions")) {
    for (auto& [decision, row] : coverageFrom(in.at("decisions"))) sums.decisions[decision] = row;
  }
  in.at("places").get_to(sums.opCoverage);
  in.at("fused").get_to(accounting.fused_);
  in.at("margins").get_to(sums.margins);
  if (in.contains("view_segments")) {
    for (const auto& [name, segments] : in.at("view_segments").items()) {
      segments.at(0).get_to(accounting.sums_.views[name].segmentsOfCases);
      segments.at(1).get_to(accounting.sums_.views[name].segmentsInView);
    }
  }
  if (in.contains("views")) {
    for (const auto& [name, verdicts] : in.at("views").items())
      verdicts.get_to(accounting.sums_.views[name].verdicts);
  }
  in.at("stage seconds").get_to(sums.stageSeconds);
  sums.compilers = compilersFrom(in.at("compilers"));
  return accounting;
}

}  // namespace fuser::fuzz
