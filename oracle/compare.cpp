#include "oracle/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "oracle/rounding.h"
#include "oracle/slice.h"

namespace oracle {

using fuser::DataType;
using fuser::Dims;

bool contains(const Interval& set, double number) {
  if (std::isnan(number)) return set.has(kNan);
  if (std::isinf(number)) return set.has(number > 0 ? kPosInf : kNegInf);
  if (number == 0) return set.hasZero() && set.has(std::signbit(number) ? kNegZero : kPosZero);
  return set.lo <= number && number <= set.hi;
}

bool isDecided(const Interval& set, DataType dtype) {
  const uint8_t specials = set.flags & kSpecials;
  if (!set.hasRange()) return std::popcount(specials) == 1;
  if (specials) return false;
  if (set.lo == set.hi) return true;
  // Below the normal numbers precision is absolute.
  const double smallestNormal = std::ldexp(1.0, format(dtype).minExponent);
  const double least = std::max(std::min(std::fabs(set.lo), std::fabs(set.hi)), smallestNormal);
  const double greatest = std::max(std::fabs(set.lo), std::fabs(set.hi));
  const double width = set.hi - set.lo;
  return width < 0x1p-6 * least || width < 2 * ulp(greatest, dtype);
}

namespace {

constexpr size_t kMaxViews = 2;

// How far outside, in the size of the set's ends.
double distance(const Interval& set, double number) {
  if (!std::isfinite(number) || !set.hasRange()) return kInfinity;
  const double off = number < set.lo ? set.lo - number : number - set.hi;
  const double scale = std::max({std::fabs(set.lo), std::fabs(set.hi), std::numeric_limits<double>::min()});
  return off / scale;
}

double distance(const Whole& set, int64_t number) {
  const double value = static_cast<double>(number);
  return std::max(static_cast<double>(set.lo) - value, value - static_cast<double>(set.hi));
}

Dims indexOf(int64_t linear, const Dims& extents) {
  Dims index(extents.size(), 0);
  for (size_t axis = extents.size(); axis-- > 0;) {
    index[axis] = linear % extents[axis];
    linear /= extents[axis];
  }
  return index;
}

void keepWorst(std::vector<Mismatch>& worst, Mismatch mismatch, size_t limit) {
  const auto place = std::upper_bound(worst.begin(), worst.end(), mismatch,
                                      [](const Mismatch& a, const Mismatch& b) { return a.distance > b.distance; });
  worst.insert(place, std::move(mismatch));
  if (worst.size() > limit) worst.pop_back();
}

// One element against one view.
struct Outcome {
  bool inside;
  bool single;
  int decided;  // -log2 of the relative width of a set that decides: 6, 10, 12 or 14; 0: it does not decide
  bool decidedToScale;
  double distance;
  int tenth = -1;  // of Margins; none: -1
};
constexpr int kNarrowest = 14;

// 16 bits have no 2^-12: two ulps are all that can be asked.
int narrownessOf(const Interval& set, DataType dtype) {
  if (!isDecided(set, dtype)) return 0;
  const double width = set.hi - set.lo;
  if (!set.hasRange() || width == 0) return kNarrowest;
  // Below the normal numbers precision is absolute.
  const double smallestNormal = std::ldexp(1.0, format(dtype).minExponent);
  const double least = std::max(std::min(std::fabs(set.lo), std::fabs(set.hi)), smallestNormal);
  if (width < 2 * ulp(std::max(std::fabs(set.lo), std::fabs(set.hi)), dtype)) return kNarrowest;
  if (fuser::isNarrowFloat(dtype)) return 6;
  return width < 0x1p-14 * least ? 14 : width < 0x1p-12 * least ? 12 : width < 0x1p-10 * least ? 10 : 6;
}

// Of a number within a range that decides. Where the range holds only a few numbers of its dtype, a right result lies
// at an end as often as not, which says nothing.
int tenthOf(const Interval& set, double number, DataType dtype) {
  const double width = set.hi - set.lo;
  if (width <= 0 || width < kMarginUlps * ulp(std::max(std::fabs(set.lo), std::fabs(set.hi)), dtype)) return -1;
  const double position = std::fabs(2 * (number - set.lo) - width) / width;
  return std::min(static_cast<int>(10 * position), 9);
}

bool isCandidate(const Value& sets, int64_t place, int64_t number) {
  if (!sets.candidates) return true;
  const std::vector<int64_t>& members = (*sets.candidates)[static_cast<size_t>(place)];
  return members.empty() || std::binary_search(members.begin(), members.end(), number);
}

Outcome judgeElement(const Value& actual, int64_t at, const Value& sets, int64_t place) {
  if (actual.whole) {
    const int64_t number = actual.wholeAt(at).lo;
    const Whole& set = sets.wholeAt(place);
    const bool inside = set.lo <= number && number <= set.hi && isCandidate(sets, place, number);
    const int decided = set.isSingle() ? kNarrowest : 0;
    // Between two candidates it is at least one away.
    const double away = inside ? 0 : std::max<double>(distance(set, number), 1);
    return {inside, set.isSingle(), decided, set.isSingle(), away};
  }
  const double number = actual.realAt(at).single();
  const Interval& set = sets.realAt(place);
  const bool inside = contains(set, number);
  const bool single = set.isSingle();
  if (single && inside) return {true, true, kNarrowest, true, 0};
  const int decided = narrownessOf(set, sets.dtype);
  const bool toScale = decided > 0 || (sets.scales && !set.has(kSpecials) && set.hasRange() &&
                                       set.hi - set.lo <= 0x1p-6 * (*sets.scales)[static_cast<size_t>(place)]);
  if (!inside) return {inside, single, decided, toScale, distance(set, number)};
  return {inside, single, decided, toScale, 0, decided > 0 ? tenthOf(set, number, sets.dtype) : -1};
}

// What the element is, and what it should be, in digits that tell them apart.
void describe(const Value& actual, int64_t at, const Value& sets, int64_t place, Mismatch& mismatch) {
  if (actual.whole) {
    mismatch.got = toString(actual.wholeAt(at), actual.dtype);
    mismatch.accepts = toString(sets.wholeAt(place), sets.dtype);
    return;
  }
  const Interval& number = actual.realAt(at);
  const Interval& set = sets.realAt(place);
  const int digits = digitsToTellApart({number.lo, set.lo, set.hi});
  mismatch.got = toString(number, digits);
  mismatch.accepts = toString(set, digits);
}

WrongElement wrongElement(const Value& actual, int64_t at, const Value& sets, int64_t place) {
  WrongElement element;
  if (actual.whole) {
    const Whole& set = sets.wholeAt(place);
    element.got = static_cast<double>(actual.wholeAt(at).lo);
    element.low = static_cast<double>(set.lo);
    element.high = static_cast<double>(set.hi);
    return element;
  }
  const Interval& set = sets.realAt(place);
  element.got = actual.realAt(at).single();
  element.low = set.hasRange() ? set.lo : 1;
  element.high = set.hasRange() ? set.hi : 0;
  element.acceptsNan = set.has(kNan);
  element.acceptsInf = set.has(kPosInf) || set.has(kNegInf);
  return element;
}

std::string problemOf(const Value& actual, const Value& expected) {
  if (actual.dtype != expected.dtype) return fuser::concat("is ", actual.dtype, ", expected ", expected.dtype);
  if (actual.sizes != expected.sizes) return fuser::concat("has sizes ", actual.sizes, ", expected ", expected.sizes);
  return "";
}

}  // namespace

Comparison compare(const Value& actual, std::span<const View> views, size_t maxMismatches) {
  FUSER_CHECK(!views.empty() && views.size() <= kMaxViews, "one view or two");
  Comparison result;
  for (const View& view : views) {
    result.problem = problemOf(actual, *view.sets);
    if (!result.problem.empty()) {
      result.certain = false;
      return result;
    }
  }
  Dims extents = actual.sizes;
  std::array<Dims, 1 + kMaxViews> strides{actual.strides, views[0].sets->strides, views.back().sets->strides};
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const bool once = std::all_of(strides.begin(), strides.end(), [&](const Dims& s) { return s[axis] == 0; });
    if (once && extents[axis] > 1) extents[axis] = 1;
  }
  result.wrong.dtype = actual.dtype;
  result.wrong.extents = extents;
  forEachOffset<1 + kMaxViews>(extents, strides, [&](const std::array<int64_t, 1 + kMaxViews>& at) {
    bool inside = true, toScale = false;
    int decided = 0, tenth = -1;
    for (size_t k = 0; k < views.size(); ++k) {
      const Outcome outcome = judgeElement(actual, at[0], *views[k].sets, at[1 + k]);
      decided = std::max(decided, outcome.decided);
      toScale |= outcome.decidedToScale;
      tenth = std::max(tenth, outcome.tenth);
      if (k + 1 == views.size()) result.certain &= outcome.inside && outcome.single;
      if (outcome.inside) continue;
      if (!views[k].wholeFusion) ++result.outsideSlice;
      if (inside) {
        Mismatch mismatch;
        mismatch.index = indexOf(result.counts.judged, extents);
        describe(actual, at[0], *views[k].sets, at[1 + k], mismatch);
        mismatch.wholeFusionView = views[k].wholeFusion;
        mismatch.distance = outcome.distance;
        keepWorst(result.worst, std::move(mismatch), maxMismatches);
        if (result.wrong.elements.size() < kMaxWrongElements) {
          result.wrong.elements.push_back(wrongElement(actual, at[0], *views[k].sets, at[1 + k]));
          result.wrong.elements.back().place = result.counts.judged;
        }
      }
      inside = false;
    }
    ++result.counts.judged;
    result.counts.decided += decided > 0;
    result.counts.within10 += decided >= 10;
    result.counts.within12 += decided >= 12;
    result.counts.within14 += decided >= 14;
    result.counts.decidedToScale += toScale;
    ++(inside ? result.counts.inside : result.counts.outside);
    if (inside && tenth >= 0) ++result.margins.tenths[static_cast<size_t>(tenth)];
  });
  result.wrong.judged = result.counts.judged;
  result.wrong.outside = result.counts.outside;
  return result;
}

}  // namespace oracle
