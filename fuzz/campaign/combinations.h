#pragma once
// Combinations: op x dtype x rank. What no case of a campaign had cannot have been found wrong, so that a campaign
// lists which combinations it never drew, and each has a small case that can be judged directly.

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The op's name; dtype and rank of its first tensor operand, conditions aside, or of its result if it has none.
using Combination = std::array<std::string, 3>;

// Of the fusion's ops on tensors.
std::set<Combination> combinationsOf(const Fusion& fusion);

// How the operand lies in memory: as an input can (coverage_cells.h).
enum class OperandLayout : uint8_t { RowMajor, Permuted, WithGaps, Expanded, Offset, ViewOfAnInput };
inline constexpr OperandLayout kOperandLayouts[] = {OperandLayout::RowMajor, OperandLayout::Permuted,
                                                    OperandLayout::WithGaps, OperandLayout::Expanded,
                                                    OperandLayout::Offset,   OperandLayout::ViewOfAnInput};
std::string_view layoutName(OperandLayout layout);  // "with gaps"

struct Arrangement {
  OperandLayout layout = OperandLayout::RowMajor;
  std::vector<int64_t> lastSizes{};  // of the operand's last axis, a run each; empty: one run, of size 2 or 3
  int64_t mostElements = std::numeric_limits<int64_t>::max();  // of the operand; a last size with more has no run
};

// A case of one op, with such an operand, of sizes 2 and 3 but for its last one: its text. nullopt if the op takes no
// operand of the dtype, the rank or the layout, by the op table and the rules of its family, or has no last size, or
// all of them are too large.
std::optional<std::string> caseOf(const Combination& combination, const Arrangement& arrangement = {});

// All that have a case, in the order of ops, dtypes and ranks.
const std::vector<Combination>& possibleCombinations();

std::string toString(const Combination& combination);  // "Pad f32 rank 5"

}  // namespace fuser::fuzz
