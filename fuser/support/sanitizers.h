#pragma once
// Whether the code is compiled with AddressSanitizer, whose shadow memory needs a large address space: such a process
// cannot run under a small limit on its address space.

#ifdef __has_feature  // clang
#if __has_feature(address_sanitizer)
#define FUSER_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)  // g++
#define FUSER_ADDRESS_SANITIZER 1
#endif

namespace fuser {

#ifdef FUSER_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace fuser
