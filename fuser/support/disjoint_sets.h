#pragma once
// DisjointSets: union-find over 0..n-1. find() halves paths (Tarjan and van Leeuwen 1984); the smaller root stays.

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

  // The representative of i's set: its smallest index, so that it does not depend on the order of calls.
  size_t find(size_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }

  // Merges two sets; true when they were different.
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
