#pragma once
// Edges: the sizes at which the kernels of a case change, or another program is chosen, as the compiler that chose them
// says: the numbers that its heuristics compared sizes with, and the factors, bounds and threads of its schedules. So
// nothing here knows a heuristic.
//
//   softmax over rows of 33 in blocks of 32 x 4 threads -> persistent limit: i1 at 32, at 64; block: i1 at 32, i0 at 4;
//   …

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/edges/free_sizes.h"

namespace fuser::fuzz {

// What is full at an edge. Warp, Block: of threads; Vector: elements that a thread moves at once; Tile: turns of a loop
// of constant extent; Row: what a block keeps on chip (persistent limit); Grid: blocks along an axis, as a device has
// room for or as the heuristics want them.
enum class EdgeKind : uint8_t { Warp, Block, Vector, Tile, Row, Grid };
struct EdgeKindInfo {
  EdgeKind kind;
  std::string_view name;  // "persistent limit"
};
std::span<const EdgeKindInfo> allEdgeKinds();
std::string_view edgeKindName(EdgeKind kind);

struct Edge {
  EdgeKind kind;
  IntExpr size;  // over the symbols of Edges::ints: the case's free sizes, by number
  int64_t at;    // in elements, or blocks: the last size on this side, if it does not repeat
  bool repeats;  // multiples of it are edges, too
};

// In order of kind, of the size's text, and of `at`; each once.
struct Edges {
  std::shared_ptr<IntExprArena> ints;
  std::vector<Edge> edges;
};

// Compiles the case for a run, without an engine: passes, segments, schedules, lowering. `sizes` is of the case. Edges
// of sizes that the runs do not say (those of computed scalars) are left out. A UserError if the compiler refuses the
// case; any exception of the compiler.
Edges askEdges(const Case& testCase, const Run& run, const FreeSizes& sizes);

// The size: "(i0 * i1)".
std::string sizeText(const Edge& edge, const FreeSizes& sizes);
// "vector: i1 at multiples of 8" of one that repeats, "persistent limit: i1 at 64" of one that does not.
std::string toString(const Edge& edge, const FreeSizes& sizes);

}  // namespace fuser::fuzz
