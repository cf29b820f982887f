#pragma once
// Invariants: what holds of every compilation, whatever the program and the data: exact facts, checked without running
// anything. Tests check each of them on generated fusions; campaigns check them on every case (invariants.def).

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/analysis/compile_observer.h"
#include "fuser/runtime/compiled_program.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace oracle {

// Those of Segments are checked before there are parts, schedules and a host program, and look at none of these.
enum class InvariantStage : uint8_t { Passes, Segments, Schedules, Kernels, Host };

// What one compilation was given, and what its stages made.
struct Compilation {
  const fuser::Fusion& original;
  const fuser::FusionExecutorCache::Settings& settings;  // as the caller gave them
  std::span<const fuser::HostValue> inputs;              // that it was made for
  const fuser::Fusion& presegmented;                     // after the passes
  const fuser::SegmentedFusion& segmented;
  const std::vector<const fuser::Fusion*>& parts;   // one a kernel, scheduled; they come from `presegmented`
  const std::map<int, fuser::Schedule>& schedules;  // by segment
  const fuser::HostIrContainer& host;

  // The pipeline once more on the same inputs.
  std::unique_ptr<fuser::CompiledProgram> compileAgain(const fuser::FusionExecutorCache::Settings& with) const;
};

struct Invariant {
  std::string_view name;
  InvariantStage stage;
  uint64_t period;
  std::string_view summary;
  std::string_view file;
  std::string (*check)(const Compilation&);  // empty where it holds; else one line that says what does not
};
std::span<const Invariant> allInvariants();

#define INVARIANT(NAME, STAGE, PERIOD, SUMMARY, FILE) std::string check##NAME(const Compilation& compilation);
#include "oracle/invariants/invariants.def"
#undef INVARIANT

// Checks the invariants at the end of each compilation that settings lead to; those of segments that get a cache of
// their own too.
class InvariantObserver final : public fuser::CompileObserver {
 public:
  // everyTime: periods do not count. faulty: the stage whose result a planted fault among observers edits. It is not
  // held against its own invariants: other checks must find the fault. (Those of segments and of the host program hold
  // whoever edited them: they do not lean on the stage's own checks.) The fusion and this outlive the cache that gets
  // the settings.
  InvariantObserver(const fuser::Fusion& original, bool everyTime, std::optional<InvariantStage> faulty = std::nullopt)
      : original_(original), everyTime_(everyTime), faulty_(faulty) {}

  // Once. Adds this to the settings' observers. Those that are there may edit; they take part when it compiles again.
  // Those that come later must not edit.
  void watch(fuser::FusionExecutorCache::Settings& settings);
  // "CutsHold: group 3 …", in order; those of segments with a cache of their own included.
  const std::vector<std::string>& problems() const { return *problems_; }
  // Compilations seen to their end, those of segments with a cache of their own not counted.
  size_t compilations() const { return compilations_; }

  void beforeCompile(std::span<const fuser::HostValue> inputs) override;
  void afterPasses(fuser::Fusion& fusion) override;
  void afterSegment(std::unique_ptr<fuser::SegmentedFusion>& segmented) override;
  void beforeSegmentCache(const fuser::Fusion& part, fuser::CacheSettings& inner) override;
  void afterSchedule(int segment, fuser::Fusion& part, fuser::Schedule& schedule) override;
  void afterHost(fuser::HostIrContainer& program) override;

 private:
  // Those of the segments, as soon as there are any; the others, once all is made.
  void check(bool segments, const fuser::HostIrContainer& host);
  bool isDue(const Invariant& invariant, uint64_t number) const;

  const fuser::Fusion& original_;
  const bool everyTime_;
  const std::optional<InvariantStage> faulty_;
  fuser::FusionExecutorCache::Settings settings_;
  fuser::Trace* trace_ = nullptr;  // gets the time under "invariants"
  std::span<const fuser::HostValue> inputs_;
  fuser::Fusion* presegmented_ = nullptr;
  const fuser::SegmentedFusion* segmented_ = nullptr;
  std::vector<const fuser::Fusion*> parts_;
  std::map<int, fuser::Schedule> schedules_;
  std::shared_ptr<std::vector<std::string>> problems_ = std::make_shared<std::vector<std::string>>();
  std::vector<std::unique_ptr<InvariantObserver>> inner_;  // of segments with a cache of their own
  size_t compilations_ = 0;
};

}  // namespace oracle
