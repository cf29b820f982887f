// Schedulers on text. Cases of schedulers.txt (tests/golden/golden_file.h) have the options
//   size: 1001         of every extent; without the option 1000
//   alignment: 4       of the next input, in bytes; 16 where there is none
// and the answers
//   the scheduler that takes the fusion, and its schedule; or None, and the reason
//   in memory, with a line for each expression that must find operands in memory
// Those of illegal.txt are schedules, by the option "step" (any number of them), and why they are rejected.
#include "fuser/schedule/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "fuser/analysis/schedule_limits.h"
#include "fuser/lower/lower.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// The schedulers' view of a whole fusion, every extent of which has the given size.
struct Whole {
  std::unique_ptr<Fusion> fusion;
  SizeFacts sizes;
  FusionView view;

  explicit Whole(const std::string& text, int64_t size = 1000)
      : fusion(parseFusion(text)),
        sizes([size](IntExpr expr) { return evaluate(expr, [size](IntExpr) { return size; }); }) {
    view = {fusion.get(), fusion->exprs(), fusion->inputs(), fusion->outputs(), &sizes};
  }
  SchedulerAnswer answer() const { return Schedulers().accepts(view); }
};

bool hasKernel(SchedulerType type) {
  return type != SchedulerType::None && type != SchedulerType::ExprEval && type != SchedulerType::NoOp;
}

int64_t sizeOf(const golden::Case& test) {
  const std::string size = test.option("size");
  return size.empty() ? 1000 : std::stoll(size);
}

// A schedule prints, parses and is legal as it is.
void expectReplays(const golden::Case& test, const Schedule& schedule, const DeviceProperties& device) {
  Whole whole(test.input, sizeOf(test));
  const Schedule replayed = parseSchedule(printSchedule(schedule));
  EXPECT_EQ(printSchedule(replayed), printSchedule(schedule));
  applySchedule(*whole.fusion, replayed);
  checkSchedule(*whole.fusion, device, &whole.sizes);
}

// Of the test's device, or the default one.
DeviceProperties deviceFor(const golden::Case& test) {
  DeviceProperties properties = defaultDevice();
  for (const NamedDevice& device : namedDevices()) {
    if (device.name == test.option("device")) properties = device.properties;
  }
  const std::string architecture = test.option("architecture");
  if (!architecture.empty()) properties.architecture = std::stoll(architecture);
  return properties;
}

// "%b: %a\n" for each expression that must find operands in memory.
std::string neededInMemory(const Fusion& fusion) {
  std::string lines;
  for (const Expr* expr : fusion.exprs()) {
    const std::vector<Val*> needed = Schedulers().mustBeSegmentInputs(expr);
    if (!needed.empty()) lines += concat("%", expr->output()->name(), ":");
    for (const Val* val : needed) lines += concat(" %", val->name());
    if (!needed.empty()) lines += "\n";
  }
  return lines;
}

golden::Made scheduled(const golden::Case& test) {
  Whole whole(test.input, sizeOf(test));
  whole.view.device = deviceFor(test);
  std::vector<InputLayout> layouts;
  for (const std::string& alignment : test.allOptions("alignment")) layouts.push_back({std::stoi(alignment)});
  layouts.resize(whole.fusion->inputs().size());
  const SchedulerAnswer answer = whole.answer();
  std::string text = answer.accepted() ? "" : answer.reason + "\n";
  if (hasKernel(answer.type)) {
    const DeviceProperties device = deviceFor(test);
    const Schedule schedule = chooseSchedule(*whole.fusion, answer.type, &whole.sizes, layouts, nullptr, device);
    expectReplays(test, schedule, device);
    text = printSchedule(schedule);
  }
  golden::Answers answers{{std::string(schedulerTypeName(answer.type)), text}};
  const std::string needed = neededInMemory(*whole.fusion);
  if (!needed.empty()) answers.push_back({"in memory", needed});
  return answers;
}

const golden::Texts kScheduled("tests/fuser/schedule/schedulers.txt", {"size", "alignment", "device", "architecture"},
                               scheduled);

const golden::Texts kIllegal("tests/fuser/schedule/illegal.txt", {"step", "device"},
                             [](const golden::Case& test) -> golden::Made {
                               std::string steps;
                               for (const std::string& step : test.allOptions("step")) steps += step + "\n";
                               const std::unique_ptr<Fusion> fusion = parseFusion(test.input);
                               try {
                                 applySchedule(*fusion, parseSchedule(steps));
                                 checkSchedule(*fusion, deviceFor(test));
                               } catch (const UserError& error) {
                                 return concat(error.what(), "\n");
                               }
                               return std::string("legal\n");
                             });

TEST(ScheduleTest, ProducersRunInsideTheirConsumersLoops) {
  Whole whole(
      "fusion f(%x: f32[i0, i1]) {\n  %e = exp(%x)\n  %s = sum(%e) {dims = [1]}\n  %y = mul(%s, 2.0)\n  return %y\n}");
  const std::vector<InputLayout> layouts(whole.fusion->inputs().size());
  applySchedule(*whole.fusion, chooseSchedule(*whole.fusion, whole.answer().type, &whole.sizes, layouts));
  for (const Expr* expr : whole.fusion->exprs()) {
    const TensorView* tensor = expr->output()->as<TensorView>();
    if (tensor->name() == "e") {
      EXPECT_EQ(tensor->computeAtPosition(), tensor->domain().loop.size());
    } else if (tensor->name() == "s") {
      EXPECT_EQ(tensor->computeAtPosition(), 1u);
    }
  }
}

