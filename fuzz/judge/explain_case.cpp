#include "fuzz/judge/explain_case.h"

#include "fuser/analysis/compile_observer.h"
#include "fuser/analysis/segment_decisions.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/judge/first_compilation.h"
#include "fuzz/judge/segment_graph.h"

namespace fuser::fuzz {
namespace {

// Leaves the compiler before anything runs.
struct Explained {};

class Explainer : public CompileObserver {
 public:
  Explainer(reports::ExplainedCase& explained, const std::string& wrongValue)
      : explained_(explained), wrongValue_(wrongValue) {}

  void begin(const FirstCompilation& compiled) {
    const std::string text = printFusion(*compiled.concrete.fusion);
    if (text != explained_.program) explained_.compiled = text;
    compiled_ = &compiled;
  }

  void beforePasses(Fusion& fusion) override {
    before_ = printFusion(fusion);
    explained_.passesRan = true;
  }
  void afterApplication(std::string_view pass, Fusion& fusion, bool&) override {
    std::string after = printFusion(fusion);
    if (after != before_) explained_.changes.push_back({std::string(pass), before_, after});
    before_ = std::move(after);
  }
  void afterDecisions(const SegmentDecisions& decisions) override { explained_.cuts = decisions.explanation(); }
  void afterSegment(std::unique_ptr<SegmentedFusion>& segmented) override {
    explained_.segmented = true;
    explained_.segments = segmentGraphOf(*segmented, *compiled_, wrongValue_);
  }
  void afterSchedule(int segment, Fusion&, Schedule& schedule) override {
    explained_.schedules.push_back({segment, printSchedule(schedule)});
  }
  void afterHost(HostIrContainer&) override { throw Explained{}; }

 private:
  reports::ExplainedCase& explained_;
  const std::string& wrongValue_;
  const FirstCompilation* compiled_ = nullptr;
  std::string before_;
};

}  // namespace

reports::ExplainedCase explainCase(const Case& statements, const std::string& wrongValue) {
  FUSER_USER_CHECK(!statements.runs.empty(), "the case has no run to compile it for");
  reports::ExplainedCase explained;
  explained.program = printFusion(*statements.fusion);
  Explainer explainer(explained, wrongValue);
  try {
    compileFirstRun(statements, explainer, [&](const FirstCompilation& compiled) { explainer.begin(compiled); });
  } catch (const Explained&) {
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    explained.ending = error.what();
  }
  return explained;
}

}  // namespace fuser::fuzz
