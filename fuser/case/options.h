#pragma once
// CompileOptions: all options that affect compilation. Each has a text form in a .fusion file: `option NAME = literal`,
// `option enable|disable NAME`, `option disable pass NAME` (fuser/text/grammar.md). They are one struct, so that the
// cache key, the text and the minimizer cover every option.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fuser/types/device_properties.h"

namespace fuser {

// Features that are on by default. ResizeScheduler: a kernel computes inline what it reads at other coordinates (slice,
// pad, cat, reshape, repeat, flip); without it, that must be in memory, and MovePadPass moves pads out of the way.
// TopDown: the segmenter tries whole parts of a fusion before single expressions.
enum class DisableOption : uint8_t { ResizeScheduler, TopDown };

// Which pairs of groups the segmenter merges. All but Schedulers can leave a group that no scheduler accepts; such a
// group is segmented again, in its own FusionExecutorCache.
enum class MergePredicate : uint8_t { Schedulers, Random, Never, Always };

// The engine that runs kernels: the interpreter, which checks every access; the printed CUDA C++ compiled by clang for
// the CPU, or by NVRTC for a GPU, or by NVRTC to PTX that runs on the host, every access checked
// (fuser/DESIGN.md#7-engines).
enum class EngineKind : uint8_t { Interp, Cpu, Cuda, Ptx };

// The compute capabilities, without the point, for which engine ptx compiles; the first one where nobody says.
inline constexpr std::string_view kPtxArchitectures[] = {"90", "80", "100"};

// Whose library functions (exp, sin, …) kernels call: those that interp calls; any whose errors stay within the column
// of the op table; or CUDA's, on a GPU whose approximations are as bad as PTX's manual allows
// (fuser/ptx/approximations.def).
enum class FunctionLibrary : uint8_t { Host, Any, WorstByManual };

constexpr FunctionLibrary functionsOf(EngineKind kind) {
  return kind == EngineKind::Interp || kind == EngineKind::Cpu ? FunctionLibrary::Host : FunctionLibrary::Any;
}

struct CompileOptions {
  EngineKind engine = EngineKind::Interp;  // option engine = "interp"
  size_t ptxArchitecture = 0;              // option ptx_architecture = "80": its place in kPtxArchitectures
  bool contraction = false;                // option enable contraction: a * b + c may become an FMA
  bool probes = false;                     // option enable probes: store every tensor of a segment and judge it alone
  bool boundaryPrecision = false;          // option enable boundary_precision: narrowest exact type at boundaries
  bool ioToLowerPrecision = false;         // option enable io_to_lower_precision: boundaries in the outputs' 16 bits
  MergePredicate mergePredicate = MergePredicate::Schedulers;  // option merge_predicate = "random"
  uint32_t mergeSeed = 0;                  // option merge_seed = 7: the seed of the Random predicate
  std::set<DisableOption> disabled;        // option disable resize_scheduler, option disable top_down
  std::set<std::string> disabledPasses;    // option disable pass ConsecutiveCastPass
  std::optional<int64_t> passLimit;        // option pass_limit = 3: passes stop after 3 rewrites (for bisection)
  uint32_t rngSeed = 0;  // option rng_seed = 7: of random ops that name no seed; they are read with it
  bool deterministic = false;              // option enable deterministic: no kernel adds by atomics
  std::optional<int64_t> streams;          // option streams = 3: of these, loops over streams use; else it is drawn
  std::optional<size_t> device;            // option device = "tiny": its place in namedDevices(); else the engine's
  // option device_warp = 16: by DeviceFigure::name. They replace the device's.
  std::map<std::string_view, int64_t> deviceFigures;
  std::string fault;                       // option fault = "dropped-predicate": the name of a planted fault;
                                           // empty: none
  bool operator==(const CompileOptions&) const = default;
};

inline bool isOptionDisabled(const CompileOptions& options, DisableOption option) {
  return options.disabled.count(option) != 0;
}

// The device for which kernels are made; `native` is the engine's.
inline DeviceProperties deviceOf(const CompileOptions& options, const DeviceProperties& native) {
  DeviceProperties device = options.device ? namedDevices()[*options.device].properties : native;
  for (const auto& [name, value] : options.deviceFigures) device.*findDeviceFigure(name)->field = value;
  return device;
}

}  // namespace fuser
