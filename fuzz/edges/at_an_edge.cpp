// Draws an edge, and finds sizes that meet it.

#include "fuzz/edges/at_an_edge.h"

#include <algorithm>

#include "fuser/support/set_up_error.h"
#include "fuser/support/split_mix.h"
#include "fuzz/generate/fit_indices.h"
#include "fuzz/generate/invented_device.h"
#include "fuzz/mutate/parents.h"
#include "fuzz/worlds/world.h"

namespace fuser::fuzz {
namespace {

constexpr std::string_view kSideNames[] = {"below", "at", "above"};
constexpr EdgeSide kSides[] = {EdgeSide::Below, EdgeSide::At, EdgeSide::Above};

constexpr char kRefused[] = "the compiler refuses the case", kBroken[] = "the compiler fails",
               kNoSizes[] = "its sizes are constants, or operands", kPlaced[] = "it is on streams or devices",
               kOutOfReach[] = "no edge is in reach";

constexpr double kWeights[] = {/*warp*/ 1, /*block*/ 1, /*vector*/ 1, /*tile*/ 4, /*row*/ 6, /*grid*/ 4};
constexpr double kInvented = 0.5;        // of the cases at an edge
constexpr int64_t kShareOfElements = 8;  // a campaign's time is for many cases
constexpr size_t kTriesOfKind = 6;       // edges of a kind
constexpr int64_t kMostMultiple = 8;     // of an edge that repeats
constexpr size_t kMostChecked = 16;      // sizes of a run that are tried for an edge
constexpr int64_t kFactors[] = {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 31, 32, 33};

// The case's random numbers have nothing to do with the generator's.
constexpr uint64_t kSeed = 0xed6e;

// Finds values of sizes with which an expression of them has a value.
class SizeSolver {
 public:
  SizeSolver(const FreeSizes& sizes, int64_t mostElements, Choices& choices)
      : sizes_(sizes), mostElements_(mostElements), choices_(choices), groups_(sizes.groups()) {}
  bool canChange() const { return !groups_.empty(); }

  // One group alone, the others as they are; else another one divides the value, and the rest are 1.
  std::optional<Run> solve(const Run& run, IntExpr size, int64_t target) {
    checked_ = 0;
    const FreeSizes::Values now = sizes_.valuesIn(run);
    std::vector<size_t> own;  // groups that the size depends on
    for (size_t group = 0; group < groups_.size(); ++group) {
      if (dependsOn(size, groups_[group])) own.push_back(group);
    }
    choices_.shuffle(own);
    for (size_t group : own) {
      if (std::optional<Run> found = check(run, now, groups_[group], size, target)) return found;
    }
    for (size_t group : own) {
      for (size_t other : own) {
        if (meet(groups_[group], groups_[other])) continue;
        FreeSizes::Values values = now;
        for (size_t each : own) {
          if (!meet(groups_[group], groups_[each])) set(values, groups_[each], 1);
        }
        const size_t first = choices_.index(std::size(kFactors));
        for (size_t i = 0; i < std::size(kFactors); ++i) {
          const int64_t factor = kFactors[(first + i) % std::size(kFactors)];
          if (target % factor != 0) continue;
          set(values, groups_[other], factor);
          if (std::optional<Run> found = check(run, values, groups_[group], size, target)) return found;
        }
      }
    }
    return std::nullopt;
  }

 private:
  static bool dependsOn(IntExpr size, const std::vector<size_t>& group) {
    bool depends = false;
    forEachSymbol(size, [&](IntExpr symbol) {
      depends |= std::find(group.begin(), group.end(), static_cast<size_t>(symbol->value)) != group.end();
    });
    return depends;
  }
  static bool meet(const std::vector<size_t>& a, const std::vector<size_t>& b) {
    return std::any_of(a.begin(), a.end(), [&](size_t each) { return std::find(b.begin(), b.end(), each) != b.end(); });
  }
  static void set(FreeSizes::Values& values, const std::vector<size_t>& group, int64_t value) {
    for (size_t number : group) values[number] = value;
  }
  // A size that no i64 holds is beyond every other one.
  static int64_t valueOf(IntExpr size, const FreeSizes::Values& values) {
    try {
      return evaluate(size, [&](IntExpr symbol) { return values[static_cast<size_t>(symbol->value)]; });
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      return kRangeMax;
    }
  }

