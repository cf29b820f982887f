#pragma once
// Decisions: what the compiler decided in a case, as short texts without names and sizes: "schedule Reduction: split %
// {axis = 0, factor = 2^7}", "not one segment: … is cut", "kernel if of 2, of threadIdx n". A campaign with feedback
// keeps the cases that show new ones.

#include <set>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_observer.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

using DecisionSet = std::set<std::string>;

// The text with "%" for each value's name, "#" for each number that stands alone, "[…]" for sizes; whole numbers that
// are powers of two and at least 4 become "2^k", since those are chosen.
std::string classOfText(std::string_view text);

// Watches a case's compilations and runs: passes that change the fusion, why parts are no segment, the transforms of
// schedules, predicates, barriers, widths and buffers of kernels, nodes of host programs, programs taken from the
// cache.
class DecisionCollector final : public CompileObserver {
 public:
  // Which must outlive the observer.
  explicit DecisionCollector(DecisionSet& decisions) : decisions_(decisions) {}

  void afterApplication(std::string_view pass, Fusion& fusion, bool& modified) override;
  void afterDecisions(const SegmentDecisions& decisions) override;
  void beforeSegmentCache(const Fusion& part, CacheSettings& inner) override;
  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override;
  void afterLower(int segment, Kernel& kernel) override;
  void afterHost(HostIrContainer& program) override;
  void afterCompile(CompiledProgram& program) override;
  void beforeConcretize(const Fusion& fusion, RunDecisions& decisions) override;
  void afterRun(const FinishedRun& run) override;

 private:
  DecisionSet& decisions_;
  std::set<const CompiledProgram*> compiled_;  // that have not run yet: several devices' may be, and end in any order
};

// What a verdict tells: counters of the segmenter, features of kernels, ops whose elements the oracle left undecided,
// and why the case was rejected.
void addDecisionsOf(const CaseVerdict& verdict, DecisionSet& decisions);

}  // namespace fuser::fuzz
