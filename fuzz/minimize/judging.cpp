// Questions to the worker: a word, a line break, the case's text; answers as JSON.

#include "fuzz/minimize/judging.h"

#include <poll.h>
#include <signal.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "fuser/analysis/stage_observers.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/text/parser.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

using nlohmann::json;

constexpr int64_t kMaxRecorded = 4096;  // elements of a value

json bucketJson(const Bucket& bucket) { return json::array({bucket.kind, bucket.stage, bucket.place, bucket.pattern}); }
Bucket bucketFrom(const json& array) { return {array.at(0), array.at(1), array.at(2), array.at(3)}; }

json verdictJson(const CaseVerdict& verdict) {
  return {{"kind", verdictName(verdict.kind)}, {"bucket", bucketJson(bucketWithoutStage(verdict))},
          {"reason", verdict.reason},          {"detail", verdict.detail},
          {"wrong", verdict.wrongValue},       {"run", verdict.run},
          {"probed", verdict.onlyProbed}};
}

// A scalar as its kind and its bits: NaN, infinities and 64-bit integers have no number in JSON.
json scalarJson(const ScalarValue& value) {
  if (const double* number = std::get_if<double>(&value.variant())) {
    return json::array({"f", std::bit_cast<int64_t>(*number)});
  }
  if (const bool* truth = std::get_if<bool>(&value.variant())) return json::array({"b", *truth ? 1 : 0});
  return json::array({"i", std::get<int64_t>(value.variant())});
}

ScalarValue scalarFrom(const json& pair) {
  const std::string kind = pair.at(0);
  const int64_t bits = pair.at(1);
  if (kind == "f") return std::bit_cast<double>(bits);
  if (kind == "b") return bits != 0;
  return bits;
}

ScalarValue elementOf(const TensorRef& tensor, int64_t place) {
  return dispatch(tensor.dtype, [&]<class T>() -> ScalarValue {
    const T value = static_cast<const T*>(tensor.data)[place];
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(value);
    } else {
      return convert<double>(value);
    }
  });
}

json elementsJson(const TensorRef& tensor) {
  json elements = json::array();
  for (int64_t index = 0; index < numel(tensor.sizes); ++index) {
    int64_t place = 0, rest = index;
    for (size_t axis = tensor.sizes.size(); axis-- > 0;) {
      place += rest % tensor.sizes[axis] * tensor.strides[axis];
      rest /= tensor.sizes[axis];
    }
    elements.push_back(scalarJson(elementOf(tensor, place)));
  }
  return elements;
}

json valuesOf(const Case& testCase) {
  json runs = json::array();
  for (const Run& run : testCase.runs) {
    const RunData data = materialize(testCase, run);
    std::vector<reference::Value> inputs;
    for (const HostValue& value : hostValues(data)) inputs.push_back({value, nullptr});
    const std::vector<std::optional<reference::Value>> values = reference::evaluate(*testCase.fusion, inputs);
    json recorded = json::object();
    for (const auto& val : testCase.fusion->allVals()) {
      const std::optional<reference::Value>& value = values.at(val->id());
      if (!value || val->name().empty()) continue;
      const TensorRef* tensor = std::get_if<TensorRef>(&value->value);
      if (!tensor || numel(tensor->sizes) > kMaxRecorded) continue;
      const std::vector<int64_t> sizes(tensor->sizes.begin(), tensor->sizes.end());
      recorded[val->name()] = json::array({sizes, elementsJson(*tensor)});
    }
    runs.push_back(std::move(recorded));
  }
  return runs;
}

json segmentsOf(const Case& testCase) {
  json segments = json::array();
  const auto names = [&](const VectorOfUniqueEntries<Val*>& vals) {
    json list = json::array();
    for (const Val* val : vals) {
      if (val->origin()) list.push_back(testCase.fusion->allVals().at(*val->origin())->name());
    }
    return list;
  };
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  AfterSegment telling([&](const std::unique_ptr<SegmentedFusion>& segmented) {
    if (!segments.empty()) return;  // of the first compilation
    for (const SegmentedGroup* group : segmented->groups()) {
      segments.push_back(json::array({names(group->inputs()), names(group->outputs())}));
    }
  });
  settings.context.observers.push_back(&telling);
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  const RunData data = materialize(testCase, testCase.runs.at(0));
  try {
    FusionExecutorCache(fusion, settings).run(hostValues(data));
  } catch (const std::exception&) {
    // What comes after segmentation is not asked about.
  }
  return segments;
}

