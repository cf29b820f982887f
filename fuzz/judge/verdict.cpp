// The words of verdicts.

#include <cctype>

#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

std::string_view verdictName(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Agrees: return "agrees";
    case VerdictKind::Undecided: return "undecided";
    case VerdictKind::Unsupported: return "unsupported";
    case VerdictKind::Rejected: return "rejected";
    case VerdictKind::Differs: return "differs";
    case VerdictKind::Check: return "check";
    case VerdictKind::Violation: return "violation";
    case VerdictKind::Invariant: return "invariant";
    case VerdictKind::OutOfMemory: return "oom";
    case VerdictKind::Hang: return "hang";
    case VerdictKind::Crash: return "crash";
  }
  FUSER_CHECK(false, "bad VerdictKind");
}

void noteSeconds(CaseVerdict& verdict, const Trace& trace) {
  for (const Trace::Row& row : trace.rows()) {
    // The rows of single passes ("PreSegmenter") and phases ("segment.merge") lie inside those of their stages.
    const bool inside =
        std::isupper(static_cast<unsigned char>(row.name[0])) || row.name.find('.') != std::string::npos;
    if (!inside) verdict.seconds.emplace_back(row.name, std::chrono::duration<double>(row.total).count());
  }
}

std::optional<VerdictKind> verdictFromName(std::string_view name) {
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::Crash); ++kind) {
    if (verdictName(static_cast<VerdictKind>(kind)) == name) return static_cast<VerdictKind>(kind);
  }
  return std::nullopt;
}

std::string_view artifactPrefix(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Agrees:
    case VerdictKind::Undecided:
    case VerdictKind::Unsupported:
    case VerdictKind::Rejected: return "";
    case VerdictKind::Differs: return "mismatch";
    case VerdictKind::Check: return "check";
    case VerdictKind::Violation: return "violation";
    case VerdictKind::Invariant: return "invariant";
    case VerdictKind::OutOfMemory: return "oom";
    case VerdictKind::Hang: return "timeout";
    case VerdictKind::Crash: return "crash";
  }
  FUSER_CHECK(false, "bad VerdictKind");
}

std::string_view howOftenName(HowOften often) {
  switch (often) {
    case HowOften::Never: return "never";
    case HowOften::Sampled: return "sampled";
    case HowOften::Always: return "always";
  }
  FUSER_CHECK(false, "bad HowOften");
}

std::string_view seenInName(SeenIn seen) {
  switch (seen) {
    case SeenIn::Run: return "run";
    case SeenIn::Probes: return "probes";
    case SeenIn::Twin: return "twin";
    case SeenIn::View: return "view";
  }
  FUSER_CHECK(false, "bad SeenIn");
}

void addCounts(CaseVerdict& verdict, const oracle::Judgement& judgement) {
  verdict.elements += judgement.total;
  for (const oracle::ValueJudgement& output : judgement.outputs) verdict.outputs += output.counts;
  for (const oracle::OpCounts& op : judgement.ops) {
    verdict.ops[op.op] += op.counts;
    if (op.margins != oracle::Margins{}) verdict.margins[op.op] += op.margins;
  }
}

std::string worstLine(const oracle::Judgement& judgement) {
  const auto outside = [](int64_t count) {
    return concat(count, count == 1 ? " element outside" : " elements outside");
  };
  if (judgement.firstWrongOp) {
    const oracle::FirstWrongOp& wrong = *judgement.firstWrongOp;
    return concat(opName(wrong.op), " %", wrong.value, ": ", outside(wrong.outside));
  }
  if (!judgement.worst.empty()) {
    return concat("%", judgement.worst[0].value, ": ", outside(judgement.total.outside));
  }
  return judgement.reason;
}

std::string toString(const CaseVerdict& verdict) {
  std::string text(verdictName(verdict.kind));
  if (verdict.run >= 0) text += concat(", run ", verdict.run + 1);
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  if (verdict.detail.empty() || verdict.detail == verdict.reason) return text;
  return text + "\n" + verdict.detail;
}

}  // namespace fuser::fuzz

std::optional<fuser::OpKind> reports::Names<fuser::OpKind>::find(std::string_view name) {
  static const auto kByName = [] {
    std::map<std::string_view, fuser::OpKind> ops;
    for (fuser::OpKind op : fuser::kAllOps) ops.emplace(fuser::opName(op), op);
    return ops;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? std::nullopt : std::optional(found->second);
}

std::optional<fuser::fuzz::SeenIn> reports::Names<fuser::fuzz::SeenIn>::find(std::string_view name) {
  using fuser::fuzz::SeenIn;
  for (SeenIn seen : {SeenIn::Run, SeenIn::Probes, SeenIn::Twin, SeenIn::View}) {
    if (fuser::fuzz::seenInName(seen) == name) return seen;
  }
  return std::nullopt;
}
