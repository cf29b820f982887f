// Pre-flight, the turns of the reducers, the result.

#include "fuzz/minimize/minimize.h"

#include <algorithm>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

constexpr Reducer kReducers[] = {
#define REDUCER(function, price, summary, file) {#function, price, summary, function},
#include "fuzz/minimize/reducers.def"
#undef REDUCER
};

// Nothing could be simpler; who finds something wrong in it would find it in everything.
constexpr const char* kTrivial = R"(fusion trivial(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = integers(seed = 1, low = -4, high = 5) : f32[4] }
)";

// What makes the finding: what it is told by, and why it cannot be minimised.
struct PreFlight {
  JudgedCase finding;
  Bucket bucket;
  std::string problem;
};

PreFlight preFlight(const std::string& text, const std::string& printed, const MinimizeSettings& settings,
                    Judging& judging) {
  PreFlight result;
  result.finding = judging.judge(text);
  if (!isFinding(result.finding.kind)) {
    result.problem = concat("it is not a finding: ", verdictName(result.finding.kind));
    return result;
  }
  judging.forget();
  const JudgedCase again = judging.judge(printed);
  if (!(again.bucket == result.finding.bucket)) {
    result.problem = concat("a second time, printed and parsed, it is another finding: ", toString(again.bucket),
                            " instead of ", toString(result.finding.bucket));
    return result;
  }
  const JudgedCase trivial = judging.judge(kTrivial);
  if (trivial.kind != VerdictKind::Agrees) {
    result.problem = concat("a trivial case fails too: ", verdictName(trivial.kind), ": ", trivial.reason);
    return result;
  }
  result.bucket = result.finding.bucket;
  const bool died = result.finding.kind == VerdictKind::Crash || result.finding.kind == VerdictKind::Hang ||
                    result.finding.kind == VerdictKind::OutOfMemory;
  // A target's process may have died in place of ours.
  if (!died || settings.judge.target) result.bucket = judging.bucket(printed);
  if (!settings.bucket.empty() && toString(result.bucket) != settings.bucket) {
    result.problem = concat("it is in another bucket here: ", toString(result.bucket), " instead of ", settings.bucket);
    return result;
  }
  // Fewer checks a candidate, where those tell the finding too.
  judging.needOnly(result.finding);
  if (!(judging.judge(printed).bucket == result.finding.bucket)) judging.needAll();
  return result;
}

// One line of printable text for "#:".
std::string oneLine(const std::string& text) {
  std::string line;
  for (char c : text.substr(0, 300)) line += c >= ' ' && c < 127 ? c : ' ';
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string withMetadata(const Case& testCase, const std::vector<std::pair<std::string, std::string>>& added) {
  Case told = cloneCase(testCase);
  for (const auto& [key, value] : added) {
    std::erase_if(told.metadata, [&key = key](const auto& entry) { return entry.first == key; });
    told.metadata.emplace_back(key, oneLine(value));
  }
  return printCase(told);
}

bool takeTurns(Search& search) {
  bool changed = true;
  while (changed && !search.isOver()) {
    changed = false;
    for (const Reducer& reducer : kReducers) {
      if (search.isOver()) return false;
      search.setReducer(reducer.name);
      changed |= reducer.reduce(search);
    }
  }
  return !search.isOver();
}

}  // namespace

std::span<const Reducer> allReducers() { return kReducers; }

Minimized minimize(const std::string& caseText, const MinimizeSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  Minimized result;
  const Case parsed = parseCase(caseText, "case");
  const std::string printed = printCase(parsed);
  result.text = printed;
  result.before = result.after = sizeOf(parsed, printed.size());
  Judging judging(settings.judge, settings.limits);
  const PreFlight flight = preFlight(caseText, printed, settings, judging);
  result.bucket = flight.bucket;
  result.reason = flight.finding.reason;
  result.detail = flight.finding.detail;
  result.problem = flight.problem;
  if (result.problem.empty()) {
    Search search(printed, flight.bucket, flight.finding, judging, settings, result);
    result.finished = takeTurns(search);
    judging.needAll();
    const JudgedCase last = judging.judge(search.text());
    if (!(last.bucket == flight.finding.bucket)) {
      result.problem = concat("it does not always fail: at the end it was ", toString(last.bucket), " instead of ",
                              toString(flight.finding.bucket));
    }
    result.reason = last.reason;
    result.detail = last.detail;
    result.text = withMetadata(search.best(), {{"bucket", toString(flight.bucket)}, {"verdict", last.reason}});
    result.after = sizeOf(search.best(), search.text().size());
    writeBestSoFar(settings, result.text);
  }
  result.seconds = seconds();
  return result;
}

}  // namespace fuser::fuzz
