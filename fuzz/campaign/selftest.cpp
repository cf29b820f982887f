// The planted-fault suite, through forked workers.

#include "fuzz/campaign/selftest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/start_time.h"
#include "fuzz/campaign/target_faults.h"
#include "fuzz/edges/at_an_edge.h"
#include "fuzz/minimize/judging.h"
#include "fuzz/views/random_schedule.h"
#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"
#include "oracle/reference/reference.h"
#include "reports/fields_bytes.h"
#include "reports/fields_json.h"

namespace fuser::fuzz {
namespace {

using nlohmann::json;

// A case, with a fault planted in it.
struct FaultTask {
  std::string fault;  // its name; "": none
  uint64_t number = 0;
  bool operator==(const FaultTask&) const = default;
};
REPORTS_FIELDS(FaultTask, fault, number)

constexpr uint64_t kScheduledAtRandom = 3;  // one case in so many
constexpr uint64_t kOnAnotherDevice = 3;    // of the others

// What a worker says of one case.
struct Reply {
  VerdictKind kind = VerdictKind::Agrees;
  bool applied = false;
  std::string reason;  // one line
  double seconds = 0;  // that the worker took, as its supervisor sees it
  bool operator==(const Reply&) const = default;
};
REPORTS_FIELDS(Reply, kind, applied, reason, seconds)

// The faults that may be planted.
std::span<const FaultInfo> faultsOf(const SelftestOptions& options) {
  return options.judge.target ? targetFaults() : allFaults();
}

Reply replyWith(const CaseVerdict& verdict) {
  return {verdict.kind, verdict.faultApplied, verdict.reason.substr(0, verdict.reason.find('\n'))};
}

Reply performOnTarget(const FaultTask& task, const SelftestOptions& options) {
  const Case testCase = campaignCase(options.seed, task.number, options.generator);
  JudgeSettings judge = options.judge;
  if (!task.fault.empty()) {
    judge.miscompile = [&](const Case& one) { return miscompiled(one, task.fault, task.number); };
    judge.misanswer = [&](std::vector<AnswerRun>& runs) { return misanswer(runs, task.fault, task.number); };
  }
  return replyWith(judgeCase(testCase, judge));
}

Reply perform(const FaultTask& task, const SelftestOptions& options) {
  reference::useOneThread();
  if (options.judge.target) return performOnTarget(task, options);
  Case testCase = campaignCase(options.seed, task.number, options.generator);
  // What no heuristic chooses has faults of its own. (Cases on streams and devices take no schedule.)
  const bool placed = testCase.fusion->hasStreams() || testCase.fusion->hasDevices();
  if (task.number % kScheduledAtRandom == 0 && !placed && !hasFixedSegments(testCase)) {
    if (auto schedules = randomSchedules(testCase, task.number)) testCase.segmentSchedules = std::move(*schedules);
    testCase.runs.resize(1);  // whose sizes the schedules may rely on
  }
  // As do limits that a small case reaches.
  if (task.number % kOnAnotherDevice == 1) onAnotherDevice(testCase, task.number);
  if (!task.fault.empty()) testCase.options.fault = task.fault;
  testCase.options.engine = options.engine;
  return replyWith(judgeCase(testCase, options.judge));
}

Reply replyOf(const Outcome& outcome) {
  Reply reply;
  if (outcome.ending == Ending::Finished) {
    reply = reports::decode<Reply>(outcome.reply);
  } else {  // (The worker cannot say whether the fault had a place.)
    reply = {kindOf(outcome.ending), false, outcome.detail.substr(0, outcome.detail.find('\n'))};
  }
  reply.seconds = outcome.seconds;
  return reply;
}

// The cases of one fault (or of the control), in order of number; those after the first finding do not count.
struct Series {
  std::string name;
  uint64_t next = 0;  // the first that is not given out
  size_t waiting = 0;
  bool stopped = false;  // gives out no more
  std::map<uint64_t, Reply> replies;
};

const char* stateOf(const FaultResult& fault) { return fault.caught ? "caught" : fault.finished ? "MISSED" : "-"; }

std::string lineOf(const FaultResult& fault) {
  char line[300];
  std::snprintf(line, sizeof line, "%-26s %-9s %-7s %6llu %8llu  %-10s %s", std::string(fault.fault.name).c_str(),
                std::string(faultStageName(fault.fault.stage)).c_str(), stateOf(fault),
                static_cast<unsigned long long>(fault.cases), static_cast<unsigned long long>(fault.applied),
                fault.check.c_str(), firstClause(fault.reason).c_str());
  return line;
}

class Selftest {
 public:
  Selftest(const SelftestOptions& options, const std::function<bool()>& interrupted,
           const std::function<void(const std::string&)>& log)
      : options_(options), interrupted_(interrupted), log_(log) {
    for (const FaultInfo& fault : faultsOf(options_)) {
      if (isWanted(fault.name)) result_.faults.emplace_back().fault = fault;
    }
  }

