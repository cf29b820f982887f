// Re-runs of a finding, in order of price.

#include "fuzz/campaign/confirm.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {
namespace {

using nlohmann::json;

constexpr int kSequenceRuns = 40;  // tries to shorten a sequence

class Confirmation {
 public:
  Confirmation(const Suspect& suspect, const TaskSettings& settings, const Limits& limits)
      : suspect_(suspect), seed_(settings.seed), limits_(limits) {
    work_ = [settings](const std::string& task) { return fuser::fuzz::toJson(performTask(task, settings)); };
  }

  Confirmed run() {
    result_.task = suspect_.task;
    result_.detail = withSymbols(suspect_.verdict.detail);
    narrow();
    result_.text = textOf(result_.task);
    label();
    result_.bucket = bucket();
    describe();
    return std::move(result_);
  }

 private:
  // A finding again, of the same kind where `sameKind` is set.
  bool fails(const std::string& task, size_t cases, bool sameKind = true) {
    Limits limits = limits_;
    limits.seconds *= static_cast<double>(std::max<size_t>(cases, 1));
    const Outcome outcome = alone(task, limits);
    if (outcome.ending != Ending::Finished) return !sameKind || kindOf(outcome.ending) == suspect_.verdict.kind;
    const TaskResult result = taskResultFromJson(outcome.reply);
    const auto matches = [&](const CaseVerdict& verdict) {
      const bool bad = isFinding(verdict.kind) || !verdict.expected;
      return bad && (!sameKind || verdict.kind == suspect_.verdict.kind);
    };
    return matches(result.verdict) || std::any_of(result.findings.begin(), result.findings.end(),
                                                  [&](const BatchFinding& one) { return matches(one.verdict); });
  }

  // What ends it from outside says nothing about the task.
  Outcome alone(const std::string& task, const Limits& limits) {
    constexpr int kAttempts = 5;
    Outcome outcome;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      outcome = runAlone(task, limits, work_);
      if (!outcome.fromOutside) break;
    }
    return outcome;
  }

  // Of a batch that died, or whose compiler refused it: the case that does so alone. Of a case whose process died: the
  // view that does so alone, where it is not the case itself.
  void narrow() {
    const bool batch = isBatch(suspect_.task);
    if (!batch && suspect_.verdict.kind < VerdictKind::OutOfMemory) return;
    const std::vector<std::string> parts = partsOf(suspect_.task, seed_);
    for (const std::string& part : parts) {
      if (parts.size() == 1 || !fails(part, batch ? kBatch : 1, !batch)) continue;
      if (kindOf(part) != "plain") result_.task = part;
      return;
    }
  }

  std::string textOf(const std::string& task) {
    try {
      if (kindOf(task) == "file") return readTextFile(task.substr(5));
      // Batches of several cases have no text.
      if (isBatch(task) && task.substr(task.rfind(' ')) != " 1") return "";
      const std::string argument = task.substr(task.find(' ') + 1);
      const std::string printed = isBatch(task) ? argument.substr(0, argument.find(' ')) : argument;
      const Outcome outcome = alone("print " + printed, limits_);
      if (outcome.ending != Ending::Finished) return "";
      std::string text = taskResultFromJson(outcome.reply).text;
      if (!isBatch(task)) return text;
      Case onCpu = parseCase(text, task);
      onCpu.options.engine = EngineKind::Cpu;
      return printCase(onCpu);
    } catch (const std::exception& error) {
      result_.problem = error.what();
      return "";
    }
  }

  void describe() {
    try {
      if (!result_.text.empty()) result_.features = featuresOf(parseCase(result_.text, "finding"));
    } catch (const UserError&) {
      // A file that does not parse has none.
    }
  }

  void label() {
    const size_t cases = isBatch(result_.task) ? kBatch : 1;
    if (fails(result_.task, cases)) {
      result_.label = "fails fresh";
      return;
    }
    std::vector<std::string> history = suspect_.history;
    if (!history.empty() && failsAfter(history)) {
      shorten(history);
      writeSequence(history);
      return;
    }
    int failures = 0;
    for (int i = 0; i < kFlakyRuns; ++i) failures += fails(result_.task, cases);
    result_.label = concat("flaky: ", failures, " of ", kFlakyRuns);
  }

  bool failsAfter(const std::vector<std::string>& history) {
    std::string task = "sequence";
    for (const std::string& one : history) task += "\n" + one;
    return fails(task + "\n" + result_.task, history.size() + 1);
  }

