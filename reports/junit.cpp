// junit.xml: the schema that Jenkins and GitLab read. One suite; a test case a corpus file, a bucket of
// findings beside those, and the campaign.

#include <set>

#include "reports/buckets.h"
#include "reports/campaign_summary.h"
#include "reports/figures.h"
#include "reports/markup.h"

namespace reports {
namespace {

constexpr const char* kWhere = "; commands run in the folder of the report\n";

std::string failureText(const Finding& finding, const std::string& head) {
  std::string text = head + kWhere;
  if (!finding.replay.empty()) text += "replay: " + finding.replay + "\n";
  if (!finding.minimize.empty()) text += "minimise: " + finding.minimize + "\n";
  if (!finding.detail.empty()) text += "\n" + finding.detail + "\n";
  return text;
}

// Of the one case that stands for the bucket.
std::string failureText(const Bucket& bucket) {
  const Finding& shown = bucket.shown();
  const std::string head = std::to_string(bucket.findings.size()) +
                           (bucket.findings.size() == 1 ? " finding; from " : " findings; this one from ") +
                           shown.origin + ", " + shown.reproduces;
  const MinimizedFinding* smallest = bucket.smallest();
  if (!smallest) return failureText(shown, head);
  std::string text = head + ", minimised" + kWhere;
  if (!smallest->replay.empty()) text += "replay: " + smallest->replay + "\n";
  if (!smallest->detail.empty()) text += "\n" + smallest->detail + "\n";
  return text + "\n" + smallest->text;
}

void writeBucket(Markup& xml, const Bucket& bucket) {
  xml.open("testcase", {{"classname", "fuserfuzz.findings"}, {"name", bucket.name}, {"time", "0"}});
  if (bucket.known.empty()) {
    xml.element("failure", {{"type", bucket.shown().kind}, {"message", bucket.title()}}, failureText(bucket));
  } else {
    xml.empty("skipped", {{"message", "known: " + bucket.known}});
  }
  xml.close();
}

void writeCorpusCase(Markup& xml, const CorpusCase& one, const std::vector<Bucket>& buckets) {
  xml.open("testcase", {{"classname", "fuserfuzz.corpus"}, {"name", one.file}, {"time", "0"}});
  if (!one.known.empty()) {
    xml.empty("skipped", {{"message", "known: " + one.known}});
  } else if (!one.problem.empty()) {
    std::string text = one.problem;
    for (const Bucket& bucket : buckets) {
      for (const Finding* finding : bucket.findings) {
        if (finding->origin == one.file) text = failureText(*finding, "in the bucket " + bucket.name);
      }
    }
    xml.element("failure", {{"type", one.verdict}, {"message", one.problem}}, text);
  }
  xml.close();
}

// Those that hold a finding of a generated case: a file of a corpus fails, or is skipped, by its own name, and counts
// once.
std::vector<Bucket> bucketsBesideTheCorpus(const CampaignSummary& summary, const std::vector<Bucket>& all) {
  std::set<std::string> files;
  for (const CorpusCase& one : summary.corpus) {
    if (!one.problem.empty()) files.insert(one.file);
  }
  std::vector<Bucket> buckets;
  for (Bucket bucket : all) {
    std::erase_if(bucket.findings, [&](const Finding* finding) { return files.count(finding->origin) > 0; });
    if (!bucket.findings.empty()) buckets.push_back(std::move(bucket));
  }
  return buckets;
}

// So that a clean campaign is a suite that passed, and one that judged nothing is none.
void writeCampaign(Markup& xml, const CampaignSummary& summary, const std::string& problem) {
  xml.open("testcase",
           {{"classname", "fuserfuzz.campaign"}, {"name", "judges cases"}, {"time", fixed(summary.seconds, 3)}});
  if (!problem.empty()) xml.element("error", {{"type", "setup"}, {"message", problem}}, problem);
  xml.close();
}

void writeProperties(Markup& xml, const CampaignSummary& summary) {
  xml.open("properties");
  const auto property = [&](const std::string& name, const std::string& value) {
    xml.empty("property", {{"name", name}, {"value", value}});
  };
  property("seed", std::to_string(summary.seed));
  property("jobs", std::to_string(summary.jobs));
  property("exit_code", std::to_string(summary.exitCode));
  property("interrupted", summary.interrupted ? "true" : "false");
  property("cases", std::to_string(summary.cases));
  property("cases_per_second", fixed(casesPerSecond(summary), 2));
  property("elements", std::to_string(summary.elements.judged));
  property("decided_share", fixed(decidedShare(summary), 6));
  property("decided_case_share", fixed(decidedCaseShare(summary), 6));
  property("rejected_share", fixed(rejectedShare(summary), 6));
  for (const auto& [kind, count] : summary.verdicts) property("verdict." + kind, std::to_string(count));
  for (const auto& [name, value] : summary.stamp) property("stamp." + name, value);
  xml.close();
}

}  // namespace

std::string toJUnit(const CampaignSummary& summary) {
  const std::vector<Bucket> all = bucketsOf(summary), buckets = bucketsBesideTheCorpus(summary, all);
  const std::string problem = setUpProblem(summary);
  size_t failures = 0, skipped = 0;
  for (const Bucket& bucket : buckets) ++(bucket.known.empty() ? failures : skipped);
  for (const CorpusCase& one : summary.corpus) {
    skipped += !one.known.empty();
    failures += !one.problem.empty() && one.known.empty();
  }
  Markup xml("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  xml.open("testsuites");
  xml.open("testsuite", {{"name", "fuserfuzz"},
                         {"tests", std::to_string(buckets.size() + summary.corpus.size() + 1)},
                         {"failures", std::to_string(failures)},
                         {"errors", problem.empty() ? "0" : "1"},
                         {"skipped", std::to_string(skipped)},
                         {"time", fixed(summary.seconds, 3)}});
  writeProperties(xml, summary);
  for (const Bucket& bucket : buckets) writeBucket(xml, bucket);
  for (const CorpusCase& one : summary.corpus) writeCorpusCase(xml, one, all);
  writeCampaign(xml, summary, problem);
  xml.close().close();
  return xml.release();
}

}  // namespace reports
