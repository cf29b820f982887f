#pragma once
// Holds the numbers of a value against accepted sets: the last step of judge(), apart from how the sets came about, so
// that tests give it sets of their own.

#include <span>
#include <vector>

#include "oracle/interval.h"
#include "oracle/judge.h"

namespace oracle {

// Whether the set holds the number: NaN and infinities by flag, a zero by its sign.
bool contains(const Interval& set, double number);
// Whether the set is narrow enough to say that an element of this dtype inside it is right
// (oracle/ORACLE.md#7-decided-and-the-verdict).
bool isDecided(const Interval& set, fuser::DataType dtype);

struct View {
  const Value* sets;
  bool wholeFusion;  // plain intervals, not the slice of a segment
};

struct Comparison {
  Counts counts;
  Margins margins{};
  int64_t outsideSlice = 0;     // outside a view that is a segment's slice
  bool certain = true;          // every set of the last view holds one value, its sign included, and actual is that
  std::vector<Mismatch> worst;  // the worst first, at most maxMismatches; index, got, accepts, distance, view are set
  WrongValue wrong;             // value and segment are the caller's to set
  std::string problem;
};

// actual holds single sets (see `exact`). An element is inside when every view accepts it, decided when one decides it.
// An axis along which neither memory nor sets vary counts once.
Comparison compare(const Value& actual, std::span<const View> views, size_t maxMismatches);

}  // namespace oracle
