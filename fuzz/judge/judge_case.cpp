// One case -> one verdict.

#include "fuzz/judge/judge_case.h"

#include <algorithm>
#include <chrono>

#include "fuser/case/aliases.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/evaluate/concretize.h"
#include "fuser/execute/engine.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/ir/verify.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/lower_boundaries.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge/caller_memory.h"
#include "fuzz/judge/check_updates.h"
#include "fuzz/judge/compilation_counts.h"
#include "fuzz/judge/compiled_again.h"
#include "fuzz/judge/f64_twin.h"
#include "fuzz/judge/given_rejection.h"
#include "fuzz/judge/judge_options.h"
#include "fuzz/judge/lowered_fusion.h"
#include "fuzz/judge/memory_shortage.h"
#include "fuzz/judge/output_layouts.h"
#include "fuzz/judge/refused_indices.h"
#include "fuzz/judge/round_trip.h"
#include "fuzz/judge/run_again.h"
#include "fuzz/judge/same_bits.h"
#include "fuzz/judge/schedule_notes.h"
#include "fuzz/judge/second_look_draws.h"
#include "fuzz/judge/structure.h"
#include "fuzz/judge/wrong_value.h"
#include "oracle/invariants/invariants.h"

namespace fuser::fuzz {
namespace {

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

class Judge {
 public:
  Judge(const Case& testCase, const JudgeSettings& settings, CaseVerdict& verdict, Trace& trace)
      : statements_(testCase), settings_(settings), verdict_(verdict), trace_(trace) {}

  void run() {
    guarded(-1, [&] { timed("text", [&] { checkText(); }); });
    if (!isFinding(verdict_.kind)) guarded(-1, [&] { verify(*statements_.fusion); });
    if (case_.runs.empty()) report(VerdictKind::Unsupported, -1, "the case has no run: nothing was judged");
    for (size_t i = 0; i < case_.runs.size() && !isFinding(verdict_.kind); ++i) judgeRun(static_cast<int>(i));
    if (!concretes_.empty() && !isFinding(verdict_.kind)) checkCompilations();
    finish();
    noteSeconds(verdict_, trace_);
  }

 private:
  void finish() {
    if (cache_) {
      verdict_.compilations += static_cast<int64_t>(cache_->counters().compilations);
      verdict_.kernels += static_cast<int64_t>(cache_->counters().kernelCompilations);
    }
    for (const std::unique_ptr<PlantedFault>& fault : faults_) verdict_.faultApplied |= fault->applied();
    for (const std::unique_ptr<Concrete>& concrete : concretes_) concrete->judge->finish();
  }

  template <class Step>
  void timed(const std::string& stage, Step step) {
    const auto start = std::chrono::steady_clock::now();
    step();
    trace_.add(stage, std::chrono::steady_clock::now() - start);
  }

  // The heavier verdict stays; of equals the first.
  void report(VerdictKind kind, int run, const std::string& reason, const std::string& detail = "") {
    if (kind <= verdict_.kind) return;
    verdict_.kind = kind;
    verdict_.run = run;
    verdict_.reason = firstLine(reason);
    verdict_.detail = detail.empty() ? reason : detail;
  }

  // Of a generated case, which is valid, a rejection without a name is a finding.
  void report(int run, const Rejection& rejection) {
    if (settings_.rejectionsAreFindings && rejection.name.empty()) {
      report(VerdictKind::Invariant, run, concat("a valid case is rejected: ", rejection.text));
    } else {
      if (verdict_.kind < VerdictKind::Rejected) verdict_.rejection = rejection.name;
      report(VerdictKind::Rejected, run, rejection.text);
    }
  }

