// Streams, devices, memory and layouts under mutations: a draft that nothing edits is the case again; what a mutation
// leaves of a case keeps what belongs to it; and the mutations of these reach all they name, in cases that run.

#include "fuzz/mutate/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "fuser/ir/clone.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/arbitrary_fusion.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/preallocated.h"
#include "fuzz/generate/streams.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

// What a draft says of expectations, and without what a case carries along.
std::string textOf(const Case& testCase) {
  Case plain = cloneCase(testCase);
  plain.metadata.clear();
  for (Run& run : plain.runs) run.expectation = Expectation::AgreesOrRejected;
  return printCase(plain);
}

enum class What : uint8_t { Plain, Streams, Memory, StreamsAndMemory, Devices };
constexpr What kAll[] = {What::Plain, What::Streams, What::Memory, What::StreamsAndMemory, What::Devices};

// The case with what it has not yet; false where it can have none of it.
bool give(Case& testCase, What what, Choices& choices) {
  switch (what) {
    case What::Plain: return true;
    case What::Streams: return spreadOverStreams(testCase, choices);
    case What::Memory: return preallocateOutputs(testCase, choices);
    case What::StreamsAndMemory: return spreadOverStreams(testCase, choices) && preallocateOutputs(testCase, choices);
    case What::Devices: return spreadOverDevices(testCase, choices);
  }
  return false;
}

RC_GTEST_PROP(DraftTest, AnUneditedDraftIsTheCaseWithAllThatBelongsToIt, (const ArbitraryCase& generated)) {
  for (What what : kAll) {
    Case testCase = cloneCase(*generated);
    Choices choices(*rc::gen::arbitrary<uint32_t>(), 0);
    if (!give(testCase, what, choices)) continue;
    RC_ASSERT(printCase(finish(draftOf(testCase))) == textOf(testCase));
  }
}

TEST(DraftTest, AnUneditedDraftOfACampaignsCaseIsTheCase) {
  std::map<What, int> given;
  int layouts = 0;
  for (uint64_t number = 0; number < 300; ++number) {
    const What what = kAll[number % std::size(kAll)];
    Case testCase = generateCase(1, number);
    Choices choices(2, number);
    given[what] += give(testCase, what, choices);
    const std::string text = textOf(testCase);
    layouts += text.find("] {allocation_order") != std::string::npos;
    EXPECT_EQ(printCase(finish(draftOf(testCase))), text);
  }
  for (What what : kAll) EXPECT_GE(given[what], 30) << static_cast<int>(what);
  EXPECT_GE(layouts, 20);
}

TEST(DraftTest, WhatTheMutationLeavesKeepsItsPlace) {
  const Case testCase = parseCase(R"(fusion f(%x: f32[i0, i1], %w: f32[i0, i1] {allocation_order = [1, 0]}) {
  %a = exp(%x) : f32[i0, i1]
  %b = neg(%a) : f32[i0, i1] {allocation_order = [1, 0]}
  %c = sum(%b) {dims = [1]} : f32[i0]
  %v = permute(%x) {dims = [1, 0]} : f32[i1, i0] {view = true}
  return %b, %c, %v
}
alias %b -> %w
stream %a {dim = 1}
stream %c {dim = 0}
preallocate %c {gaps = [2], offset = 1}
run { %x = normal(seed = 1) : f32[6, 4]  %w = normal(seed = 2) : f32[6, 4] }
)", "test");
  Draft draft = draftOf(testCase);
  EXPECT_EQ(printCase(finish(draft)), textOf(testCase));
  // %a is gone; %c has an axis more, and two of another size.
  draft.lines[0].results = {"other"};
  draft.lines[1].operands = {"other"};
  draft.lines[2] = {{"c"}, OpKind::Exp, {"b"}};
  const std::string text = printCase(finish(draft));
  EXPECT_EQ(text.find("stream"), std::string::npos) << text;
  EXPECT_NE(text.find("preallocate %c {offset = 1}\n"), std::string::npos) << text;
  EXPECT_NE(text.find("alias %b -> %w\n"), std::string::npos) << text;
  EXPECT_NE(text.find("%b = neg(%other) : f32[i0, i1] {allocation_order = [1, 0]}"), std::string::npos) << text;
  EXPECT_NE(text.find("{view = true}"), std::string::npos) << text;
  // The input is returned; the view is of what is no input or output.
  draft.outputs.push_back("w");
  draft.lines[3].operands = {"other"};
  const std::string less = printCase(finish(draft));
  EXPECT_EQ(less.find("alias"), std::string::npos) << less;
  EXPECT_EQ(less.find("view"), std::string::npos) << less;
}

