#include "fuser/ptx/types.h"

namespace fuser::ptx {
namespace {

constexpr TypeInfo kTypes[] = {
#define TYPE(name, text, reading, bits) {text, Reading::reading, bits},
#include "fuser/ptx/types.def"
#undef TYPE
};

}  // namespace

const TypeInfo& typeInfo(Type type) { return kTypes[static_cast<size_t>(type)]; }

std::optional<Type> typeFrom(std::string_view text) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i].text == text) return static_cast<Type>(i);
  }
  return std::nullopt;
}

}  // namespace fuser::ptx
