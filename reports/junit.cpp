// junit.xml: the schema that Jenkins and GitLab read. One suite; a test case a bucket, a corpus file, and the campaign.

#include "reports/buckets.h"
#include "reports/campaign_summary.h"
#include "reports/figures.h"
#include "reports/markup.h"

namespace reports {
namespace {

std::string failureText(const Bucket& bucket) {
  const Finding& first = *bucket.findings.front();
  std::string text = std::to_string(bucket.findings.size()) + " findings; the first from " + first.origin + ", " +
                     first.reproduces + "\n";
  if (!first.replay.empty()) text += "replay: " + first.replay + "\n";
  if (!first.minimize.empty()) text += "minimise: " + first.minimize + "\n";
  if (!first.detail.empty()) text += "\n" + first.detail + "\n";
  if (bucket.minimized && !bucket.minimized->text.empty()) text += "\nminimised:\n" + bucket.minimized->text;
  return text;
}

void writeBucket(Markup& xml, const Bucket& bucket) {
  const Finding& first = *bucket.findings.front();
  xml.open("testcase", {{"classname", "fuserfuzz.findings"}, {"name", bucket.name}, {"time", "0"}});
  if (bucket.known.empty()) {
    xml.element("failure", {{"type", first.kind}, {"message", first.reason}}, failureText(bucket));
  } else {
    xml.empty("skipped", {{"message", "known: " + bucket.known}});
  }
  xml.close();
}

void writeCorpusCase(Markup& xml, const CorpusCase& one) {
  xml.open("testcase", {{"classname", "fuserfuzz.corpus"}, {"name", one.file}, {"time", "0"}});
  if (!one.problem.empty()) xml.element("failure", {{"type", one.verdict}, {"message", one.problem}}, one.problem);
  xml.close();
}

// So that a clean campaign is a suite that passed, and one that judged nothing is none.
void writeCampaign(Markup& xml, const CampaignSummary& summary, bool judged) {
  xml.open("testcase",
           {{"classname", "fuserfuzz.campaign"}, {"name", "judges cases"}, {"time", fixed(summary.seconds, 3)}});
  if (!judged) {
    xml.element("error", {{"type", "setup"}, {"message", "no case was judged"}},
                "Of " + std::to_string(summary.cases) + " cases none was judged.");
  }
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
  const std::vector<Bucket> buckets = bucketsOf(summary);
  const bool judged = summary.judgedCases > 0 || !summary.findings.empty();
  size_t failures = 0, skipped = 0;
  for (const Bucket& bucket : buckets) ++(bucket.known.empty() ? failures : skipped);
  for (const CorpusCase& one : summary.corpus) failures += !one.problem.empty();
  Markup xml("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  xml.open("testsuites");
  xml.open("testsuite", {{"name", "fuserfuzz"},
                         {"tests", std::to_string(buckets.size() + summary.corpus.size() + 1)},
                         {"failures", std::to_string(failures)},
                         {"errors", judged ? "0" : "1"},
                         {"skipped", std::to_string(skipped)},
                         {"time", fixed(summary.seconds, 3)}});
  writeProperties(xml, summary);
  for (const Bucket& bucket : buckets) writeBucket(xml, bucket);
  for (const CorpusCase& one : summary.corpus) writeCorpusCase(xml, one);
  writeCampaign(xml, summary, judged);
  xml.close().close();
  return xml.take();
}

}  // namespace reports
