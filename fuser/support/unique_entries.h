#pragma once
// VectorOfUniqueEntries: an ordered set that iterates in insertion order, as nvFuser's class of that name does.
// contains() is a hash lookup. Iteration never follows the hash, so that no output depends on addresses.

#include <algorithm>
#include <initializer_list>
#include <unordered_set>
#include <vector>

namespace fuser {

template <class T>
class VectorOfUniqueEntries {
 public:
  VectorOfUniqueEntries() = default;
  VectorOfUniqueEntries(std::initializer_list<T> entries) {
    for (const T& entry : entries) pushBack(entry);
  }

  // Appends the entry unless it is present; true when it was appended.
  bool pushBack(const T& entry) {
    if (!members_.insert(entry).second) return false;
    entries_.push_back(entry);
    return true;
  }

  template <class Range>  // true when at least one entry was appended
  bool pushBackAll(const Range& range) {
    bool added = false;
    for (const T& entry : range) added |= pushBack(entry);
    return added;
  }

  // Removes the entry; true when it was present. Linear in the size.
  bool erase(const T& entry) {
    if (members_.erase(entry) == 0) return false;
    entries_.erase(std::find(entries_.begin(), entries_.end(), entry));
    return true;
  }

  bool contains(const T& entry) const { return members_.count(entry) != 0; }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  const T& operator[](size_t i) const { return entries_[i]; }
  const T& front() const { return entries_.front(); }
  const T& back() const { return entries_.back(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  const std::vector<T>& vector() const { return entries_; }
  void clear() {
    entries_.clear();
    members_.clear();
  }
  bool operator==(const VectorOfUniqueEntries& other) const { return entries_ == other.entries_; }

 private:
  std::vector<T> entries_;
  std::unordered_set<T> members_;
};

}  // namespace fuser
