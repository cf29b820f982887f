// Where the most extreme term of a reduction is (oracle/ORACLE.md#4-rules-by-op, Pick): the terms that may be it.

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "oracle/liberties.h"
#include "oracle/reduced_axes.h"
#include "oracle/slice.h"

namespace oracle {
namespace {

using Indices = std::vector<int64_t>;

// A term among which the greatest is searched.
template <class T>
struct Term {
  T least{}, greatest{};  // of the numbers that it may be
  bool isNumber = true;   // whether it may be one at all
  bool mayBeNan = false;
};

Term<double> termOf(const Interval& set, bool turns) {
  if (!set.hasNumber()) return {0, 0, false, set.has(kNan)};
  return {turns ? -set.greatest() : set.least(), turns ? -set.least() : set.greatest(), true, set.has(kNan)};
}

// Integers stay what they are: beyond 2^53 two of them may be one f64. ~x turns their order round.
Term<int64_t> termOf(const Whole& set, bool turns) { return {turns ? ~set.hi : set.lo, turns ? ~set.lo : set.hi}; }

// The terms that may be the first one among those that are greatest. NaN is beyond all numbers: of terms that may be
// one, those up to the first that certainly is.
template <class T>
Indices candidatesOf(std::span<const Term<T>> terms) {
  const auto isCertainNan = [](const Term<T>& term) { return !term.isNumber && term.mayBeNan; };
  const auto nan = std::find_if(terms.begin(), terms.end(), isCertainNan) - terms.begin();
  const bool numbersLose = nan < static_cast<ptrdiff_t>(terms.size());
  std::vector<std::optional<T>> behind(terms.size() + 1);  // what the greatest of the terms from here on is at least
  const auto atLeast = [](const std::optional<T>& known, const Term<T>& term) {
    return !term.isNumber ? known : std::optional<T>(known ? std::max(*known, term.least) : term.least);
  };
  for (size_t i = terms.size(); i-- > 0;) behind[i] = atLeast(behind[i + 1], terms[i]);
  std::optional<T> before;
  Indices found;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Term<T>& term = terms[i];
    const bool mayBeGreatest = term.isNumber && !numbersLose && (!before || term.greatest > *before) &&
                               (!behind[i + 1] || term.greatest >= *behind[i + 1]);
    const bool mayBeFirstNan = term.mayBeNan && static_cast<ptrdiff_t>(i) <= nan;
    if (mayBeGreatest || mayBeFirstNan) found.push_back(static_cast<int64_t>(i));
    before = atLeast(before, term);
  }
  return found;
}

}  // namespace

Value extremeIndex(const fuser::Expr& expr, const Value& operand, const Arithmetic& arithmetic) {
  const Profile* profile = arithmetic.profile;
  const bool turns = *expr.info().combine == fuser::OpKind::Minimum;  // the least is the greatest in their turned order
  const ReducedAxes axes = reducedAxes(operand, expr.attributes().dims());
  Value result;
  result.dtype = fuser::DataType::Int64;
  result.sizes = axes.sizes;
  result.strides = axes.strides;
  std::vector<Indices> all;
  const auto termsAt = [&]<class T>(int64_t base, const auto& setAt) {
    std::vector<Term<T>> terms;
    forEachTerm(axes, base, [&](int64_t at) { terms.push_back(termOf(setAt(at), turns)); });
    return terms;
  };
  const auto numberAt = [&](int64_t at) {
    const Interval& set = operand.realAt(at);
    return profile ? flushed(set, *profile, fuser::computeType(operand.dtype)) : set;
  };
  result.whole = forEachResult<Whole>(axes, [&](int64_t base) {
    Indices found;
    if (operand.whole) {
      const auto terms = termsAt.template operator()<int64_t>(base, [&](int64_t at) { return operand.wholeAt(at); });
      found = candidatesOf<int64_t>(terms);
    } else {
      const auto terms = termsAt.template operator()<double>(base, numberAt);
      const bool hasNan = std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term.mayBeNan; });
      found = candidatesOf<double>(terms);
      // Where a number may stay beside a NaN, what came before it may be lost.
      if (hasNan && profile && profile->numberBesideNan) {
        found.resize(terms.size());
        std::iota(found.begin(), found.end(), 0);
      }
    }
    if (found.empty()) found.push_back(0);  // of terms that have no value
    const Whole range{found.front(), found.back()};
    all.push_back(found.size() > 1 ? std::move(found) : Indices{});
    return range;
  });
  result.candidates = std::make_shared<const std::vector<Indices>>(std::move(all));
  return result;
}

}  // namespace oracle
