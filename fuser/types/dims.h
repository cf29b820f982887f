#pragma once
// Dims: an inline vector of up to 8 int64 (sizes, strides or axes). It never allocates, because every tensor argument
// of every run carries two of them.
// A ninth entry is a CheckError; the parser and shape inference reject higher ranks earlier. Indices are not checked:
// operator[], back() and erase() need an existing entry, insert() takes an index in [0, size()].

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>

#include "fuser/support/check.h"

namespace fuser {

inline constexpr int64_t kMaxRank = 8;

class Dims {
 public:
  using value_type = int64_t;

  Dims() = default;
  Dims(std::initializer_list<int64_t> values) {
    for (int64_t value : values) push_back(value);
  }
  Dims(size_t count, int64_t value) {
    for (size_t i = 0; i < count; ++i) push_back(value);
  }
  template <class It>
  Dims(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }

  void push_back(int64_t value) {
    FUSER_CHECK(size_ < kMaxRank, "more than ", kMaxRank, " dims");
    values_[size_++] = value;
  }
  void insert(size_t at, int64_t value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::move(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void clear() { size_ = 0; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t& operator[](size_t i) { return values_[i]; }
  int64_t operator[](size_t i) const { return values_[i]; }
  int64_t back() const { return values_[size_ - 1]; }
  int64_t* begin() { return values_.data(); }
  int64_t* end() { return values_.data() + size_; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + size_; }

 private:
  std::array<int64_t, kMaxRank> values_{};
  size_t size_ = 0;
};

inline bool operator==(const Dims& a, const Dims& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
inline bool operator!=(const Dims& a, const Dims& b) { return !(a == b); }

// The number of elements: the product of the sizes, 1 for rank 0. It does not check for overflow; use checkedNumel
// first for sizes that come from a caller.
inline int64_t numel(const Dims& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// "[2, 3]"
inline std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  out << '[';
  for (size_t i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out << ']';
}

}  // namespace fuser
