#pragma once
// The cases of a campaign: those that generate() draws, and for one in kEdgeOneIn of them, at an edge: the same program
// in runs whose sizes are one below, at, or one above a number that the compiler's schedules for it have (edges.h), and
// for some of them on an invented device, so that limits of large problems are met at small sizes.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/edges/edges.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {

inline constexpr uint64_t kEdgeOneIn = 8;

enum class EdgeSide : uint8_t { Below, At, Above };
std::string_view edgeSideName(EdgeSide side);  // "below"

// An edge that a run meets.
struct EdgeMeeting {
  EdgeKind kind;
  EdgeSide side;
};

// What became of a case that was to be at an edge.
struct EdgeDraw {
  std::vector<EdgeMeeting> met;   // in the order of the runs
  std::set<EdgeKind> outOfReach;  // kinds that were tried before, and no size within the budget meets an edge of them
  // "" if an edge is met, or the case is none that is to be at one: "the compiler refuses the case", …
  std::string whyNone;
};
// All of them, in alphabetical order.
const std::vector<std::string>& allWhyNone();

// Changes the sizes of runs so that they meet an edge, and says so in the case's metadata ("edge"); mostly one of
// another size in each run, so that a program that is kept meets the next sizes, too. Leaves a case that has no edge as
// it is, or is on streams or devices, which have sizes of their own. At most a share of options.maxCaseElements in all
// tensors.
EdgeDraw moveToEdge(Case& testCase, Choices& choices, const GeneratorOptions& options);

// Case `number` of a seed as campaigns judge it: with parents a mutant for some numbers; else generateCase(), and
// moveToEdge() for one in kEdgeOneIn.
Case campaignCase(uint64_t seed, uint64_t number, const GeneratorOptions& options = {}, EdgeDraw* draw = nullptr);

}  // namespace fuser::fuzz
