// Where the most extreme term of a reduction is (oracle/ORACLE.md#4-rules-by-op, Pick): the terms that may be it.

#include <algorithm>
#include <limits>
#include <span>

#include "oracle/liberties.h"
#include "oracle/reduced_axes.h"
#include "oracle/slice.h"

namespace oracle {
namespace {

// A term as a range that is searched for its greatest number.
struct Term {
  double least, greatest;  // of the numbers that it may be; greatest < least: it is none
  bool mayBeNan = false;
};

Term termOf(const Interval& set, bool least) {
  Term term{kInfinity, -kInfinity, set.has(kNan)};
  if (!set.hasNumber()) return term;
  term.least = least ? -set.greatest() : set.least();
  term.greatest = least ? -set.least() : set.greatest();
  return term;
}

// The index of the first one among those that are greatest. NaN is beyond all numbers; without an order of NaN and
// numbers (`anyBesideNan`) each may be it where one is NaN.
std::vector<int64_t> candidatesOf(std::span<const Term> terms, bool anyBesideNan) {
  std::vector<int64_t> found;
  const auto count = static_cast<int64_t>(terms.size());
  const bool hasNan = std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.mayBeNan; });
  if (hasNan && anyBesideNan) {
    for (int64_t i = 0; i < count; ++i) found.push_back(i);
    return found;
  }
  std::vector<double> leastBehind(terms.size() + 1,
                                  -kInfinity);  // the greatest of what terms from here on are at least
  for (size_t i = terms.size(); i-- > 0;) {
    const bool isNumber = terms[i].least <= terms[i].greatest;
    leastBehind[i] = std::max(leastBehind[i + 1], isNumber ? terms[i].least : -kInfinity);
  }
  bool isFirst = true;
  double leastBefore = -kInfinity;
  int64_t certainNan = count;
  for (int64_t i = 0; i < count && certainNan == count; ++i) {
    const bool isNumber = terms[static_cast<size_t>(i)].least <= terms[static_cast<size_t>(i)].greatest;
    if (!isNumber && terms[static_cast<size_t>(i)].mayBeNan) certainNan = i;
  }
  for (int64_t i = 0; i < count; ++i) {
    const Term& term = terms[static_cast<size_t>(i)];
    const bool isNumber = term.least <= term.greatest;
    const bool beatsFormer = isFirst || term.greatest > leastBefore;
    const bool mayBeGreatest =
        isNumber && certainNan == count && beatsFormer && term.greatest >= leastBehind[static_cast<size_t>(i) + 1];
    if (mayBeGreatest || (term.mayBeNan && i <= certainNan)) found.push_back(i);
    if (isNumber) {
      leastBefore = isFirst ? term.least : std::max(leastBefore, term.least);
      isFirst = false;
    }
  }
  return found;
}

// Integers: beyond 2^53 two of them may be one f64, so that they are compared as what they are.
std::vector<int64_t> candidatesOf(std::span<const Whole> terms) {
  std::vector<int64_t> found;
  std::vector<int64_t> behind(terms.size() + 1, std::numeric_limits<int64_t>::min());
  for (size_t i = terms.size(); i-- > 0;) behind[i] = std::max(behind[i + 1], terms[i].lo);
  int64_t before = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < terms.size(); ++i) {
    if ((i == 0 || terms[i].hi > before) && terms[i].hi >= behind[i + 1]) found.push_back(static_cast<int64_t>(i));
    before = std::max(before, terms[i].lo);
  }
  return found;
}

// So that the least one is searched as the greatest is: ~x turns the order of integers round.
Whole turned(const Whole& set) { return {~set.hi, ~set.lo}; }

}  // namespace

Value extremeIndex(const fuser::Expr& expr, const Value& operand, const Arithmetic& arithmetic) {
  const Profile* profile = arithmetic.profile;
  const bool least = *expr.info().combine == fuser::OpKind::Minimum;
  const ReducedAxes axes = reducedAxes(operand, expr.attributes().dims());
  Value result;
  result.dtype = fuser::DataType::Int64;
  result.sizes = axes.sizes;
  result.strides = axes.strides;
  std::vector<std::vector<int64_t>> all;
  result.whole = forEachResult<Whole>(axes, [&](int64_t base) {
    std::vector<int64_t> found;
    if (operand.whole) {
      std::vector<Whole> terms;
      forEachTerm(axes, base,
                  [&](int64_t at) { terms.push_back(least ? turned(operand.wholeAt(at)) : operand.wholeAt(at)); });
      found = candidatesOf(terms);
    } else {
      std::vector<Term> terms;
      forEachTerm(axes, base, [&](int64_t at) {
        const Interval& set = operand.realAt(at);
        terms.push_back(termOf(profile ? flushed(set, *profile, fuser::computeType(operand.dtype)) : set, least));
      });
      found = candidatesOf(terms, profile && profile->numberBesideNan);
    }
    if (found.empty()) found.push_back(0);  // of terms that have no value
    const Whole range{found.front(), found.back()};
    all.push_back(found.size() > 1 ? std::move(found) : std::vector<int64_t>{});
    return range;
  });
  result.candidates = std::make_shared<const std::vector<std::vector<int64_t>>>(std::move(all));
  return result;
}

}  // namespace oracle
