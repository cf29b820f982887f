// The barriers of a kernel are needed: without one, interp reports a race.

#include <gtest/gtest.h>

#include <filesystem>

#include "fuser/case/functional_updates.h"
#include "fuser/execute/engine.h"
#include "fuser/ir/clone.h"
#include "fuser/kernel/text.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/generate/generate.h"
#include "fuzz/views/random_schedule.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuzz/views/other_sizes.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

// Calls visit(body, place) for each barrier, in order.
template <class Visit>
void forEachBarrier(Body& body, const Visit& visit) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (std::holds_alternative<Barrier>(body[i].node)) visit(body, i);
    if (For* loop = std::get_if<For>(&body[i].node)) forEachBarrier(loop->body, visit);
    if (If* branch = std::get_if<If>(&body[i].node)) forEachBarrier(branch->body, visit);
  }
}

struct Ran {
  size_t barriers = 0, shared = 0, ofGrid = 0, workspaces = 0, partials = 0;
  std::string violation, kernels;
};

bool isRace(const Ran& ran) { return ran.violation.find("race") != std::string::npos; }

// Runs the case's first run without the barrier of that number, counted over all its kernels; all are kept by default.
Ran runWithout(const Case& testCase, size_t removed = ~size_t{0}) {
  Ran ran;
  AfterLower removing([&](int, Kernel& kernel) {
    for (const Buffer& buffer : kernel.buffers) {
      ran.shared += buffer.memory == MemoryType::Shared;
      const Expr* maker = buffer.source ? buffer.source->definition() : nullptr;
      ran.partials += buffer.memory == MemoryType::Local && maker && isReduction(maker->op()) && buffer.size->value > 1;
    }
    for (const Workspace& workspace : kernel.workspaces) ran.workspaces += workspace.kind == Workspace::Kind::Scratch;
    std::vector<std::pair<Body*, size_t>> places;
    forEachBarrier(kernel.body, [&](Body& body, size_t place) {
      places.emplace_back(&body, place);
      ran.ofGrid += std::get<Barrier>(body[place].node).ofGrid();
    });
    ran.kernels += printKernel(kernel);
    for (const auto& [body, place] : places) {
      if (ran.barriers++ == removed) body->erase(body->begin() + static_cast<ptrdiff_t>(place));
    }
  });
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.options.engine = EngineKind::Interp;
  settings.context.observers.push_back(&removing);
  settings.verifyKernels = removed == ~size_t{0};  // else the verifier, too, says that buffers may be in use at once
  const RunData data = materialize(testCase, testCase.runs.front());
  try {
    FusionExecutorCache(cloneFusion(*testCase.fusion).fusion, settings).run(hostValues(data));
  } catch (const ViolationError& error) {
    ran.violation = error.what();
  }
  return ran;
}

enum class AtOtherSizes : uint8_t { Rejected, Agrees, Race };

AtOtherSizes runAtOtherSizes(const Case& testCase, size_t removed, uint64_t draw) {
  const Case other = atOtherSizes(testCase, draw);
  try {
    return isRace(runWithout(other, removed)) ? AtOtherSizes::Race : AtOtherSizes::Agrees;
  } catch (const UserError&) {
    return AtOtherSizes::Rejected;  // sizes that do not fit the program or the schedule
  }
}

struct Tally {
  size_t schedules = 0, shared = 0, ofGrid = 0, workspaces = 0, partials = 0, barriers = 0, atOwnSizes = 0,
         atOthers = 0, ofOneSize = 0, superfluous = 0;
};

