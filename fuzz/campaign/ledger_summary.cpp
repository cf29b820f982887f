// What a ledger holds, as a report.

#include <algorithm>
#include <tuple>

#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/split_buckets.h"

namespace fuser::fuzz {
namespace {

std::string setting(const Ledger::Contents& contents, const std::string& key) {
  const auto found = contents.settings.find(key);
  return found == contents.settings.end() ? "" : found->second;
}

std::string stampOf(const Ledger::Contents& contents, const std::string& key) {
  for (const auto& [name, value] : contents.stamp) {
    if (name == key) return value;
  }
  return "";
}

// Text of a ledger becomes numbers and arguments here, and nothing else.
ReplayContext contextOf(const Ledger::Contents& contents, const std::filesystem::path& folder,
                        const std::filesystem::path& report) {
  ReplayContext context;
  context.folder = folder;
  context.seed = std::strtoull(stampOf(contents, "seed").c_str(), nullptr, 10);
  context.generatorFlags = shellWords(stampOf(contents, "generator flags"));
  const double seconds = std::strtod(setting(contents, "timeout").c_str(), nullptr);
  if (seconds > 0) context.limits.seconds = seconds;
  const uint64_t residentMb = std::strtoull(setting(contents, "rss-limit-mb").c_str(), nullptr, 10);
  if (residentMb > 0) context.limits.residentMb = residentMb;
  context.probes = stampOf(contents, "probes") != "off";
  context.target = stampOf(contents, "target");
  return contextOfReport(context, report, setting(contents, kBegunIn));
}

// From here on paths are relative to the report. In its own folder names stay as they are.
void makeRelative(reports::CampaignSummary& summary, const std::filesystem::path& folder) {
  const auto place = [&](std::string& name) {
    if (!name.empty()) name = (folder / name).lexically_normal().string();
  };
  for (reports::Finding& finding : summary.findings) {
    place(finding.file);
    place(finding.sequenceFile);
    place(finding.programFile);
  }
  for (reports::MinimizedFinding& minimized : summary.minimized) {
    place(minimized.file);
    place(minimized.programFile);
    place(minimized.finding);
  }
  for (std::string& file : summary.files) place(file);
}

// What the accounting does not know of a case that became a finding: its features, where its process died before it
// could tell them, and whether it is a known issue.
void countFeatures(const LedgerFinding& finding, reports::CampaignSummary& summary) {
  // These are no cases of their own.
  if (!finding.task || std::holds_alternative<BatchTask>(*finding.task)) return;
  const auto countRows = [&](const std::set<std::string>& names, std::map<std::string, reports::Coverage>& rows) {
    for (const std::string& name : names) {
      reports::Coverage& row = rows[name];
      row.known += !finding.known.empty();
      if (finding.counted) continue;
      ++row.cases;
      ++row.verdicts[finding.kind];
    }
  };
  countRows(finding.features.ops, summary.ops);
  countRows(finding.features.dtypes, summary.dtypes);
  countRows(finding.features.ranks, summary.ranks);
  countRows(finding.features.schedulers, summary.schedulers);
  countRows(finding.features.traits, summary.traits);
  std::erase_if(summary.neverGenerated, [&](const std::string& op) { return finding.features.ops.count(op) > 0; });
}

}  // namespace

std::tuple<int, uint64_t, std::string> orderInReport(const LedgerFinding& finding) {
  const std::string last = taskText(finding) + finding.kind + finding.reason;
  if (!finding.task) return {1, 0, last};
  return std::visit(ByKind{[&](const CaseTask& one) { return std::tuple(1, one.number, last); },
                           [&](const PlainTask& one) { return std::tuple(1, one.number, last); },
                           [&](const ViewTask& one) { return std::tuple(1, one.number, last); },
                           [&](const MutantTask& one) { return std::tuple(1, one.number, last); },
                           [&](const FileTask&) { return std::tuple(0, uint64_t{0}, last); },
                           [&](const BatchTask& one) { return std::tuple(1, one.first, last); }},
                    *finding.task);
}

std::string differenceOf(const Ledger::Stamp& begun, const Ledger::Stamp& now) {
  for (const auto& [key, value] : now) {
    const auto other =
        std::find_if(begun.begin(), begun.end(), [&, &key = key](const auto& entry) { return entry.first == key; });
    if (other == begun.end()) return concat("it was begun without a ", key);
    if (other->second != value) {
      return concat("it was begun with ", key, " '", other->second, "', and this is '", value, "'");
    }
  }
  if (begun.size() != now.size()) return "it was begun by another version";
  return "";
}

reports::CampaignSummary summaryOf(const Ledger::Contents& contents, const std::filesystem::path& folder,
                                   const std::filesystem::path& report) {
  reports::CampaignSummary summary = contents.accounting.summary();
  for (const auto& [key, value] : contents.stamp) {
    if (key == "seed") summary.seed = std::strtoull(value.c_str(), nullptr, 10);
    if (key != "seed" && !value.empty()) summary.stamp.emplace_back(key, value);
  }
  summary.started = setting(contents, kStarted);
  summary.jobs = std::atoi(setting(contents, "jobs").c_str());
  summary.seconds = contents.seconds;
  summary.interrupted = setting(contents, "state") != "finished";
  summary.progress = contents.progress;
  summary.minimized = contents.minimized;
  for (const auto& [number, file] : contents.accounting.fileVerdicts()) {
    FUSER_USER_CHECK(number < contents.files.size(), "the ledger is damaged: there is no file ", number);
    summary.corpus.push_back({contents.files[number].first, file.verdict, file.problem, ""});
  }
  const ReplayContext context = contextOf(contents, folder, report);
  std::vector<LedgerFinding> findings = contents.findings;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const LedgerFinding& a, const LedgerFinding& b) { return orderInReport(a) < orderInReport(b); });
  for (const LedgerFinding& finding : findings) {
    countFeatures(finding, summary);
    reports::Finding entry;
    entry.kind = finding.kind;
    entry.reason = finding.reason;
    entry.file = finding.file;
    entry.sequenceFile = finding.sequenceFile;
    entry.programFile = finding.programFile;
    entry.foundSeconds = finding.foundSeconds;
    entry.origin = finding.origin;
    entry.reproduces = finding.label.empty() ? "not run again yet" : finding.label;
    entry.symptom = finding.bucket;
    entry.title = finding.title;
    entry.guiltyOp = finding.guiltyOp;
    entry.structure = finding.structure;
    entry.detail = finding.detail;
    entry.known = finding.known;
    const CommandLines lines = commandLines(finding, context);
    entry.replay = lines.replay;
    entry.minimize = lines.minimize;
    for (reports::CorpusCase& one : summary.corpus) {
      if (one.file == entry.origin) one.known = entry.known;
    }
    summary.findings.push_back(std::move(entry));
  }
  for (reports::MinimizedFinding& minimized : summary.minimized) {
    if (!minimized.file.empty()) minimized.replay = replayLine(minimized.file, context);
  }
  splitBuckets(summary);
  if (!folder.empty()) summary.files = filesOfResults(folder);
  makeRelative(summary, context.folder);
  if (setting(contents, "state") != "running") summary.exitCode = exitCode(summary);
  return summary;
}

}  // namespace fuser::fuzz
