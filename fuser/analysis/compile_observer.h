#pragma once
// CompileObserver: sees a compilation stage by stage, and what was compiled when it runs. A planted fault edits what
// passes through; a probe, a report or a check looks at it. CompileContext holds a list of them, and each stage calls
// all of it, in the list's order: each sees what those before it made of the stage's result. Whoever wants two things
// gives two observers; who edits stands before who looks.
//
// It stands here because the lowest stages that call it do. The types of later stages are declared, not included: an
// observer includes those of the stages that it overrides.
//
// Threads: stages of a compilation, and beforeRun, are called under the lock of the cache that compiles. beforeLaunch
// is called by the thread that runs: where the devices of a case run side by side, by one of them at a time.

#include <memory>
#include <span>
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
struct Kernel;
struct KernelArguments;
struct RunRequest;

class CompileObserver {
 public:
  CompileObserver() = default;
  CompileObserver(const CompileObserver&) = delete;
  CompileObserver& operator=(const CompileObserver&) = delete;
  virtual ~CompileObserver() = default;

  // Of a compilation, in this order; those that name a segment, segment by segment. What is given by a reference
  // without const may be edited.

  // The inputs that the program will be made for; not called where nothing is assumed of sizes.
  virtual void beforeCompile(std::span<const ExpressionEvaluator::InputValue> /*inputs*/) {}
  // The clone that is compiled; it stays where it is.
  virtual void beforePasses(Fusion& /*fusion*/) {}
  // After each single run of a pass (by the name of its line in the list), before it is checked. modified: what the
  // pass says of itself.
  virtual void afterApplication(std::string_view /*pass*/, Fusion& /*fusion*/, bool& /*modified*/) {}
  // After a pass and all its turns; after the whole list of them, too, under its name.
  virtual void afterPass(std::string_view /*pass*/, const Fusion& /*fusion*/, bool /*modified*/) {}
  virtual void afterPasses(Fusion& /*fusion*/) {}
  // At the segmenter's end; not called where a schedule makes the whole fusion one segment.
  virtual void afterDecisions(const SegmentDecisions& /*decisions*/) {}
  // Never null. It may be exchanged for another segmentation of the same fusion, whatever that is like.
  virtual void afterSegment(std::unique_ptr<SegmentedFusion>& /*segmented*/) {}
  // A segment gets a cache of its own, with these settings. Its list of observers is empty: who wants to see that
  // cache's compilations and launches adds an observer, itself or another.
  virtual void beforeSegmentCache(const Fusion& /*part*/, CacheSettings& /*inner*/) {}
  // The schedule as it was chosen or given, before it is applied to the part.
  virtual void afterSchedule(int /*segment*/, Fusion& /*part*/, Schedule& /*schedule*/) {}
  // The scheduled part, checked.
  virtual void afterApplySchedule(int /*segment*/, Fusion& /*part*/) {}
  virtual void afterLowerStep(int /*segment*/, std::string_view /*step*/, const Kernel& /*kernel*/) {}
  // Before the kernel is verified.
  virtual void afterLower(int /*segment*/, Kernel& /*kernel*/) {}
  virtual void afterHost(HostIrContainer& /*program*/) {}
  // With the engine's kernels, before the cache keeps it.
  virtual void afterCompile(CompiledProgram& /*program*/) {}

  // Of a run: once before its program is looked up, and then before each launch of a kernel.

  virtual void beforeRun(RunRequest& /*request*/) {}
  virtual void beforeLaunch(const Kernel& /*kernel*/, KernelArguments& /*arguments*/) {}
};

}  // namespace fuser
