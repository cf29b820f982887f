#pragma once
// CompileOptions: everything that changes compilation and that a person or a campaign may choose. Each has a spelling in
// a .fusion file: `option NAME = literal`, `option enable|disable NAME`, `option disable pass NAME`.

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace fuser {

enum class DisableOption : uint8_t { ResizeScheduler };

enum class EngineKind : uint8_t { Interp, Cpu, Cuda };

struct CompileOptions {
  EngineKind engine = EngineKind::Interp;  // option engine = "interp"
  bool contraction = false;                // option enable contraction: a * b + c may become an FMA
  bool probes = false;                     // option enable probes: every tensor of a segment is stored and judged alone
  std::set<DisableOption> disabled;        // option disable resize_scheduler
  std::set<std::string> disabledPasses;    // option disable pass ConsecutiveCastPass
  std::optional<int64_t> passLimit;        // option pass_limit = 3: the passes make their first 3 rewrites and no more
  std::string fault;                       // option fault = "dropped-predicate": a bug that the harness plants; "": none
  bool operator==(const CompileOptions&) const = default;
};

inline bool isOptionDisabled(const CompileOptions& options, DisableOption option) {
  return options.disabled.count(option) != 0;
}

}  // namespace fuser