  // What a step throws becomes a verdict: the classes of error tell a rejection from a finding. A rejection is given
  // back instead where `rejection` is set. Returns whether the step ended.
  template <class Step>
  bool guarded(int run, Step step, Rejection* rejection = nullptr) {
    try {
      step();
      return true;
    } catch (const ViolationError& error) {
      report(VerdictKind::Violation, run, error.what());
    } catch (const CheckError& error) {
      report(VerdictKind::Check, run, error.what());
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      if (rejection) {
        *rejection = rejectionOf(error);
      } else {
        report(run, rejectionOf(error));
      }
    } catch (const std::exception& error) {
      if (saysOutOfMemory(error)) {
        FUSER_SET_UP_CHECK(!isMemoryShort(settings_.memoryMb), "memory ran out below the limit of ", settings_.memoryMb,
                           " MiB for a process (--rss-limit-mb): end other programs, or run fewer jobs");
        report(VerdictKind::OutOfMemory, run, error.what());
        return false;
      }
      rethrowIfSetUpError(error);
      report(VerdictKind::Crash, run, concat("an unexpected exception: ", error.what()));
    }
    return false;
  }

  void checkText() {
    if (!settings_.roundTrip && settings_.secondLooks != HowOften::Sampled) return;
    const std::string text = printCase(statements_);
    draws_.read(text);
    if (!settings_.roundTrip) return;
    const std::string problem = otherText(statements_, text);
    if (!problem.empty()) report(VerdictKind::Invariant, -1, concat("text round trip: ", problem));
  }

  // `first` comes before the planted fault, so that it sees, or sets, what the compiler decides.
  std::unique_ptr<FusionExecutorCache> makeCache(SeenIn build, const Case& built, CompileObserver* first) {
    FusionExecutorCache::Settings cacheSettings = settingsOf(built);
    cacheSettings.record = true;
    cacheSettings.maxBytes = 4 * settings_.maxInputBytes;
    std::vector<CompileObserver*>& observers = cacheSettings.context.observers;
    if (first) observers.push_back(first);
    std::optional<oracle::InvariantStage> faulty;
    if (!built.options.fault.empty()) {
      const std::unique_ptr<PlantedFault>& fault = faults_.emplace_back(plantFault(built.options.fault));
      observers.push_back(fault.get());
      cacheSettings.verifyKernels = fault->verifyKernels();
      faulty = faultyStage(fault->stage());
    }
    observers.insert(observers.end(), settings_.observers.begin(), settings_.observers.end());
    cacheSettings.context.checkInvariants = settings_.checkInvariants;
    cacheSettings.context.trace = &trace_;
    cacheSettings.context.log = settings_.log;
    if (settings_.engine) cacheSettings.context.options.engine = *settings_.engine;
    if (build == SeenIn::Run) {
      observers.push_back(&orderOfAdds_);
      if (settings_.checkInvariants)
        observer_.emplace(*built.fusion, settings_.allInvariants, faulty).watch(cacheSettings);
      observers.push_back(&counter_);
      observers.push_back(&features_);
    }
    if (build == SeenIn::Probes) {
      cacheSettings.context.options.probes = true;
      cacheSettings.context.options.contraction = false;
    }
    // The case outlives this.
    std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), built.fusion.get());
    return std::make_unique<FusionExecutorCache>(std::move(fusion), std::move(cacheSettings));
  }

