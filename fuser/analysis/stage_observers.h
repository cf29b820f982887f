#pragma once
// CompileObservers that wrap a function as the callback of a single stage:
//   AfterDecisions keep([&](const SegmentDecisions& decisions) { text = decisions.explanation(); });
//   settings.context.observers.push_back(&keep);
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
struct AfterApplication final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void afterApplication(std::string_view pass, Fusion& fusion, bool& modified) override {
    this->call_(pass, fusion, modified);
  }
};
template <class F>
AfterApplication(F) -> AfterApplication<F>;

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

}  // namespace fuser
