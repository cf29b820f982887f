#pragma once
// JSON of structs with a list of fields (fields.h) and of enums with names.
//
// A field with its default value is omitted. An unknown field is an error, so that a text of another version is never
// read as a default object.
//
// toJsonText() and fromJsonText() are one line of JSON, for files that people may read; invalid UTF-8 becomes U+FFFD.
// Reading throws std::invalid_argument for invalid input, with our message instead of the library's (json_text.h).

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "reports/fields.h"
#include "reports/fields_sum.h"
#include "reports/json_text.h"

namespace reports {

template <class Json>
[[noreturn]] void refuseUnknownField(const Json& object, std::string_view known) {
  std::string unknown;
  for (const auto& [key, value] : object.items()) {
    if (known.find(" " + key + " ") == std::string_view::npos) unknown = key;
  }
  throw std::invalid_argument("there is no field '" + unknown + "'");
}

// JSON with every field, recursively, even with default values: for reports, whose readers expect each one.
template <class Json, class T>
Json allFields(const std::vector<T>& values);

template <class Json, class T>
Json allFields(const T& value) {
  Json json;
  if constexpr (HasFields<T>) {
    json = Json::object();
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view key, const auto& field) { json[std::string(key)] = allFields<Json>(field); }, value);
  } else {
    json = value;
  }
  return json;
}

template <class Json, class T>
Json allFields(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(allFields<Json>(value));
  return json;
}

// Converts a display name to a key: "generator flags" -> "generator_flags".
inline std::string keyFromWords(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

template <class Read>
auto invalidInOurWords(const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(inOurWords(error));
  }
}

template <class T>
std::string toJsonText(const T& object) {
  return nlohmann::json(object).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class T>
T fromJsonText(std::string_view text) {
  return invalidInOurWords([&] { return nlohmann::json::parse(text).template get<T>(); });
}

}  // namespace reports

namespace nlohmann {

template <reports::HasFields T>
struct adl_serializer<T, void> {
  template <class Json>
  static void to_json(Json& json, const T& object) {
    static const T kNew{};
    json = Json::object();
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view key, const auto& field, const auto& whenNew) {
          if (!(field == whenNew)) json.emplace(std::string(key), field);
        },
        object, kNew);
  }

  template <class Json>
  static void from_json(const Json& json, T& object) {
    if (!json.is_object()) throw std::invalid_argument("fields are expected, not " + std::string(json.type_name()));
    object = T();
    size_t read = 0;
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view key, auto& field) {
          const auto found = json.find(key);
          if (found == json.end()) return;
          found->get_to(field);
          ++read;
        },
        object);
    if (read == json.size()) return;
    std::string known = " ";
    visitFields(
        std::type_identity<T>(), [&](std::string_view key, const auto&) { known.append(key).append(" "); }, object);
    reports::refuseUnknownField(json, known);
  }
};

template <class T>
struct adl_serializer<reports::Largest<T>, void> {
  template <class Json>
  static void to_json(Json& json, const reports::Largest<T>& largest) {
    json = largest.value;
  }
  template <class Json>
  static void from_json(const Json& json, reports::Largest<T>& largest) {
    json.get_to(largest.value);
  }
};

template <reports::HasNames Enum>
struct adl_serializer<Enum, void> {
  template <class Json>
  static void to_json(Json& json, Enum value) {
    json = std::string(reports::Names<Enum>::name(value));
  }

  template <class Json>
  static void from_json(const Json& json, Enum& value) {
    value = valueOf(json.template get_ref<const std::string&>());
  }

  static Enum valueOf(const std::string& name) {
    const std::optional<Enum> found = reports::Names<Enum>::find(name);
    if (!found) throw std::invalid_argument("nothing is called '" + name + "' here");
    return *found;
  }
};

// A map with enum keys is a JSON object with their names as keys.
template <reports::HasNames Enum, class Value>
struct adl_serializer<std::map<Enum, Value>, void> {
  template <class Json>
  static void to_json(Json& json, const std::map<Enum, Value>& map) {
    json = Json::object();
    for (const auto& [key, value] : map) json.emplace(std::string(reports::Names<Enum>::name(key)), value);
  }

  template <class Json>
  static void from_json(const Json& json, std::map<Enum, Value>& map) {
    map.clear();
    for (const auto& [name, value] : json.items()) {
      value.get_to(map[adl_serializer<Enum, void>::valueOf(name)]);
    }
  }
};

}  // namespace nlohmann