  void judgeRun(int index) {
    const Run& run = case_.runs[index];
    Rejection rejection;
    Concrete* concrete = nullptr;
    const auto judged = [&] {
      if (form_.refusal) std::rethrow_exception(form_.refusal);
      RunData data;
      timed("data", [&] { data = materialize(case_, run, settings_.maxInputBytes); });
      const std::vector<HostValue> inputs = hostValues(data);
      if (form_.made && !checkUpdates(index, inputs)) return;
      sizes_.emplace(bindSizes(case_, inputs));
      const RunDecisions decisions = checkShapes(*case_.fusion, *sizes_);
      if (needsConcretizing_ || !decisions.empty()) {
        concrete = concreteOf(index, inputs, decisions);
        return;
      }
      if (case_.options.ioToLowerPrecision && lowersBoundaries(*case_.fusion, settingsOf(case_))) {
        concrete = loweredOf(index);
        return;
      }
      if (!cache_) cache_ = makeCache(SeenIn::Run, case_, &notes_);
      const std::vector<uint64_t> before = hashes(data);
      memory_ = {};
      const RunArguments runArguments = arguments(index, inputs);
      RunRecord record = runWith(*cache_, runArguments);
      const RunData& after = memory_.copies.empty() ? data : memory_.copies.front();
      if (!keptInputs(case_, before, hashes(after), after)) {
        report(VerdictKind::Invariant, index, "a run changed its inputs' memory");
        return;
      }
      checkStrayWrites(index);
      checkLayouts(index, record);
      countSegments(record);
      judgeRecord(index, inputs, record);
      if (settings_.repeat && !isFinding(verdict_.kind)) checkRepeat(index, inputs, record);
      if (case_.fusion->isConcrete() || isLowered_) last_ = {std::move(data), std::move(record)};
    };
    const bool ran = guarded(index, judged, &rejection);
    if (concrete) {
      judgeConcrete(index, *concrete);
      return;
    }
    if (observer_ && !observer_->problems().empty())
      report(VerdictKind::Invariant, index, observer_->problems().front());
    if (!rejection.text.empty() && run.expectation == Expectation::Agrees) {
      verdict_.expected = false;
      report(index, rejection);
    } else if (ran && run.expectation == Expectation::Rejected) {
      verdict_.expected = false;
      report(VerdictKind::Differs, index, "expected to be rejected, but it ran");
    } else if (run.expectation == Expectation::AgreesOrRejected && (ran || rejection.isIndex)) {
      checkIndices(index, rejection.text);
    }
  }

  void checkIndices(int run, const std::string& refused) {
    std::string problem;
    guarded(run,
            [&] { timed("indices", [&] { problem = wrongRefusal(case_, run, refused, settings_.maxInputBytes); }); });
    if (!problem.empty()) report(VerdictKind::Invariant, run, problem);
  }

  // The runs with these decisions, judged as a case of their own, of the fusion that concretize() makes.
  struct Concrete {
    Concrete(RunDecisions made, Case concrete, const Judge& whole)
        : decisions(std::move(made)),
          testCase(std::move(concrete)),
          judge(std::make_unique<Judge>(testCase, whole.settings_, whole.verdict_, whole.trace_)) {
      judge->isLowered_ = whole.case_.options.ioToLowerPrecision && !testCase.options.ioToLowerPrecision;
    }
    RunDecisions decisions;
    Case testCase;
    std::unique_ptr<Judge> judge;
  };

  // Null where its fusion leaves other elements in memory than the case's own.
  Concrete* concreteOf(int run, const std::vector<HostValue>& inputs, const RunDecisions& decisions) {
    FUSER_CHECK(!case_.fusion->isConcrete(), toText(*case_.fusion, decisions),
                ", in a fusion that has no such decisions");
    const auto found =
        std::find_if(concretes_.begin(), concretes_.end(),
                     [&](const std::unique_ptr<Concrete>& concrete) { return concrete->decisions == decisions; });
    Concrete* concrete = found == concretes_.end() ? nullptr : found->get();
    if (!concrete) {
      concrete =
          concretes_.emplace_back(std::make_unique<Concrete>(decisions, concreteCase(case_, decisions), *this)).get();
    }
    const std::string problem = otherMemory(*case_.fusion, *concrete->testCase.fusion, inputs);
    if (problem.empty()) return concrete;
    report(VerdictKind::Invariant, run, concat("concretize, where ", toText(*case_.fusion, decisions), ": ", problem));
    return nullptr;
  }

  // The fusion that says where values between segments are rounded, in the place of one that has no decisions; null
  // where it is not the case's own but for that.
  Concrete* loweredOf(int run) {
    for (const std::unique_ptr<Concrete>& made : concretes_) {
      if (made->decisions.empty()) return made.get();
    }
    Concrete* lowered =
        concretes_.emplace_back(std::make_unique<Concrete>(RunDecisions(), loweredCase(case_), *this)).get();
    const std::string problem = whyNotLowered(*case_.fusion, *lowered->testCase.fusion);
    if (problem.empty()) return lowered;
    report(VerdictKind::Invariant, run, "io_to_lower_precision: " + problem);
    return nullptr;
  }

