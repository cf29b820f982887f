#include "fuzz/campaign/merge.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/ledger_contents.h"
#include "fuzz/campaign/working_corpus.h"
#include "fuzz/campaign/write_results.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {
namespace {

Ledger::Stamp withoutShard(Ledger::Stamp stamp) {
  for (auto& [key, value] : stamp) {
    if (key == kShardKey) value.clear();
  }
  return stamp;
}

void checkAlike(const CampaignPart& first, const CampaignPart& other) {
  const std::string both = concat("cannot merge ", first.folder.string(), " and ", other.folder.string(), ": ");
  const Ledger::Stamp a = withoutShard(first.contents.stamp), b = withoutShard(other.contents.stamp);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool isThere = i < b.size() && b[i].first == a[i].first;
    FUSER_USER_CHECK(isThere, both, "versions of this program with other settings began them");
    FUSER_USER_CHECK(a[i].second == b[i].second, both, "one was begun with ", a[i].first, " '", a[i].second,
                     "', the other one with '", b[i].second, "'");
  }
  FUSER_USER_CHECK(a.size() == b.size(), both, "versions of this program with other settings began them");
  FUSER_USER_CHECK(first.contents.files == other.contents.files, both, "the files of their corpora differ");
}

struct Tasks {
  NumberSet cases, files, batches;

  explicit Tasks(const Accounting& accounting)
      : cases(accounting.cases()), files(accounting.files()), batches(accounting.batches()) {}
  uint64_t count() const { return cases.count() + files.count() + batches.count(); }
  std::string text() const { return concat(cases.toString(), ";", files.toString(), ";", batches.toString()); }
  uint64_t countCommon(const Tasks& other) const {
    return cases.countCommon(other.cases) + files.countCommon(other.files) + batches.countCommon(other.batches);
  }
};

std::tuple<std::string, std::string, std::string, std::string> keyOf(const LedgerFinding& finding) {
  return {taskText(finding), finding.kind, finding.reason, finding.textSha1};
}

// As in a campaign that meets them in this order.
void dropFiles(std::vector<LedgerFinding>& findings) {
  for (size_t i = 0; i < findings.size(); ++i) {
    LedgerFinding& finding = findings[i];
    if (isKept(finding, std::span(findings).first(i))) continue;
    finding.file = finding.sequenceFile = finding.programFile = "";
    finding.bytes = 0;
  }
}

// The smaller of two smallest cases of a bucket; of equal ones always the same.
auto sizeOf(const reports::MinimizedFinding& minimized) {
  return std::tuple(!minimized.problem.empty(), minimized.exprsAfter, minimized.text.size(), minimized.text,
                    minimized.finding);
}

// Parts ran side by side: at each time, what all of them had done by then.
std::vector<reports::Progress> joined(const std::vector<CampaignPart>& parts) {
  constexpr size_t kMostPoints = 400;
  std::set<double> times;
  for (const CampaignPart& part : parts) {
    for (const reports::Progress& point : part.contents.progress) times.insert(point.seconds);
  }
  std::vector<double> chosen(times.begin(), times.end());
  while (chosen.size() > kMostPoints) {
    for (size_t i = 0; 2 * i + 1 < chosen.size(); ++i) chosen[i] = chosen[2 * i + 1];
    chosen.resize(chosen.size() / 2);
  }
  std::vector<reports::Progress> points;
  for (double time : chosen) {
    reports::Progress sum;
    for (const CampaignPart& part : parts) {
      const std::vector<reports::Progress>& own = part.contents.progress;
      const auto behind = std::upper_bound(
          own.begin(), own.end(), time, [](double at, const reports::Progress& point) { return at < point.seconds; });
      if (behind == own.begin()) continue;
      const reports::Progress& point = *std::prev(behind);
      sum.cases += point.cases;
      sum.findings += point.findings;
      sum.compilerSeconds += point.compilerSeconds;
      sum.minimizerSeconds += point.minimizerSeconds;
    }
    sum.seconds = time;
    points.push_back(sum);
  }
  return points;
}

std::map<std::string, std::string> settingsOf(const std::vector<CampaignPart>& parts) {
  std::map<std::string, std::string> settings = parts.front().contents.settings;
  settings.erase(concat(kArgumentPrefix, "--shard"));
  int jobs = 0;
  bool isFinished = true;
  for (const CampaignPart& part : parts) {
    const auto of = [&](const std::string& key) {
      const auto found = part.contents.settings.find(key);
      return found == part.contents.settings.end() ? std::string() : found->second;
    };
    jobs += std::atoi(of("jobs").c_str());
    isFinished = isFinished && of("state") == "finished";
    const std::string started = of(kStarted);
    if (!started.empty() && (settings[kStarted].empty() || started < settings[kStarted])) settings[kStarted] = started;
  }
  settings["jobs"] = std::to_string(jobs);
  settings["state"] = isFinished ? "finished" : "interrupted";
  return settings;
}

