// The rules of schedules (fuser/schedule/check.cpp) against interp, from both sides: what they accept runs clean, and
// what they reject, run all the same, does not. Legal schedules are drawn and a step of each is changed at random; the
// rules say what they break, and are then passed by.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "fuser/execute/engine.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/judge/same_bits.h"
#include "fuzz/views/limit_work.h"
#include "fuzz/views/random_schedule.h"
#include "fuzz/views/views.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuzz/views/broken_schedule.h"
#include "tests/fuzz/views/other_sizes.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

// What interp cannot show: a rejection with such a reason is right by definition.
struct ByDefinition {
  int rule;
  std::string_view reason;  // a part of the message
  std::string_view why;
};
constexpr ByDefinition kByDefinition[] = {
    {1, "threads: it has at most", "a limit of the device, which interp does not have"},
    {1, "threads along z: a block has at most", "a limit of the device, which interp does not have"},
    {3, "at most 16 bytes", "no device moves such a vector at once"},
    {8, "bytes: a block has at most", "a limit of the device, which interp does not have"},
    {9, "that the device runs at once", "interp runs any number of blocks together; a device would wait for ever"},
    {17, "", "pad and swizzle spread a buffer over the banks of shared memory: elsewhere they mean nothing"},
    {18, "", "there is nothing that could be loaded a turn ahead: the step means nothing"},
    {21, "that the device takes", "a limit of the device, which interp does not have"},
};

bool isByDefinition(int rule, const std::string& why) {
  return std::any_of(std::begin(kByDefinition), std::end(kByDefinition), [&](const ByDefinition& each) {
    return each.rule == rule && why.find(each.reason) != std::string::npos;
  });
}

// Lets every broken rule pass, and keeps which ones were.
struct LetPass final : CompileObserver {
  bool letsPass(int rule, const std::string& why) override {
    broken.emplace_back(rule, why);
    return true;
  }
  std::vector<std::pair<int, std::string>> broken;
};

enum class Outcome : uint8_t { RefusedLater, Violation, Wrong, Clean, TooMuchWork };

struct Ran {
  std::vector<std::pair<int, std::string>> broken;
  Outcome outcome = Outcome::Clean;
  bool isCheck = false;  // RefusedLater by a CheckError
  std::string error;
  std::optional<RunRecord> record;
  bool sameProgram = true;  // the last run took the first one's
};

// Runs inputs of some runs of the case, one after the other, through one cache. What the last one gives is kept.
Ran runPast(const Case& testCase, const std::vector<const Run*>& runs) {
  LetPass letPass;
  LimitWork limit;
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.options.engine = EngineKind::Interp;
  settings.context.observers = {&letPass, &limit};
  Ran ran;
  try {
    FusionExecutorCache cache(cloneFusion(*testCase.fusion).fusion, settings);
    for (const Run* run : runs) {
      const size_t compilations = cache.counters().compilations;
      const RunData data = materialize(testCase, *run, kMaxInputBytes);
      const std::vector<HostValue> inputs = hostValues(data);
      const OutputMemory outputs = outputMemory(testCase, inputs);
      ran.record = cache.run(inputs, outputs.refs);
      for (const TensorData& tensor : data.tensors) ran.record->memory.push_back(tensor.memory);
      for (const TensorData& block : outputs.blocks) ran.record->memory.push_back(block.memory);
      ran.sameProgram = compilations == 0 || cache.counters().compilations == compilations;
    }
  } catch (const ViolationError& error) {
    ran.outcome = Outcome::Violation;
    ran.error = error.what();
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    ran.outcome = limit.refused() ? Outcome::TooMuchWork : Outcome::RefusedLater;
    ran.isCheck = dynamic_cast<const UserError*>(&error) == nullptr;
    ran.error = error.what();
  }
  ran.broken = letPass.broken;
  return ran;
}

bool haveSameBits(const RunRecord& a, const RunRecord& b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), sameNumbers);
}

// Sums in another order have other bits: the oracle says whether they are wrong.
Outcome judged(const Case& testCase) {
  LetPass letPass;
  JudgeSettings settings;
  settings.probes = settings.repeat = settings.checkInvariants = settings.roundTrip = false;
  settings.secondLooks = HowOften::Never;
  settings.engine = EngineKind::Interp;
  settings.observers = {&letPass};
  const CaseVerdict verdict = judgeCase(testCase, settings);
  if (verdict.kind == VerdictKind::Differs) return Outcome::Wrong;
  return isFinding(verdict.kind) ? Outcome::Violation : Outcome::Clean;
}