  // The case's own cache must give the same bits, since it makes the same fusion.
  void judgeConcrete(int run, Concrete& concrete) {
    concrete.judge->judgeRun(run);
    comparesAll_ &= concrete.judge->last_.has_value();
    if (isFinding(verdict_.kind) || !concrete.judge->last_) return;
    const std::pair<RunData, RunRecord> last = std::move(*std::exchange(concrete.judge->last_, std::nullopt));
    const RunRecord& record = last.second;
    guarded(run, [&] {
      RunData data = materialize(case_, case_.runs[run], settings_.maxInputBytes);
      const std::vector<HostValue> inputs = hostValues(data);
      sizes_.emplace(bindSizes(case_, inputs));
      memory_ = {};
      if (!wholeCache_) wholeCache_ = makeCache(SeenIn::View, case_, nullptr);
      const RunRecord whole = runWith(*wholeCache_, arguments(run, inputs));
      const size_t output = firstOther(record, whole);
      if (output == record.outputs.size()) {
        if (case_.fusion->isConcrete()) last_ = {std::move(data), whole};
        return;
      }
      const std::string& name = case_.fusion->outputs()[output]->name();
      report(VerdictKind::Invariant, run,
             concat("output %", name, " has other bits than the fusion that is judged for it gives"));
    });
  }

  // Of what was judged.
  size_t compilations() const {
    size_t all = cache_ ? cache_->counters().compilations : 0;
    for (const std::unique_ptr<Concrete>& concrete : concretes_) all += concrete->judge->compilations();
    return all;
  }

  void checkCompilations() {
    const size_t wanted = compilations();
    const size_t compiled = wholeCache_ ? wholeCache_->counters().compilations : wanted;
    if (!comparesAll_ || cache_ || wanted == compiled) return;
    report(VerdictKind::Invariant, -1, concat("the runs compile ", compiled, " programs, not ", wanted));
  }

  // What is judged from here on is the functional form.
  bool checkUpdates(int run, const std::vector<HostValue>& inputs) {
    std::string problem;
    timed("updates", [&] { problem = wrongUpdate(statements_, case_, inputs); });
    if (!problem.empty()) report(VerdictKind::Invariant, run, problem);
    return problem.empty();
  }

  RunArguments arguments(int run, const std::vector<HostValue>& inputs) {
    return argumentsOf(case_, case_.runs[run], inputs, *sizes_, memory_, settings_.maxInputBytes);
  }

  void checkStrayWrites(int run) {
    const std::string problem = strayWrite(case_, memory_);
    if (!problem.empty()) report(VerdictKind::Invariant, run, problem);
  }

  void checkLayouts(int run, const RunRecord& record) {
    for (const std::string& problem : {wrongLayout(case_, record), compiledAgain(case_, run, record)}) {
      if (!problem.empty()) report(VerdictKind::Invariant, run, problem);
    }
  }

  void countSegments(const RunRecord& record) {
    for (const SegmentRecord& segment : record.segments) {
      ++verdict_.schedulers[segment.scheduler];
    }
  }

  oracle::Judgement judgeWith(const std::vector<HostValue>& inputs, const RunRecord& record, bool probes) {
    oracle::JudgeOptions options = judgeOptions(case_.options, functionsOf(case_.options.engine));
    options.arithmetic.contraction &= !probes;
    options.probes |= probes;
    options.allViews = settings_.secondLooks == HowOften::Always || draws_.drawn(3, kShareOfAllViews);
    oracle::Judgement judgement;
    timed(probes ? "judge probes" : "judge",
          [&] { judgement = oracle::judge(*case_.fusion, inputs, record, options); });
    return judgement;
  }