// Leaves those that add something, the ones with most tasks first.
std::vector<CampaignPart> withoutContained(std::vector<CampaignPart> parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const CampaignPart& a, const CampaignPart& b) {
    const Tasks first(a.contents.accounting), second(b.contents.accounting);
    if (first.count() != second.count()) return first.count() > second.count();
    return std::tuple(first.text(), a.folder) < std::tuple(second.text(), b.folder);
  });
  std::vector<CampaignPart> kept;
  for (CampaignPart& part : parts) {
    const Tasks tasks(part.contents.accounting);
    bool isContained = false;
    for (const CampaignPart& other : kept) {
      const uint64_t common = Tasks(other.contents.accounting).countCommon(tasks);
      isContained = isContained || common == tasks.count();
      FUSER_USER_CHECK(common == 0 || common == tasks.count(), "cannot merge ", other.folder.string(), " and ",
                       part.folder.string(), ": both have done ", common,
                       " of their tasks, and what those count would count twice");
    }
    if (!isContained) kept.push_back(std::move(part));
  }
  return kept;
}

void copyFile(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  if (!std::filesystem::exists(from, error)) return;  // it was removed by hand, or there was no room
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  FUSER_USER_CHECK(!error, "cannot write ", to.string(), ": ", error.message());
}

// Names have hashes of what is in the files: equal names, equal files.
void copyArtifacts(const MergedCampaign& merged, const std::filesystem::path& out) {
  std::set<std::string> names;
  for (const LedgerFinding& finding : merged.contents.findings) {
    for (const std::string& name : {finding.file, finding.sequenceFile, finding.programFile}) names.insert(name);
  }
  for (const reports::MinimizedFinding& minimized : merged.contents.minimized) {
    for (const std::string& name : {minimized.file, minimized.programFile})
      names.insert(std::filesystem::path(name).filename());
  }
  names.erase("");
  for (const std::filesystem::path& part : merged.parts) {
    for (const std::string& name : names) copyFile(part / name, out / name);
    for (const std::string& name : filesOfResults(part)) {
      if (name.starts_with("slow-unit-")) copyFile(part / name, out / name);
    }
  }
}

// Of campaigns with feedback: the union of what they kept.
void copyWorkingCorpora(const MergedCampaign& merged, const std::filesystem::path& out) {
  for (const std::filesystem::path& part : merged.parts) {
    std::error_code error;
    if (!std::filesystem::is_directory(part / kWorkingFolder, error)) continue;
    makeWritableFolder(out / kWorkingFolder);
    for (const auto& entry : std::filesystem::directory_iterator(part / kWorkingFolder)) {
      if (entry.is_regular_file(error)) copyFile(entry.path(), out / kWorkingFolder / entry.path().filename());
    }
  }
}

CampaignPart partIn(const std::filesystem::path& folder) {
  checkHoldsCampaign(folder);
  Database database(folder / kLedgerName, Database::Mode::Read);
  FUSER_USER_CHECK(hasTables(database), folder.string(), " holds a campaign that has not begun");
  return {folder, readContents(database, folder / kLedgerName)};
}

}  // namespace

MergedCampaign merged(std::vector<CampaignPart> parts) {
  FUSER_USER_CHECK(!parts.empty(), "there is nothing to merge");
  for (const CampaignPart& part : parts) checkAlike(parts.front(), part);
  parts = withoutContained(std::move(parts));
  MergedCampaign result;
  Ledger::Contents& all = result.contents;
  all.stamp = withoutShard(parts.front().contents.stamp);
  all.settings = settingsOf(parts);
  all.files = parts.front().contents.files;
  std::set<decltype(keyOf({}))> seen;
  std::map<std::string, reports::MinimizedFinding> smallest;  // by bucket
  for (const CampaignPart& part : parts) {
    result.parts.push_back(part.folder);
    all.accounting.add(part.contents.accounting);
    all.seconds = std::max(all.seconds, part.contents.seconds);
    for (const LedgerFinding& finding : part.contents.findings) {
      if (seen.insert(keyOf(finding)).second) all.findings.push_back(finding);
    }
    for (const reports::MinimizedFinding& minimized : part.contents.minimized) {
      const auto [known, isNew] = smallest.emplace(minimized.bucket, minimized);
      if (!isNew && sizeOf(minimized) < sizeOf(known->second)) known->second = minimized;
    }
  }
  std::stable_sort(all.findings.begin(), all.findings.end(),
                   [](const LedgerFinding& a, const LedgerFinding& b) { return orderInReport(a) < orderInReport(b); });
  dropFiles(all.findings);
  for (const auto& [bucket, minimized] : smallest) all.minimized.push_back(minimized);
  all.progress = joined(parts);
  return result;
}

reports::CampaignSummary mergeCampaigns(const std::vector<std::filesystem::path>& folders,
                                        const std::filesystem::path& out) {
  std::vector<CampaignPart> parts;
  for (const std::filesystem::path& folder : folders) parts.push_back(partIn(folder));
  const MergedCampaign merged = fuzz::merged(std::move(parts));
  const Ledger::Contents& all = merged.contents;
  checkLedgerIsThere(out, false);
  makeWritableFolder(out);
  Ledger ledger(out, false);
  FUSER_USER_CHECK(ledger.isNew(), out.string(), " holds a campaign; name another folder");
  ledger.begin(all.stamp, all.files);
  for (const auto& [key, value] : all.settings) ledger.setSetting(key, value);
  for (const LedgerFinding& finding : all.findings) ledger.add(finding);
  for (const reports::MinimizedFinding& minimized : all.minimized) ledger.add(minimized);
  ledger.setProgress(all.progress);
  ledger.fold(all.accounting, all.seconds);
  ledger.close();
  copyArtifacts(merged, out);
  copyWorkingCorpora(merged, out);
  const reports::CampaignSummary summary = summaryOf(out, out);
  writeResults(out, summary);
  return summary;
}

}  // namespace fuser::fuzz
