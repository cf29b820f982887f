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
  std::string seconds, path, best, bucket, bytes;
  std::getline(lines, seconds);
  std::getline(lines, path);
  std::getline(lines, best);
  std::getline(lines, bucket);
  std::getline(lines, bytes);
  json out;
  try {
    MinimizeSettings minimizer;
    minimizer.seconds = std::stod(seconds);
    minimizer.limits = limits;
    minimizer.judge = settings.judge;
    minimizer.bucket = bucket;
    minimizer.bestSoFar = best;
    minimizer.maxBytes = std::stoll(bytes);
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

BucketMinimizer::BucketMinimizer(Settings settings, Ledger& ledger, Artifacts& artifacts,
                                 std::vector<reports::MinimizedFinding> done,
                                 std::function<void(const std::string&)> say)
    : settings_(std::move(settings)), ledger_(ledger), artifacts_(artifacts), say_(std::move(say)) {
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
  for (const auto& [bucket, finding] : smallest) queue_.push_back({*finding});
  if (!queue_.empty()) {
    say_(concat("minimising a finding of each of ", queue_.size(), " buckets, ", settings_.seconds,
                " s each at most (--no-minimize leaves it out)"));
  }
}

std::optional<Task> BucketMinimizer::next() {
  // A smaller case may take more text: tensors that were computed become lists of numbers.
  constexpr int64_t kMoreText = 64 << 10;
  if (queue_.empty()) return std::nullopt;
  Job job = std::move(queue_.front());
  queue_.pop_front();
  job.reserved = artifacts_.reserve(job.finding.bytes + kMoreText);
  Task task(concat("minimize ", settings_.seconds, "\n", (settings_.folder / job.finding.file).string(), "\n",
                   (settings_.folder / fileOf(job)).string(), "\n", job.finding.bucket, "\n", job.reserved),
            true);
  running_.emplace(task.text, std::move(job));
  return task;
}

std::vector<LedgerFinding> BucketMinimizer::take(const Outcome& outcome) {
  constexpr int kAttempts = 5;
  Job job = std::move(running_.extract(outcome.task).mapped());
  const std::string file = fileOf(job);
  artifacts_.release(job.reserved, file);
  if (outcome.fromOutside && ++job.attempts < kAttempts) {
    queue_.push_back(std::move(job));
    return {};
  }
  const LedgerFinding& finding = job.finding;
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
      if (artifacts_.writeMinimized(file, minimized.text)) minimized.file = file;
      minimized.exprsBefore = reply.at("expressions").at(0);
      minimized.exprsAfter = reply.at("expressions").at(1);
      minimized.seconds = reply.at("seconds");
      minimized.picture = reports::segmentGraphFromJson(reply.at("picture").get<std::string>());
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
  if (minimized.problem.empty()) {
    say_(concat("minimised ", finding.file, " from ", minimized.exprsBefore, " to ", minimized.exprsAfter,
                " expressions: ",
                minimized.file.empty() ? "its text is in the report, there was no room for the file"
                                       : (settings_.folder / minimized.file).string(),
                "\n  bucket: ", minimized.bucket));
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