  void judgeRecord(int run, const std::vector<HostValue>& inputs, const RunRecord& record) {
    oracle::Judgement judgement = judgeWith(inputs, record, false);
    std::string detail = oracle::toString(judgement);
    const bool open = judgement.verdict == oracle::Verdict::Undecided || judgement.verdict == oracle::Verdict::Differs;
    // What is wrong without probes is wrong, whatever becomes of the probed build.
    if (judgement.verdict == oracle::Verdict::Differs) conclude(run, judgement, detail);
    if (!isFinding(verdict_.kind) && draws_.wantsTwin(*case_.fusion, judgement)) lookAtTwin(run);
    const bool wantsProbes = open || (!isFinding(verdict_.kind) && draws_.wantsProbes(judgement));
    if (settings_.probes && !case_.options.probes && wantsProbes) {
      verdict_.secondLooks.probed += !open;
      Rejection rejection;
      guardedIn(
          SeenIn::Probes, run, [&] { probe(run, inputs, record, judgement, detail); }, &rejection);
      if (!rejection.text.empty()) detail += "\nwith probes: rejected: " + rejection.text;
    }
    addCounts(verdict_, judgement);
    concludeAgain(run, judgement, detail);
    if (!isFinding(verdict_.kind) && !case_.options.contraction) lookAtViews(run, record);
    if (judgement.verdict == oracle::Verdict::Differs) noteWrongValue(verdict_, run, *case_.fusion, judgement, record);
  }

  // guarded(), for a build that is not the case's own.
  template <class Step>
  bool guardedIn(SeenIn build, int run, Step step, Rejection* rejection) {
    const bool wasFinding = isFinding(verdict_.kind);
    const bool ended = guarded(run, step, rejection);
    if (!wasFinding && isFinding(verdict_.kind)) verdict_.seenIn = build;
    return ended;
  }

  // --- second looks ---

  // In f64, with the schedules of the case's own build where they fit.
  void lookAtTwin(int run) {
    reports::SecondLooks& counts = verdict_.secondLooks;
    ++counts.twins;
    Rejection rejection;
    const auto look = [&](bool repeat) {
      rejection = {};
      return guardedIn(
          SeenIn::Twin, run, [&] { judgeTwin(run, repeat); }, &rejection);
    };
    const bool repeats = !case_.options.probes && !twinRefusesSchedules_;
    look(repeats);
    if (!rejection.text.empty() && repeats) {
      twinRefusesSchedules_ = true;
      twinCache_.reset();
      look(false);
    }
    counts.ownSchedules += twinRefusesSchedules_ || case_.options.probes || (replay_ && replay_->hasOthers());
    counts.twinsRejected += !rejection.text.empty();
  }

  void judgeTwin(int run, bool repeatSchedules) {
    if (!twin_) twin_.emplace(f64TwinOf(case_));
    if (!twinCache_) {
      replay_.reset();
      if (repeatSchedules) replay_.emplace(notes_, *twin_->fusion);
      twinCache_ = makeCache(SeenIn::Twin, *twin_, replay_ ? &*replay_ : nullptr);
    }
    const RunData data = materialize(*twin_, twin_->runs[run], 2 * settings_.maxInputBytes);
    const std::vector<HostValue> inputs = hostValues(data);
    ExpressionEvaluator sizes = bindSizes(*twin_, inputs);
    CallerMemory memory;
    RunRecord record;
    timed("twin", [&] {
      record = runWith(*twinCache_,
                       argumentsOf(*twin_, twin_->runs[run], inputs, sizes, memory, 2 * settings_.maxInputBytes));
    });
    oracle::JudgeOptions options = judgeOptions(case_.options, functionsOf(case_.options.engine));
    options.allViews = false;
    oracle::Judgement judgement;
    timed("judge twin", [&] { judgement = oracle::judge(*twin_->fusion, inputs, record, options); });
    verdict_.secondLooks.twinsDecided += judgement.verdict == oracle::Verdict::Agrees;
    if (judgement.verdict != oracle::Verdict::Differs) return;
    report(VerdictKind::Differs, run, "in its f64 twin: " + worstLine(judgement),
           "in its f64 twin: " + oracle::toString(judgement));
    noteWrongValue(verdict_, run, *twin_->fusion, judgement, record);
  }

