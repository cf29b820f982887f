#include "reports/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

#include "fuser/support/check.h"
#include "reports/rank_test.h"

namespace reports {
namespace {

// One night that differs is an outlier, and two may be.
constexpr size_t kFewestOnASide = 3;
// Random orders for each one that a change at this level may be like.
constexpr double kOrdersOfLevel = 20;

// The sum of distances from the median.
double spread(const std::vector<double>& values) {
  const double middle = medianOf(values);
  double sum = 0;
  for (const double value : values) sum += std::fabs(value - middle);
  return sum;
}

// Where a step fits the values best. (The least p-value knows no gaps, and tends to the middle.)
size_t bestStep(const std::vector<double>& values) {
  size_t best = kFewestOnASide;
  double least = std::numeric_limits<double>::infinity();
  for (size_t place = kFewestOnASide; place + kFewestOnASide <= values.size(); ++place) {
    const auto middle = values.begin() + static_cast<ptrdiff_t>(place);
    const double sum = spread({values.begin(), middle}) + spread({middle, values.end()});
    if (sum < least) {
      least = sum;
      best = place;
    }
  }
  return best;
}

// Of any values in a given number.
class Scan {
 public:
  explicit Scan(size_t count) : count_(count) {
    for (size_t place = kFewestOnASide; place + kFewestOnASide <= count; ++place)
      cumulative_.push_back(distributionOfU(std::min(place, count - place), std::max(place, count - place)));
  }

  // ranks: in order of time; equal values share the mean of their ranks.
  double leastP(const std::vector<double>& ranks) const {
    double least = 2;
    double sum = std::accumulate(ranks.begin(), ranks.begin() + kFewestOnASide - 1, 0.0);
    for (size_t i = 0; i < cumulative_.size(); ++i) {
      const size_t place = kFewestOnASide + i;
      sum += ranks[place - 1];
      const auto before = static_cast<double>(place);
      const double pairs = before * static_cast<double>(count_ - place);
      const double u = sum - before * (before + 1) / 2;  // pairs whose earlier value is larger
      least = std::min(least, 2 * cumulative_[i][static_cast<size_t>(std::min(u, pairs - u))]);
    }
    return least;
  }

 private:
  size_t count_;
  std::vector<std::vector<double>> cumulative_;  // by place: P(U <= u)
};

std::vector<double> ranksOf(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double less = 0, equal = 0;
    for (const double other : values) {
      less += other < value;
      equal += other == value;
    }
    ranks.push_back(less + (equal + 1) / 2);
  }
  return ranks;
}

// The share of random orders whose least p-value is as small; 1 as soon as it is certain to be above the level.
double pOf(const Scan& scan, std::vector<double> ranks, double level) {
  const double least = scan.leastP(ranks);
  const auto orders = static_cast<uint64_t>(kOrdersOfLevel / level);
  std::mt19937_64 random(20);  // the same orders each time
  uint64_t alike = 0;
  for (uint64_t i = 0; i < orders; ++i) {
    for (size_t left = ranks.size(); left > 1; --left) std::swap(ranks[left - 1], ranks[random() % left]);
    alike += scan.leastP(ranks) <= least;
    if (static_cast<double>(1 + alike) > level * static_cast<double>(1 + orders)) return 1;
  }
  return static_cast<double>(1 + alike) / static_cast<double>(1 + orders);
}

class Search {
 public:
  Search(const std::vector<double>& values, double level) : values_(values), level_(level) {}

  std::vector<ChangePoint> run() {
    split(0, values_.size());
    settle();
    return found_;
  }

 private:
  // The change in values_[begin, end), if there is one.
  std::optional<ChangePoint> changeIn(size_t begin, size_t end) const {
    const std::vector<double> part(values_.begin() + static_cast<ptrdiff_t>(begin),
                                   values_.begin() + static_cast<ptrdiff_t>(end));
    const double level = level_ * static_cast<double>(part.size()) / static_cast<double>(values_.size());
    if (part.size() < fewestValues(level)) return std::nullopt;
    const double p = pOf(Scan(part.size()), ranksOf(part), level);
    if (p > level) return std::nullopt;
    return ChangePoint{begin + bestStep(part), p};
  }

  void split(size_t begin, size_t end) {
    const std::optional<ChangePoint> change = changeIn(begin, end);
    if (!change) return;
    split(begin, change->place);
    found_.push_back(*change);
    split(change->place, end);
  }

  // The first one was found among values that change elsewhere, too. So each is searched again between its neighbours.
  void settle() {
    for (size_t i = 0; i < found_.size();) {
      const size_t begin = i == 0 ? 0 : found_[i - 1].place;
      const size_t end = i + 1 == found_.size() ? values_.size() : found_[i + 1].place;
      if (const std::optional<ChangePoint> change = changeIn(begin, end)) {
        found_[i++] = *change;
      } else {
        found_.erase(found_.begin() + static_cast<ptrdiff_t>(i));
        i = 0;
      }
    }
  }

  const std::vector<double>& values_;
  double level_;
  std::vector<ChangePoint> found_;
};

}  // namespace

std::vector<ChangePoint> changePoints(const std::vector<double>& values, double level) {
  FUSER_CHECK(level > 0 && level < 1, "a level of ", level);
  if (!mayChange(values)) return {};
  return Search(values, level).run();
}

bool mayChange(const std::vector<double>& values) {
  return values.size() >= kFewestValues &&
         std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

size_t fewestValues(double level) {
  // Of an even number two of all ways to choose who is before. Of an odd one, a step has two places in the middle with
  // the same p-value, and the orders of either count, but once.
  const auto leastP = [](size_t count) {
    const size_t before = count / 2;
    double ways = 1;
    for (size_t i = 1; i <= before; ++i) ways = ways * static_cast<double>(count - i + 1) / static_cast<double>(i);
    return (count % 2 == 0 ? 2 : 4 - 2 / static_cast<double>(count - before)) / ways;
  };
  size_t count = 2 * kFewestOnASide;
  while (leastP(count) > level) ++count;
  return count;
}

}  // namespace reports
