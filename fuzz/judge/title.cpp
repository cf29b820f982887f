#include "fuzz/judge/title.h"

#include <map>
#include <string_view>

namespace fuser::fuzz {
namespace {

// "sum over dim 0", "div (rounding_mode = trunc)", "cat along dim 1"
std::string phraseOf(const Expr& expr) {
  const OpInfo& info = expr.info();
  std::string phrase(info.mnemonic);
  if (!info.variant.empty()) phrase += concat(" (", info.variant, ")");
  const std::vector<int64_t>& axes = expr.attributes().allAxes();
  if (axes.empty()) return phrase;
  phrase += concat(isReduction(expr.op()) ? " over dim" : " along dim", axes.size() == 1 ? " " : "s ");
  for (size_t i = 0; i < axes.size(); ++i)
    phrase += concat(i == 0 ? "" : i + 1 == axes.size() ? " and " : ", ", axes[i]);
  return phrase;
}

// What the result does in those of its elements that are wrong.
std::string_view verbOf(const std::string& pattern) {
  static const std::map<std::string_view, std::string_view> verbs = {
      {"nan", "has or lacks NaN"},
      {"inf", "has or lacks an infinity"},
      {"zeros", "is 0 instead of another number"},
      {"one-ulp scale", "is a few ulps off"},
      {"permuted", "has right values at wrong places"},
      {"constant factor", "is off by a constant factor"},
  };
  const auto found = verbs.find(pattern);
  return found == verbs.end() ? "is wrong" : found->second;
}

// At most `longest` bytes, cut between words, and never inside a character.
std::string shortened(const std::string& text, size_t longest) {
  if (text.size() <= longest) return text;
  size_t end = text.rfind(' ', longest);
  if (end == std::string::npos || end < longest / 2) {
    end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  return text.substr(0, end) + " …";
}

// "fuser/lower/x.cpp:53: check failed: a == b: message" -> "a check fails in fuser/lower/x.cpp: a == b: message"
std::string titleOfCheck(const std::string& reason) {
  constexpr std::string_view kMark = ": check failed: ";
  const size_t mark = reason.find(kMark), colon = reason.find(".cpp:");
  if (mark == std::string::npos || colon == std::string::npos || colon > mark) return "a check fails: " + reason;
  return concat("a check fails in ", reason.substr(0, colon + 4), ": ", reason.substr(mark + kMark.size()));
}

std::string titleOfViolation(const std::string& reason) {
  const std::string what = reason.substr(0, reason.find(';'));
  const size_t colon = what.find(": ");
  if (what.rfind("kernel ", 0) != 0 || colon == std::string::npos) return "the run is stopped: " + what;
  return concat(what.substr(0, colon), " is stopped", what.substr(colon));
}

std::string titleOfReason(VerdictKind kind, const std::string& reason) {
  switch (kind) {
    case VerdictKind::Check: return titleOfCheck(reason);
    case VerdictKind::Violation: return titleOfViolation(reason);
    case VerdictKind::Invariant: return "an invariant is broken: " + reason;
    case VerdictKind::OutOfMemory: return "the memory limit is passed: " + reason;
    case VerdictKind::Hang: return "the time limit is passed: " + reason;
    case VerdictKind::Crash: return "the process crashes: " + reason;
    case VerdictKind::Differs: return "the result is wrong: " + reason;
    case VerdictKind::Rejected: return "the case is rejected: " + reason;
    case VerdictKind::Agrees:
    case VerdictKind::Undecided:
    case VerdictKind::Unsupported: return reason;
  }
  FUSER_CHECK(false, "bad VerdictKind");
}

}  // namespace

std::string titleOfWrong(const Expr* definition, const oracle::WrongValue& wrong, const std::string& pattern) {
  const std::string what = definition ? phraseOf(*definition) : "%" + wrong.value;
  const bool rows = definition && isReduction(definition->op());
  const bool last = pattern == "tail" && wrong.outside < wrong.judged;
  return concat(what, " ", verbOf(pattern), " in ", last ? "the last " : "", wrong.outside, " of ", wrong.judged,
                rows ? (wrong.judged == 1 ? " row" : " rows") : (wrong.judged == 1 ? " element" : " elements"));
}

std::string titleOf(const CaseVerdict& verdict) {
  constexpr size_t kLongest = 116;
  if (!verdict.title.empty()) return shortened(verdict.title, kLongest);
  return shortened(titleOfReason(verdict.kind, verdict.reason.substr(0, verdict.reason.find('\n'))), kLongest);
}

}  // namespace fuser::fuzz
