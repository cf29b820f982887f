#pragma once
// Bytes of structs with a list of fields (fields.h), for pipes, and for ledgers, which only the version of the program
// that wrote them reads. Every byte of a string is kept.
//
//   whole number   LEB128, seven bits a byte; of a signed type 2n, or -2n - 1 where it is negative
//   double         its 8 bytes
//   string         how long, its bytes
//   container      how many, its items in their order; of fixed size (array, pair): its items alone
//   optional       a bool; what it holds
//   enum           its name
//   struct         of each field that is not as in a new one: its place in the list, from 1 on, and the value; then 0
//
// decode() throws std::invalid_argument for bytes that are no value of the type, and whatever a WrittenAs throws. It
// does not tell damage that is another value. Where a field is as in a new struct, by ==, that is what is read: 0 for
// -0.0.

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "reports/fields.h"
#include "reports/fields_sum.h"

namespace reports {

// A type that is written as another one: specializations have `static Form to(const T&)` and `static T from(Form)`.
template <class T>
struct WrittenAs;

template <class T>
struct WrittenAs<Largest<T>> {
  static T to(const Largest<T>& largest) { return largest.value; }
  static Largest<T> from(T value) { return value; }
};

template <HasNames Enum>
struct WrittenAs<Enum> {
  static std::string to(Enum value) { return std::string(Names<Enum>::name(value)); }
  static Enum from(const std::string& name) {
    const std::optional<Enum> found = Names<Enum>::find(name);
    if (!found) throw std::invalid_argument("nothing is called '" + name + "' here");
    return *found;
  }
};

template <class T>
concept IsWrittenAs = requires(const T& value) {
  WrittenAs<T>::to(value);
};
template <class T>
concept IsOptional = std::same_as<T, std::optional<typename T::value_type>>;
template <class T>
concept HasFixedSize = requires {
  std::tuple_size<T>::value;
};

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (HasFields<T>) {
      putFields(value);
    } else if constexpr (IsWrittenAs<T>) {
      put(WrittenAs<T>::to(value));
    } else if constexpr (std::is_same_v<T, double>) {
      char bits[sizeof value];
      std::memcpy(bits, &value, sizeof bits);
      bytes_.append(bits, sizeof bits);
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      const auto wide = static_cast<int64_t>(value);
      putNumber(static_cast<uint64_t>(wide) << 1 ^ static_cast<uint64_t>(wide >> 63));
    } else if constexpr (std::is_integral_v<T>) {
      putNumber(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      putNumber(value.size());
      bytes_.append(value);
    } else if constexpr (IsOptional<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (HasFixedSize<T>) {
      std::apply([&](const auto&... items) { (put(items), ...); }, value);
    } else {
      putNumber(value.size());
      for (const auto& item : value) put(item);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  void putNumber(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<char>(number | 0x80));
    bytes_.push_back(static_cast<char>(number));
  }

  template <class T>
  void putFields(const T& object) {
    static const T kNew{};
    uint64_t place = 0;
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view, const auto& field, const auto& whenNew) {
          ++place;
          if (field == whenNew) return;
          putNumber(place);
          put(field);
        },
        object, kNew);
    putNumber(0);
  }

  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool isAtEnd() const { return rest_.empty(); }

  template <class T>
  T get() {
    if constexpr (HasFields<T>) {
      return getFields<T>();
    } else if constexpr (IsWrittenAs<T>) {
      return WrittenAs<T>::from(get<std::decay_t<decltype(WrittenAs<T>::to(std::declval<const T&>()))>>());
    } else if constexpr (std::is_same_v<T, double>) {
      double value = 0;
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
      return value;
    } else if constexpr (std::is_integral_v<T>) {
      return getInteger<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      return std::string(take(getNumber()));
    } else if constexpr (IsOptional<T>) {
      return get<bool>() ? T(get<typename T::value_type>()) : std::nullopt;
    } else if constexpr (HasFixedSize<T>) {
      return getItems<T>(std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
      return getContainer<T>();
    }
  }

 private:
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) throw std::invalid_argument("the bytes end too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  uint64_t getNumber() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      if (shift == 63 && byte > 1) break;
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    throw std::invalid_argument("a number has too many bits");
  }

  template <class T>
  T getInteger() {
    const uint64_t number = getNumber();
    const uint64_t bits = std::is_signed_v<T> ? number >> 1 ^ (0 - (number & 1)) : number;
    const auto value = static_cast<T>(bits);
    if (static_cast<uint64_t>(value) != bits) throw std::invalid_argument("a number is too large for its place");
    return value;
  }

  template <class T>
  T getFields() {
    T object{};
    uint64_t place = 0, next = getNumber();
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view, auto& field) {
          if (++place != next) return;
          field = get<std::decay_t<decltype(field)>>();
          next = getNumber();
        },
        object);
    if (next != 0) throw std::invalid_argument("there is no field " + std::to_string(next) + " behind those before it");
    return object;
  }

  // In braces, the items are read from first to last.
  template <class T, size_t... I>
  T getItems(std::index_sequence<I...>) {
    return T{get<std::decay_t<std::tuple_element_t<I, T>>>()...};
  }

  template <class T>
  T getContainer() {
    T container;
    const uint64_t count = getNumber();
    // No item takes less than a byte: so a damaged length asks for no more items than there are bytes.
    if (count > rest_.size()) throw std::invalid_argument("the bytes end too early");
    for (uint64_t i = 0; i < count; ++i) {
      if constexpr (requires { typename T::mapped_type; }) {
        auto key = get<typename T::key_type>();
        container.emplace_hint(container.end(), std::move(key), get<typename T::mapped_type>());
      } else if constexpr (requires { typename T::key_type; }) {
        container.emplace_hint(container.end(), get<typename T::key_type>());
      } else {
        container.push_back(get<typename T::value_type>());
      }
    }
    return container;
  }

  std::string_view rest_;
};

template <class T>
std::string encode(const T& object) {
  ByteWriter writer;
  writer.put(object);
  return writer.take();
}

template <class T>
T decode(std::string_view bytes) {
  ByteReader reader(bytes);
  T object = reader.get<T>();
  if (!reader.isAtEnd()) throw std::invalid_argument("bytes are left over");
  return object;
}

}  // namespace reports
