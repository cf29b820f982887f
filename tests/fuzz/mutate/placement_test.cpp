// Streams, devices, memory and layouts under mutations: these reach all they name, in cases that run, and what else a
// mutation changes of a case keeps what belongs to it.

#include "fuzz/edit/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "fuser/case/functional_updates.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutate.h"
#include "tests/fuzz/edit/placed/placed.h"

namespace fuser::fuzz {
namespace {

TEST(SpliceTest, ASplicedProgramKeepsItsMetadata) {
  Case donor = parseCase(R"(fusion g(%x: f32[i0, i1]) {
  %a = exp(%x)
  return %a
}
mesh {devices = [1, 0]}
shard %a {dim = 1, type = DIDx}
run { %x = normal(seed = 1) : f32[6, 4] }
)",
                         "donor");
  const Case base = parseCase(
      "fusion f(%x: f64[i0]) { %y = exp(%x) return %y }\n"
      "run { %x = normal(seed = 1) : f64[3] }\n",
      "base");
  CaseEdit edit = editForMutation(base);
  const CaseEdit other = editForMutation(donor);
  Choices choices(1, 1);
  ASSERT_TRUE(mutateSplice(edit, &other, choices));
  const std::string text = printCase(finishMutant(edit));
  EXPECT_NE(text.find("mesh {devices = [1, 0]}\nshard %d_a {dim = 1, type = DIDx}\n"), std::string::npos) << text;
}

// --- the mutations of these ---

struct Tally {
  int cases = 0, changed = 0, ran = 0;
  std::set<std::string> seen;  // what came about
};

// Runs through a cache as a campaign's case does. False where a run is rejected.
bool runsThrough(const Case& written) {
  try {
    const Case testCase = functionalCase(written);
    FusionExecutorCache cache(cloneFusion(*testCase.fusion).fusion, settingsOf(testCase));
    for (const Run& run : testCase.runs) {
      const RunData data = materialize(testCase, run);
      const std::vector<HostValue> inputs = hostValues(data);
      const OutputMemory memory = outputMemory(testCase, inputs);
      cache.run(inputs, memory.refs);
    }
    return true;
  } catch (const UserError&) {
    return false;
  }
}

// Lines that begin with a word, before and after.
std::vector<std::string> linesOf(const std::string& text, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(word, 0) == 0) found.push_back(line);
  }
  return found;
}

void note(const std::string& before, const std::string& after, const std::string& word, Tally& tally) {
  const std::vector<std::string> was = linesOf(before, word), is = linesOf(after, word);
  if (is.size() > was.size()) tally.seen.insert(word + " more");
  if (is.size() < was.size()) tally.seen.insert(word + " fewer");
  if (is.size() == was.size() && is != was) tally.seen.insert(word + " other");
}

// Each case goes through several mutations of one kind: what the first gives is there for the next to change.
Tally mutateMuch(std::string_view name, const std::vector<std::string>& words, int (*judged)(uint64_t number)) {
  const auto all = allMutations();
  const auto mutation = std::find_if(all.begin(), all.end(), [&](const Mutation& each) { return each.name == name; });
  Tally tally;
  for (uint64_t number = 0; number < 90; ++number) {
    Choices choices(21, number);
    Case testCase = generateCase(22, number);
    for (int step = 0; step < 5; ++step) {
      CaseEdit edit = editForMutation(testCase);
      const std::string before = printCase(finishMutant(edit));
      if (!mutation->apply(edit, nullptr, choices)) continue;
      testCase = finishMutant(edit);
      const std::string after = printCase(testCase);
      EXPECT_EQ(printCase(parseCase(after, "mutated")), after);
      ++tally.cases;
      tally.changed += before != after;
      for (const std::string& word : words) note(before, after, word, tally);
    }
    if (judged(number)) tally.ran += runsThrough(testCase);
  }
  return tally;
}

int every(uint64_t) { return 1; }
int everyThird(uint64_t number) { return number % 3 == 0; }

TEST(ChangeStreamsTest, AddsRemovesAndMovesStreamAxesInValidCases) {
  const Tally tally = mutateMuch("ChangeStreams", {"stream"}, every);
  EXPECT_EQ(tally.seen, (std::set<std::string>{"stream more", "stream fewer", "stream other"}));
  EXPECT_GE(tally.cases, 150);
  EXPECT_GE(tally.changed, tally.cases * 9 / 10);
  EXPECT_GE(tally.ran, 57) << "of 60";
}

TEST(ChangeMemoryTest, AddsRemovesAndChangesMemoryInValidCases) {
  const Tally tally = mutateMuch("ChangeMemory", {"preallocate", "alias"}, every);
  EXPECT_EQ(tally.seen, (std::set<std::string>{"preallocate more", "preallocate fewer", "preallocate other",
                                               "alias more", "alias fewer"}));
  EXPECT_GE(tally.cases, 150);
  EXPECT_GE(tally.changed, tally.cases * 9 / 10);
  EXPECT_GE(tally.ran, 57) << "of 60";
}

TEST(ChangeDevicesTest, AddsRemovesAndMovesDevicesInValidCases) {
  const Tally tally = mutateMuch("ChangeDevices", {"mesh {", "mesh %", "shard"}, everyThird);
  EXPECT_EQ(tally.seen,
            (std::set<std::string>{"mesh { more", "mesh { fewer", "mesh { other", "mesh % more", "mesh % fewer",
                                   "mesh % other", "shard more", "shard fewer", "shard other"}));
  EXPECT_GE(tally.cases, 150);
  EXPECT_GE(tally.changed, tally.cases * 9 / 10);
  EXPECT_GE(tally.ran, 18) << "of 20";
}

// Other mutations of cases that have these leave a case that runs as often as a plain one does.
TEST(MutateTest, CasesOnStreamsAndDevicesAndWithMemoryStayCases) {
  std::map<What, int> kept, runs, tried;
  for (uint64_t number = 0; number < 300; ++number) {
    const What what = kAll[number % std::size(kAll)];
    Choices choices(31, number);
    Case testCase = generateCase(32, number);
    if (!give(testCase, what, choices)) continue;
    ++tried[what];
    for (int step = 0; step < 3; ++step) testCase = mutate(testCase, choices).testCase;
    const bool streams = testCase.fusion->hasStreams(), memory = !testCase.preallocated.empty();
    switch (what) {
      case What::Plain: ++kept[what]; break;
      case What::Streams: kept[what] += streams; break;
      case What::Memory: kept[what] += memory; break;
      case What::StreamsAndMemory: kept[what] += streams && memory; break;
      case What::Devices: kept[what] += testCase.fusion->hasDevices(); break;
    }
    runs[what] += runsThrough(testCase);
  }
  for (What what : kAll) {
    EXPECT_GE(kept[what], tried[what] * 6 / 10) << static_cast<int>(what);
    EXPECT_GE(runs[what], tried[what] * 7 / 10) << static_cast<int>(what);
  }
}

}  // namespace
}  // namespace fuser::fuzz