  SelftestResult run() {
    for (const std::string& name : options_.onlyFaults) {  // a UserError where there is none
      if (options_.judge.target) {
        checkIsTargetFault(name);
      } else {
        plantFault(name);
      }
    }
    const auto start = std::chrono::steady_clock::now();
    result_.seed = options_.seed;
    result_.stamp = stamp();
    result_.started = timeNow();
    series_.push_back({"", 0, 0, false, {}});
    for (const FaultResult& fault : result_.faults) series_.push_back({std::string(fault.fault.name), 0, 0, false, {}});
    WorkerPool(options_.jobs, options_.limits, [options = options_](const std::string& task) {
      return reports::encode(perform(reports::decode<FaultTask>(task), options));
    }).run([this] { return nextTask(); }, [this](const Outcome& outcome) { recordOutcome(outcome); });
    result_.interrupted = interrupted_();
    while (concluded_ < series_.size()) conclude(concluded_++);  // as far as they came
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  bool isWanted(std::string_view name) const {
    const std::vector<std::string>& only = options_.onlyFaults;
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  }

  Ledger::Stamp stamp() const {
    CampaignOptions campaign;
    campaign.seed = options_.seed;
    campaign.task.judge.probes = options_.judge.probes;
    campaign.task.judge.target = options_.judge.target;
    campaign.task.judge.secondLooks = options_.judge.secondLooks;
    campaign.generatorFlags = options_.generatorFlags;
    campaign.compilers = false;
    return stampOf(campaign);
  }

  std::optional<PoolTask> nextTask() {
    if (interrupted_()) return std::nullopt;
    if (!again_.empty()) {
      const std::string task = again_.front();
      again_.pop_front();
      return task;
    }
    while (current_ < series_.size()) {
      Series& series = series_[current_];
      if (!series.stopped && series.next < options_.runs) {
        ++series.waiting;
        return reports::encode(FaultTask{series.name, series.next++});
      }
      ++current_;
    }
    return std::nullopt;
  }

  void recordOutcome(const Outcome& outcome) {
    const FaultTask task = reports::decode<FaultTask>(outcome.task);
    const size_t index = static_cast<size_t>(
        std::find_if(series_.begin(), series_.end(), [&](const Series& series) { return series.name == task.fault; }) -
        series_.begin());
    Series& series = series_[index];
    // What ends it from outside says nothing about the fault.
    if (outcome.fromOutside && ++attempts_[outcome.task] < kAttempts) {
      again_.push_back(outcome.task);
      return;
    }
    checkNotFromOutside(outcome);
    const Reply reply = replyOf(outcome);
    --series.waiting;
    series.stopped |= index > 0 && catches(reply.kind, result_.faults[index - 1].fault.stage) && reply.applied;
    series.replies.emplace(task.number, reply);
    // In order, whichever worker is slower.
    while (concluded_ < series_.size() && isComplete(series_[concluded_])) conclude(concluded_++);
  }

  bool isComplete(const Series& series) const {
    return series.waiting == 0 && (series.stopped || series.next >= options_.runs);
  }

  void conclude(size_t index) {
    Series& series = series_[index];
    if (index == 0) {
      concludeControl(series);
    } else {
      concludeFault(series, result_.faults[index - 1]);
    }
  }

  void concludeControl(const Series& series) {
    for (const auto& [number, reply] : series.replies) {
      ++result_.controlCases;
      result_.controlJudged += reply.kind == VerdictKind::Agrees || reply.kind == VerdictKind::Undecided;
      if (isFinding(reply.kind)) {
        result_.controlFindings.push_back(concat("case ", number, ": ", verdictName(reply.kind), ": ", reply.reason));
      }
    }
    log_(concat("control: ", result_.controlCases, " cases, ", result_.controlFindings.size(), " findings"));
  }

  void concludeFault(const Series& series, FaultResult& fault) {
    for (const auto& [number, reply] : series.replies) {
      ++fault.cases;
      fault.applied += reply.applied;
      fault.seconds += reply.seconds;
      const bool caught = catches(reply.kind, fault.fault.stage);
      if (isFinding(reply.kind) && !caught && fault.reason.empty())
        fault.reason = concat("(", verdictName(reply.kind), ") ", reply.reason);
      if (!caught || !reply.applied) continue;
      fault.caught = true;
      fault.check = verdictName(reply.kind);
      fault.reason = reply.reason;
      break;
    }
    fault.finished = fault.caught || fault.cases == options_.runs;
    log_(concat(++faultsDone_, " of ", result_.faults.size(), " faults: ", fault.fault.name, " ", stateOf(fault)));
  }

  const SelftestOptions& options_;
  const std::function<bool()>& interrupted_;
  const std::function<void(const std::string&)>& log_;
  SelftestResult result_;
  std::vector<Series> series_;  // the control, then a fault each
  size_t current_ = 0;
  size_t concluded_ = 0;  // series before this one
  size_t faultsDone_ = 0;
  static constexpr int kAttempts = 5;
  std::deque<std::string> again_;
  std::map<std::string, int> attempts_;
};

}  // namespace

bool catches(VerdictKind kind, FaultStage stage) {
  switch (kind) {
    case VerdictKind::Differs:
    case VerdictKind::Violation:
    case VerdictKind::Invariant: return true;
    case VerdictKind::Check: return stage == FaultStage::Report;
    case VerdictKind::Agrees:
    case VerdictKind::Undecided:
    case VerdictKind::Unsupported:
    case VerdictKind::Rejected:
    case VerdictKind::OutOfMemory:
    case VerdictKind::Hang:
    case VerdictKind::Crash: return false;
  }
  FUSER_CHECK(false, "bad VerdictKind");
}

bool SelftestResult::clean() const {
  return !interrupted && controlFindings.empty() &&
         std::all_of(faults.begin(), faults.end(), [](const FaultResult& fault) { return fault.caught; });
}

namespace {

// The upper median over the caught ones; 0 if there are none.
template <class T>
T medianOfCaught(const std::vector<FaultResult>& faults, T FaultResult::*member) {
  std::vector<T> values;
  for (const FaultResult& fault : faults) {
    if (fault.caught) values.push_back(fault.*member);
  }
  std::sort(values.begin(), values.end());
  return values.empty() ? T() : values[values.size() / 2];
}

}  // namespace

uint64_t SelftestResult::medianCases() const { return medianOfCaught(faults, &FaultResult::cases); }

double SelftestResult::medianSeconds() const { return medianOfCaught(faults, &FaultResult::seconds); }

SelftestResult runSelftest(const SelftestOptions& options, const std::function<bool()>& interrupted,
                           const std::function<void(const std::string&)>& log) {
  return Selftest(options, interrupted, log).run();
}

std::string toText(const SelftestResult& result) {
  char head[300];
  std::snprintf(head, sizeof head, "%-26s %-9s %-7s %6s %8s  %-10s %s\n", "fault", "stage", "", "cases", "applied",
                "by", "finding");
  std::string text = concat("control: ", result.controlCases, " cases of seed ", result.seed, ", ",
                            result.controlJudged, " judged, ", result.controlFindings.size(), " findings\n");
  for (const std::string& finding : result.controlFindings) text += "  " + finding + "\n";
  text += head;
  size_t caught = 0, open = 0;
  uint64_t most = 0;
  for (const FaultResult& fault : result.faults) {
    text += lineOf(fault) + "\n";
    caught += fault.caught;
    open += !fault.finished;
    if (fault.caught) most = std::max(most, fault.cases);
  }
  text += concat(caught, " of ", result.faults.size(), " faults caught");
  if (open > 0) text += concat(", ", open, " not finished before the interrupt");
  if (caught > 0) text += concat("; cases until then: median ", result.medianCases(), ", at most ", most);
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "; %.1f s", result.seconds);
  return text + seconds;
}

std::string toJson(const SelftestResult& result) {
  json out;
  out["seed"] = result.seed;
  out["clean"] = result.clean();
  out["interrupted"] = result.interrupted;
  out["started"] = result.started;
  out["seconds"] = result.seconds;
  out["control"] = {
      {"cases", result.controlCases}, {"judged", result.controlJudged}, {"findings", result.controlFindings}};
  out["stamp"] = json::object();
  for (const auto& [key, value] : result.stamp) {
    if (!value.empty()) out["stamp"][reports::keyFromWords(key)] = value;
  }
  size_t caught = 0, finished = 0;
  out["faults"] = json::array();
  for (const FaultResult& fault : result.faults) {
    caught += fault.caught;
    finished += fault.finished;
    out["faults"].push_back({{"name", fault.fault.name},
                             {"stage", faultStageName(fault.fault.stage)},
                             {"summary", fault.fault.summary},
                             {"caught", fault.caught},
                             {"finished", fault.finished},
                             {"cases", fault.cases},
                             {"applied", fault.applied},
                             {"seconds", fault.seconds},
                             {"check", fault.check},
                             {"reason", fault.reason}});
  }
  const auto share = [](size_t part, size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  out["recall"] = share(caught, finished);
  out["median_cases"] = result.medianCases();
  out["median_seconds"] = result.medianSeconds();
  out["false_alarms"] = result.controlFindings.size();
  out["false_alarm_rate"] = share(result.controlFindings.size(), result.controlCases);
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace fuser::fuzz
