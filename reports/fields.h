#pragma once
// REPORTS_FIELDS: static reflection for plain structs: one list of fields, from which JSON (fields_json.h), bytes
// (fields_bytes.h) and sums (fields_sum.h) are derived. A new field therefore appears in pipes, ledgers and reports
// without further code.
//
//   struct Size {
//     int64_t bytes = 0, linesOfText = 0;
//     bool operator==(const Size&) const = default;
//   };
//   REPORTS_FIELDS(Size, bytes, linesOfText)   ->   {"bytes": 3, "lines_of_text": 1}
//
// The list follows the struct, in its namespace. It must have all fields: a missing or surplus one is a compile error.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace reports {

// Converts a field's name to a JSON key at compile time: "linesOfText" -> "lines_of_text".
class FieldKey {
 public:
  constexpr explicit FieldKey(std::string_view name) {
    for (char c : name) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper) text_[size_++] = '_';
      text_[size_++] = upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  constexpr std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 64> text_{};
  size_t size_ = 0;
};

// The names of an enum's values in JSON: specializations have `static std::string_view name(Enum)` and
// `static std::optional<Enum> find(std::string_view name)`.
template <class Enum>
struct Names;

template <class T>
concept HasNames = requires(T value) {
  Names<T>::name(value);
};

template <class T>
concept HasFields = requires {
  countFields(std::type_identity<T>());
};

// Converts to any type; used to count how many initializers an aggregate takes.
struct Anything {
  template <class T>
  operator T() const;
};

template <class T, size_t... I>
constexpr bool takesInitializers(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything())...}; };
}

template <class T, size_t count>
constexpr bool isNumberOfFields = takesInitializers<T>(std::make_index_sequence<count>()) &&
                                  !takesInitializers<T>(std::make_index_sequence<count + 1>());

}  // namespace reports

// Defines countFields(), and visitFields(type, visit, objects…), which calls visit("lines_of_text", objects.field…).
#define REPORTS_FIELDS(Type, ...)                                                           \
  constexpr size_t countFields(std::type_identity<Type>) {                                  \
    return 0 REPORTS_FOR_EACH(REPORTS_COUNT_FIELD, __VA_ARGS__);                            \
  }                                                                                         \
  static_assert(::reports::isNumberOfFields<Type, countFields(std::type_identity<Type>())>, \
                #Type " has other fields than its list");                                   \
  template <class Visit, class... Objects>                                                  \
  void visitFields(std::type_identity<Type>, const Visit& visit, Objects&... objects) {     \
    REPORTS_FOR_EACH(REPORTS_VISIT_FIELD, __VA_ARGS__)                                      \
  }
#define REPORTS_COUNT_FIELD(field) +1
#define REPORTS_VISIT_FIELD(field)                    \
  {                                                   \
    static constexpr ::reports::FieldKey key(#field); \
    visit(key.text(), objects.field...);              \
  }

// REPORTS_FOR_EACH(apply, a, b) -> apply(a) apply(b), for up to 86 names; a longer list does not compile. A macro does
// not expand recursively, but each further scan of its output expands one more name; each level of REPORTS_SCAN scans
// four times as often as the one below. (Recursion through __VA_OPT__: David Mazieres, "Recursive macros with C++20
// __VA_OPT__", 2021.)
#define REPORTS_FOR_EACH(apply, ...) REPORTS_SCAN64(REPORTS_FIRST(apply, __VA_ARGS__))
#define REPORTS_FIRST(apply, name, ...) apply(name) __VA_OPT__(REPORTS_NEXT REPORTS_NO_ARGUMENTS(apply, __VA_ARGS__))
#define REPORTS_NEXT() REPORTS_FIRST
#define REPORTS_NO_ARGUMENTS ()
#define REPORTS_SCAN64(...) REPORTS_SCAN16(REPORTS_SCAN16(REPORTS_SCAN16(REPORTS_SCAN16(__VA_ARGS__))))
#define REPORTS_SCAN16(...) REPORTS_SCAN4(REPORTS_SCAN4(REPORTS_SCAN4(REPORTS_SCAN4(__VA_ARGS__))))
#define REPORTS_SCAN4(...) REPORTS_SCAN(REPORTS_SCAN(REPORTS_SCAN(REPORTS_SCAN(__VA_ARGS__))))
#define REPORTS_SCAN(...) __VA_ARGS__