constexpr const char* kTwoOps = "fusion f(%x: f32[i0]) {\n  %e = exp(%x)\n  %y = neg(%e)\n  return %y\n}";

// What is shared is known once all steps are done.
TEST(ScheduleTest, ComputeAtMayComeBeforeTheLoopsThatItShares) {
  const std::unique_ptr<Fusion> fusion =
      parseFusion("fusion f(%x: f32[8]) {\n  %e = exp(%x)\n  %y = neg(%e)\n  return %y\n}");
  applySchedule(*fusion, parseSchedule("split %e {axis = 0, factor = 4}\ncomputeAt %e %y {position = 1}\n"
                                       "split %y {axis = 0, factor = 4}\n"));
  EXPECT_NO_THROW(checkSchedule(*fusion));
}

TEST(ScheduleTest, WhatGoesToGlobalMemorySharesNoLoops) {
  const std::unique_ptr<Fusion> fusion = parseFusion(kTwoOps);
  applySchedule(*fusion, parseSchedule("inlineMost\nsetMemoryType %e {memory = global}\n"));
  EXPECT_EQ(fusion->exprs().front()->output()->as<TensorView>()->computeAtPosition(), 0u);
  EXPECT_NO_THROW(checkSchedule(*fusion));
}

TEST(ScheduleTest, TypesAreHandedOnFromATensorWithoutTheReducedAxes) {
  const std::unique_ptr<Fusion> fusion =
      parseFusion("fusion f(%x: f32[i0, i1, 8]) {\n  %s = sum(%x) {dims = [0, 1]}\n  %y = neg(%s)\n  return %y\n}");
  applySchedule(*fusion,
                parseSchedule("propagate %s\nparallelize %y {axis = 0, type = TIDx}\nparallelizeAllLike %y\n"));
  const TensorView* sum = fusion->exprs().front()->output()->as<TensorView>();
  ASSERT_EQ(sum->domain().loop.size(), 3u);
  EXPECT_EQ(sum->domain().loop[0]->parallelType(), ParallelType::Serial);
  EXPECT_EQ(sum->domain().loop[2]->parallelType(), ParallelType::TIDx);
}

// The one schedule in which each round of three steps doubles what an index mentions.
std::string doublingSteps(size_t rounds) {
  std::string steps;
  for (size_t i = 0; i < rounds; ++i) {
    steps += "split %y {axis = 0, factor = 2}\nreorder %y {old2new = [0 -> 1]}\nmerge %y {axis = 0}\n";
  }
  return steps + "propagate %y\ninlineMost\n";
}

TEST(ScheduleTest, LoopsOfManyMergesAreSharedInPolynomialTime) {
  const std::unique_ptr<Fusion> fusion = parseFusion(kTwoOps);
  applySchedule(*fusion, parseSchedule(doublingSteps(26)));  // 2^26 paths, for each of the loops that are asked about
  checkSchedule(*fusion);
  EXPECT_EQ(fusion->exprs().front()->output()->as<TensorView>()->computeAtPosition(), 1u);
}

TEST(ScheduleTest, AnIndexThatEachMergeDoublesIsTheCallersError) {
  const std::unique_ptr<Fusion> fusion = parseFusion(kTwoOps);
  applySchedule(*fusion, parseSchedule(doublingSteps(26)));
  checkSchedule(*fusion);
  try {
    lower(*fusion, "k", {});
    FAIL() << "an index of 2^26 terms";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "the splits and merges of %e make an index or extent of more than 4096 terms");
  }
}

TEST(ScheduleTest, SplitsAndMergesThatLeaveOneLoopAreCounted) {
  const std::string round = "split %y {axis = 0, factor = 1}\nmerge %y {axis = 0}\n";
  std::string steps;
  for (size_t i = 0; i < kMaxLoopTransforms / 2; ++i) steps += round;
  const std::unique_ptr<Fusion> fusion = parseFusion(kTwoOps);
  applySchedule(*fusion, parseSchedule(steps));
  try {
    applySchedule(*parseFusion(kTwoOps), parseSchedule(steps + round));
    FAIL() << "no limit";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "schedule step 257: %y has more than 256 splits and merges");
  }
}

TEST(ScheduleTest, TheGrammarPrintsTheLimitsThatAreEnforced) {
  std::ifstream file("fuser/text/grammar.md");
  const std::string grammar(std::istreambuf_iterator<char>(file), {});
  const std::string sentence =
      concat("a split factor of ", kMaxSplitFactor, "; for each tensor ", kMaxLoops, " loops, ", kMaxLoopTransforms,
             " splits and merges,\nsplit factors that multiply to ", kMaxFactors, ", indices of ", kMaxIndexTerms,
             " terms. A tensor's constant sizes multiply to at most 2^", std::log2(kMaxConstantElements));
  EXPECT_NE(grammar.find(sentence), std::string::npos) << sentence;
}

}  // namespace
}  // namespace fuser