// `settings` decide what a candidate's judging costs; a bucket is always told from all checks.
std::string answer(const std::string& task, const JudgeSettings& settings, const JudgeSettings& all) {
  reference::useOneThread();
  const size_t line = task.find('\n');
  const std::string question = task.substr(0, line);
  json reply;
  try {
    const Case testCase = parseCase(std::string_view(task).substr(line + 1), "candidate");
    if (question == "values") {
      reply = valuesOf(testCase);
    } else if (question == "segments") {
      reply = segmentsOf(testCase);
    } else {
      const CaseVerdict verdict = judgeCase(testCase, question == "judge" ? settings : all);
      reply = question == "judge" ? verdictJson(verdict) : bucketJson(bucketOf(testCase, verdict, all));
    }
  } catch (const std::exception& error) {
    CaseVerdict verdict;
    verdict.kind = VerdictKind::Rejected;
    verdict.reason = error.what();
    const bool verdictAsked = question == "judge";
    reply = verdictAsked ? verdictJson(verdict)
                         : question == "bucket" ? bucketJson(bucketWithoutStage(verdict)) : json::array();
  }
  return reply.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

VerdictKind kindOf(Ending ending) {
  switch (ending) {
    case Ending::Finished: return VerdictKind::Agrees;
    case Ending::Crashed: return VerdictKind::Crash;
    case Ending::TimedOut: return VerdictKind::Hang;
    case Ending::OutOfMemory: return VerdictKind::OutOfMemory;
  }
  FUSER_CHECK(false, "bad Ending");
}

Judging::Judging(const JudgeSettings& settings, const Limits& limits)
    : all_(settings), current_(settings), limits_(limits) {
  signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its replies
}

void Judging::needAll() {
  current_ = all_;
  forget();
}

void Judging::needOnly(const JudgedCase& finding) {
  const bool invariant = finding.kind == VerdictKind::Invariant;
  current_ = all_;
  current_.roundTrip &= invariant;
  current_.repeat &= invariant;
  current_.checkInvariants &= invariant || finding.kind == VerdictKind::Check;
  current_.probes &= finding.onlyProbed;
  forget();
}

Outcome Judging::ask(const std::string& question, const std::string& text) {
  constexpr int kAttempts = 5;
  Outcome outcome = askOnce(question, text);
  // What ends the process from outside says nothing about the case.
  for (int attempt = 1; attempt < kAttempts && outcome.fromOutside; ++attempt) outcome = askOnce(question, text);
  return outcome;
}

Outcome Judging::askOnce(const std::string& question, const std::string& text) {
  constexpr int kPollMilliseconds = 20;
  if (!worker_ || worker_->dead()) {
    worker_ = std::make_unique<Worker>(
        [settings = current_, all = all_](const std::string& task) { return answer(task, settings, all); });
  }
  worker_->give(question + "\n" + text);
  while (true) {
    pollfd waiting{worker_->replyDescriptor(), POLLIN, 0};
    poll(&waiting, 1, kPollMilliseconds);
    std::optional<Outcome> outcome;
    if (waiting.revents != 0) outcome = worker_->receive();
    if (!outcome) outcome = worker_->enforce(limits_);
    if (outcome) return *outcome;
  }
}

JudgedCase Judging::judge(const std::string& text) {
  ++judged_;
  const Outcome outcome = ask("judge", text);
  JudgedCase judged;
  if (outcome.ending != Ending::Finished) {
    judged.kind = kindOf(outcome.ending);
    judged.detail = symbols_.withSymbols(outcome.detail);
    judged.reason = judged.detail.substr(0, judged.detail.find('\n'));
    judged.bucket = bucketOfEnding(judged.kind, judged.detail);
    return judged;
  }
  const json reply = json::parse(outcome.reply);
  judged.kind = verdictFromName(reply.at("kind").get<std::string>()).value();
  judged.bucket = bucketFrom(reply.at("bucket"));
  judged.reason = reply.at("reason");
  judged.detail = reply.at("detail");
  judged.wrongValue = reply.at("wrong");
  judged.run = reply.at("run");
  judged.onlyProbed = reply.at("probed");
  return judged;
}

Bucket Judging::bucket(const std::string& text) {
  const Outcome outcome = ask("bucket", text);
  if (outcome.ending != Ending::Finished)
    return bucketOfEnding(kindOf(outcome.ending), symbols_.withSymbols(outcome.detail));
  return bucketFrom(json::parse(outcome.reply));
}

std::vector<RecordedRun> Judging::values(const std::string& text) {
  const Outcome outcome = ask("values", text);
  std::vector<RecordedRun> runs;
  if (outcome.ending != Ending::Finished) return runs;
  for (const json& recorded : json::parse(outcome.reply)) {
    RecordedRun run;
    for (const auto& [name, entry] : recorded.items()) {
      RecordedValues& values = run[name];
      for (const json& size : entry.at(0)) values.sizes.push_back(size.get<int64_t>());
      for (const json& element : entry.at(1)) values.values.push_back(scalarFrom(element));
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<SegmentNames> Judging::segments(const std::string& text) {
  const Outcome outcome = ask("segments", text);
  std::vector<SegmentNames> segments;
  if (outcome.ending != Ending::Finished) return segments;
  for (const json& entry : json::parse(outcome.reply)) {
    segments.push_back({entry.at(0).get<std::vector<std::string>>(), entry.at(1).get<std::vector<std::string>>()});
  }
  return segments;
}

}  // namespace fuser::fuzz
