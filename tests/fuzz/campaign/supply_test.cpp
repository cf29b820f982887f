// The order of a campaign's tasks, and what is left out of it.

#include "fuzz/campaign/supply.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {
namespace {

std::vector<std::string> all(Supply& supply) {
  std::vector<std::string> tasks;
  while (const std::optional<PoolTask> task = supply.next())
    tasks.push_back(task->text + (task->fresh ? " alone" : ""));
  return tasks;
}

TaskResult result(VerdictKind kind) {
  TaskResult taskResult;
  taskResult.verdict.kind = kind;
  return taskResult;
}

TEST(SupplyTest, FilesComeBeforeCases) {
  Supply supply({"a.fusion", "b.fusion"}, 2, false, {});
  EXPECT_EQ(all(supply), (std::vector<std::string>{"file a.fusion", "file b.fusion", "case 0", "case 1"}));
  EXPECT_EQ(supply.keyOf(FileTask{"b.fusion"}), "file 1");
  EXPECT_EQ(supply.keyOf(CaseTask{1}), "case 1");
}

TEST(SupplyTest, FinishedTasksAreSkipped) {
  Accounting done;
  for (const char* key : {"file 1", "case 0", "case 2"}) EXPECT_TRUE(done.add(key, result(VerdictKind::Agrees), 0));
  Supply supply({"a.fusion", "b.fusion", "c.fusion"}, 4, false, done);
  EXPECT_EQ(all(supply), (std::vector<std::string>{"file a.fusion", "file c.fusion", "case 1", "case 3"}));
}

TEST(SupplyTest, ABatchComesBeforeTheCasesOfItsStride) {
  Supply supply({}, 2 * kBatchStride + kBatch - 1, true, {});
  std::vector<std::string> batches, before;
  std::string last;
  for (const std::string& task : all(supply)) {
    if (std::holds_alternative<BatchTask>(parseTask<SingleTask>(task))) {
      batches.push_back(task);
      before.push_back(last);
    }
    last = task;
  }
  EXPECT_EQ(batches,
            (std::vector<std::string>{concat("batch 0 ", kBatch), concat("batch ", kBatchStride, " ", kBatch)}));
  EXPECT_EQ(before, (std::vector<std::string>{"case 0", concat("case ", kBatchStride - 1)}));
}

// However short it is, a campaign tries the compilers, and does so at once.
TEST(SupplyTest, TheFirstBatchIsTheSecondTask) {
  Supply few({"a.fusion"}, 1, true, {});
  EXPECT_EQ(all(few), (std::vector<std::string>{"file a.fusion", "batch 0 1", "case 0"}));
  Supply withoutEnd({}, 0, true, {});
  EXPECT_EQ(withoutEnd.next()->text, "case 0");
  EXPECT_EQ(withoutEnd.next()->text, concat("batch 0 ", kBatch));
  for (uint64_t i = 1; i < kBatchStride; ++i) EXPECT_EQ(withoutEnd.next()->text, concat("case ", i));
  EXPECT_EQ(withoutEnd.next()->text, concat("batch ", kBatchStride, " ", kBatch));
  // It is not done again, nor are its cases.
  Accounting done;
  done.add(concat("batch 0 ", kBatch), {}, 0);
  done.add("case 0", result(VerdictKind::Agrees), 0);
  Supply again({}, 3, true, done);
  EXPECT_EQ(all(again), (std::vector<std::string>{"case 1", "case 2"}));
}

// Each case of a block may be another one: it is judged by itself, and the block goes on behind it.
TEST(SupplyTest, AMutantEndsABlock) {
  Supply supply({}, 10, false, {}, 8);
  supply.replaceCases([](uint64_t number) -> std::optional<MutantTask> {
    if (number != 0 && number != 3 && number != 4) return std::nullopt;
    return MutantTask{number, 1, "a b"};
  });
  std::vector<Task> tasks;
  for (const std::string& text : all(supply)) tasks.push_back(parseTask<Task>(text));
  EXPECT_TRUE(tasks == (std::vector<Task>{MutantTask{0, 1, "a b"}, CasesTask{1, 2}, MutantTask{3, 1, "a b"},
                                          MutantTask{4, 1, "a b"}, CasesTask{5, 3}, CasesTask{8, 2}}));
}

TEST(SupplyTest, AKilledTaskIsRetriedAloneAFewTimes) {
  Supply supply({}, 1, false, {});
  EXPECT_EQ(all(supply), std::vector<std::string>{"case 0"});
  int again = 0;
  while (supply.again(CaseTask{0})) {
    EXPECT_EQ(all(supply), std::vector<std::string>{"case 0 alone"});
    ASSERT_LT(++again, 10);
  }
  EXPECT_EQ(again, 4);
}

// Blocks begin at multiples of their size, whatever is done already.
TEST(SupplyTest, CasesOfABlockAreOneTask) {
  Accounting done;
  for (const char* key : {"case 3", "case 9"}) EXPECT_TRUE(done.add(key, result(VerdictKind::Agrees), 0));
  Supply supply({"a.fusion"}, 20, false, done, 8);
  std::vector<std::string> tasks;
  while (const std::optional<PoolTask> task = supply.next()) {
    const auto parsed = parseTask<Task>(task->text);
    const CasesTask* block = std::get_if<CasesTask>(&parsed);
    tasks.push_back(block ? concat(block->first, " + ", block->count) : task->text);
  }
  EXPECT_EQ(tasks, (std::vector<std::string>{"file a.fusion", "0 + 3", "4 + 4", "case 8", "10 + 6", "16 + 4"}));
  supply.againOneByOne({16, 2});
  EXPECT_EQ(all(supply), (std::vector<std::string>{"case 16 alone", "case 17 alone"}));
}

TEST(AccountingTest, NothingIsCountedTwice) {
  Accounting accounting;
  EXPECT_TRUE(accounting.add("case 7", result(VerdictKind::Differs), 1));
  EXPECT_FALSE(accounting.add("case 7", result(VerdictKind::Agrees), 1));
  EXPECT_EQ(accounting.sums().cases, 1);
  EXPECT_EQ(accounting.sums().verdicts.at("differs"), 1);
  EXPECT_EQ(accounting.sums().verdicts.at("agrees"), 0);
  for (const char* key : {"nonsense", "case", "case x", "case 1 2", "file a", "plain 7", "view 7 one cut"})
    EXPECT_THROW(accounting.add(key, {}, 0), UserError) << key;
}

TEST(AccountingTest, SumsRoundTripThroughText) {
  Accounting accounting;
  TaskSettings settings;
  settings.generator.medianElements = 64;
  for (uint64_t number = 0; number < 20; ++number) {
    const CaseTask task{number};
    accounting.add(printTask(SingleTask(task)), performTask(task, settings), 0.5);
  }
  accounting.add("file 3", result(VerdictKind::Rejected), 0);
  TaskResult batch;
  batch.batch = {30, 90, 2.5, 1.25, 0.5, "nvrtc: not here"};
  accounting.add(concat("batch ", kBatchStride, " ", kBatch), batch, 4);
  const Accounting again = Accounting::fromJson(accounting.toJson());
  EXPECT_EQ(again.toJson(), accounting.toJson());
  EXPECT_EQ(again.cases(), accounting.cases());
  EXPECT_EQ(again.batches().toString(), "1");
  EXPECT_EQ(again.fileVerdicts().at(3).verdict, "rejected");
  EXPECT_EQ(reports::toJson(again.summary()), reports::toJson(accounting.summary()));
  EXPECT_EQ(again.sums().compilers.skipped, "nvrtc: not here");
}

// Whoever judged what, in which order.
TEST(AccountingTest, SumsOfPartsEqualTheSumOfTheWhole) {
  TaskSettings settings;
  settings.generator.medianElements = 64;
  Accounting all, even, odd;
  for (uint64_t number = 0; number < 20; ++number) {
    TaskResult result = performTask(CaseTask{number}, settings);
    result.verdict.seconds.clear();  // sums of such numbers depend on the order
    result.slow = number == 7 ? 3 : number == 8 ? 2 : 0;
    const std::string key = concat("case ", number);
    all.add(key, result, 0);
    (number % 2 == 0 ? even : odd).add(key, result, 0);
  }
  odd.add("file 3", result(VerdictKind::Rejected), 0);
  all.add("file 3", result(VerdictKind::Rejected), 0);
  even.add(odd);
  EXPECT_EQ(even.toJson(), all.toJson());
  EXPECT_EQ(even.sums().slowCases, 2);
  EXPECT_EQ(even.sums().slowestSeconds.value, 3);
  EXPECT_EQ(even.cases().toString(), "0-19");
  EXPECT_EQ(even.sums().views.at("one cut").oneIn, all.sums().views.at("one cut").oneIn);
}

TEST(AccountingTest, CombinationsThatNeverOccurredAreListed) {
  Accounting accounting;
  TaskResult one;
  one.ops = {"Add", "Exp", "Size"};
  one.places = {{"Add", "f32", "PointWise"}, {"Exp", "f32", "PointWise"}, {"Size", "f32", "ExprEval"}};
  one.fused = {"Add"};
  accounting.add("case 0", one, 0);
  const reports::CampaignSummary summary = accounting.summary();
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  EXPECT_EQ(summary.neverFused, std::vector<std::string>{"Exp"});
  EXPECT_FALSE(has(summary.neverGenerated, "Exp"));
  EXPECT_TRUE(has(summary.neverGenerated, "Sum"));
}

}  // namespace
}  // namespace fuser::fuzz
