#pragma once
// CompileObservers of a single stage, as fuser/analysis/stage_observers.h has them, for the stages that only tests
// watch:
//   AfterHost print([&](HostIrContainer& program) { out << toString(program); });
//   settings.context.observers.push_back(&print);

#include "fuser/analysis/stage_observers.h"

namespace fuser {

template <class F>
struct BeforePasses final : OneStageObserver<F> {
  using OneStageObserver<F>::OneStageObserver;
  void beforePasses(Fusion& fusion) override { this->call_(fusion); }
};
template <class F>
BeforePasses(F) -> BeforePasses<F>;

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
