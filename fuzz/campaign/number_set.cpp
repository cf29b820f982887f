// Intervals that grow at their ends and join.

#include "fuzz/campaign/number_set.h"

#include <charconv>
#include <iterator>

#include "fuser/support/check.h"

namespace fuser::fuzz {

bool NumberSet::contains(uint64_t number) const {
  auto after = intervals_.upper_bound(number);
  return after != intervals_.begin() && std::prev(after)->second >= number;
}

void NumberSet::add(uint64_t number) {
  if (contains(number)) return;
  ++count_;
  auto after = intervals_.upper_bound(number);
  uint64_t last = number;
  if (after != intervals_.end() && after->first == number + 1) {
    last = after->second;
    after = intervals_.erase(after);
  }
  if (after != intervals_.begin() && std::prev(after)->second + 1 == number) {
    std::prev(after)->second = last;
  } else {
    intervals_.emplace(number, last);
  }
}

// Number by number where they overlap at all; what comes behind all others is taken as it is.
NumberSet& NumberSet::operator+=(const NumberSet& more) {
  for (const auto& [first, last] : more.intervals_) {
    const uint64_t end = intervals_.empty() ? 0 : std::prev(intervals_.end())->second;
    if (intervals_.empty() || (end < first && first - end > 1)) {
      intervals_.emplace(first, last);
      count_ += last - first + 1;
      continue;
    }
    for (uint64_t number = first; number <= last; ++number) add(number);
  }
  return *this;
}

uint64_t NumberSet::firstMissing(uint64_t start) const {
  auto after = intervals_.upper_bound(start);
  if (after == intervals_.begin() || std::prev(after)->second < start) return start;
  return std::prev(after)->second + 1;
}

std::string NumberSet::toString() const {
  std::string text;
  for (const auto& [first, last] : intervals_) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

NumberSet NumberSet::parse(const std::string& text) {
  NumberSet set;
  const char* place = text.data();
  const char* end = place + text.size();
  const auto number = [&] {
    uint64_t value = 0;
    const auto [next, error] = std::from_chars(place, end, value);
    FUSER_USER_CHECK(error == std::errc{} && value < UINT64_MAX / 2, "bad list of numbers");
    place = next;
    return value;
  };
  uint64_t least = 0;  // that the next interval may begin with
  while (place != end) {
    const uint64_t first = number();
    uint64_t last = first;
    if (place != end && *place == '-') {
      ++place;
      last = number();
    }
    FUSER_USER_CHECK(first >= least && last >= first, "bad list of numbers");
    FUSER_USER_CHECK(place == end || (*place == ',' && place + 1 != end), "bad list of numbers");
    set.intervals_.emplace_hint(set.intervals_.end(), first, last);
    set.count_ += last - first + 1;
    least = last + 2;
    if (place != end) ++place;
  }
  return set;
}

}  // namespace fuser::fuzz
