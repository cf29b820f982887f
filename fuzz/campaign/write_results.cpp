#include "fuzz/campaign/write_results.h"

#include <set>

#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/finding_texts.h"
#include "fuzz/campaign/program_of.h"
#include "reports/buckets.h"
#include "reports/finding_page.h"

namespace fuser::fuzz {
namespace {

namespace fs = std::filesystem;
using reports::CampaignSummary;
using reports::FindingPage;

std::string stampOf(const CampaignSummary& summary, const std::string& key) {
  for (const auto& [name, value] : summary.stamp) {
    if (name == key) return value;
  }
  return "";
}

std::string foundWith(const CampaignSummary& summary) {
  std::string line;
  for (const auto& [key, value] : summary.stamp) line += concat(line.empty() ? "" : "; ", key, " ", value);
  return line;
}

std::string withExtension(const std::string& file, const char* extension) {
  return fs::path(file).replace_extension(extension).string();
}

void readBisection(const fs::path& folder, FindingPage& page) {
  const std::string name = withExtension(page.file, ".bisect.json");
  std::error_code error;
  if (!fs::exists(folder / name, error)) return;
  try {
    page.bisection = reports::bisectionFromJson(readTextFile((folder / name).string()));
  } catch (const UserError& problem) {
    rethrowIfSetUpError(problem);
    page.bisectionProblem = concat(name, ": ", problem.what());
  }
}

// The case as a person gave it or as it was found: its file may have gone.
std::string textOf(const fs::path& file) {
  try {
    return readTextFile(file.string());
  } catch (const UserError& problem) {
    rethrowIfSetUpError(problem);
    return "";
  }
}

std::string whyNotMinimized(const reports::Bucket& bucket) {
  if (bucket.minimized.empty()) return "Not known: it was not minimised.";
  return concat("Not known: it was not minimised: ", bucket.minimized.front()->problem);
}

FindingPage pageOf(const reports::Bucket& bucket, const CampaignSummary& summary, const fs::path& folder) {
  const reports::Finding& finding = bucket.shown();
  FindingPage page;
  page.title = bucket.title();
  page.bucket = bucket.name;
  page.origin = finding.origin;
  page.reproduces = finding.reproduces;
  page.known = bucket.known;
  page.foundWith = foundWith(summary);
  page.report = "report.html";
  if (const reports::MinimizedFinding* smallest = bucket.smallest()) {
    page.reason = smallest->reason;
    page.detail = smallest->detail;
    page.file = smallest->file.empty() ? finding.file : smallest->file;
    page.programFile = smallest->programFile;
    page.text = smallest->text;
    page.replay = smallest->replay;
    page.evidence = smallest->evidence;
  } else {
    page.reason = finding.reason;
    page.detail = finding.detail;
    page.file = finding.file;
    page.programFile = finding.programFile;
    page.text = finding.file.empty() ? "" : textOf(folder / finding.file);
    page.replay = finding.replay;
    page.minimize = finding.minimize;
    page.notMinimized = whyNotMinimized(bucket);
  }
  return page;
}

void addTexts(const std::string& target, FindingPage& page) {
  page.program = programOf(page.text);
  page.regressionName = regressionName(page.title);
  page.regression = regressionOf(page.title, page.evidence.stage, page.text);
  if (!target.empty()) return;
  page.test = testOf(page.title, page.text);
  page.bisect = concat("fuserfuzz bisect -C REPOSITORY --good COMMIT --bad HEAD --out ",
                       shellQuoted(withExtension(page.file, ".bisect.json")), " ", shellQuoted(page.file));
}

void removeOldPages(const fs::path& folder, const std::set<std::string>& written) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    const bool isPage = name.extension() == ".html" && isArtifact(withExtension(name.string(), ".fusion"));
    if (isPage && !written.contains(name.string())) fs::remove(entry.path(), error);
  }
}

}  // namespace

void writeResults(const fs::path& folder, CampaignSummary summary) {
  std::set<std::string> written;
  for (const reports::Bucket& bucket : reports::bucketsOf(summary)) {
    FindingPage page = pageOf(bucket, summary, folder);
    if (page.file.empty()) continue;
    addTexts(stampOf(summary, "target"), page);
    readBisection(folder, page);
    const std::string name = fs::path(withExtension(page.file, ".html")).filename().string();
    reports::writeFile(folder / name, reports::toHtml(page));
    written.insert(name);
    summary.pages[bucket.name] = name;
  }
  removeOldPages(folder, written);
  reports::writeReports(folder, summary);
}

}  // namespace fuser::fuzz