// Rules that ask for sizes: the schedule may be right at sizes where they are kept.
constexpr int kOfSizes[] = {7, 9, 11, 13, 20, 21};

bool breaks(const Ran& ran, int rule) {
  return std::any_of(ran.broken.begin(), ran.broken.end(), [&](const auto& each) { return each.first == rule; });
}

// What the rejected schedule does at other sizes, if it is rejected there for the same rule. A rule that asks for sizes
// speaks of the sizes that the program takes: they are those of another run of the same program.
Outcome elsewhere(const Case& broken, const Case& legal, int rule) {
  constexpr uint64_t kDraws = 20;
  const bool ofSizes = std::find(std::begin(kOfSizes), std::end(kOfSizes), rule) != std::end(kOfSizes);
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    Case other = atOtherSizes(broken, draw);
    std::vector<const Run*> runs{&other.runs.front()};
    if (ofSizes) runs.insert(runs.begin(), &broken.runs.front());
    const Ran ran = runPast(other, runs);
    const bool ranThere = ran.outcome == Outcome::Clean || ran.outcome == Outcome::Violation;
    if (!ranThere || !ran.sameProgram || !breaks(ran, rule)) continue;
    if (ran.outcome == Outcome::Violation) return Outcome::Violation;
    Case legalThere = cloneCase(legal);
    legalThere.runs = other.runs;
    const Ran right = runPast(legalThere, {&legalThere.runs.front()});
    if (right.outcome == Outcome::Clean && haveSameBits(*right.record, *ran.record)) continue;
    if (ofSizes) other.runs.insert(other.runs.begin(), broken.runs.front());
    const Outcome outcome = judged(other);
    if (outcome != Outcome::Clean) return outcome;
  }
  return Outcome::Clean;
}

struct Rejections {
  size_t all = 0, byDefinition = 0, refusedLater = 0, violations = 0, wrong = 0;
  std::vector<std::string> clean;  // cases, each with its reason
};

// "does not share loops with": a reason without names and numbers.
std::string kindOf(const std::string& why) {
  std::string kind;
  bool inName = false;
  for (const char c : why) {
    if (c == '%' || std::isdigit(static_cast<unsigned char>(c))) inName = true;
    if (c == ' ') inName = false;
    if (!inName) kind += c;
  }
  return kind;
}

struct Tally {
  std::map<std::string, std::map<Outcome, size_t>> kinds;  // of reasons
  size_t changed = 0, accepted = 0, meaningless = 0, tooMuchWork = 0;
  std::map<int, Rejections> rules;
};

// "rule 7: …" of a schedule that no kernel can be made of; 0: it is no schedule.
int numberedIn(const std::string& error) {
  const size_t at = error.find("rule ");
  return at == std::string::npos ? 0 : std::atoi(error.c_str() + at + 5);
}

void classify(const Case& broken, const Case& legal, const RunRecord& right, Tally& tally) {
  const Ran ran = runPast(broken, {&broken.runs.front()});
  ++tally.changed;
  if (ran.outcome == Outcome::TooMuchWork) {
    ++tally.tooMuchWork;
    return;
  }
  const int rule = !ran.broken.empty() ? ran.broken.front().first : numberedIn(ran.error);
  if (rule == 0 && ran.outcome == Outcome::RefusedLater && !ran.isCheck) {
    ++tally.meaningless;
    return;
  }
  Outcome outcome = ran.outcome;
  if (outcome == Outcome::Clean && !haveSameBits(*ran.record, right)) outcome = judged(broken);
  if (rule == 0) {
    ++tally.accepted;
    EXPECT_EQ(outcome, Outcome::Clean) << "the rules accept this:\n" << ran.error << "\n" << printCase(broken);
    return;
  }
  Rejections& rejections = tally.rules[rule];
  ++rejections.all;
  if (!ran.broken.empty() && isByDefinition(rule, ran.broken.front().second) && outcome == Outcome::Clean) {
    ++rejections.byDefinition;
    return;
  }
  if (outcome == Outcome::Clean) outcome = elsewhere(broken, legal, rule);
  const std::string why = ran.broken.empty() ? ran.error : concat("rule ", rule, ": ", ran.broken.front().second);
  ++tally.kinds[kindOf(why.substr(why.find("rule")))][outcome];
  rejections.refusedLater += outcome == Outcome::RefusedLater;
  rejections.violations += outcome == Outcome::Violation;
  rejections.wrong += outcome == Outcome::Wrong;
  if (outcome == Outcome::Clean)
    rejections.clean.push_back(concat("# rule ", rule, ": ", ran.broken.front().second, "\n", printCase(broken)));
}