  // A view whose outputs have the same bits, as a build of its own.
  struct SeenCase {
    explicit SeenCase(Case seen) : testCase(std::move(seen)) {}
    Case testCase;
    ScheduleNotes notes{*testCase.fusion};
    std::unique_ptr<FusionExecutorCache> cache;
  };

  void lookAtViews(int run, const RunRecord& record) {
    for (const std::pair<const View*, uint64_t>& view : draws_.views()) {
      const auto [place, isNew] = seen_.try_emplace({view.first->name, view.second});
      std::unique_ptr<SeenCase>& seen = place->second;
      if (isNew) {
        if (std::optional<Case> made = viewOf(*view.first, case_, view.second))
          seen = std::make_unique<SeenCase>(std::move(*made));
      }
      if (!seen || isFinding(verdict_.kind)) continue;
      ++verdict_.secondLooks.viewed;
      Rejection rejection;  // a campaign judges the view, too, and reports it there
      guardedIn(
          SeenIn::View, run, [&] { compareWithView(run, record, *seen, view.first->name); }, &rejection);
    }
  }

  void compareWithView(int run, const RunRecord& record, SeenCase& seen, std::string_view view) {
    const Case& testCase = seen.testCase;
    if (!seen.cache) seen.cache = makeCache(SeenIn::View, testCase, &seen.notes);
    const RunData data = materialize(testCase, testCase.runs[run], settings_.maxInputBytes);
    const std::vector<HostValue> inputs = hostValues(data);
    ExpressionEvaluator sizes = bindSizes(testCase, inputs);
    CallerMemory memory;
    RunRecord other;
    timed("views", [&] {
      other = runWith(*seen.cache,
                      argumentsOf(testCase, testCase.runs[run], inputs, sizes, memory, settings_.maxInputBytes));
    });
    if (!notes_.hasSameOrders(seen.notes)) return;
    ++verdict_.secondLooks.viewsCompared;
    const size_t output = firstOther(record, other);
    if (output == record.outputs.size()) return;
    report(VerdictKind::Invariant, run,
           concat("output %", case_.fusion->outputs()[output]->name(), " has other bits in the view '", view,
                  "', although all reductions add in the same order"));
  }

  // Once more, each op alone. It stands for the unprobed run where both gave the same bits.
  void probe(int run, const std::vector<HostValue>& inputs, const RunRecord& record, oracle::Judgement& judgement,
             std::string& detail) {
    if (!probedCache_) probedCache_ = makeCache(SeenIn::Probes, case_, &probedNotes_);
    verdict_.probed = true;
    RunRecord probedRecord;
    timed("probes", [&] { probedRecord = runWith(*probedCache_, arguments(run, inputs)); });
    checkStrayWrites(run);
    const oracle::Judgement probed = judgeWith(inputs, probedRecord, true);
    if (probed.verdict == oracle::Verdict::Differs) {
      detail += "\nwith probes: " + oracle::toString(probed);
      if (judgement.verdict != oracle::Verdict::Differs) {
        report(VerdictKind::Differs, run, "with probes, each op alone: " + worstLine(probed), detail);
        noteWrongValue(verdict_, run, *case_.fusion, probed, probedRecord);
      } else {
        judgement.firstWrongOp = probed.firstWrongOp;
      }
      return;
    }
    if (judgement.verdict == oracle::Verdict::Differs) return;
    const size_t other = firstOther(record, probedRecord);
    const bool same = other == record.outputs.size();
    if (!case_.options.contraction && notes_.hasSameOrders(probedNotes_)) {
      verdict_.secondLooks.compared += judgement.verdict == oracle::Verdict::Agrees;
      if (!same) {
        report(VerdictKind::Invariant, run,
               concat("output %", case_.fusion->outputs()[other]->name(),
                      " has other bits with probes, although all reductions add in the same order"));
      }
    }
    if (judgement.verdict != oracle::Verdict::Undecided || !same) return;
    judgement = probed;
    detail = oracle::toString(probed);
  }

