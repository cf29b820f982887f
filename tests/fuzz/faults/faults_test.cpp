// The planted faults as such: each is what it says and nothing more. That they are caught is the selftest's business.

#include "fuzz/faults/faults.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "fuser/case/functional_updates.h"
#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/text/parser.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/views/random_schedule.h"
#include "fuzz/views/views.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/golden/golden_tests.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kCases = 3000;

TEST(FaultsTest, NamesAreUniqueAndValidInACase) {
  std::set<std::string> names;
  for (const FaultInfo& fault : allFaults()) {
    EXPECT_TRUE(names.emplace(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.summary.empty());
    const std::string text = concat("fusion f(%x: f32[i0]) {\n  return %x\n}\noption fault = \"", fault.name, "\"\n");
    EXPECT_EQ(parseCase(text, "test").options.fault, fault.name);
  }
}

TEST(FaultsTest, AnUnknownNameIsTheCallersErrorAndTheNearestIsNamed) {
  try {
    plantFault("loop-one-shot");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "no fault is called 'loop-one-shot'; did you mean 'loop-one-short'; "
                 "fuserfuzz selftest --list prints all");
  }
}

// What a faulty pass leaves is well formed: it is wrong values that have to be caught, not broken types.
TEST(FaultsTest, FaultsOfTheFusionLeaveItWellFormed) {
  std::map<std::string, int> applied;
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case testCase = functionalCase(generateCase(5, number));
#define FAULT_OF_Fusion(function, name)                                                       \
  {                                                                                           \
    const std::unique_ptr<Fusion> copy = cloneFusion(*testCase.fusion).fusion;                \
    const bool changed = faults::function(*copy);                                             \
    applied[name] += changed;                                                                 \
    EXPECT_NO_THROW(verify(*copy)) << name << " on case " << number;                          \
    EXPECT_NE(changed, sameFusion(*copy, *testCase.fusion)) << name << " on case " << number; \
  }
#define FAULT_OF_Segment(function, name)
#define FAULT_OF_Pass(function, name)
#define FAULT_OF_Report(function, name)
#define FAULT_OF_Schedule(function, name)
#define FAULT_OF_Kernel(function, name)
#define FAULT_OF_Host(function, name)
#define FAULT_OF_Launch(function, name)
#define FAULT_OF_Cache(function, name)
#define FAULT(function, name, stage, summary, file) FAULT_OF_##stage(function, name)
#include "fuzz/faults/faults.def"
#undef FAULT
#undef FAULT_OF_Pass
#undef FAULT_OF_Report
#undef FAULT_OF_Fusion
#undef FAULT_OF_Segment
#undef FAULT_OF_Schedule
#undef FAULT_OF_Kernel
#undef FAULT_OF_Host
#undef FAULT_OF_Launch
#undef FAULT_OF_Cache
  }
  for (const auto& [name, count] : applied) EXPECT_GT(count, 0) << name;
}

// Three segments and a cut, since the columns are few and long; a cast that two of them compute; the one between stores
// an output that the last one reads.
constexpr const char* kSegments = R"(
fusion f(%x: bf16[i0, i1], %y: bf16[i0, i1], %n: i64) {
  %k = cast(%n) {dtype = f64}
  %a = add(%x, %y)
  %w = cast(%a) {dtype = f32}
  %s = sum(%w) {dims = [0], keepdim = true}
  %d = sub(%w, %s)
  %e = mul(%d, %k)
  %c = segment_set(%e)
  %z = neg(%c)
  %v = mul(%z, %c)
  return %v, %c
}
run { %x = normal(seed = 1) : bf16[200, 6]  %y = normal(seed = 2) : bf16[200, 6]  %n = 3 }
)";

TEST(FaultsTest, EverySegmentFaultIsAppliedAndCaught) {
  for (const FaultInfo& fault : allFaults()) {
    if (fault.stage != FaultStage::Segment) continue;
    Case testCase = parseCase(kSegments, "test");
    EXPECT_FALSE(isFinding(judgeCase(testCase).kind));
    testCase.options.fault = fault.name;
    const CaseVerdict verdict = judgeCase(testCase);
    EXPECT_TRUE(verdict.faultApplied) << fault.name;
    EXPECT_TRUE(isFinding(verdict.kind)) << fault.name << ": " << toString(verdict);
  }
}

