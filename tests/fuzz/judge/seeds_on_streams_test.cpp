// The seeds with their expressions on streams: what can be spread agrees as it did before. ctest takes every fourth.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "fuser/case/functional_updates.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/generate/streams.h"
#include "fuzz/judge/judge_case.h"
#include "tests/fuzz/judge/seed_files.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

TEST(SeedsOnStreamsTest, AgreeOnStreams) {
  JudgeSettings settings;
  settings.roundTrip = false;
  settings.secondLooks = HowOften::Never;
  size_t onStreams = 0, undecided = 0;
  std::vector<std::string> left;
  const std::vector<std::filesystem::path> files = seedFiles();
  for (size_t i = 0; i < files.size(); i += sampleStep(4)) {
    Case seed = functionalCase(parseCase(readFusionFile(files[i].string()), files[i].string()));
    // What a seed asks of its segments does not go with streams.
    seed.schedule.reset();
    seed.segmentSchedules.clear();
    Choices choices(1, i);
    const bool done = spreadOverStreams(seed, choices, 16) || spreadOverStreams(seed, choices, 1024);
    if (!done) {
      left.push_back(files[i].stem());
      continue;
    }
    ++onStreams;
    const CaseVerdict verdict = judgeCase(seed, settings);
    // Every value is stored, and judged: one that only a product with 0 reads may be undecided, as what is left of an
    // element that lies next to its row's mean.
    const int64_t open = verdict.elements.judged - verdict.elements.decided;
    undecided += open > 0;
    EXPECT_LE(5000 * open, verdict.elements.judged) << files[i];
    const bool fine = verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Undecided;
    EXPECT_TRUE(fine) << files[i] << "\n" << toString(verdict) << "\n" << printCase(seed);
  }
  std::printf("%zu of %zu seeds on streams, %zu of them undecided; left:", onStreams, files.size(), undecided);
  for (const std::string& name : left) std::printf(" %s", name.c_str());
  std::printf("\n");
  EXPECT_EQ(left, std::vector<std::string>{});
  EXPECT_LE(undecided, 4u);
}

}  // namespace
}  // namespace fuser::fuzz
