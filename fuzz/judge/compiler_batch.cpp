// Two passes over the cases: the first interprets and collects their kernels, the second runs what the compiler made.

#include "fuzz/judge/compiler_batch.h"

#include <chrono>
#include <deque>
#include <functional>

#include "fuser/execute/cpu_engine.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/support/rejection.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/judge/caller_memory.h"
#include "fuzz/judge/check_updates.h"
#include "fuzz/judge/collecting_engine.h"
#include "fuzz/judge/compare_engines.h"
#include "fuzz/judge/judge_options.h"
#include "fuzz/judge/pattern.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kNoRoom = "no room";  // the pattern of what the cpu engine has no room for

// A case that runs: its cache keeps the kernels.
struct CompiledCase {
  size_t index;
  std::unique_ptr<FusionExecutorCache> cache;
  std::vector<RunData> data;
  std::deque<ExpressionEvaluator> sizes;  // one a run with data
  CallerMemory memory;
  std::vector<RunRecord> interpreted;  // one a run with data
};

constexpr size_t kMaxInputBytes = size_t{1} << 31;  // as materialize() has it

CompiledCase prepare(const Case& testCase, size_t index, const std::shared_ptr<Engine>& engine) {
  CompiledCase prepared{index, nullptr, {}, {}, {}, {}};
  try {
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.record = true;
    settings.engine = engine;
    std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
    prepared.cache = std::make_unique<FusionExecutorCache>(std::move(fusion), std::move(settings));
    for (const Run& run : testCase.runs) {
      prepared.data.push_back(materialize(testCase, run));
      const std::vector<HostValue> inputs = hostValues(prepared.data.back());
      ExpressionEvaluator& sizes = prepared.sizes.emplace_back(bindSizes(testCase, inputs));
      prepared.interpreted.push_back(
          runWith(*prepared.cache, argumentsOf(testCase, run, inputs, sizes, prepared.memory, kMaxInputBytes)));
      const std::string beside = strayWrite(testCase, prepared.memory);
      FUSER_CHECK(beside.empty(), beside);
    }
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    // What does not run here is judgeCase's to report. Its kernels may be collected already, so the cache stays.
    prepared.data.clear();
  }
  return prepared;
}

