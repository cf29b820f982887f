// What is written at indices (oracle/ORACLE.md#4-rules-by-op, Scatter). An index that is not certain may be meant for
// each place that it may name. Of one that is out of range nothing is written: the run is to be refused.

#include <algorithm>
#include <cmath>

#include "oracle/liberties.h"
#include "oracle/real_rules.h"
#include "oracle/rounding.h"
#include "oracle/slice.h"
#include "oracle/sum.h"
#include "oracle/whole_rules.h"

namespace oracle {
namespace {

using fuser::Dims;

constexpr int64_t kMostPlaces = 1024;  // of one index

struct Scattering {
  const Value& x;
  const Value& indices;
  const Value& source;
  size_t dim;
  const Profile* profile;
  bool flushes;  // an addition may take subnormal numbers for 0
};

template <class Set, class At>
std::vector<Set> elementsOf(const Value& x, const At& at) {
  std::vector<Set> sets;
  sets.reserve(static_cast<size_t>(fuser::numel(x.sizes)));
  forEachOffset<1>(x.sizes, {x.strides},
                   [&](const std::array<int64_t, 1>& offset) { sets.push_back(at(x, offset[0])); });
  return sets;
}

// Calls hit(place in the dense result, offset of the source's element, whether it certainly is the place) in the order
// of the indices.
template <class Hit>
void forEachHit(const Scattering& to, const Value& result, const Hit& hit) {
  const int64_t size = to.x.sizes[to.dim], stride = result.strides[to.dim];
  Dims others = result.strides;
  others[to.dim] = 0;
  forEachOffset<3>(to.indices.sizes, {to.indices.strides, to.source.strides, others},
                   [&](const std::array<int64_t, 3>& at) {
                     const Whole index = to.indices.wholeAt(at[0]);
                     const int64_t first = std::max<int64_t>(index.lo, 0), last = std::min(index.hi, size - 1);
                     for (int64_t place = first; place <= last; ++place) {
                       hit(static_cast<size_t>(at[2] + place * stride), at[1], index.isSingle());
                     }
                   });
}

// Whether some index may name so many places that all are open.
bool isOpen(const Scattering& to) {
  const int64_t size = to.x.sizes[to.dim];
  return std::any_of(to.indices.whole->begin(), to.indices.whole->end(), [&](const Whole& index) {
    return std::min(index.hi, size - 1) - std::max<int64_t>(index.lo, 0) >= kMostPlaces;
  });
}

// Of several indices for one place the last one counts; under a profile any of them.
template <class Set, class At>
std::vector<Set> put(const Scattering& to, const Value& result, const At& at) {
  std::vector<Set> sets = elementsOf<Set>(to.x, at);
  std::vector<bool> written(sets.size(), false);
  forEachHit(to, result, [&](size_t place, int64_t offset, bool isCertain) {
    const bool replaces = isCertain && (!to.profile || !written[place]);
    sets[place] = replaces ? at(to.source, offset) : hull(sets[place], at(to.source, offset));
    if (isCertain) written[place] = true;
  });
  if (!to.profile) return sets;
  // One that may have been there before the first certain one may come last.
  forEachHit(to, result,
             [&](size_t place, int64_t offset, bool) { sets[place] = hull(sets[place], at(to.source, offset)); });
  return sets;
}

// The sums of what is there and of what is written, in any order. What nothing is added to stays as it is. Our own
// kernels round a product before they add it here (fuser/lower/fences.h), and a sum of 16 bits once. Others may do
// otherwise, and add a zero to each place. On a GPU, an atomic addition in f32 flushes what it adds and what it makes
// (PTX ISA, atom.add.f32).
void addReal(const Scattering& to, Value& result) {
  const Profile* profile = to.profile;
  const fuser::DataType compute = fuser::computeType(to.x.dtype);
  Accumulator accumulator = accumulatorOf(to.x.dtype, profile, profile != nullptr);
  accumulator.flushes |= to.flushes;
  const auto termAt = [&](const Value& value, int64_t offset) {
    if (!profile) return to.flushes ? withFlushed(value.realAt(offset), compute) : value.realAt(offset);
    return flushed(profile->contraction ? term(value, offset) : value.realAt(offset), *profile, compute);
  };
  std::vector<Interval> sets =
      elementsOf<Interval>(to.x, [](const Value& x, int64_t offset) -> Interval { return x.realAt(offset); });
  const std::vector<Interval> first = elementsOf<Interval>(to.x, termAt);
  std::vector<int64_t> sumOf(sets.size(), -1);
  struct PlaceSum {
    Sum sum;
    Interval one;  // of one certain term, and what was there: rounded once
    int64_t terms = 0;
  };
  std::vector<PlaceSum> sums;
  forEachHit(to, result, [&](size_t place, int64_t offset, bool isCertain) {
    if (sumOf[place] < 0) {
      sumOf[place] = static_cast<int64_t>(sums.size());
      sums.push_back({Sum(accumulator, std::numeric_limits<int64_t>::max()), {}, 0});
      sums.back().sum.add(first[place]);
    }
    PlaceSum& sum = sums[static_cast<size_t>(sumOf[place])];
    const Interval written = termAt(to.source, offset);
    sum.terms += isCertain ? 1 : 2;
    if (sum.terms == 1) sum.one = add(first[place], written, compute);
    sum.sum.add(isCertain ? written : hull(written, {0, 0, kZeros}));
  });
  std::vector<double> scales;
  for (size_t place = 0; place < sets.size(); ++place) {
    const PlaceSum* sum = sumOf[place] < 0 ? nullptr : &sums[static_cast<size_t>(sumOf[place])];
    scales.push_back(sum ? sum->sum.magnitude() : 0);
    if (!sum && profile) {
      Interval kept = settled(flushed(sets[place], *profile, compute), *profile, to.x.dtype);
      if (kept.hasZero()) kept.flags |= kZeros;
      sets[place] = hull(sets[place], kept);
    }
    if (!sum) continue;
    const bool roundsOnce = sum->terms == 1 && !profile && !to.flushes;
    const Interval whole = roundsOnce ? sum->one : sum->sum.result();
    sets[place] = profile ? settled(whole, *profile, to.x.dtype) : roundTo(whole, to.x.dtype);
  }
  if (to.x.products) {
    std::vector<Unrounded> products = elementsOf<Unrounded>(to.x, unroundedAt);
    for (size_t place = 0; place < sets.size(); ++place) {
      if (sumOf[place] >= 0) products[place] = {sets[place].lo, sets[place].hi};
    }
    result.products = std::make_shared<const std::vector<Unrounded>>(std::move(products));
  }
  result.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  result.scales = std::make_shared<const std::vector<double>>(std::move(scales));
}

// In 128 bits, wrapped once at the end.
std::vector<Whole> addWhole(const Scattering& to, const Value& result) {
  struct Ends {
    __int128 lo, hi;
    double size;
  };
  const auto endsAt = [](const Value& value, int64_t offset) {
    const Whole& set = value.wholeAt(offset);
    const double lo = std::fabs(static_cast<double>(set.lo)), hi = std::fabs(static_cast<double>(set.hi));
    return Ends{set.lo, set.hi, std::max(lo, hi)};
  };
  std::vector<Ends> sums = elementsOf<Ends>(to.x, endsAt);
  forEachHit(to, result, [&](size_t place, int64_t offset, bool isCertain) {
    const Ends term = endsAt(to.source, offset);
    Ends& sum = sums[place];
    sum = {sum.lo + (isCertain ? term.lo : std::min<__int128>(term.lo, 0)),
           sum.hi + (isCertain ? term.hi : std::max<__int128>(term.hi, 0)), sum.size + term.size};
  });
  const Whole full = fullRange(to.x.dtype);
  std::vector<Whole> sets;
  for (const Ends& sum : sums) {
    const bool any = to.profile && to.profile->anyOverflow && sum.size * (1 + 0x1p-30) > static_cast<double>(full.hi);
    sets.push_back(any ? full : wrapped(sum.lo, sum.hi, to.x.dtype));
  }
  return sets;
}

}  // namespace

Value scattered(std::span<const Value> operands, size_t dim, bool adds, const Arithmetic& arithmetic) {
  const bool flushes = arithmetic.flushesAdds && operands[0].dtype == fuser::DataType::Float;
  const Scattering to{operands[0], operands[1], operands[2], dim, arithmetic.profile, flushes};
  Value result = dense(to.x.dtype, to.x.sizes);
  const auto realAt = [](const Value& value, int64_t offset) -> Interval { return value.realAt(offset); };
  const auto wholeAt = [](const Value& value, int64_t offset) -> Whole { return value.wholeAt(offset); };
  if (isOpen(to)) {
    if (to.x.real) result.real = std::make_shared<const std::vector<Interval>>(elementsOf<Interval>(to.x, realAt));
    if (to.x.whole) result.whole = std::make_shared<const std::vector<Whole>>(elementsOf<Whole>(to.x, wholeAt));
    return anyValue(result, to.x.dtype);
  }
  if (to.x.whole) {
    result.whole =
        std::make_shared<const std::vector<Whole>>(adds ? addWhole(to, result) : put<Whole>(to, result, wholeAt));
    return result;
  }
  if (adds) {
    addReal(to, result);
    return result;
  }
  result.real = std::make_shared<const std::vector<Interval>>(put<Interval>(to, result, realAt));
  if (to.x.products || to.source.products) {
    result.products = std::make_shared<const std::vector<Unrounded>>(put<Unrounded>(to, result, unroundedAt));
  }
  return result;
}

}  // namespace oracle
