// What the programs in corpus/seeds make the compiler do: together they reach every pass, every merge rule, every
// decision of the segmenter that is counted, and every scheduler. Each seed is compiled for each of its runs, and none
// is run.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/case/functional_updates.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

using Names = std::set<std::string>;

std::vector<std::filesystem::path> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Case readCase(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return functionalCase(parseCase(text.str(), path.string()));
}

// By what the compiler may do, the seeds in which it does. The lists name what is in none, too.
class Reached {
 public:
  Reached() {
    for (const PassInfo& pass : allPasses()) seedsOf_[passKey(pass.name)];
    for (const char* rule : {
#define RULE(NAME, WHEN, SUMMARY, FILE) #NAME,
#include "fuser/segment/merge_rules.def"
#undef RULE
         }) {
      seedsOf_[ruleKey(rule)];
    }
    for (const SchedulerInfo& scheduler : allSchedulers()) seedsOf_[schedulerKey(scheduler.name)];
    note(SegmentCounters{}, "");
    for (const char* what : {kReadItem, kSharedScalar, kReturnedScalar}) seedsOf_[what];
  }

  // Adds the seed where the compiler does so for the run's sizes.
  void compile(const std::string& seed, const Case& testCase, const Run& run) {
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    AfterPass notePasses([&](std::string_view pass, const Fusion&, bool modified) {
      if (modified && pass != PreSegmenter::name()) seedsOf_.at(passKey(pass)).insert(seed);
    });
    AfterDecisions noteDecisions([&](const SegmentDecisions& decisions) { note(decisions.counters(), seed); });
    AfterSegment noteSegments([&](const auto& segmented) { note(*segmented, seed); });
    settings.context.observers = {&notePasses, &noteDecisions, &noteSegments};
    const RunData data = materialize(testCase, run);
    const std::vector<HostValue> inputs = hostValues(data);
    std::vector<InputLayout> layouts;
    for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
    buildProgram(*testCase.fusion, settings, layouts, inputs);
  }

  const std::map<std::string, Names>& all() const { return seedsOf_; }

 private:
  static std::string passKey(std::string_view name) { return concat("pass ", name); }
  static std::string ruleKey(std::string_view name) { return concat("merge rule ", name); }
  static std::string schedulerKey(std::string_view name) { return concat("scheduler ", name); }

  void note(const SegmentCounters& counters, const std::string& seed) {
    const auto add = [&](const std::string& key, size_t count) {
      Names& names = seedsOf_[key];
      if (count > 0) names.insert(seed);
    };
    add("top-down: a piece taken whole", counters.accepted);
    add("top-down: a piece shattered", counters.pieces - counters.accepted);
    add("segment_set that is a cut", counters.cutSegmentSets);
    add("segment_set that is not a cut", counters.uncutSegmentSets);
    add("input forwarded", counters.forwarded);
    add("cheap producer privatised", counters.privatized);
    add("privatisation undone", counters.privatizationsUndone);
    add("boundary narrowed", counters.narrowed);
    for (const auto& [rule, count] : counters.merges) add(ruleKey(rule), count);
  }

  void note(const SegmentedFusion& segmented, const std::string& seed) {
    for (const SegmentedGroup* group : segmented.groups()) {
      seedsOf_[schedulerKey(schedulerTypeName(group->schedulerType()))].insert(seed);
      if (!group->isScalarGroup()) continue;
      for (const Expr* expr : group->exprs()) {
        const Val* scalar = expr->output();
        if (expr->op() == OpKind::Item) seedsOf_[kReadItem].insert(seed);
        if (scalar->isFusionOutput()) seedsOf_[kReturnedScalar].insert(seed);
        const auto takes = [&](const SegmentedEdgePtr& edge) { return edge->val() == scalar; };
        const std::vector<SegmentedEdgePtr>& edges = group->consumerEdges();
        if (std::count_if(edges.begin(), edges.end(), takes) > 1) seedsOf_[kSharedScalar].insert(seed);
      }
    }
  }

  static constexpr const char* kReadItem = "host scalar: item of a tensor on the host";
  static constexpr const char* kSharedScalar = "host scalar: taken by several segments";
  static constexpr const char* kReturnedScalar = "host scalar: returned";
  std::map<std::string, Names> seedsOf_;
};

TEST(SeedCoverageTest, EveryPassMergeRuleDecisionAndSchedulerIsReachedBySomeSeed) {
  Reached reached;
  for (const std::filesystem::path& path : seeds()) {
    const Case testCase = readCase(path);
    for (const fuser::Run& run : testCase.runs) reached.compile(path.stem().string(), testCase, run);
  }
  for (const auto& [what, names] : reached.all()) {
    EXPECT_FALSE(names.empty()) << "no seed reaches: " << what;
  }
}

}  // namespace
}  // namespace fuser
