// Questions to the worker: a word, a line break, the case's text; answers by their lists of fields.

#include "fuzz/minimize/judging.h"

#include <poll.h>
#include <signal.h>

#include <bit>

#include "fuser/analysis/stage_observers.h"
#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "oracle/reference/reference.h"
#include "reports/fields_bytes.h"

template <>
struct reports::WrittenAs<fuser::ScalarValue> {
  // Its kind and its bits: every NaN is kept.
  using Form = std::pair<std::string, int64_t>;
  static Form to(const fuser::ScalarValue& value) {
    if (const double* number = std::get_if<double>(&value.variant())) return {"f", std::bit_cast<int64_t>(*number)};
    if (const bool* truth = std::get_if<bool>(&value.variant())) return {"b", *truth ? 1 : 0};
    return {"i", std::get<int64_t>(value.variant())};
  }
  static fuser::ScalarValue from(const Form& form) {
    const auto& [kind, bits] = form;
    if (kind == "f") return std::bit_cast<double>(bits);
    if (kind == "b") return bits != 0;
    if (kind != "i") throw std::invalid_argument("no scalar is of kind '" + kind + "'");
    return bits;
  }
};

namespace fuser::fuzz {
namespace {

constexpr int64_t kMaxRecorded = 4096;  // elements of a value

JudgedCase judgedCase(const CaseVerdict& verdict) {
  return {verdict.kind,  bucketWithoutStage(verdict), verdict.reason, verdict.detail, verdict.wrongValue, verdict.run,
          verdict.seenIn};
}

std::vector<ScalarValue> elementsOf(const TensorRef& tensor) {
  std::vector<ScalarValue> elements;
  for (int64_t index = 0; index < numel(tensor.sizes); ++index) {
    int64_t place = 0, rest = index;
    for (size_t axis = tensor.sizes.size(); axis-- > 0;) {
      place += rest % tensor.sizes[axis] * tensor.strides[axis];
      rest /= tensor.sizes[axis];
    }
    const size_t offset = static_cast<size_t>(place) * dtypeSize(tensor.dtype);
    elements.push_back(elementAt(tensor.dtype, static_cast<const std::byte*>(tensor.data) + offset));
  }
  return elements;
}

std::vector<RecordedRun> valuesOf(const Case& statements) {
  const Case testCase = functionalCase(statements);
  std::vector<RecordedRun> runs;
  for (const Run& run : testCase.runs) {
    const RunData data = materialize(testCase, run);
    std::vector<reference::Value> inputs;
    for (const HostValue& value : hostValues(data)) inputs.push_back({value, nullptr});
    const std::vector<std::optional<reference::Value>> values = reference::evaluate(*testCase.fusion, inputs);
    RecordedRun recorded;
    for (const auto& val : testCase.fusion->allVals()) {
      const std::optional<reference::Value>& value = values.at(val->id());
      if (!value || val->name().empty()) continue;
      const TensorRef* tensor = std::get_if<TensorRef>(&value->value);
      if (!tensor || numel(tensor->sizes) > kMaxRecorded) continue;
      recorded[val->name()] = {tensor->sizes, elementsOf(*tensor)};
    }
    runs.push_back(std::move(recorded));
  }
  return runs;
}

std::vector<SegmentNames> segmentsOf(const Case& statements) {
  const Case functional = functionalCase(statements);
  const RunData data = materialize(functional, functional.runs.at(0));
  const Case testCase = concreteCase(functional, hostValues(data));
  std::vector<SegmentNames> segments;
  const auto names = [&](const VectorOfUniqueEntries<Val*>& vals) {
    std::vector<std::string> list;
    for (const Val* val : vals) {
      if (val->origin()) list.push_back(testCase.fusion->allVals().at(*val->origin())->name());
    }
    return list;
  };
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  AfterSegment telling([&](const std::unique_ptr<SegmentedFusion>& segmented) {
    if (!segments.empty()) return;  // of the first compilation
    for (const SegmentedGroup* group : segmented->groups()) {
      segments.push_back({names(group->inputs()), names(group->outputs())});
    }
  });
  settings.context.observers.push_back(&telling);
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  try {
    FusionExecutorCache(fusion, settings).run(hostValues(data));
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    // What comes after segmentation is not asked about.
  }
  return segments;
}

// `settings` decide what a candidate's judging costs; a bucket is always told from all checks.
std::string answer(const std::string& task, const JudgeSettings& settings, const JudgeSettings& all) {
  reference::useOneThread();
  const size_t line = task.find('\n');
  const std::string question = task.substr(0, line);
  try {
    const Case testCase = parseCase(std::string_view(task).substr(line + 1), "candidate");
    if (question == "values") return reports::encode(valuesOf(testCase));
    if (question == "segments") return reports::encode(segmentsOf(testCase));
    const CaseVerdict verdict = judgeCase(testCase, question == "judge" ? settings : all);
    return question == "judge" ? reports::encode(judgedCase(verdict))
                               : reports::encode(bucketOf(testCase, verdict, all));
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    CaseVerdict verdict;
    verdict.kind = VerdictKind::Rejected;
    verdict.reason = error.what();
    if (question == "judge") return reports::encode(judgedCase(verdict));
    if (question == "bucket") return reports::encode(bucketWithoutStage(verdict));
    return reports::encode(std::vector<SegmentNames>());  // of values, too: none
  }
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

Judging::Judging(const JudgeSettings& settings, const Limits& limits) : all_(settings), limits_(limits) {
  all_.secondLooks = HowOften::Always;  // whatever was drawn for the text of which this is a variant
  all_.allInvariants = true;
  current_ = all_;
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
  current_.probes &= finding.seenIn == SeenIn::Probes;
  current_.secondLooks = finding.seenIn == SeenIn::Run ? HowOften::Never : HowOften::Always;
  forget();
}

Outcome Judging::ask(const std::string& question, const std::string& text) {
  constexpr int kAttempts = 5;
  Outcome outcome = askOnce(question, text);
  // What ends the process from outside says nothing about the case.
  for (int attempt = 1; attempt < kAttempts && outcome.fromOutside; ++attempt) outcome = askOnce(question, text);
  checkNotFromOutside(outcome);
  return outcome;
}

Outcome Judging::askOnce(const std::string& question, const std::string& text) {
  constexpr int kPollMilliseconds = 20;
  if (!worker_ || worker_->dead()) {
    const auto answering = [settings = current_, all = all_](const std::string& task, spdlog::logger*) {
      return answer(task, settings, all);
    };
    worker_ = std::make_unique<Worker>(answering, nullptr);  // its lines would say what the case says anyway
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
  return reports::decode<JudgedCase>(outcome.reply);
}

Bucket Judging::bucket(const std::string& text) {
  const Outcome outcome = ask("bucket", text);
  if (outcome.ending != Ending::Finished)
    return bucketOfEnding(kindOf(outcome.ending), symbols_.withSymbols(outcome.detail));
  return reports::decode<Bucket>(outcome.reply);
}

std::vector<RecordedRun> Judging::values(const std::string& text) {
  const Outcome outcome = ask("values", text);
  if (outcome.ending != Ending::Finished) return {};
  return reports::decode<std::vector<RecordedRun>>(outcome.reply);
}

std::vector<SegmentNames> Judging::segments(const std::string& text) {
  const Outcome outcome = ask("segments", text);
  if (outcome.ending != Ending::Finished) return {};
  return reports::decode<std::vector<SegmentNames>>(outcome.reply);
}

}  // namespace fuser::fuzz
