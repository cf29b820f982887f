#pragma once
// CompileOptions: everything that changes compilation and that a person or a campaign may choose. Each has a spelling
// in a .fusion file: `option NAME = literal`, `option enable|disable NAME`, `option disable pass NAME`. All in one
// struct, so that the cache's key, the text and the minimiser see every option that there is (fuser/text/grammar.md).

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace fuser {

// What is on unless it is disabled. ResizeScheduler: without it MovePadPass runs. TopDown: the segmenter tries whole
// parts of a fusion before single expressions.
enum class DisableOption : uint8_t { ResizeScheduler, TopDown };

// Who decides which groups the segmenter merges. All but Schedulers leave groups that no scheduler may take: each of
// them is segmented again, in a cache of its own.
enum class MergePredicate : uint8_t { Schedulers, Random, Never, Always };

// What runs kernels: our interpreter, which checks every access; printed text through clang; printed text through NVRTC
// on a GPU (fuser/DESIGN.md#7-engines).
enum class EngineKind : uint8_t { Interp, Cpu, Cuda };

struct CompileOptions {
  EngineKind engine = EngineKind::Interp;  // option engine = "interp"
  bool contraction = false;                // option enable contraction: a * b + c may become an FMA
  bool probes = false;                     // option enable probes: every tensor of a segment is stored and judged alone
  bool boundaryPrecision = false;          // option enable boundary_precision: values cross in the narrowest exact type
  MergePredicate mergePredicate = MergePredicate::Schedulers;  // option merge_predicate = "random"
  uint32_t mergeSeed = 0;                  // option merge_seed = 7: of a random merge predicate
  std::set<DisableOption> disabled;        // option disable resize_scheduler, option disable top_down
  std::set<std::string> disabledPasses;    // option disable pass ConsecutiveCastPass
  std::optional<int64_t> passLimit;        // option pass_limit = 3: the passes make their first 3 rewrites and no more
  std::string fault;                       // option fault = "dropped-predicate": a bug that the harness plants; "":
                                           // none
  bool operator==(const CompileOptions&) const = default;
};

inline bool isOptionDisabled(const CompileOptions& options, DisableOption option) {
  return options.disabled.count(option) != 0;
}

}  // namespace fuser
