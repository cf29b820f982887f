#pragma once
// Arbitrary structs, from their lists of fields, for properties: whatever is in a list is drawn.

#include <rapidcheck.h>

#include <exception>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "reports/fields.h"
#include "reports/fields_sum.h"

namespace rc {

// Lists in lists in lists stay short.
template <reports::HasFields T>
struct Arbitrary<T> {
  static constexpr double kScale = 0.2;
  static Gen<T> arbitrary() {
    return gen::exec([] {
      T value{};
      visitFields(
          std::type_identity<T>(),
          [](std::string_view, auto& field) {
            using Field = std::remove_reference_t<decltype(field)>;
            field = *gen::scale(kScale, gen::arbitrary<Field>());
          },
          value);
      return value;
    });
  }
};

// Enums whose values are 0, 1, … up to the first that has no name; at most 64 of them.
template <reports::HasNames Enum>
struct Arbitrary<Enum> {
  static Gen<Enum> arbitrary() {
    return gen::map(gen::inRange(0, count()), [](int value) { return static_cast<Enum>(value); });
  }
  static int count() {
    int values = 0;
    try {
      for (; values < 64; ++values) reports::Names<Enum>::name(static_cast<Enum>(values));
    } catch (const std::exception&) {
    }
    return values;
  }
};

// (There are few keys: those that are drawn twice count once.)
template <reports::HasNames Enum, class Value>
struct Arbitrary<std::map<Enum, Value>> {
  static Gen<std::map<Enum, Value>> arbitrary() {
    return gen::map(gen::arbitrary<std::vector<std::pair<Enum, Value>>>(),
                    [](const std::vector<std::pair<Enum, Value>>& pairs) {
                      return std::map<Enum, Value>(pairs.begin(), pairs.end());
                    });
  }
};

template <class T>
struct Arbitrary<reports::Largest<T>> {
  static Gen<reports::Largest<T>> arbitrary() {
    return gen::map(gen::arbitrary<T>(), [](T value) { return reports::Largest<T>(value); });
  }
};

template <class... Kinds>
struct Arbitrary<std::variant<Kinds...>> {
  static Gen<std::variant<Kinds...>> arbitrary() {
    return gen::oneOf(gen::map(gen::arbitrary<Kinds>(), [](Kinds kind) { return std::variant<Kinds...>(kind); })...);
  }
};

}  // namespace rc
