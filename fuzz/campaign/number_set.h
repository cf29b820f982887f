#pragma once
// NumberSet: a set of natural numbers stored as intervals; compact if numbers arrive nearly in order.

#include <cstdint>
#include <map>
#include <string>

namespace fuser::fuzz {

class NumberSet {
 public:
  void add(uint64_t number) { add(number, number); }
  // All from `first` to `last`, both included; first <= last < 2^64 - 1.
  void add(uint64_t first, uint64_t last);
  NumberSet& operator+=(const NumberSet& more);  // union
  bool contains(uint64_t number) const;
  uint64_t count() const { return count_; }
  // How many numbers both have.
  uint64_t countCommon(const NumberSet& other) const;
  // The smallest number >= start that is not in the set.
  uint64_t firstMissing(uint64_t start) const;

  // "0-99,102"; "" for the empty set.
  std::string toString() const;
  // Parses the output of toString; a UserError for any other text.
  static NumberSet parse(const std::string& text);
  bool operator==(const NumberSet&) const = default;

 private:
  std::map<uint64_t, uint64_t> intervals_;  // first -> last; intervals are disjoint and not adjacent
  uint64_t count_ = 0;
};

}  // namespace fuser::fuzz
