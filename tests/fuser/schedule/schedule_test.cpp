// Schedulers on text. Cases of schedulers.txt (tests/golden/golden_file.h) have the options
//   size: 1001         of every extent; without the option 1000
//   alignment: 4       of the next input, in bytes; 16 where there is none
// and the answers
//   the scheduler that takes the fusion, and its schedule; or None, and the reason
//   in memory, with a line for each expression that must find operands in memory
// Those of illegal.txt are schedules, by the option "step" (any number of them), and why they are rejected.
#include "fuser/schedule/schedule.h"

#include <gtest/gtest.h>

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

bool hasKernel(SchedulerType type) { return type == SchedulerType::PointWise || type == SchedulerType::Reduction; }

// A schedule prints, parses and is legal as it is.
void expectReplays(const golden::Case& test, const Schedule& schedule) {
  const Schedule replayed = parseSchedule(printSchedule(schedule));
  EXPECT_EQ(printSchedule(replayed), printSchedule(schedule));
  const std::unique_ptr<Fusion> fresh = parseFusion(test.input);
  applySchedule(*fresh, replayed);
  checkSchedule(*fresh);
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
  const std::string size = test.option("size");
  Whole whole(test.input, size.empty() ? 1000 : std::stoll(size));
  std::vector<InputLayout> layouts;
  for (const std::string& alignment : test.allOptions("alignment")) layouts.push_back({std::stoi(alignment)});
  layouts.resize(whole.fusion->inputs().size());
  const SchedulerAnswer answer = whole.answer();
  std::string text = answer.accepted() ? "" : answer.reason + "\n";
  if (hasKernel(answer.type)) {
    const Schedule schedule = chooseSchedule(*whole.fusion, answer.type, &whole.sizes, layouts);
    expectReplays(test, schedule);
    text = printSchedule(schedule);
  }
  golden::Answers answers{{std::string(schedulerTypeName(answer.type)), text}};
  const std::string needed = neededInMemory(*whole.fusion);
  if (!needed.empty()) answers.push_back({"in memory", needed});
  return answers;
}

const golden::Texts kScheduled("tests/fuser/schedule/schedulers.txt", {"size", "alignment"}, scheduled);

const golden::Texts kIllegal("tests/fuser/schedule/illegal.txt", {"step"},
                             [](const golden::Case& test) -> golden::Made {
                               std::string steps;
                               for (const std::string& step : test.allOptions("step")) steps += step + "\n";
                               const std::unique_ptr<Fusion> fusion = parseFusion(test.input);
                               try {
                                 applySchedule(*fusion, parseSchedule(steps));
                                 checkSchedule(*fusion);
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

}  // namespace
}  // namespace fuser
