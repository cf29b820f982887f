#pragma once
// NumberSet: a set of natural numbers that come nearly in order, kept as intervals.

#include <cstdint>
#include <map>
#include <string>

namespace fuser::fuzz {

class NumberSet {
 public:
  void add(uint64_t number);
  NumberSet& operator+=(const NumberSet& more);  // those of both
  bool contains(uint64_t number) const;
  uint64_t count() const { return count_; }
  // The smallest number from `start` on that is not in the set.
  uint64_t firstMissing(uint64_t start) const;

  // "0-99,102"; "" for none.
  std::string toString() const;
  // A UserError where the text is no such list in ascending order.
  static NumberSet parse(const std::string& text);
  bool operator==(const NumberSet&) const = default;

 private:
  std::map<uint64_t, uint64_t> intervals_;  // first -> last, apart by at least one missing number
  uint64_t count_ = 0;
};

}  // namespace fuser::fuzz