// Compiles the case for its first run, and runs nothing.
void forEachKernel(const Case& testCase, const std::function<void(const Kernel&)>& visit) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  AfterLower visiting([&](int, Kernel& kernel) { visit(kernel); });
  settings.context.observers = {&visiting};
  const RunData data = materialize(testCase, testCase.runs.at(0));
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  try {
    buildProgram(*testCase.fusion, settings, layouts, inputs);
  } catch (const UserError&) {  // sizes that do not fit
  }
}

TEST(FaultsTest, AFaultOfAKernelSaysWhetherItChangedAnything) {
  const std::pair<const char*, bool (*)(Kernel&)> faultsOfKernels[] = {
#define FAULT_OF_Pass(function, name)
#define FAULT_OF_Report(function, name)
#define FAULT_OF_Fusion(function, name)
#define FAULT_OF_Segment(function, name)
#define FAULT_OF_Schedule(function, name)
#define FAULT_OF_Kernel(function, name) {name, faults::function},
#define FAULT_OF_Host(function, name)
#define FAULT_OF_Launch(function, name)
#define FAULT_OF_Cache(function, name)
#define FAULT(function, name, stage, summary, file) FAULT_OF_##stage(function, name)
#include "fuzz/faults/faults.def"
#undef FAULT
  };
  // Each is planted in the kernels of a few cases, and of more until it has changed one.
  constexpr uint64_t kMany = 2000;
  const uint64_t few = inFull() ? 40 : 8;
  std::map<std::string, int> applied;
  const auto isWanted = [&](uint64_t number, const char* name) { return number < few || applied[name] == 0; };
  for (uint64_t number = 0; number < kMany; ++number) {
    const auto isWantedHere = [&](const auto& fault) { return isWanted(number, fault.first); };
    if (std::none_of(std::begin(faultsOfKernels), std::end(faultsOfKernels), isWantedHere)) break;
    Case testCase = functionalCase(generateCase(6, number));
    // Some kernels come of no heuristic.
    const bool placed = testCase.fusion->hasStreams() || testCase.fusion->hasDevices();
    const auto schedules = number % 2 == 1 && !placed ? randomSchedules(testCase, number) : std::nullopt;
    if (schedules) testCase.segmentSchedules = *schedules;
    forEachKernel(testCase, [&](const Kernel& kernel) {
      const std::string before = printKernel(kernel);
      for (const auto& [name, plant] : faultsOfKernels) {
        if (!isWanted(number, name)) continue;
        Kernel faulty(kernel);
        const bool changed = plant(faulty);
        applied[name] += changed;
        const std::string after = printKernel(faulty);
        EXPECT_EQ(changed, after != before) << name << " on case " << number << "\n" << before << "\n" << after;
      }
    });
  }
  for (const auto& [name, plant] : faultsOfKernels) EXPECT_GT(applied[name], 0) << name;
  EXPECT_GT(applied["dropped-predicate"], 5);
}

// The place that an index is loaded from is one that a kernel touches.
TEST(FaultsTest, FaultsOfIndicesReachTheLoadsOfIndices) {
  const auto after = [](bool (*plant)(Kernel&)) {
    const std::unique_ptr<Kernel> kernel = parseKernel(R"(kernel gather {
  tensor idx : i64 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  int n in [0, 100]
  block 8, 1, 1
  grid n, 1, 1

  index q in [0, n) = idx[((blockIdx.x * 8) + threadIdx.x)]
  y[q] = Set f32 (1.0)
}
)");
    EXPECT_TRUE(plant(*kernel));
    return printStatement(*kernel, kernel->body.front(), nameKernel(*kernel));
  };
  EXPECT_EQ(after(faults::oneBlockIndex), "index q in [0, n) = idx[threadIdx.x]");
  EXPECT_EQ(after(faults::dropIndexTerm), "index q in [0, n) = idx[threadIdx.x]");
}

