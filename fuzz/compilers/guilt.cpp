#include "fuzz/compilers/guilt.h"

#include <algorithm>
#include <iterator>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

std::string joined(const std::vector<std::string>& names, std::string_view between = ", ") {
  std::string text;
  for (const std::string& name : names) text += concat(text.empty() ? "" : between, name);
  return text;
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < names.size();) {
    const size_t end = std::min(names.find(',', at), names.size());
    parts.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Those of the view that change the programs.
std::vector<std::string> switchesOf(ViewWorker& worker, WorkerRequest request) {
  request.text = WantedText::Switches;
  const WorkerReply reply = worker.process.ask(request);
  const bool named = reply.ending == WorkerEnding::Answered && reply.answer.kind == AnswerKind::Ok;
  return named ? split(reply.answer.text) : std::vector<std::string>{};
}

struct GuiltySwitch {
  std::string name;  // "": the finding stays, whatever is off
  bool isRefused = false;
};

// Behind one bug may lie another one: without the switch that is guilty of wrong elements the program may be refused.
GuiltySwitch guiltySwitch(VerdictKind kind, ViewWorker& worker, WorkerRequest request, const JudgeRequest& judge) {
  const std::vector<std::string> switches = switchesOf(worker, request);
  if (switches.empty()) return {};
  const auto without = [&](const std::string& names) {
    request.off = names;
    return judge(worker, request);
  };
  const VerdictKind withoutAll = without(joined(switches, ","));
  if (withoutAll == kind) return {};  // one request, where none is guilty
  std::string refused;
  for (const std::string& name : switches) {
    const VerdictKind given = without(name);
    if (given == VerdictKind::Agrees) return {name};
    const bool isRefused = given == VerdictKind::Check || given == VerdictKind::Unsupported;
    if (isRefused && given != kind && refused.empty()) refused = name;
  }
  if (withoutAll == VerdictKind::Agrees) {
    std::vector<std::string> guilty = switches;  // all of these must be off
    for (const std::string& name : switches) {
      std::vector<std::string> others;
      std::copy_if(guilty.begin(), guilty.end(), std::back_inserter(others),
                   [&](const std::string& one) { return one != name; });
      if (without(joined(others, ",")) == VerdictKind::Agrees) guilty = others;
    }
    return {joined(guilty, " and ")};
  }
  return {refused, true};
}

}  // namespace

Guilt guiltOf(VerdictKind kind, ViewWorker& shown, TargetWorkers& workers, const WorkerRequest& request,
              const JudgeRequest& judge) {
  if (workers.views.size() == 1) return {};
  std::vector<std::string> same, others;
  for (const std::unique_ptr<ViewWorker>& worker : workers.views) {
    const bool isSame = worker.get() == &shown || judge(*worker, request) == kind;
    (isSame ? same : others).push_back(worker->view.name);
  }
  Guilt guilt{"every view", concat("the views ", joined(same), " show it")};
  if (!others.empty()) {
    guilt.name = concat(same.size() == 1 ? "the view " : "the views ", joined(same));
    guilt.detail = concat(guilt.name, same.size() == 1 ? " shows it, " : " show it, ", joined(others),
                          others.size() == 1 ? " does not" : " do not");
  }
  const GuiltySwitch guilty = guiltySwitch(kind, shown, request, judge);
  if (!guilty.name.empty()) {
    guilt.name = guilty.name;
    guilt.isSwitch = true;
    guilt.detail +=
        concat("; in ", shown.view.name, " it is ", guilty.isRefused ? "refused" : "gone", " without ", guilty.name);
  }
  return guilt;
}

}  // namespace fuser::fuzz
