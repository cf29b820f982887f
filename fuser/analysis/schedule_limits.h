#pragma once
// How far a schedule may go. A schedule may come from a file, and a file from a stranger: each loop is a level of
// nesting for all that walks a kernel, each split may round its axis up, and each merge may double an index. Past a
// limit is a UserError that says it (fuser/text/grammar.md#limits). No scheduler of ours comes near one.

#include <cstddef>
#include <cstdint>

namespace fuser {

inline constexpr int64_t kMaxSplitFactor = int64_t{1} << 20;
inline constexpr size_t kMaxLoops = 64;                    // of a tensor, one in the other
inline constexpr size_t kMaxLoopTransforms = 256;          // splits and merges of a tensor
inline constexpr int64_t kMaxFactors = int64_t{1} << 26;   // a tensor's split factors multiplied: rounding adds turns
inline constexpr size_t kMaxIndexTerms = 4096;             // names and numbers in an index of a kernel, or in an extent
inline constexpr double kMaxConstantElements = 281474976710656.0;  // 2^48: the product of a tensor's constant sizes

}  // namespace fuser
