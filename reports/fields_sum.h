#pragma once
// Sums of structs with a list of fields (fields.h). Numbers add up; arrays and maps add up element by element; sets are
// united; of two strings the later non-empty one wins; a type with its own operator+= (Largest) uses that. Except for
// strings, the order does not matter.

#include <array>
#include <map>
#include <set>
#include <string>
#include <type_traits>

#include "reports/fields.h"

namespace reports {

// A number whose sum is the maximum, such as the time of the slowest case. Converts to the number.
template <class T>
struct Largest {
  T value{};
  Largest() = default;
  Largest(T value) : value(value) {}
  operator T() const { return value; }
  Largest& operator+=(const Largest& more) {
    if (value < more.value) value = more.value;
    return *this;
  }
  bool operator==(const Largest&) const = default;
};

template <class T>
void addTo(T& sum, const T& more);

inline void addTo(std::string& sum, const std::string& more) {
  if (!more.empty()) sum = more;
}

template <class T, size_t N>
void addTo(std::array<T, N>& sum, const std::array<T, N>& more) {
  for (size_t i = 0; i < N; ++i) addTo(sum[i], more[i]);
}

template <class T>
void addTo(std::set<T>& sum, const std::set<T>& more) {
  sum.insert(more.begin(), more.end());
}

template <class Key, class T>
void addTo(std::map<Key, T>& sum, const std::map<Key, T>& more) {
  for (const auto& [key, value] : more) addTo(sum[key], value);
}

template <class T>
void addTo(T& sum, const T& more) {
  if constexpr (HasFields<T>) {
    visitFields(
        std::type_identity<T>(),
        [](std::string_view, auto& field, const auto& moreOfIt) { addTo(field, moreOfIt); }, sum, more);
  } else {
    static_assert(!std::is_same_v<T, bool>, "a bool has no sum");
    sum += more;
  }
}

}  // namespace reports