  // By bisection: sizes grow with their symbols, or there is no solution here.
  std::optional<Run> check(const Run& run, FreeSizes::Values values, const std::vector<size_t>& group, IntExpr size,
                           int64_t target) {
    int64_t low = 0, high = mostElements_;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      set(values, group, middle);
      if (valueOf(size, values) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    set(values, group, low);
    if (valueOf(size, values) != target || ++checked_ > kMostChecked) return std::nullopt;
    return sizes_.resized(run, values, mostElements_);
  }

  const FreeSizes& sizes_;
  const int64_t mostElements_;
  Choices& choices_;
  const std::vector<std::vector<size_t>> groups_;
  size_t checked_ = 0;
};

class EdgeMover {
 public:
  EdgeMover(Case& testCase, Choices& choices, const GeneratorOptions& options)
      : case_(testCase), choices_(choices), sizes_(testCase), before_(testCase.runs) {
    int64_t most = options.maxCaseElements / kShareOfElements;
    for (const Run& run : case_.runs) most = std::max(most, sizes_.elementsIn(run));
    solver_.emplace(sizes_, most, choices);
  }

  EdgeDraw move() {
    if (!solver_->canChange()) return none(kNoSizes);
    if (choices_.chance(kInvented)) invent();
    try {
      edges_ = askEdges(case_, case_.runs.front(), sizes_);
      for (EdgeKind kind : drawOrder()) {
        if (tryKind(kind)) return std::move(draw_);
      }
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      return none(kRefused);
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      return none(kBroken);  // as whoever judges the case will see
    }
    return none(kOutOfReach);
  }

 private:
  EdgeDraw none(const char* why) {
    draw_.whyNone = why;
    return std::move(draw_);
  }

  // Kinds that few schedules have come first mostly.
  std::vector<EdgeKind> drawOrder() {
    std::vector<EdgeKind> kinds;
    std::vector<double> weights(std::begin(kWeights), std::end(kWeights));
    while (kinds.size() < weights.size()) {
      const size_t kind = choices_.weighted(weights);
      kinds.push_back(allEdgeKinds()[kind].kind);
      weights[kind] = 0;
    }
    return kinds;
  }

  void invent() {
    inventDevice(case_.options, choices_);
    isInvented_ = true;
  }

  // The limits of another device may be in reach where those of the plain one are not.
  bool tryKind(EdgeKind kind) {
    if (tryEdges(kind)) return true;
    const bool isOfDevice = kind == EdgeKind::Row || kind == EdgeKind::Grid;
    if (isInvented_ || !isOfDevice) return false;
    const CompileOptions plain = case_.options;
    invent();
    const Edges others = std::exchange(edges_, askEdges(case_, case_.runs.front(), sizes_));
    if (tryEdges(kind)) return true;
    case_.options = plain;
    edges_ = others;
    isInvented_ = false;
    return false;
  }

  bool tryEdges(EdgeKind kind) {
    std::vector<Edge> own;
    std::copy_if(edges_.edges.begin(), edges_.edges.end(), std::back_inserter(own),
                 [&](const Edge& edge) { return edge.kind == kind; });
    choices_.shuffle(own);
    if (own.size() > kTriesOfKind) own.resize(kTriesOfKind);
    for (const Edge& edge : own) {
      if (tryEdge(edge)) return true;
    }
    if (!own.empty()) draw_.outOfReach.insert(kind);
    return false;
  }

