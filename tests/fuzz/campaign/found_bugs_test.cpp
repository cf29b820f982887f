// Bugs of other compilers: whether they live.

#include "fuzz/campaign/found_bugs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fuzz/compilers/target_judge.h"
#include "tests/fuzz/compilers/fake_worker.h"

namespace fuser::fuzz {
namespace {

class FoundBugsTest : public testing::Test {
 protected:
  FoundBugsTest() : folder_(std::filesystem::temp_directory_path() / ("found_bugs." + std::to_string(getpid()))) {}
  ~FoundBugsTest() override { std::filesystem::remove_all(folder_); }

  // Adds 1 + 1 and 2 + 2.
  void addBug(const std::string& name, const std::string& head) {
    std::filesystem::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "found.fusion")
        << head
        << "fusion f(%x: f32[i0]) {\n  %y = add(%x, %x)\n  return %y\n}\nrun { %x = values [1.0, 2.0] : f32[2] }\n";
  }

  std::vector<BugToday> judged(const std::string& worker) const {
    ReplayOptions options;
    options.judge.target =
        makeTargetJudge(targetNamed("torch-compile"), shortLimits(), {{"compile", fakeWorker(worker)}}, {});
    return judgeBugs(foundBugs(folder_), options);
  }

  const std::filesystem::path folder_;
};

TEST_F(FoundBugsTest, ABugLivesWhileItFailsAsItDid) {
  addBug("b", "#: bucket = differs | torch-compile | Add f32 | tail\n");
  addBug("a", "#: bucket = differs | torch-compile | Mul f32 | other\n");
  const std::vector<FoundBug> bugs = foundBugs(folder_);
  ASSERT_EQ(bugs.size(), 2u);
  EXPECT_EQ(bugs[0].name, "a");
  EXPECT_EQ(bugs[1].target, "torch-compile");
  const std::vector<BugToday> wrong = judged("write(answer(identity, 1, '', run(floats(2, 5))))");
  EXPECT_EQ(wrong[0].state, BugState::Changed) << wrong[0].bucket;
  EXPECT_EQ(wrong[1].state, BugState::Lives) << wrong[1].bucket;
  const std::vector<BugToday> right = judged("write(answer(identity, 1, '', run(floats(2, 4))))");
  EXPECT_EQ(right[0].state, BugState::Gone) << right[0].verdict;
  const std::vector<BugToday> refused = judged("write(answer(identity, 2, 'no kernel'))");
  EXPECT_EQ(refused[0].state, BugState::NotJudged) << refused[0].verdict;
}

TEST_F(FoundBugsTest, AFileWithoutABucketIsAnError) {
  addBug("a", "");
  EXPECT_THROW(foundBugs(folder_), UserError);
}

TEST_F(FoundBugsTest, AFolderOfFindingsHasNone) {
  std::filesystem::create_directories(folder_);
  EXPECT_TRUE(foundBugs(folder_).empty());
}

}  // namespace
}  // namespace fuser::fuzz
