#pragma once
// Arbitrary structs, from their lists of fields, for properties: whatever is in a list is drawn.
//
// RapidCheck draws numbers, strings and sizes of containers; the loops around them are ours: a generator of each
// container of each struct took the compiler a minute.

#include <rapidcheck.h>

#include <array>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "reports/fields.h"
#include "reports/fields_sum.h"

namespace reports {

// Draws a struct field by field, inside rc::gen::exec. `size` is RapidCheck's; lists in lists in lists stay short.
class FieldDraw {
 public:
  explicit FieldDraw(int size) : size_(size) {}

  template <HasFields T>
  void draw(T& value) const {
    const FieldDraw inner(size_ / 5);
    visitFields(
        std::type_identity<T>(), [&](std::string_view, auto& field) { inner.draw(field); }, value);
  }

  // The values of an enum are 0, 1, … up to the first that has no name; there are at most 64 of them.
  template <HasNames Enum>
  void draw(Enum& value) const {
    int count = 0;
    try {
      while (count < 64) Names<Enum>::name(static_cast<Enum>(count++));
    } catch (const std::exception&) {
      --count;
    }
    value = static_cast<Enum>(below(count));
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  void draw(T& value) const { value = *rc::gen::resize(size_, rc::gen::arbitrary<T>()); }
  void draw(std::string& value) const { value = *rc::gen::resize(size_, rc::gen::arbitrary<std::string>()); }

  template <class T>
  void draw(Largest<T>& value) const {
    draw(value.value);
  }
  template <class T>
  void draw(std::optional<T>& value) const {
    if (below(2) == 1) draw(value.emplace());
  }
  template <class... Kinds>
  void draw(std::variant<Kinds...>& value) const {
    const int kind = below(sizeof...(Kinds));
    int index = 0;
    ((index++ == kind ? draw(value.template emplace<Kinds>()) : void()), ...);
  }
  template <class A, class B>
  void draw(std::pair<A, B>& value) const {
    draw(value.first);
    draw(value.second);
  }
  template <class T, size_t N>
  void draw(std::array<T, N>& values) const {
    for (T& value : values) draw(value);
  }
  template <class T>
  void draw(std::vector<T>& values) const {
    values.resize(below(size_ + 1));
    for (T& value : values) draw(value);
  }
  // A key that is drawn twice counts once.
  template <class T>
  void draw(std::set<T>& values) const {
    for (int count = below(size_ + 1); count > 0; --count) {
      T value{};
      draw(value);
      values.insert(std::move(value));
    }
  }
  template <class Key, class T>
  void draw(std::map<Key, T>& values) const {
    for (int count = below(size_ + 1); count > 0; --count) {
      Key key{};
      draw(key);
      draw(values[key]);
    }
  }

 private:
  static int below(int end) { return *rc::gen::inRange(0, end); }

  int size_;
};

// Any struct with a list of fields, or a variant of such.
template <class T>
rc::Gen<T> arbitraryFields() {
  return rc::gen::withSize([](int size) {
    return rc::gen::exec([size] {
      T value{};
      FieldDraw(size).draw(value);
      return value;
    });
  });
}

}  // namespace reports
