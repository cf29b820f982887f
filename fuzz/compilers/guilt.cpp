#include "fuzz/compilers/guilt.h"

#include <algorithm>

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
  request.namesSwitches = true;
  const WorkerReply reply = worker.process.ask(request);
  const bool named = reply.ending == WorkerEnding::Answered && reply.answer.kind == AnswerKind::Ok;
  return named ? split(reply.answer.text) : std::vector<std::string>{};
}

// "": the finding stays, whatever is off.
std::string guiltySwitch(ViewWorker& worker, WorkerRequest request, const JudgeRequest& judge) {
  const std::vector<std::string> switches = switchesOf(worker, request);
  const auto isGoneWithout = [&](const std::string& names) {
    request.off = names;
    return judge(worker, request) == VerdictKind::Agrees;
  };
  if (switches.empty() || !isGoneWithout(joined(switches, ","))) return "";  // one request, where it is none
  for (const std::string& name : switches) {
    if (isGoneWithout(name)) return name;
  }
  return "several switches";
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
  const std::string name = guiltySwitch(shown, request, judge);
  if (!name.empty()) {
    guilt.name = name;
    guilt.isSwitch = true;
    guilt.detail += concat("; in ", shown.view.name, " it is gone without ", name);
  }
  return guilt;
}

}  // namespace fuser::fuzz
