// Tasks and what comes of them: each is the same after its way through the pipe.

#include "fuzz/campaign/task.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/campaign/task_in_fields.h"
#include "tests/reports/arbitrary_fields.h"

namespace fuser::fuzz {
namespace {

TEST(TaskTest, ATaskIsDescribedInOneLine) {
  EXPECT_EQ(printTask(SingleTask(CaseTask{17})), "case 17");
  EXPECT_EQ(printTask(SingleTask(PlainTask{17})), "plain 17");
  EXPECT_EQ(printTask(SingleTask(ViewTask{17, "one cut"})), "view 17 one cut");
  EXPECT_EQ(printTask(SingleTask(MutantTask{17, 2, "a.fusion b.fusion"})), "mutant 17 2 a.fusion b.fusion");
  EXPECT_EQ(printTask(SingleTask(FileTask{"a b.fusion"})), "file a b.fusion");
  EXPECT_EQ(printTask(SingleTask(BatchTask{8192, 16})), "batch 8192 16");
}

TEST(TaskTest, MalformedTasksAreRefused) {
  for (const char* text : {"", "case", "case ", "case x", "case 1 2", "case -1", "case 99999999999999999999", "batch 3",
                           "view", "print 3", "cases 3", "Case 3", "confirm 1\n{}"}) {
    EXPECT_THROW(parseTask<SingleTask>(text), UserError) << text;
    EXPECT_THROW(parseTask<Task>(text), UserError) << text;
  }
  // Of another kind than is asked for.
  EXPECT_NO_THROW(parseTask<JudgingTask>(printTask(JudgingTask(PrintTask{3, "", ""}))));
  EXPECT_THROW(parseTask<Task>(printTask(JudgingTask(PrintTask{3, "", ""}))), UserError);
  EXPECT_THROW(parseTask<Task>("minimize\nno fields"), UserError);
}

template <class Tasks>
void checkPrinted() {
  EXPECT_TRUE(rc::check("print, parse", [] {
    const Tasks task = *reports::arbitraryFields<Tasks>();
    RC_ASSERT(parseTask<Tasks>(printTask(task)) == task);
  }));
}

TEST(TaskTest, EveryTaskIsTheSameAfterItsText) { checkPrinted<Task>(); }
TEST(TaskTest, EveryJudgingTaskIsTheSameAfterItsText) { checkPrinted<JudgingTask>(); }

template <class T>
void checkFrame() {
  EXPECT_TRUE(rc::check("encode, decode", [] {
    const T value = *reports::arbitraryFields<T>();
    RC_ASSERT(reports::decode<T>(reports::encode(value)) == value);
  }));
}

TEST(TaskTest, EveryVerdictIsTheSameAfterThePipe) { checkFrame<CaseVerdict>(); }
TEST(TaskTest, EveryResultIsTheSameAfterThePipe) { checkFrame<TaskResult>(); }
TEST(TaskTest, EveryConfirmationIsTheSameAfterThePipe) { checkFrame<Confirmed>(); }
TEST(TaskTest, EveryFindingIsTheSameAfterItsRow) { checkFrame<FindingRecord>(); }

TEST(TaskTest, TheResultOfACaseIsTheSameAfterThePipe) {
  const TaskResult result = performTask(CaseTask{3}, {});
  EXPECT_EQ(decodeResult(encode(result)), result);
  EXPECT_FALSE(result.verdict.decisions.empty());
  EXPECT_FALSE(result.verdict.ops.empty());
  EXPECT_GT(result.runs, 0);
}

TEST(TaskTest, TheVerdictOfADeadWorkerIsItsExitStatus) {
  Outcome outcome;
  outcome.ending = Ending::TimedOut;
  outcome.detail = "took more than 3 s\nframes";
  const CaseVerdict verdict = resultOf(outcome).verdict;
  EXPECT_EQ(verdict.kind, VerdictKind::Hang);
  EXPECT_EQ(verdict.reason, "took more than 3 s");
  EXPECT_EQ(verdict.detail, outcome.detail);
}

TEST(TaskTest, ACaseIsJudgedWithItsViews) {
  uint64_t number = 0;
  while (partsOf(CaseTask{number}, 1).size() < 2) ++number;
  const std::vector<SingleTask> parts = partsOf(CaseTask{number}, 1);
  EXPECT_EQ(parts[0], SingleTask(PlainTask{number}));
  ASSERT_TRUE(std::holds_alternative<ViewTask>(parts[1])) << printTask(parts[1]);
  EXPECT_EQ(std::get<ViewTask>(parts[1]).number, number);
  EXPECT_EQ(partsOf(BatchTask{8192, 2}, 1), (std::vector<SingleTask>{BatchTask{8192, 1}, BatchTask{8193, 1}}));
  EXPECT_EQ(partsOf(FileTask{"a b.fusion"}, 1), std::vector<SingleTask>{FileTask{"a b.fusion"}});
}

}  // namespace
}  // namespace fuser::fuzz
