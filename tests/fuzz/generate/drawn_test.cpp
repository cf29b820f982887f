// What the generator draws: each op at each rank, and along all axes at once where an op takes several. A crash of
// `pad` from five axes on stayed unseen in every campaign, because no case padded more than two.

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "fuzz/generate/generate.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

// The ranks of its operand that an op takes; of its result where it has none.
bool takes(OpKind op, size_t rank) {
  switch (opInfo(op).family) {
    case Family::Range: return rank == 1;
    case Family::Eye: return rank == 2;
    case Family::Broadcast: return rank < kMaxRank;
    case Family::Permute: return rank > 1;
    case Family::Unfold: return rank > 0 && rank < kMaxRank;
    case Family::Squeeze:
    case Family::Slice:
    case Family::Pad:
    case Family::Cat:
    case Family::Select:
    case Family::Scan:
    case Family::SliceScatter:
    case Family::Gather:
    case Family::Scatter:
    case Family::Flip: return rank > 0;
    default: return true;
  }
}

// How many axes an op that takes a list of them works along.
std::optional<size_t> axesOf(const Expr& expr) {
  switch (expr.family()) {
    case Family::Pad: return expr.attributes().pad().size() / 2;
    case Family::Flip:
    case Family::Reduction:
    case Family::ExtremeIndex:
    case Family::Welford: return expr.attributes().dims().size();
    default: return std::nullopt;
  }
}

TEST(DrawnTest, EachOpMeetsEachRankAndAllAxes) {
  const uint64_t cases = inFull() ? 60000 : 20000;
  std::map<OpKind, std::set<size_t>> ranks, whole;  // whole: along all axes
  for (uint64_t number = 0; number < cases; ++number) {
    const Case testCase = generateCase(3, number);
    for (const Expr* expr : testCase.fusion->exprs()) {
      if (expr->isScalarExpr()) continue;
      const bool reads = !expr->inputs().empty() && expr->input(0)->isTensor();
      const size_t rank = (reads ? expr->input(0) : expr->output())->as<TensorView>()->rank();
      ranks[expr->op()].insert(rank);
      if (axesOf(*expr) == rank && rank > 0) whole[expr->op()].insert(rank);
    }
  }
  std::vector<std::string> missing;
  for (const auto& [op, drawn] : ranks) {
    for (size_t rank = 0; rank <= kMaxRank; ++rank) {
      if (!takes(op, rank)) continue;
      EXPECT_TRUE(drawn.count(rank)) << "no case has " << opName(op) << " at rank " << rank;
      const bool needsWhole = rank > 0 && whole.count(op) != 0;
      if (needsWhole && !whole[op].count(rank)) missing.push_back(concat(opName(op), " along all of ", rank, " axes"));
    }
  }
  EXPECT_LE(missing.size(), inFull() ? 0u : 5u) << ::testing::PrintToString(missing);
}

}  // namespace
}  // namespace fuser::fuzz
