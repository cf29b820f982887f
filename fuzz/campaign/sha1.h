#pragma once
// SHA-1 (FIPS 180-4), for content-based file names; not for security.

#include <string>
#include <string_view>

namespace fuser::fuzz {

// 40 lower-case hexadecimal digits.
std::string sha1(std::string_view bytes);

}  // namespace fuser::fuzz
