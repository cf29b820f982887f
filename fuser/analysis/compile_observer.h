#pragma once
// CompileObserver: callbacks for each stage of a compilation and for runs of the compiled program. A planted fault
// edits a stage's result; a probe, a report or a check reads it. Each stage calls every observer in
// CompileContext::observers in order, so that each one sees the edits of those before it. Use one observer per task,
// and add those that edit before those that only read.
//
// The class is in analysis, because the lowest stages that call it are there. The types of later stages are only
// declared here; an observer includes the headers of the stages that it overrides.
//
// Threads: the stages of a compilation, beforeRun and afterRun are called under the cache's lock. beforeLaunch is
// called by the running thread. When several devices of a case run concurrently, one of them at a time calls
// beforeLaunch or afterRun.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/transform.h"

namespace fuser {

class Fusion;
class HostIrContainer;
class SegmentDecisions;
class SegmentedFusion;
struct CacheSettings;
struct CompiledProgram;
struct FinishedRun;
struct Kernel;
struct KernelArguments;
struct RunDecisions;
struct RunRequest;

class CompileObserver {
 public:
  CompileObserver() = default;
  CompileObserver(const CompileObserver&) = delete;
  CompileObserver& operator=(const CompileObserver&) = delete;
  virtual ~CompileObserver() = default;

  // Stages of a compilation, in order; those with a segment number are called once per segment. An observer may edit
  // whatever it gets by non-const reference.

  // The inputs whose sizes the program is specialized for; not called when compilation assumes nothing about sizes.
  virtual void beforeCompile(std::span<const ExpressionEvaluator::InputValue> /*inputs*/) {}
  // The clone that is compiled; its address does not change during compilation.
  virtual void beforePasses(Fusion& /*fusion*/) {}
  // Before each single run of a pass, and after it, before the verifier runs; not after one that throws. `pass` is the
  // name in the list; `modified` is what the pass reports.
  virtual void beforeApplication(std::string_view /*pass*/, const Fusion& /*fusion*/) {}
  virtual void afterApplication(std::string_view /*pass*/, Fusion& /*fusion*/, bool& /*modified*/) {}
  // After a pass has reached its fixed point; also after the whole list, with the list's name.
  virtual void afterPass(std::string_view /*pass*/, const Fusion& /*fusion*/, bool /*modified*/) {}
  virtual void afterPasses(Fusion& /*fusion*/) {}
  // At the end of the segmenter; not called when a schedule for the whole fusion makes it one segment.
  virtual void afterDecisions(const SegmentDecisions& /*decisions*/) {}
  // Never null. The observer may replace it by another segmentation of the same fusion, even an invalid one.
  virtual void afterSegment(std::unique_ptr<SegmentedFusion>& /*segmented*/) {}
  // A segment gets its own cache, with these settings. To observe that cache's compilations and launches, add an
  // observer to inner.context.observers, which contains only those that earlier observers added.
  virtual void beforeSegmentCache(const Fusion& /*part*/, CacheSettings& /*inner*/) {}
  // The schedule that a scheduler chose or the case specifies, before it is applied.
  virtual void afterSchedule(int /*segment*/, Fusion& /*part*/, Schedule& /*schedule*/) {}
  // The schedule, or a launch of its kernel, breaks a rule (schedule_rules.h). It is refused, unless an observer
  // returns true: a test that runs what the rules reject. Such a kernel may be wrong in any way.
  virtual bool letsPass(int /*rule*/, const std::string& /*why*/) { return false; }
  // The scheduled part, after checkSchedule.
  virtual void afterApplySchedule(int /*segment*/, Fusion& /*part*/) {}
  virtual void afterLowerStep(int /*segment*/, std::string_view /*step*/, const Kernel& /*kernel*/) {}
  // Before the kernel is verified.
  virtual void afterLower(int /*segment*/, Kernel& /*kernel*/) {}
  virtual void afterHost(HostIrContainer& /*program*/) {}
  // The program with its compiled kernels, before it enters the cache.
  virtual void afterCompile(CompiledProgram& /*program*/) {}

  // What a run of this fusion decides, before the cache looks for the concrete fusion of these decisions; not called
  // for a fusion without decisions. An observer may edit them.
  virtual void beforeConcretize(const Fusion& /*fusion*/, RunDecisions& /*decisions*/) {}

  // Stages of a run: once before the lookup of its program, before each kernel launch, and once at its end; not after
  // one that throws.

  virtual void beforeRun(RunRequest& /*request*/) {}
  virtual void beforeLaunch(const Kernel& /*kernel*/, KernelArguments& /*arguments*/) {}
  virtual void afterRun(const FinishedRun& /*run*/) {}
};

}  // namespace fuser
