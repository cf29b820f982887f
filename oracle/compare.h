#pragma once
// Compares the numbers of a value with accepted sets: the last step of judge(). It is separate from the computation of
// the sets, so that tests can supply their own.

#include <span>
#include <vector>

#include "oracle/interval.h"
#include "oracle/judge.h"

namespace oracle {

// Whether the set contains the number: NaN and infinities by flag, a zero by its sign.
bool contains(const Interval& set, double number);
// Whether the set is narrow enough to call an element of this dtype inside it correct
// (oracle/ORACLE.md#7-decided-and-the-verdict).
bool isDecided(const Interval& set, fuser::DataType dtype);

struct View {
  const Value* sets;
  bool wholeFusion;  // from plain intervals over the whole fusion, not from a segment's slice
};

struct Comparison {
  Counts counts;
  Margins margins{};
  int64_t outsideSlice = 0;     // elements outside a segment's slice
  bool certain = true;          // every set of the last view has one value, including its sign, and `actual` equals it
  std::vector<Mismatch> worst;  // worst first, at most maxMismatches; with index, got, accepts, distance and view
  WrongValue wrong;             // the caller sets value and segment
  std::string problem;
};

// `actual` has single-valued sets (see `exact`). An element is inside if every view accepts it, and decided if one view
// decides it. An axis along which neither memory nor sets vary counts once.
Comparison compare(const Value& actual, std::span<const View> views, size_t maxMismatches);

}  // namespace oracle
