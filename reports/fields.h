#pragma once
// Fields: the one list of a plain struct's fields. From it come its JSON (fields_json.h) and its sum (fields_sum.h), so
// that a field stands in one place and goes wherever the struct goes: through a pipe, into a ledger, into a report.
//
//   struct Size {
//     int64_t bytes = 0, linesOfText = 0;
//     bool operator==(const Size&) const = default;
//   };
//   REPORTS_FIELDS(Size, bytes, linesOfText)   ->   {"bytes": 3, "lines_of_text": 1}
//
// The list stands below the struct, in its namespace, and holds all of its fields: with one too few or too many it does
// not compile.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

// Only for NLOHMANN_JSON_PASTE, which applies a macro to each of up to 63 names: the library itself takes seconds.
#include <nlohmann/detail/macro_scope.hpp>

namespace reports {

// "linesOfText" -> "lines_of_text": the style of every JSON key.
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

// Of an enum in JSON: specialisations have `static std::string_view name(Enum)` and
// `static std::optional<Enum> find(std::string_view name)`.
template <class Enum>
struct Names;

template <class T>
concept HasNames = requires(T value) { Names<T>::name(value); };

template <class T>
concept HasFields = requires { countFields(std::type_identity<T>()); };

// What goes anywhere, to try how many initialisers an aggregate takes.
struct Anything {
  template <class T>
  operator T() const;
};

template <class T, size_t... I>
constexpr bool takesInitializers(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything())...}; };
}

template <class T>
constexpr bool isNumberOfFields(size_t count) {
  constexpr size_t kMost = 64;
  return [count]<size_t... N>(std::index_sequence<N...>) {
    return ((N == count && takesInitializers<T>(std::make_index_sequence<N>()) &&
             !takesInitializers<T>(std::make_index_sequence<N + 1>())) ||
            ...);
  }(std::make_index_sequence<kMost>());
}

}  // namespace reports

// countFields() and visitFields(type, visit, objects…): visit("lines_of_text", field of each object…), field by field.
#define REPORTS_FIELDS(Type, ...)                                                                        \
  constexpr size_t countFields(std::type_identity<Type>) {                                               \
    return 0 NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(REPORTS_COUNT_FIELD, __VA_ARGS__));                \
  }                                                                                                      \
  static_assert(::reports::isNumberOfFields<Type>(countFields(std::type_identity<Type>())),              \
                #Type " has other fields than its list");                                                \
  template <class Visit, class... Objects>                                                               \
  void visitFields(std::type_identity<Type>, const Visit& visit, Objects&... objects) {                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(REPORTS_VISIT_FIELD, __VA_ARGS__))                          \
  }
#define REPORTS_COUNT_FIELD(field) +1
#define REPORTS_VISIT_FIELD(field)                    \
  {                                                   \
    static constexpr ::reports::FieldKey key(#field); \
    visit(key.text(), objects.field...);              \
  }
