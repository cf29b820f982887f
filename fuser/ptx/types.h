#pragma once
// The fundamental types of PTX (PTX ISA 9.0, 5.2): of registers, of variables and of instructions.

#include <cstdint>
#include <optional>
#include <string_view>

namespace fuser::ptx {

// How the bits of a value are read.
enum class Reading : uint8_t { Bits, Unsigned, Signed, Float, Predicate };

enum class Type : uint8_t {
#define TYPE(name, text, reading, bits) name,
#include "fuser/ptx/types.def"
#undef TYPE
};

struct TypeInfo {
  std::string_view text;  // "s32"
  Reading reading;
  int bits;  // of a predicate 1
};

const TypeInfo& typeInfo(Type type);
std::optional<Type> typeFrom(std::string_view text);
inline int bitsOf(Type type) { return typeInfo(type).bits; }
inline int bytesOf(Type type) { return (bitsOf(type) + 7) / 8; }
inline bool isFloat(Type type) { return typeInfo(type).reading == Reading::Float; }

// Where a variable lies (PTX ISA 9.0, 5.1).
enum class Space : uint8_t { Param, Global, Shared, Local, Const };

}  // namespace fuser::ptx
