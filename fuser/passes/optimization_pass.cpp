#include "fuser/passes/optimization_pass.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fuser/analysis/compile_observer.h"
#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/log/log.h"
#include "fuser/text/printer.h"

namespace fuser {

namespace {

constexpr size_t kSpareTurns = 100;

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void checkFusion(const Fusion& fusion, std::string_view pass) {
  const std::vector<Violation> violations = findViolations(fusion);
  FUSER_CHECK(violations.empty(), "after ", pass, ": constraint ", violations.front().constraint, ": ",
              violations.front().message);
}

// Runs one list of passes to its fixed point.
class Turns {
 public:
  Turns(Fusion& fusion, std::string_view owner, const PassList& passes, const CompileContext& context)
      : fusion_(fusion),
        owner_(owner),
        passes_(passes),
        context_(context),
        pipeline_(context.pipeline ? *context.pipeline : own_),
        budget_(kSpareTurns + fusion.exprs().size()) {
    if (!context.checkInvariants) return;  // then oscillation is detected one turn later
    if (!pipeline_.fingerprint) pipeline_.fingerprint = fingerprint(fusion);
    seen_[*pipeline_.fingerprint] = 0;
  }

  bool run() {
    while (runTurn()) {
      checkProgress(context_.checkInvariants ? pipeline_.fingerprint.value() : fingerprint(fusion_));
    }
    return changedBy_.size() > 1;
  }

 private:
  std::string_view nameOf(const Pass& pass) const { return pass.name().empty() ? owner_ : pass.name(); }

  bool runTurn() {
    std::set<std::string>& changed = changedBy_.emplace_back();
    for (const std::unique_ptr<Pass>& pass : passes_) {
      FUSER_CHECK(pass->fusion() == &fusion_, nameOf(*pass), " is for another fusion");
      if (runOnce(*pass)) changed.emplace(nameOf(*pass));
    }
    return !changed.empty();
  }

  bool runOnce(Pass& pass) {
    for (CompileObserver* observer : context_.observers) observer->beforeApplication(owner_, fusion_);
    bool modified = pass.run(pipeline_);
    for (CompileObserver* observer : context_.observers) observer->afterApplication(owner_, fusion_, modified);
    if (modified || context_.checkInvariants) checkFusion(fusion_, nameOf(pass));
    if (context_.checkInvariants) {
      const uint64_t after = fingerprint(fusion_);
      const bool changed = std::exchange(pipeline_.fingerprint, after) != after;
      FUSER_CHECK(
          changed == modified, nameOf(pass),
          changed ? " changed the fusion but reported no change" : " reported a change but did not change the fusion");
    }
    return modified;
  }

  // Passes that undo each other lead back to an earlier state, so its fingerprint repeats.
  void checkProgress(uint64_t print) {
    const size_t turn = changedBy_.size();
    const auto [place, isNew] = seen_.emplace(print, turn);
    std::set<std::string> guilty;
    for (size_t i = place->second; i < turn; ++i) guilty.insert(changedBy_[i].begin(), changedBy_[i].end());
    FUSER_CHECK(isNew, owner_, " oscillates: after round ", turn, " the fusion is as ",
                place->second == 0 ? "it was at first" : concat("after round ", place->second),
                "; passes that undo each other: ", joined(guilty));
    FUSER_CHECK(turn < budget_, owner_, " still changes the fusion after ", turn,
                " turns; passes that changed it last: ", joined(changedBy_.back()));
  }

  Fusion& fusion_;
  const std::string owner_;
  const PassList& passes_;
  const CompileContext& context_;
  PipelineState own_;
  PipelineState& pipeline_;
  const size_t budget_;
  std::map<uint64_t, size_t> seen_;  // fingerprint -> the turn after which it occurred; 0: before the first
  std::vector<std::set<std::string>> changedBy_;  // by turn
};

}  // namespace

bool runPassList(Fusion* fusion, std::string_view owner, const PassList& passes, const CompileContext& context) {
  return Turns(*fusion, owner, passes, context).run();
}

bool runObserved(Fusion* fusion, std::string_view name, const CompileContext& context,
                 const std::function<bool(const CompileContext&)>& run) {
  PipelineState pipeline;
  std::optional<CompileContext> withPipeline;
  if (!context.pipeline) {
    if (context.options.passLimit) pipeline.limit = *context.options.passLimit;
    withPipeline.emplace(context).pipeline = &pipeline;
  }
  const bool dumped =
      context.dumps.count(DebugDumpOption::PreSegmenterLogging) != 0 && isLogged(context.log, LogLevel::Info);
  if (dumped) logLine(context.log, LogLevel::Info, concat("before ", name, ":\n", printFusion(*fusion)));
  const auto start = std::chrono::steady_clock::now();
  const bool modified = run(withPipeline ? *withPipeline : context);
  if (context.trace) context.trace->add(std::string(name), std::chrono::steady_clock::now() - start);
  if (dumped) {
    logLine(context.log, LogLevel::Info,
            concat("after ", name, modified ? ":\n" + printFusion(*fusion) : ": unchanged\n"));
  } else if (isLogged(context.log, LogLevel::Trace)) {
    logLine(context.log, LogLevel::Trace, concat(name, modified ? ": changed the fusion" : ": unchanged"));
  }
  for (CompileObserver* observer : context.observers) observer->afterPass(name, *fusion, modified);
  return modified;
}

}  // namespace fuser
