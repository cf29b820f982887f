#pragma once
// DisjointSets over dense indices 0..n-1: union by smallest index, so that representatives do not depend on call order.

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace fuser {

class DisjointSets {
 public:
  explicit DisjointSets(size_t size = 0) { grow(size); }

  void grow(size_t size) {
    const size_t old = parent_.size();
    if (size <= old) return;
    parent_.resize(size);
    std::iota(parent_.begin() + static_cast<ptrdiff_t>(old), parent_.end(), old);
  }

  size_t size() const { return parent_.size(); }

  // The smallest index of the set.
  size_t find(size_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }

  // True when the two were in different sets.
  bool unite(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    return true;
  }

  bool same(size_t a, size_t b) { return find(a) == find(b); }

 private:
  std::vector<size_t> parent_;
};

}  // namespace fuser