// A barrier is superfluous if no sizes that the program takes show a race without it.
void removeEach(const Case& testCase, Tally& tally) {
  constexpr uint64_t kDraws = 20;
  const Ran whole = runWithout(testCase);
  EXPECT_EQ(whole.violation, "") << printCase(testCase);
  tally.shared += whole.shared;
  tally.ofGrid += whole.ofGrid;
  tally.workspaces += whole.workspaces;
  tally.partials += whole.partials;
  tally.barriers += whole.barriers;
  for (size_t removed = 0; removed < whole.barriers; ++removed) {
    if (isRace(runWithout(testCase, removed))) {
      ++tally.atOwnSizes;
      continue;
    }
    std::map<AtOtherSizes, size_t> seen;
    for (uint64_t draw = 0; draw < kDraws && seen[AtOtherSizes::Race] == 0; ++draw) {
      ++seen[runAtOtherSizes(testCase, removed, draw)];
    }
    tally.atOthers += seen[AtOtherSizes::Race];
    tally.ofOneSize += seen[AtOtherSizes::Rejected] == kDraws;
    const bool superfluous = seen[AtOtherSizes::Race] == 0 && seen[AtOtherSizes::Rejected] < kDraws;
    tally.superfluous += superfluous;
    if (superfluous && std::getenv("FUSER_SHOW_BARRIERS"))
      std::printf("# barrier %zu is superfluous\n%s", removed, printCase(testCase).c_str());
  }
}

// FUSER_FULL=1 takes all 2,000 cases.
TEST(BarriersTest, WithoutABarrierInterpReportsARace) {
  const uint64_t count = inFull() ? 2000 : 60;
  GeneratorOptions small;
  small.medianElements = 128;
  // The shares below are of the sample without them.
  small.exclude = {OpKind::Update, OpKind::SliceScatter, OpKind::Gather, OpKind::Scatter, OpKind::ScatterAdd,
                   OpKind::Argmax, OpKind::Argmin,       OpKind::Philox, OpKind::Cond,    OpKind::Bitcast};
  Tally tally;
  for (uint64_t number = 0; number < count; ++number) {
    const Case testCase = generateCase(21, number, small);
    if (testCase.fusion->hasStreams() || testCase.fusion->hasDevices()) continue;
    for (uint64_t draw = 0; draw < 3; ++draw) {
      const std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, draw);
      if (!schedules) continue;
      ++tally.schedules;
      Case other = cloneCase(testCase);
      other.segmentSchedules = *schedules;
      removeEach(other, tally);
    }
  }
  std::printf(
      "%zu schedules, %zu buffers in shared memory, %zu workspaces, %zu accumulators with partial results, %zu "
      "barriers, %zu of them of the grid: %zu races at the case's sizes, %zu at others, "
      "%zu of programs that take no other sizes, %zu superfluous\n",
      tally.schedules, tally.shared, tally.workspaces, tally.partials, tally.barriers, tally.ofGrid, tally.atOwnSizes,
      tally.atOthers, tally.ofOneSize, tally.superfluous);
  // Each is in one schedule of so many.
  EXPECT_GT(tally.shared * 5, tally.schedules);
  EXPECT_GT(tally.workspaces * 20, tally.schedules);
  EXPECT_GT(tally.ofGrid * 25, tally.schedules);
  EXPECT_GT(tally.partials * 50, tally.schedules);
  EXPECT_GT(tally.atOwnSizes + tally.atOthers, 20u);
  EXPECT_LT(tally.ofOneSize * 5, tally.barriers);
  // Indices that divide a sum and take it together again, or the one element of an axis, can hide that a thread meets
  // its own elements alone. 4.6 to 6.3 % in samples of five seeds.
  EXPECT_LE(tally.superfluous * 15, tally.barriers);
}

// At the sizes of its last run, each barrier of a seed's kernels separates threads that meet.
TEST(BarriersTest, NoBarrierOfASeedIsSuperfluous) {
  size_t barriers = 0;
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") seeds.push_back(entry.path());
  }
  std::sort(seeds.begin(), seeds.end());
  for (size_t i = 0; i < seeds.size(); i += sampleStep(4)) {
    const std::filesystem::path& path = seeds[i];
    Case testCase = functionalCase(parseCase(readFusionFile(path.string()), path.string()));
    if (testCase.fusion->hasDevices()) continue;
    testCase.runs.erase(testCase.runs.begin(), testCase.runs.end() - 1);
    const Ran whole = runWithout(testCase);
    EXPECT_EQ(whole.violation, "") << path;
    barriers += whole.barriers;
    for (size_t removed = 0; removed < whole.barriers; ++removed) {
      EXPECT_TRUE(isRace(runWithout(testCase, removed))) << path << ", barrier " << removed;
    }
  }
  EXPECT_GT(barriers, 5u);
}

}  // namespace
}  // namespace fuser::fuzz