TEST(DraftTest, WhatRunsOrExpressionsDoNotSuitIsLeftOut) {
  const std::string program = R"(fusion f(%x: f32[i0, i1]) {
  %a = exp(%x) : f32[i0, i1]
  %b = neg(%a) : f32[i0, i1]
  return %b
}
)";
  const auto finished = [&](const std::string& settings, const std::string& sizes) {
    Draft draft =
        draftOf(parseCase(program + settings + "run { %x = normal(seed = 1) : f32[" + sizes + "] }\n", "test"));
    return printCase(finish(draft));
  };
  const std::string devices = "mesh {devices = [0, 1]}\nmesh %b {devices = [1]}\n",
                    shards = "shard %a {dim = 0, type = DIDx}\n";
  EXPECT_NE(finished(devices + shards, "6, 4").find(devices + shards), std::string::npos);
  EXPECT_NE(finished(devices + shards, "5, 4").find(devices + "run"), std::string::npos);
  EXPECT_NE(finished("stream %a {dim = 0}\n", "16, 4").find("stream %a {dim = 0}\n"), std::string::npos);
  EXPECT_EQ(finished("stream %a {dim = 0}\n", "17, 4").find("stream"), std::string::npos);
  Draft draft = draftOf(parseCase(program + devices + "run { %x = normal(seed = 1) : f32[6, 4] }\n", "test"));
  draft.mesh = DeviceMesh({0});
  draft.preallocated.push_back({"b", {}, {}, 0});
  const std::string text = printCase(finish(draft));
  EXPECT_NE(text.find("mesh {devices = [0]}\nrun"), std::string::npos) << text;
}

TEST(DraftTest, MemoryFollowsAnOutputThatALineIsPutBehind) {
  Draft draft = draftOf(parseCase(
      "fusion f(%x: f32[i0]) { %y = exp(%x) %z = neg(%y) return %y, %z }\npreallocate %y\nalias %z -> %x\n", "test"));
  draft.insertBehind(*draft.find("y"), {{"s"}, OpKind::Set, {"y"}});
  draft.insertBehind({"z", true, DataType::Float, 1, 3}, {{"t"}, OpKind::Set, {"z"}});
  const std::string text = printCase(finish(draft));
  EXPECT_NE(text.find("preallocate %s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("alias %t -> %x\n"), std::string::npos) << text;
}

TEST(DraftTest, ASplicedProgramBringsWhatBelongsToIt) {
  Case donor = parseCase(R"(fusion g(%x: f32[i0, i1]) {
  %a = exp(%x)
  return %a
}
mesh {devices = [1, 0]}
shard %a {dim = 1, type = DIDx}
run { %x = normal(seed = 1) : f32[6, 4] }
)", "donor");
  const Case base = parseCase(
      "fusion f(%x: f64[i0]) { %y = exp(%x) return %y }\n"
      "run { %x = normal(seed = 1) : f64[3] }\n",
      "base");
  Draft draft = draftOf(base);
  const Draft other = draftOf(donor);
  Choices choices(1, 1);
  ASSERT_TRUE(mutateSplice(draft, &other, choices));
  const std::string text = printCase(finish(draft));
  EXPECT_NE(text.find("mesh {devices = [1, 0]}\nshard %d_a {dim = 1, type = DIDx}\n"), std::string::npos) << text;
}

// --- the mutations of these ---

struct Tally {
  int cases = 0, changed = 0, ran = 0;
  std::set<std::string> seen;  // what came about
};

// Runs through a cache as a campaign's case does. False where a run is rejected.
bool runsThrough(const Case& testCase) {
  try {
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
  for (uint64_t number = 0; number < 60; ++number) {
    Choices choices(21, number);
    Case testCase = generateCase(22, number);
    for (int step = 0; step < 5; ++step) {
      Draft draft = draftOf(testCase);
      const std::string before = printCase(finish(draft));
      if (!mutation->apply(draft, nullptr, choices)) continue;
      testCase = finish(draft);
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

TEST(ChangeStreamsTest, AxesComeGoAndMoveInCasesThatRun) {
  const Tally tally = mutateMuch("ChangeStreams", {"stream"}, every);
  EXPECT_EQ(tally.seen, (std::set<std::string>{"stream more", "stream fewer", "stream other"}));
  EXPECT_GE(tally.cases, 150);
  EXPECT_GE(tally.changed, tally.cases * 9 / 10);
  EXPECT_GE(tally.ran, 57) << "of 60";
}

TEST(ChangeMemoryTest, MemoryComesGoesAndIsAnotherInCasesThatRun) {
  const Tally tally = mutateMuch("ChangeMemory", {"preallocate", "alias"}, every);
  EXPECT_EQ(tally.seen, (std::set<std::string>{"preallocate more", "preallocate fewer", "preallocate other",
                                               "alias more", "alias fewer"}));
  EXPECT_GE(tally.cases, 150);
  EXPECT_GE(tally.changed, tally.cases * 9 / 10);
  EXPECT_GE(tally.ran, 57) << "of 60";
}

TEST(ChangeDevicesTest, DevicesAndPartsComeGoAndMoveInCasesThatRun) {
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
  for (uint64_t number = 0; number < 100; ++number) {
    const What what = kAll[number % std::size(kAll)];
    Choices choices(31, number);
    Case testCase = generateCase(32, number);
    if (!give(testCase, what, choices)) continue;
    ++tried[what];
    for (int step = 0; step < 3; ++step) testCase = mutate(testCase, choices).made;
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