double timed(const std::function<void()>& step) {
  const auto start = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

CaseVerdict judgeOn(const Engine& engine, const Case& testCase, CompiledCase& prepared, oracle::Counts& elements) {
  const bool sameLibrary = engine.functions() == FunctionLibrary::Host;
  const std::string where = concat("on the ", engine.name(), " engine");
  CaseVerdict verdict;
  verdict.engine = engine.name();
  for (size_t run = 0; run < prepared.data.size(); ++run) {
    const std::vector<HostValue> inputs = hostValues(prepared.data[run]);
    const oracle::JudgeOptions options = judgeOptions(testCase.options, engine.functions());
    try {
      const RunRecord record = runWith(
          *prepared.cache,
          argumentsOf(testCase, testCase.runs[run], inputs, prepared.sizes[run], prepared.memory, kMaxInputBytes));
      const std::string beside = strayWrite(testCase, prepared.memory);
      if (!beside.empty()) {
        verdict.kind = VerdictKind::Invariant;
        verdict.run = static_cast<int>(run);
        verdict.reason = verdict.detail = concat(where, ": ", beside);
        return verdict;
      }
      const std::optional<Case> made = judgedCase(testCase, inputs);
      const Case& judged = made ? *made : testCase;
      const oracle::Judgement judgement = oracle::judge(*judged.fusion, inputs, record, options);
      elements += judgement.total;
      BitCounts bits;
      const std::string other = compareBits(judged, prepared.interpreted[run], record, sameLibrary, bits);
      if (judgement.verdict != oracle::Verdict::Differs && other.empty()) continue;
      verdict.kind = VerdictKind::Differs;
      if (judgement.verdict != oracle::Verdict::Differs) {
        verdict.pattern = "other bits";
        verdict.reason = verdict.detail = concat(where, ": ", other);
        verdict.run = static_cast<int>(run);
        return verdict;
      }
      verdict.pattern = judgement.wrong ? patternOf(*judgement.wrong) : "type";
      verdict.detail = oracle::toString(judgement);
      verdict.reason = concat(where, ": ", judgement.worst.empty() ? judgement.reason : "%" + judgement.worst[0].value);
    } catch (const ViolationError& error) {
      verdict.kind = VerdictKind::Violation;
      verdict.reason = verdict.detail = concat(where, ", but not interpreted: ", error.what());
    } catch (const ListedRejection& error) {  // of what the interpreter ran
      verdict.kind = VerdictKind::Rejected;
      verdict.reason = error.what();
      if (error.id() == RejectionId::GridStacks) verdict.pattern = kNoRoom;
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      verdict.kind = VerdictKind::Check;
      verdict.reason = verdict.detail = concat(where, ", but not interpreted: ", error.what());
    }
    verdict.run = static_cast<int>(run);
    return verdict;
  }
  return verdict;
}

// Returns how many cases ran.
size_t runOn(const Engine& engine, const std::vector<const Case*>& cases, std::vector<CompiledCase>& prepared,
             BatchResult& result) {
  size_t ran = 0;
  for (CompiledCase& ready : prepared) {
    if (ready.data.empty()) continue;
    CaseVerdict verdict = judgeOn(engine, *cases[ready.index], ready, result.elements);
    if (verdict.kind == VerdictKind::Rejected) {
      if (verdict.pattern == kNoRoom) {
        ++result.withoutRoom;
      } else {
        result.skipped += concat(engine.name(), ", case ", ready.index, " of the batch: ", verdict.reason, "; ");
      }
      continue;
    }
    ++ran;
    if (isFinding(verdict.kind)) result.findings.push_back({ready.index, std::move(verdict)});
  }
  return ran;
}

// Null, and a line in `skipped`, where its compiler is not there.
std::unique_ptr<Engine> madeOrSkipped(const MakeEngine& make, const char* name, BatchResult& result) {
  try {
    return make();
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    result.skipped += concat(name, ": ", error.what(), "; ");
    return nullptr;
  }
}

void runOnCpu(const std::vector<const Case*>& cases, std::vector<CompiledCase>& prepared, CollectingEngine& engine,
              const MakeEngine& makeCpu, BatchResult& result) {
  const std::unique_ptr<Engine> cpu = madeOrSkipped(makeCpu, "cpu", result);
  if (!cpu) return;
  result.clangSeconds = timed([&] { engine.switchTo(cpu->compile(engine.kernels())); });
  result.cases = runOn(*cpu, cases, prepared, result);
}

void runAsPtx(const std::vector<const Case*>& cases, std::vector<CompiledCase>& prepared, CollectingEngine& engine,
              const std::vector<size_t>& architectures, BatchResult& result) {
  for (const size_t architecture : architectures) {
    CompileOptions options;
    options.engine = EngineKind::Ptx;
    options.ptxArchitecture = architecture;
    const std::unique_ptr<Engine> ptx = madeOrSkipped([&] { return makeEngine(options); }, "nvrtc", result);
    if (!ptx) return;
    result.nvrtcSeconds += timed([&] { engine.switchTo(ptx->compile(engine.kernels())); });
    result.ptxSeconds += timed([&] { result.ptxCases += runOn(*ptx, cases, prepared, result); });
  }
}

}  // namespace

BatchResult runCompilerBatch(const std::vector<const Case*>& statements, const std::vector<size_t>& ptxArchitectures,
                             const MakeEngine& makeCpu) {
  const FunctionalCases functional(statements);
  const std::vector<const Case*>& cases = functional.get();
  BatchResult result;
  const auto engine = std::make_shared<CollectingEngine>();
  std::vector<CompiledCase> prepared;
  for (size_t i = 0; i < cases.size(); ++i) {
    prepared.push_back(prepare(*cases[i], i, engine));
  }
  result.kernels = engine->kernels().size();
  if (result.kernels == 0) return result;
  std::string running = "cpu";
  try {
    runOnCpu(cases, prepared, *engine, makeCpu, result);
    running = "ptx";
    runAsPtx(cases, prepared, *engine, ptxArchitectures, result);
  } catch (const CheckError& error) {
    result.problem = error.what();
    result.problemEngine = running;
  }
  return result;
}

}  // namespace fuser::fuzz
