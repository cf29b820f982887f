// Lowering on text. Cases (tests/golden/golden_file.h) have the options
//   size: 1024                          of every extent: the schedulers choose the schedule
//   step: split %y {axis = 0, …}        a step of the schedule, instead; any number of them
//   contraction: on                     the case's option
//   architecture: 75                    the device's compute capability
// and the answer is the kernel, or "rejected" and why.
#include "fuser/lower/lower.h"

#include <gtest/gtest.h>

#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/schedule/schedule.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

SizeFacts sizesOf(int64_t size) {
  return SizeFacts([size](IntExpr expr) { return evaluate(expr, [size](IntExpr) { return size; }); });
}

int64_t sizeOf(const golden::Case& test) {
  const std::string size = test.option("size");
  return size.empty() ? 1024 : std::stoll(size);
}

// The one that the schedulers choose for extents of `size`.
Schedule chosenFor(const Fusion& part, int64_t size) {
  SizeFacts sizes = sizesOf(size);
  const FusionView view{&part, part.exprs(), part.inputs(), part.outputs(), &sizes};
  return chooseSchedule(part, Schedulers().accepts(view).type, &sizes, std::vector<InputLayout>(part.inputs().size()));
}

Schedule scheduleOf(const golden::Case& test, const Fusion& part) {
  std::string steps;
  for (const std::string& step : test.allOptions("step")) steps += step + "\n";
  return steps.empty() ? chosenFor(part, sizeOf(test)) : parseSchedule(steps);
}

const golden::Texts kTexts("tests/fuser/lower/lower.txt", {"size", "step", "contraction", "architecture"},
                           [](const golden::Case& test) -> golden::Made {
                             const std::unique_ptr<Fusion> part = parseFusion(test.input);
                             SizeFacts sizes = sizesOf(sizeOf(test));
                             CompileContext context;
                             context.sizes = &sizes;
                             context.options.contraction = !test.allOptions("contraction").empty();
                             const std::string architecture = test.option("architecture");
                             if (!architecture.empty()) context.nativeDevice.architecture = std::stoll(architecture);
                             try {
                               applySchedule(*part, scheduleOf(test, *part));
                               checkSchedule(*part, defaultDevice(), &sizes);
                               const std::unique_ptr<Kernel> kernel = lower(*part, "k", context);
                               verifyKernel(*kernel);
                               return printKernel(*kernel);
                             } catch (const UserError& error) {
                               return golden::Answers{{"rejected", concat(error.what(), "\n")}};
                             }
                           });

TEST(LowerTest, ObserverSeesEveryStepInOrder) {
  const std::unique_ptr<Fusion> part = parseFusion("fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}");
  applySchedule(*part, chosenFor(*part, 1024));
  std::vector<std::string> names;
  AfterLowerStep naming([&](int segment, std::string_view step, const Kernel&) {
    EXPECT_EQ(segment, 3);
    names.emplace_back(step);
  });
  CompileContext context;
  context.observers = {&naming};
  lower(*part, "k", context, 3);
  std::vector<std::string> wanted;
  for (const LowerStep& step : lowerSteps()) wanted.push_back(step.name);
  EXPECT_EQ(names, wanted);
}

}  // namespace
}  // namespace fuser