  void conclude(int run, const oracle::Judgement& judgement, const std::string& detail) {
    switch (judgement.verdict) {
      case oracle::Verdict::Agrees: return;
      case oracle::Verdict::Undecided:
        report(VerdictKind::Undecided, run,
               concat(judgement.total.judged - judgement.total.decided, " of ", judgement.total.judged, " elements"),
               detail);
        return;
      case oracle::Verdict::Unsupported: report(VerdictKind::Unsupported, run, judgement.reason, detail); return;
      case oracle::Verdict::Differs: report(VerdictKind::Differs, run, worstLine(judgement), detail); return;
    }
  }

  // With what the probes told: the first wrong op of a run that differs already.
  void concludeAgain(int run, const oracle::Judgement& judgement, const std::string& detail) {
    if (judgement.verdict == oracle::Verdict::Differs && verdict_.kind == VerdictKind::Differs && verdict_.run == run) {
      verdict_.reason = firstLine(worstLine(judgement));
      verdict_.detail = detail;
      return;
    }
    conclude(run, judgement, detail);
  }

  void checkRepeat(int run, const std::vector<HostValue>& inputs, const RunRecord& record) {
    RunRecord outputs;
    timed("repeat", [&] {
      const RunningAgain again(*cache_, orderOfAdds_);
      outputs = runWith(*cache_, arguments(run, inputs));
    });
    checkStrayWrites(run);
    const RunAgain again = judgeAgain(*case_.fusion, inputs, record, std::move(outputs),
                                      judgeOptions(case_.options, functionsOf(case_.options.engine)));
    verdict_.secondLooks.otherBits += again.hasOtherBits;
    report(again.kind, run, again.reason, again.detail);
  }

  static constexpr double kShareOfAllViews = 0.02;

  const Case& statements_;
  const FunctionalForm form_{statements_};
  const Case& case_ = form_.made ? *form_.made : statements_;
  const JudgeSettings& settings_;
  CaseVerdict& verdict_;
  Trace& trace_;
  const bool needsConcretizing_ = needsConcretizing(*case_.fusion);
  std::vector<std::unique_ptr<Concrete>> concretes_;
  bool isLowered_ = false;                             // whether this judges that of another case
  bool comparesAll_ = true;                            // their runs with those of wholeCache_
  std::vector<std::unique_ptr<PlantedFault>> faults_;  // one a cache
  DecisionCounter counter_{verdict_};
  KernelFeatures features_{case_, verdict_.features};
  std::optional<oracle::InvariantObserver> observer_;
  OrderOfAdds orderOfAdds_;
  std::unique_ptr<FusionExecutorCache> cache_, probedCache_, twinCache_, wholeCache_;
  std::optional<std::pair<RunData, RunRecord>> last_;  // of a concrete fusion: its last run, which may return inputs
  ScheduleNotes notes_{*case_.fusion}, probedNotes_{*case_.fusion};
  std::optional<Case> twin_;
  std::optional<ScheduleReplay> replay_;
  bool twinRefusesSchedules_ = false;
  SecondLookDraws draws_{settings_.secondLooks};
  std::map<std::pair<std::string_view, uint64_t>, std::unique_ptr<SeenCase>> seen_;  // by view and draw; null: no place
  CallerMemory memory_;  // of one run: the arguments of each run of a program with aliases or preallocated outputs
  std::optional<ExpressionEvaluator> sizes_;  // of one run of the case
};

}  // namespace

CaseVerdict judgeCase(const Case& testCase, const JudgeSettings& settings) {
  if (!settings.target) {
    CaseVerdict verdict;
    Trace trace;
    Judge(testCase, settings, verdict, trace).run();
    return verdict;
  }
  const Case* const only = &testCase;
  return std::move(settings.target->judge({&only, 1}, settings).front());
}

}  // namespace fuser::fuzz
