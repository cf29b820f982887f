#pragma once
// Limits of schedules, which may come from untrusted files: each loop adds a level of nesting to every traversal of a
// kernel, each split may round its axis up, and each merge may double an index. Exceeding a limit is a UserError that
// states it (fuser/text/grammar.md#limits). The schedulers stay far below these limits.

#include <cstddef>
#include <cstdint>

namespace fuser {

inline constexpr int64_t kMaxSplitFactor = int64_t{1} << 20;
inline constexpr int64_t kMaxPadding = 1024;               // elements; of a padded row, too
inline constexpr int64_t kMaxStages = 16;                  // of a circular buffer
inline constexpr size_t kMaxLoops = 64;                    // nested loops of a tensor
inline constexpr size_t kMaxLoopTransforms = 256;          // splits and merges of a tensor
inline constexpr int64_t kMaxFactors = int64_t{1} << 29;   // the product of a tensor's split factors, which round up
inline constexpr size_t kMaxIndexTerms = 4096;             // names, numbers and parentheses in an index or extent
inline constexpr double kMaxConstantElements = 281474976710656.0;  // 2^48: the product of a tensor's constant sizes

}  // namespace fuser
