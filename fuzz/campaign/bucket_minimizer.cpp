// Minimisation as tasks of the campaign's workers.

#include "fuzz/campaign/bucket_minimizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/judge/segment_graph.h"
#include "fuzz/minimize/minimize.h"

namespace fuser::fuzz {
namespace {

using nlohmann::json;

// Compiling what crashes a compiler crashes: in a process of its own.
reports::SegmentGraph pictureOf(const Minimized& minimized, const TaskSettings& settings, const Limits& limits) {
  const WorkerPool::Work draw = [&](const std::string& task) {
    const Case testCase = parseCase(minimized.text, "minimized");
    const std::string wrong = task == "judged" ? judgeCase(testCase, settings.judge).wrongValue : "";
    return reports::toJson(segmentGraphOf(testCase, wrong));
  };
  Outcome outcome = runAlone("judged", limits, draw);
  if (outcome.ending != Ending::Finished) outcome = runAlone("not judged", limits, draw);
  if (outcome.ending == Ending::Finished) return reports::segmentGraphFromJson(outcome.reply);
  reports::SegmentGraph none;
  none.problem = "its compilation ends with: " + outcome.detail.substr(0, outcome.detail.find('\n'));
  return none;
}

}  // namespace

std::string performMinimize(const std::string& task, const TaskSettings& settings, const Limits& limits) {
  std::istringstream lines(task.substr(task.find(' ')));
  std::string seconds, path, best, bucket;
  std::getline(lines, seconds);
  std::getline(lines, path);
  std::getline(lines, best);
  std::getline(lines, bucket);
  json out;
  try {
    MinimizeSettings minimizer;
    minimizer.seconds = std::stod(seconds);
    minimizer.limits = limits;
    minimizer.judge = settings.judge;
    minimizer.bucket = bucket;
    minimizer.bestSoFar = best;
    const Minimized minimized = minimize(readTextFile(path), minimizer);
    out["problem"] = minimized.problem;
    out["text"] = minimized.text;
    out["expressions"] = {minimized.before.expressions, minimized.after.expressions};
    out["seconds"] = minimized.seconds;
    out["others"] = json::array();
    for (const OtherFinding& other : minimized.others)
      out["others"].push_back({toString(other.bucket), other.bucket.kind, other.text});
    if (minimized.problem.empty()) out["picture"] = reports::toJson(pictureOf(minimized, settings, limits));
  } catch (const std::exception& error) {
    out["problem"] = error.what();
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

BucketMinimizer::BucketMinimizer(Settings settings, Ledger& ledger, std::vector<reports::MinimizedFinding> done,
                                 std::function<void(const std::string&)> say)
    : settings_(std::move(settings)), ledger_(ledger), say_(std::move(say)) {
  for (reports::MinimizedFinding& one : done) {
    const std::string bucket = one.bucket;
    done_.emplace(bucket, std::move(one));
  }
}

void BucketMinimizer::begin(const std::vector<LedgerFinding>& findings) {
  if (settings_.folder.empty()) return;
  std::map<std::string, const LedgerFinding*> smallest;
  for (const LedgerFinding& finding : findings) {
    const bool wanted = finding.known.empty() && !finding.file.empty() && finding.label == "fails fresh";
    if (!wanted || done_.count(finding.bucket)) continue;
    const LedgerFinding*& best = smallest[finding.bucket];
    if (best == nullptr || finding.bytes < best->bytes) best = &finding;
  }
  for (const auto& [bucket, finding] : smallest) {
    const std::filesystem::path path = settings_.folder / finding->file;
    const std::filesystem::path best = settings_.folder / ("minimized-from-" + finding->textSha1 + ".fusion");
    queue_.push_back(concat("minimize ", settings_.seconds, "\n", path.string(), "\n", best.string(), "\n",
                            bucket));
    chosen_[queue_.back()] = *finding;
  }
  if (!queue_.empty()) {
    say_(concat("minimising a finding of each of ", queue_.size(), " buckets, ", settings_.seconds,
                " s each at most (--no-minimize leaves it out)"));
  }
}

std::optional<Task> BucketMinimizer::next() {
  if (queue_.empty()) return std::nullopt;
  Task task(queue_.front(), true);
  queue_.pop_front();
  return task;
}

std::vector<LedgerFinding> BucketMinimizer::take(const Outcome& outcome) {
  const LedgerFinding& finding = chosen_.at(outcome.task);
  reports::MinimizedFinding minimized;
  minimized.bucket = finding.bucket;
  std::vector<LedgerFinding> others;
  if (outcome.ending != Ending::Finished) {
    minimized.problem = "the minimiser ended with: " + outcome.detail.substr(0, outcome.detail.find('\n'));
  } else {
    const json reply = json::parse(outcome.reply);
    minimized.problem = reply.at("problem");
    if (minimized.problem.empty()) {
      minimized.text = reply.at("text");
      minimized.file = "minimized-from-" + finding.textSha1 + ".fusion";
      minimized.exprsBefore = reply.at("expressions").at(0);
      minimized.exprsAfter = reply.at("expressions").at(1);
      minimized.seconds = reply.at("seconds");
      minimized.picture = reports::segmentGraphFromJson(reply.at("picture").get<std::string>());
      reports::writeFile(settings_.folder / minimized.file, minimized.text);
    }
    for (const json& other : reply.value("others", json::array())) {
      LedgerFinding met;
      met.bucket = other.at(0);
      met.kind = other.at(1);
      met.reason = met.detail = "met while another finding was minimised";
      met.origin = "while minimising " + finding.file;
      met.label = "fails fresh";
      met.task = "text";
      met.text = other.at(2);
      others.push_back(std::move(met));
    }
  }
  ledger_.add(minimized);
  ledger_.commit();
  if (minimized.problem.empty()) {
    say_(concat("minimised ", finding.file, " from ", minimized.exprsBefore, " to ", minimized.exprsAfter,
                " expressions: ", (settings_.folder / minimized.file).string(), "\n  bucket: ", minimized.bucket));
    addToCorpus(minimized);
  } else {
    say_(concat("not minimised: ", finding.file, ": ", minimized.problem));
  }
  return others;
}

void BucketMinimizer::addToCorpus(const reports::MinimizedFinding& minimized) {
  if (settings_.corpus.empty()) return;
  try {
    reports::writeFile(settings_.corpus / (sha1(minimized.text) + ".fusion"), minimized.text);
  } catch (const UserError& error) {
    say_(concat("the corpus does not get it: ", error.what()));
  }
}

}  // namespace fuser::fuzz
