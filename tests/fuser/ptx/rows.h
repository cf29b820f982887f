#pragma once
// Rows of the table of instructions on operands that a test names.

#include <cmath>
#include <vector>

#include "fuser/ptx/definedness.h"
#include "fuser/support/check.h"

namespace fuser::ptx {

using RowOperands = std::array<uint64_t, 4>;
using Wide = __int128;

inline Wide integerOf(Type type, uint64_t bits) {
  const bool isNegative = typeInfo(type).reading == Reading::Signed && (bits >> (bitsOf(type) - 1) & 1) != 0;
  return Wide{bits} - (isNegative ? Wide{1} << bitsOf(type) : 0);
}

// Any NaN is every NaN; the zeros are two.
inline bool isSame(double a, double b) { return b != b ? a != a : a == b && std::signbit(a) == std::signbit(b); }

inline const Row& rowNamed(std::string_view opcode, Approximation approximation = Approximation::Nearest) {
  const Row* row = rowOf(opcode, approximation);
  FUSER_CHECK(row, "no row ", opcode);
  return *row;
}

// Its results, in the order of the operands.
inline std::vector<uint64_t> resultsOf(const Row& row, const std::vector<RowOperands>& all) {
  std::vector<uint64_t> results;
  LaneBuffer operands[4], result;
  const void* in[4];
  for (size_t i = 0; i < 4; ++i) in[i] = operands[i].bytes;
  for (size_t first = 0; first < all.size(); first += kLanes) {
    const size_t lanes = std::min(all.size() - first, size_t{kLanes});
    for (size_t i = 0; i < static_cast<size_t>(row.count); ++i) {
      for (size_t lane = 0; lane < lanes; ++lane)
        setLane(operands[i].bytes, laneBytes(row.operands[i]), static_cast<int>(lane), all[first + lane][i]);
    }
    runRow(row, result.bytes, in);
    for (size_t lane = 0; lane < lanes; ++lane)
      results.push_back(laneOf(result.bytes, laneBytes(row.result), static_cast<int>(lane)));
  }
  return results;
}
inline uint64_t resultOf(std::string_view opcode, const RowOperands& operands) {
  return resultsOf(rowNamed(opcode), {operands})[0];
}

}  // namespace fuser::ptx
