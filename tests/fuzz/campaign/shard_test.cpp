#include "fuzz/campaign/shard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "fuser/support/check.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/campaign/supply.h"

namespace fuser::fuzz {
namespace {

std::multiset<std::string> tasksOf(uint64_t files, uint64_t runs, uint64_t atOnce, Shard shard) {
  std::vector<std::string> paths;
  for (uint64_t i = 0; i < files; ++i) paths.push_back(concat("f", i, ".fusion"));
  Supply supply(paths, runs, true, {}, atOnce, shard);
  std::multiset<std::string> tasks;
  while (const std::optional<PoolTask> task = supply.next()) tasks.insert(task->text);
  return tasks;
}

RC_GTEST_PROP(ShardTest, PartsHaveNoTaskInCommonAndAreTheWholeCampaign, ()) {
  const uint64_t count = *rc::gen::inRange<uint64_t>(1, 9), files = *rc::gen::inRange<uint64_t>(0, 12),
                 runs = *rc::gen::inRange<uint64_t>(1, 3 * kBatchStride), atOnce = *rc::gen::element<uint64_t>(1, 8);
  std::multiset<std::string> joined;
  uint64_t cases = 0;
  for (uint64_t number = 1; number <= count; ++number) {
    const std::multiset<std::string> part = tasksOf(files, runs, atOnce, {number, count});
    joined.insert(part.begin(), part.end());
    cases += Shard{number, count}.casesOf(runs);
  }
  RC_ASSERT(joined == tasksOf(files, runs, atOnce, {}));
  RC_ASSERT(cases == runs);
}

RC_GTEST_PROP(ShardTest, APartOfACampaignWithoutAnEndGoesOn, ()) {
  const uint64_t count = *rc::gen::inRange<uint64_t>(1, 9), number = *rc::gen::inRange<uint64_t>(1, count + 1);
  const Shard shard{number, count};
  Supply supply({}, 0, false, {}, 1, shard);
  for (uint64_t i = 0, at = shard.caseFrom(0); i < 200; ++i, at = shard.caseFrom(at + 1)) {
    RC_ASSERT(shard.hasCase(at));
    RC_ASSERT(supply.next()->text == concat("case ", at));
  }
}

TEST(ShardTest, ReadsTheKthOfN) {
  const Shard shard = Shard::parse("2/8");
  EXPECT_EQ(shard.number, 2u);
  EXPECT_EQ(shard.count, 8u);
  EXPECT_EQ(shard.text(), "2/8");
  for (const char* text : {"", "2", "2/", "/8", "0/8", "9/8", "2/8 ", "2/x", "-1/2", "1/10001"})
    EXPECT_THROW(Shard::parse(text), UserError) << text;
}

}  // namespace
}  // namespace fuser::fuzz
