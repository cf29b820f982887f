#pragma once
// Limits on a .fusion file and its parts. Files are untrusted: exceeding a limit is a located error.

#include <cstddef>
#include <cstdint>

#include "fuser/types/term_count.h"

namespace fuser::text {

inline constexpr size_t kMaxFileBytes = size_t{16} << 20;
inline constexpr size_t kMaxNameBytes = 128;
inline constexpr size_t kMaxListEntries = size_t{1} << 20;
inline constexpr size_t kMaxOps = 16384;
inline constexpr size_t kMaxBranchDepth = 32;
inline constexpr size_t kMaxParameters = 1024;
inline constexpr size_t kMaxRuns = 4096;
inline constexpr size_t kMaxTransforms = 16384;
inline constexpr size_t kMaxDimDepth = kMaxSizeDepth;
inline constexpr size_t kMaxDimTerms = kMaxSizeTerms;  // names, numbers and parentheses in one dim expression
inline constexpr double kMaxDimNumber = kMaxSizeNumber;

}  // namespace fuser::text