// Changes the legal schedule of each segment some times.
void breakEach(const Case& legal, uint64_t number, Tally& tally) {
  constexpr int kChanges = 6;
  std::map<int64_t, NamesInPart> names;
  AfterSchedule seen([&](int segment, Fusion& part, Schedule& schedule) { names[segment] = namesIn(part, schedule); });
  FusionExecutorCache::Settings settings = settingsOf(legal);
  settings.context.options.engine = EngineKind::Interp;
  settings.context.observers.push_back(&seen);
  const RunData data = materialize(legal, legal.runs.front(), kMaxInputBytes);
  const std::vector<HostValue> inputs = hostValues(data);
  const OutputMemory outputs = outputMemory(legal, inputs);
  RunRecord right;
  try {
    right = FusionExecutorCache(cloneFusion(*legal.fusion).fusion, settings).run(inputs, outputs.refs);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "a random schedule: " << error.what() << "\n" << printCase(legal);
    return;
  }
  Choices choices(29, number);
  for (const auto& [segment, schedule] : legal.segmentSchedules) {
    for (int change = 0; change < kChanges; ++change) {
      Case broken = cloneCase(legal);
      broken.segmentSchedules[segment] = brokenSchedule(schedule, names[segment], choices);
      if (broken.segmentSchedules[segment] != schedule) classify(broken, legal, right, tally);
    }
  }
}

// FUSER_FULL=1 takes fifty times as many; FUSER_SHOW_RULES=1 prints what is rejected and runs clean.
TEST(ScheduleRulesTest, WhatIsAcceptedRunsCleanAndWhatIsRejectedDoesNot) {
  const uint64_t count = inFull() ? 3000 : 60;
  GeneratorOptions small;
  small.medianElements = 64;
  // The shares below are of the sample without them.
  small.exclude = {OpKind::Update, OpKind::SliceScatter, OpKind::Gather, OpKind::Scatter, OpKind::ScatterAdd,
                   OpKind::Argmax, OpKind::Argmin,       OpKind::Philox, OpKind::Cond,    OpKind::Bitcast};
  small.composites = false;
  Tally tally;
  const View* device = nullptr;
  for (const View& view : allViews()) device = view.name == "on another device" ? &view : device;
  for (uint64_t number = 0; number < count; ++number) {
    Case testCase = generateCase(25, number, small);
    if (testCase.runs.empty() || testCase.fusion->hasStreams() || testCase.fusion->hasDevices()) continue;
    std::optional<Case> elsewhere = number % 3 == 0 ? viewOf(*device, testCase, number) : std::nullopt;
    if (elsewhere) testCase = std::move(*elsewhere);
    const std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, number);
    if (!schedules) continue;
    testCase.segmentSchedules = *schedules;
    testCase.runs.resize(1);
    breakEach(testCase, number, tally);
  }
  size_t rejected = 0, clean = 0;
  std::printf("rule  rejected  by definition  refused later  violation  wrong  clean\n");
  for (const auto& [rule, found] : tally.rules) {
    std::printf("%4d %9zu %14zu %14zu %10zu %6zu %6zu\n", rule, found.all, found.byDefinition, found.refusedLater,
                found.violations, found.wrong, found.clean.size());
    rejected += found.all;
    clean += found.clean.size();
    if (!std::getenv("FUSER_SHOW_RULES")) continue;
    for (const std::string& text : found.clean) std::printf("%s\n", text.c_str());
  }
  if (std::getenv("FUSER_SHOW_RULES")) {
    for (auto& [kind, found] : tally.kinds) {
      std::printf("KIND %5zu %5zu %5zu %5zu  %s\n", found[Outcome::RefusedLater], found[Outcome::Violation],
                  found[Outcome::Wrong], found[Outcome::Clean], kind.c_str());
    }
  }
  std::printf(
      "%zu changed schedules: %zu accepted, %zu rejected, %zu of them clean (%.1f %%), %zu no schedules, "
      "%zu too much work\n",
      tally.changed, tally.accepted, rejected, clean,
      100.0 * static_cast<double>(clean) / static_cast<double>(rejected), tally.meaningless, tally.tooMuchWork);
  EXPECT_GT(tally.accepted, count);
  EXPECT_GT(rejected, count);
  EXPECT_LE(clean * (inFull() ? 20 : 10), rejected) << "rules are stricter than they need to be";
}

}  // namespace
}  // namespace fuser::fuzz