// Whether the fault finds its place in the generated case of that number.
bool isApplied(const FaultInfo& fault, uint64_t number) {
  GeneratorOptions small;
  small.medianElements = 64;
  Case testCase = functionalCase(generateCase(6, number, small));
  const bool placed = testCase.fusion->hasStreams() || testCase.fusion->hasDevices();
  if (number % 2 == 1 && fault.stage == FaultStage::Launch && !placed) randomSchedule(testCase, number);
  if (number % 4 == 2 && fault.stage == FaultStage::Launch) onAnotherDevice(testCase, number);
  testCase.options.fault = fault.name;
  JudgeSettings settings;
  settings.probes = settings.repeat = settings.roundTrip = settings.checkInvariants = false;
  settings.secondLooks = HowOften::Never;
  return judgeCase(testCase, settings).faultApplied;
}

// The faults that are no edit of a fusion or a kernel find their place in a few cases, too. A case that the file names
// is taken at its word, where it is right; else the first is looked for.
const golden::Texts kFaultCases("tests/fuzz/faults/fault_cases.txt", {}, [](const golden::Case& test) -> golden::Made {
  constexpr uint64_t kMany = 4000;  // as many as the suite allows each
  std::map<std::string, uint64_t> named;
  std::istringstream lines(test.expected.empty() ? "" : test.expected[0].text);
  std::string name;
  for (uint64_t number = 0; lines >> name >> number;) named[name] = number;
  std::string text;
  for (const FaultInfo& fault : allFaults()) {
    if (fault.stage == FaultStage::Fusion || fault.stage == FaultStage::Kernel) continue;
    uint64_t number = named[std::string(fault.name)];
    if (!isApplied(fault, number)) {
      number = 0;
      while (number < kMany && !isApplied(fault, number)) ++number;
    }
    EXPECT_LT(number, kMany) << fault.name << " is applied to no case";
    text += concat(fault.name, " ", number, "\n");
  }
  return text;
});

constexpr const char* kSum = R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  return %s
}
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[5, 700] }
)";

// Scratch without its barriers, and else the same kernel.
TEST(FaultsTest, RemovesOnlyTheBarriers) {
  const Case testCase = parseCase(kSum, "test");
  int planted = 0;
  JudgeSettings settings;
  AfterLower planting([&](int, Kernel& kernel) {
    std::string before = printKernel(kernel);
    if (!faults::dropBarrier(kernel)) return;
    ++planted;
    const std::string barrier = "barrier (T3_scratch stored)\n";
    const size_t at = before.find("  " + barrier);
    ASSERT_NE(at, std::string::npos) << before;
    EXPECT_EQ(printKernel(kernel), before.erase(at, 2 + barrier.size()));
  });
  settings.observers = {&planting};
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_GE(planted, 1);
  EXPECT_EQ(verdict.kind, VerdictKind::Violation) << toString(verdict);
}

TEST(FaultsTest, ACaseToWhichItsFaultDoesNotApplyAgrees) {
  Case testCase = parseCase(kSum, "test");
  testCase.options.fault = "where-swapped";
  const CaseVerdict without = judgeCase(testCase);
  EXPECT_EQ(without.kind, VerdictKind::Agrees) << toString(without);
  EXPECT_FALSE(without.faultApplied);
  testCase.options.fault = "wrong-identity-sum";
  const CaseVerdict with = judgeCase(testCase);
  EXPECT_EQ(with.kind, VerdictKind::Differs) << toString(with);
  EXPECT_TRUE(with.faultApplied);
}

TEST(FaultsTest, AnUnknownFaultRejectsTheCase) {
  Case testCase = parseCase(kSum, "test");
  testCase.options.fault = "none-such";
  const CaseVerdict verdict = judgeCase(testCase);
  EXPECT_EQ(verdict.kind, VerdictKind::Rejected);
  EXPECT_NE(verdict.reason.find("none-such"), std::string::npos) << verdict.reason;
}

}  // namespace
}  // namespace fuser::fuzz
