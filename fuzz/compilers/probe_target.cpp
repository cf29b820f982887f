#include "fuzz/compilers/probe_target.h"

#include "fuser/case/case.h"
#include "fuser/support/check.h"
#include "fuser/text/parser.h"
#include "fuzz/compilers/mixed_mode.h"
#include "fuzz/compilers/target_outcome.h"
#include "fuzz/export/export.h"

namespace fuser::fuzz {
namespace {

Case caseOf(const Probe& probe) { return parseCase(textOf(probe), std::string(probe.program)); }

std::string lineOf(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

ProbeResult shownBy(const Probe& probe, const std::vector<AnswerTensor>& outputs) {
  const Case testCase = caseOf(probe);
  const RunData data = materialize(testCase, testCase.runs.front());
  FUSER_CHECK(outputs.size() == testCase.fusion->outputs().size(), "a probe has other outputs");
  const oracle::Profile strict;
  oracle::Profile with;
  with.*probe.liberty = true;
  const oracle::Judgement plain = judgeUnder(strict, *testCase.fusion, data, outputs);
  if (plain.verdict != oracle::Verdict::Differs) return {Shown::NotTaken, ""};
  const oracle::Judgement wider = judgeUnder(with, *testCase.fusion, data, outputs);
  if (wider.verdict != oracle::Verdict::Differs) return {Shown::Taken, ""};
  const bool hasElement = !wider.worst.empty();
  return {Shown::Neither, hasElement ? concat("%", wider.worst[0].value, " is ", wider.worst[0].got, ", accepted ",
                                              wider.worst[0].accepts)
                                     : wider.reason};
}

ProbeResult probeTarget(const Target& target, WorkerProcess& worker, const Probe& probe) {
  const Exported exported = exportFormat(target.format).write(caseOf(probe));
  if (exported.refusal) return {Shown::NotAnswered, toString(*exported.refusal)};
  const WorkerReply reply = worker.ask(requestOf(exported));
  if (reply.ending != WorkerEnding::Answered) return {Shown::NotAnswered, lineOf(reply.detail)};
  if (reply.answer.kind != AnswerKind::Ok || reply.answer.runs.empty())
    return {Shown::NotAnswered, lineOf(reply.answer.text)};
  return shownBy(probe, reply.answer.runs.front().outputs);
}

}  // namespace fuser::fuzz
