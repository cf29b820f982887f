// Intervals that grow at their ends and join.

#include "fuzz/campaign/number_set.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "fuser/support/check.h"

namespace fuser::fuzz {

bool NumberSet::contains(uint64_t number) const {
  auto after = intervals_.upper_bound(number);
  return after != intervals_.begin() && std::prev(after)->second >= number;
}

void NumberSet::add(uint64_t first, uint64_t last) {
  auto at = intervals_.upper_bound(first);
  if (at != intervals_.begin() && std::prev(at)->second + 1 >= first) --at;
  // Those that it meets or touches become one with it.
  while (at != intervals_.end() && at->first <= last + 1) {
    first = std::min(first, at->first);
    last = std::max(last, at->second);
    count_ -= at->second - at->first + 1;
    at = intervals_.erase(at);
  }
  intervals_.emplace_hint(at, first, last);
  count_ += last - first + 1;
}

NumberSet& NumberSet::operator+=(const NumberSet& more) {
  for (const auto& [first, last] : more.intervals_) add(first, last);
  return *this;
}

uint64_t NumberSet::countCommon(const NumberSet& other) const {
  uint64_t count = 0;
  for (auto a = intervals_.begin(), b = other.intervals_.begin();
       a != intervals_.end() && b != other.intervals_.end();) {
    const uint64_t first = std::max(a->first, b->first), last = std::min(a->second, b->second);
    if (first <= last) count += last - first + 1;
    a->second < b->second ? ++a : ++b;
  }
  return count;
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
