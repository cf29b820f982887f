#pragma once
// The least case for a target: 1 + 1 and 2 + 2.

namespace fuser::fuzz {

inline constexpr const char* kDoubled = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  return %y
}
run { %x = values [1.0, 2.0] : f32[2] }
)";

}  // namespace fuser::fuzz