  // The first run that can; then the others, on sides of their own.
  bool tryEdge(const Edge& edge) {
    std::vector<EdgeSide> sides(std::begin(kSides), std::end(kSides));
    std::string text;
    for (size_t run = 0; run < case_.runs.size(); ++run) {
      choices_.shuffle(sides);
      for (EdgeSide side : sides) {
        const int64_t number = edge.at * drawMultiple(edge, run) + static_cast<int64_t>(side) - 1;
        std::optional<Run> resized = solver_->solve(before_[run], edge.size, number);
        if (!resized) continue;
        case_.runs[run] = std::move(*resized);
        draw_.met.push_back({edge.kind, side});
        text += concat(text.empty() ? "run " : "; run ", run, ": ", sizeText(edge, sizes_), " = ", number, ", ",
                       edgeSideName(side), " ", edgeKindName(edge.kind), " ", number - static_cast<int64_t>(side) + 1);
        std::erase(sides, side);
        break;
      }
      if (sides.empty()) break;
    }
    if (draw_.met.empty()) return false;
    fitIndices(case_);
    allowShortAxes(case_, before_);
    case_.metadata.emplace_back("edge", text);
    draw_.outOfReach.erase(edge.kind);
    return true;
  }

  // The first one, the last that is full, or another.
  int64_t drawMultiple(const Edge& edge, size_t run) {
    if (!edge.repeats) return 1;
    constexpr double kWhich[] = {0.4, 0.4, 0.2};
    switch (choices_.weighted(kWhich)) {
      case 0: return 1;
      case 1: {
        const FreeSizes::Values now = sizes_.valuesIn(before_[run]);
        const int64_t size =
            evaluate(edge.size, [&](IntExpr symbol) { return now[static_cast<size_t>(symbol->value)]; });
        return std::max<int64_t>(size / edge.at, 1);
      }
      default: return choices_.integer(2, kMostMultiple);
    }
  }

  Case& case_;
  Choices& choices_;
  FreeSizes sizes_;
  const std::vector<Run> before_;
  std::optional<SizeSolver> solver_;
  Edges edges_;
  EdgeDraw draw_;
  bool isInvented_ = false;
};

}  // namespace

std::string_view edgeSideName(EdgeSide side) { return kSideNames[static_cast<size_t>(side)]; }

const std::vector<std::string>& allWhyNone() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> reasons = {kRefused, kBroken, kNoSizes, kPlaced, kOutOfReach};
    std::sort(reasons.begin(), reasons.end());
    return reasons;
  }();
  return all;
}

EdgeDraw moveToEdge(Case& testCase, Choices& choices, const GeneratorOptions& options) {
  EdgeDraw draw;
  if (testCase.fusion->hasStreams() || testCase.fusion->hasDevices()) {
    draw.whyNone = kPlaced;
    return draw;
  }
  // Device and sizes change together, or the case is as it was.
  const CompileOptions before = testCase.options;
  draw = EdgeMover(testCase, choices, options).move();
  if (!draw.whyNone.empty()) testCase.options = before;
  return draw;
}

Case campaignCase(uint64_t seed, uint64_t number, const GeneratorOptions& options, EdgeDraw* draw) {
  if (options.world) {
    Case testCase = options.world->at(number);
    testCase.options.fault = options.fault;
    return testCase;
  }
  if (options.parents) {
    if (std::optional<Case> mutant = mutantOf(*options.parents, seed, number)) {
      mutant->options.fault = options.fault;
      return std::move(*mutant);
    }
  }
  Case testCase = generateCase(seed, number, options);
  const uint64_t hash = splitMix64(splitMix64(splitMix64(seed) ^ number) ^ kSeed);
  if (hash % kEdgeOneIn != 0) return testCase;
  Choices choices(splitMix64(hash), number);
  EdgeDraw own = moveToEdge(testCase, choices, options);
  if (draw) *draw = std::move(own);
  return testCase;
}

}  // namespace fuser::fuzz
