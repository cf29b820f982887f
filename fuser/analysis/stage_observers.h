#pragma once
// CompileObservers that wrap a function as the callback of a single stage:
//   AfterHost print([&](HostIrContainer& program) { out << toString(program); });
//   settings.context.observers.push_back(&print);
// Like any observer, they must outlive the context that refers to them.

#include <utility>

#include "fuser/analysis/compile_observer.h"

namespace fuser {

template <class F>
class OneStageObserver : public CompileObserver {
 public:
  explicit OneStageObserver(F function) : call_(std::move(function)) {}

 protected:
  F call_;
};

template <class F>
struct BeforePasses final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void beforePasses(Fusion& fusion) override { this->call_(fusion); }
};
template <class F>
BeforePasses(F) -> BeforePasses<F>;

template <class F>
struct AfterApplication final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterApplication(std::string_view pass, Fusion& fusion, bool& modified) override {
    this->call_(pass, fusion, modified);
  }
};
template <class F>
AfterApplication(F) -> AfterApplication<F>;

template <class F>
struct AfterPass final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterPass(std::string_view pass, const Fusion& fusion, bool modified) override {
    this->call_(pass, fusion, modified);
  }
};
template <class F>
AfterPass(F) -> AfterPass<F>;

template <class F>
struct AfterPasses final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterPasses(Fusion& fusion) override { this->call_(fusion); }
};
template <class F>
AfterPasses(F) -> AfterPasses<F>;

template <class F>
struct AfterDecisions final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterDecisions(const SegmentDecisions& decisions) override { this->call_(decisions); }
};
template <class F>
AfterDecisions(F) -> AfterDecisions<F>;

template <class F>
struct AfterSegment final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterSegment(std::unique_ptr<SegmentedFusion>& segmented) override { this->call_(segmented); }
};
template <class F>
AfterSegment(F) -> AfterSegment<F>;

template <class F>
struct AfterSchedule final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override { this->call_(segment, part, schedule); }
};
template <class F>
AfterSchedule(F) -> AfterSchedule<F>;

template <class F>
struct AfterLowerStep final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterLowerStep(int segment, std::string_view step, const Kernel& kernel) override {
    this->call_(segment, step, kernel);
  }
};
template <class F>
AfterLowerStep(F) -> AfterLowerStep<F>;

template <class F>
struct AfterLower final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterLower(int segment, Kernel& kernel) override { this->call_(segment, kernel); }
};
template <class F>
AfterLower(F) -> AfterLower<F>;

template <class F>
struct AfterHost final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterHost(HostIrContainer& program) override { this->call_(program); }
};
template <class F>
AfterHost(F) -> AfterHost<F>;

template <class F>
struct BeforeLaunch final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override { this->call_(kernel, arguments); }
};
template <class F>
BeforeLaunch(F) -> BeforeLaunch<F>;

}  // namespace fuser