  // The shortest end of the history that still makes it fail, by bisection; then without whatever else it can do
  // without, in halves, quarters, … as long as tries are left.
  void shorten(std::vector<std::string>& history) {
    int tries = kSequenceRuns;
    size_t good = 0, bad = history.size();  // lengths: without failure, with
    while (bad - good > 1 && tries-- > 0) {
      const size_t middle = good + (bad - good) / 2;
      if (failsAfter({history.end() - static_cast<std::ptrdiff_t>(middle), history.end()})) {
        bad = middle;
      } else {
        good = middle;
      }
    }
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(bad));
    for (size_t chunk = history.size() / 2; chunk > 0; chunk /= 2) {
      for (size_t start = 0; start + chunk <= history.size() && tries > 0;) {
        std::vector<std::string> fewer = history;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(start),
                    fewer.begin() + static_cast<std::ptrdiff_t>(start + chunk));
        --tries;
        if (!fewer.empty() && failsAfter(fewer)) {
          history = std::move(fewer);
        } else {
          start += chunk;
        }
      }
    }
  }

  void writeSequence(const std::vector<std::string>& history) {
    result_.label = "fails only after its history";
    std::string whole = "texts\n";
    for (const std::string& task : history) {
      for (const std::string& one : partsOf(task, seed_)) {
        const std::string text = textOf(one);
        if (!text.empty()) result_.sequence.push_back(text);  // a view that has no place in the case was not judged
      }
    }
    result_.sequence.push_back(result_.text);
    for (const std::string& text : result_.sequence) whole += concat(kSequenceMark, "\n", text);
    if (!fails(whole, result_.sequence.size())) result_.label += ", and not as text";
  }

  std::string bucket() {
    const CaseVerdict& verdict = suspect_.verdict;
    const bool died = verdict.kind >= VerdictKind::OutOfMemory;
    const std::string usual =
        toString(died ? bucketOfEnding(verdict.kind, result_.detail) : bucketWithoutStage(verdict));
    if (died || result_.label != "fails fresh" || result_.text.empty()) return usual;
    const Outcome outcome = alone("bucket\n" + result_.text, limits_);
    if (outcome.ending != Ending::Finished) return usual;
    const TaskResult answer = taskResultFromJson(outcome.reply);
    if (!answer.guilty.empty()) result_.detail += "\nguilty: " + answer.guilty;
    const std::string found = answer.bucket;
    return found.empty() ? usual : found;
  }

  const Suspect& suspect_;
  uint64_t seed_;
  Limits limits_;
  WorkerPool::Work work_;
  Confirmed result_;
};

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

Confirmed confirm(const Suspect& suspect, const TaskSettings& settings, const Limits& limits) {
  return Confirmation(suspect, settings, limits).run();
}

std::string toJson(const Suspect& suspect) {
  return dump({suspect.task, toJson(suspect.verdict), suspect.history});
}

Suspect suspectFromJson(const std::string& text) {
  const json in = json::parse(text);
  Suspect suspect;
  in.at(0).get_to(suspect.task);
  suspect.verdict = verdictFromJson(in.at(1).get<std::string>());
  in.at(2).get_to(suspect.history);
  return suspect;
}

std::string toJson(const Confirmed& confirmed) {
  return dump({confirmed.task, confirmed.label, confirmed.detail, confirmed.text, confirmed.bucket, confirmed.sequence,
               confirmed.problem, confirmed.features.ops, confirmed.features.dtypes, confirmed.features.ranks,
               confirmed.features.traits});
}

Confirmed confirmedFromJson(const std::string& text) {
  const json in = json::parse(text);
  Confirmed confirmed;
  in.at(0).get_to(confirmed.task);
  in.at(1).get_to(confirmed.label);
  in.at(2).get_to(confirmed.detail);
  in.at(3).get_to(confirmed.text);
  in.at(4).get_to(confirmed.bucket);
  in.at(5).get_to(confirmed.sequence);
  in.at(6).get_to(confirmed.problem);
  in.at(7).get_to(confirmed.features.ops);
  in.at(8).get_to(confirmed.features.dtypes);
  in.at(9).get_to(confirmed.features.ranks);
  in.at(10).get_to(confirmed.features.traits);
  return confirmed;
}

}  // namespace fuser::fuzz
