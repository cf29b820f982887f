#pragma once
// Invariants: exact properties of every compilation, for any program and data, checked without running anything; and of
// every run of its host program. Tests check each one on generated fusions; campaigns check them on every case
// (invariants.def).

#include <functional>
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
#include "fuser/runtime/run_request.h"

namespace oracle {

// Invariants of the stage Segments run before parts, schedules and a host program exist, and use none of these.
// Those of the stage Run are checked at the end of a run.
enum class InvariantStage : uint8_t { Passes, Segments, Schedules, Kernels, Host, Run };

// The arguments of a compilation and the results of its stages.
struct Compilation {
  const fuser::Fusion& original;
  const fuser::FusionExecutorCache::Settings& settings;  // the caller's
  std::span<const fuser::HostValue> inputs;              // the inputs for which it was compiled
  const fuser::Fusion& presegmented;                     // after the passes
  const fuser::SegmentedFusion& segmented;
  const std::vector<const fuser::Fusion*>& parts;   // one per kernel, scheduled; clones of parts of `presegmented`
  const std::map<int, fuser::Schedule>& schedules;  // by segment
  const fuser::HostIrContainer& host;
  const fuser::FinishedRun* run = nullptr;  // never null in the stage Run; then `inputs` and `schedules` are empty

  // Runs the pipeline again on the same inputs.
  std::unique_ptr<fuser::CompiledProgram> compileAgain(const fuser::FusionExecutorCache::Settings& with) const;
};

struct Invariant {
  std::string_view name;
  InvariantStage stage;
  uint64_t period;
  std::string_view summary;
  std::string_view file;
  std::string (*check)(const Compilation&);  // returns "" if the invariant holds, otherwise one line with the violation
};
std::span<const Invariant> allInvariants();

// Which fusions an invariant with a period is checked on: those whose number it divides. It depends on what the
// fusion's text says, and on no value's id, so that a case that is read again is checked alike.
uint64_t numberForPeriods(const fuser::Fusion& fusion);

#define INVARIANT(NAME, STAGE, PERIOD, SUMMARY, FILE) std::string check##NAME(const Compilation& compilation);
#include "oracle/invariants/invariants.def"
#undef INVARIANT

// Checks the invariants at the end of each compilation and run with given settings, including those of segments with
// their own cache.
class InvariantObserver final : public fuser::CompileObserver {
 public:
  // everyTime: ignore periods. faulty: the stage whose result a planted fault edits; that stage's own invariants are
  // skipped, because other checks must find the fault. (Invariants of segments and the host program always run, because
  // they do not rely on the stage's own checks.) The fusion and this object must outlive the cache that gets the
  // settings.
  InvariantObserver(const fuser::Fusion& original, bool everyTime, std::optional<InvariantStage> faulty = std::nullopt)
      : original_(original), everyTime_(everyTime), faulty_(faulty) {}

  // Adds this object to the settings' observers; call it once. Observers before it may edit, and take part in
  // compileAgain(); those after it must not edit.
  void watch(fuser::FusionExecutorCache::Settings& settings);
  // The violations in order, "CutsHold: group 3 …", including those of segments with their own cache.
  const std::vector<std::string>& problems() const { return *problems_; }
  // The number of completed compilations, without those of segments with their own cache.
  size_t compilations() const { return compilations_; }

  void beforeCompile(std::span<const fuser::HostValue> inputs) override;
  void afterPasses(fuser::Fusion& fusion) override;
  void afterSegment(std::unique_ptr<fuser::SegmentedFusion>& segmented) override;
  void beforeSegmentCache(const fuser::Fusion& part, fuser::CacheSettings& inner) override;
  void afterSchedule(int segment, fuser::Fusion& part, fuser::Schedule& schedule) override;
  void afterHost(fuser::HostIrContainer& program) override;
  void afterRun(const fuser::FinishedRun& run) override;

 private:
  // Checks those invariants that are due and whose stage `isChosen` takes.
  void check(const Compilation& compilation, const std::function<bool(InvariantStage)>& isChosen);
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
  std::vector<std::unique_ptr<InvariantObserver>> inner_;  // for segments with their own cache
  size_t compilations_ = 0;
};

}  // namespace oracle
