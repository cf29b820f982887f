// The segmenter with the real schedulers on generated fusions: the same groups every time, under any options, and
// groups that name all that they need.

#include <algorithm>
#include <set>
#include <sstream>

#include "fuser/ir/clone.h"
#include "fuser/kernel/text.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/runtime/build_program.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"

namespace fuser {
namespace {

struct Segmentation {
  explicit Segmentation(const Fusion& original, SegmentCandidateFinderOptions options = {})
      : fusion(cloneFusion(original).fusion) {
    context.schedulers = &schedulers;
    context.sizes = &sizes;
    context.checkInvariants = true;
    PreSegmenter::runPass(fusion.get(), context);
    segmented = segment(*fusion, context, options);
  }

  std::unique_ptr<Fusion> fusion;
  Schedulers schedulers;
  // As for a run in which every symbol is 5: some parts are taken only when no axis is empty.
  SizeFacts sizes{[](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{5}; }); }};
  CompileContext context;
  std::unique_ptr<SegmentedFusion> segmented;
};

void checkGroups(const Segmentation& made, bool typed) {
  RC_ASSERT(findBrokenInvariants(*made.segmented) == std::vector<std::string>{});
  for (const SegmentedGroup* group : made.segmented->groups()) {
    RC_ASSERT((group->schedulerType() == SchedulerType::ExprEval) == group->isScalarGroup());
    if (typed) RC_ASSERT(group->schedulerType() != SchedulerType::None);
    if (group->isScalarGroup()) continue;  // runs where it stands: `size` of a tensor that the group does not read
    // What the group says that it reads and makes is all that a copy of it needs.
    const ClonedPart part =
        clonePart(*made.fusion, group->exprs(), group->inputs().vector(), group->outputs().vector());
    RC_ASSERT(part.inputs == group->inputs().vector());
  }
}

TEST(SegmentProperties, GroupsAreWholeAndTaken) {
  size_t groups = 0, exprs = 0, cuts = 0;
  checkProperty(600, [&](const fuzz::ArbitraryFusion& fusion) {
    const Segmentation made(*fusion);
    checkGroups(made, true);
    groups += made.segmented->groups().size();
    exprs += made.segmented->liveExprs().size();
    cuts += made.segmented->cutSegmentSets();
  });
  EXPECT_GT(cuts, 40u);
  EXPECT_LT(groups, exprs);
}

TEST(SegmentProperties, BottomUpAloneGivesWholeGroupsToo) {
  checkProperty(200, [](const fuzz::ArbitraryFusion& fusion) {
    SegmentCandidateFinderOptions options;
    options.topDown = false;
    checkGroups(Segmentation(*fusion, options), true);
  });
}

TEST(SegmentProperties, ARandomMergePredicateGivesWholeGroups) {
  checkProperty(200, [](const fuzz::ArbitraryFusion& fusion, uint32_t dice) {
    SegmentCandidateFinderOptions options;
    options.custom_should_merge_groups = [dice](const SegmentedGroup* a, const SegmentedGroup* b) {
      return ((a->exprs().front()->id() * 2654435761u + b->exprs().front()->id()) ^ dice) % 3 != 0;
    };
    checkGroups(Segmentation(*fusion, options), false);
  });
}

// The program's text with its expressions in another order that keeps values before their readers.
std::string shuffled(const std::string& text, uint32_t dice) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto isExpr = [](const std::string& line) { return line.rfind("  %", 0) == 0; };
  const auto first = std::find_if(lines.begin(), lines.end(), isExpr);
  const auto last = std::find_if_not(first, lines.end(), isExpr);
  std::vector<std::string> waiting(first, last), done;
  const auto namesIn = [](const std::string& part) {
    std::set<std::string> names;
    for (size_t at = part.find('%'); at != std::string::npos; at = part.find('%', at + 1)) {
      const size_t end = std::min(part.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", at + 1), part.size());
      names.insert(part.substr(at, end - at));
    }
    return names;
  };
  std::set<std::string> made, madeLater;
  for (const std::string& line : waiting) madeLater.merge(namesIn(line.substr(0, line.find('='))));
  while (!waiting.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < waiting.size(); ++i) {
      const std::set<std::string> read = namesIn(waiting[i].substr(waiting[i].find('=')));
      const bool free = std::all_of(read.begin(), read.end(), [&](const std::string& name) {
        return made.count(name) != 0 || madeLater.count(name) == 0;
      });
      if (free) ready.push_back(i);
    }
    dice = dice * 1664525u + 1013904223u;
    const size_t chosen = ready.at((dice >> 8) % ready.size());
    made.merge(namesIn(waiting[chosen].substr(0, waiting[chosen].find('='))));
    done.push_back(waiting[chosen]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  std::copy(done.begin(), done.end(), first);
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string segmentsOf(const Fusion& fusion, bool topDown) {
  const Schedulers schedulers;
  SizeFacts sizes([](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{5}; }); });
  CompileContext context;
  context.schedulers = &schedulers;
  context.sizes = &sizes;
  SegmentCandidateFinderOptions options;
  options.topDown = topDown;
  options.boundaryPrecision = true;
  return toString(*segment(fusion, context, options));
}

// Segments, host program and kernels of a case's first run.
std::string programText(const Case& made, const std::vector<HostValue>& inputs) {
  const auto program = buildProgram(*made.fusion, interpSettings(made), {}, inputs);
  std::string text = toString(*program->segmented) + toString(*program->host);
  for (const auto& kernel : program->kernels) text += printKernel(*kernel);
  return text;
}

TEST(SegmentProperties, TheOrderInWhichExpressionsWereBuiltDoesNotCount) {
  size_t moved = 0;
  checkProperty(300, [&](const fuzz::ArbitraryFusion& fusion, uint32_t dice) {
    const std::string text = printFusion(*fusion);
    const std::string other = shuffled(text, dice);
    moved += other != text;
    const auto one = parseFusion(text), two = parseFusion(other);
    for (bool topDown : {true, false}) RC_ASSERT(segmentsOf(*one, topDown) == segmentsOf(*two, topDown));
  });
  EXPECT_GT(moved, 100u);
}

TEST(SegmentProperties, NorDoesItForTheWholeProgram) {
  checkProperty(150, [](const fuzz::ArbitraryCase& made, uint32_t dice) {
    const RunData data = materialize(*made, made->runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    Case other = cloneCase(*made);
    other.fusion = parseFusion(shuffled(printFusion(*made->fusion), dice));
    RC_ASSERT(programText(*made, inputs) == programText(other, inputs));
  });
}

TEST(SegmentProperties, TwentyCompilationsGiveTheSameText) {
  checkProperty(40, [](const fuzz::ArbitraryCase& made) {
    const RunData data = materialize(*made, made->runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    const std::string first = programText(*made, inputs);
    std::vector<std::unique_ptr<char[]>> moved;  // so that nothing lies where it lay before
    for (size_t i = 1; i < 20; ++i) {
      for (size_t size : {24, 40, 72, 136, 520}) moved.push_back(std::make_unique<char[]>(size * i));
      RC_ASSERT(programText(*made, inputs) == first);
    }
  });
}

}  // namespace
}  // namespace fuser
