// Interpret and keep the records; compile all kernels; run again, judge and compare.

#include "fuzz/judge/compare_engines.h"

#include <cstring>
#include <limits>
#include <set>

#include "fuser/runtime/case_settings.h"
#include "fuser/support/rejection.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/judge/caller_memory.h"
#include "fuzz/judge/check_updates.h"
#include "fuzz/judge/collecting_engine.h"
#include "fuzz/judge/judge_options.h"

namespace fuser::fuzz {
namespace {

struct PreparedRun {
  RunData data;
  std::optional<ExpressionEvaluator> sizes;  // of the data
  RunRecord interpreted;
  bool ran = false;  // else it was rejected, or is a finding
};

struct PreparedCase {
  std::unique_ptr<FusionExecutorCache> cache;
  std::vector<PreparedRun> runs;
  size_t rejected = 0;  // as they expect
  CallerMemory memory;  // data that runs overwrite, memory for outputs
};

// The heavier verdict stays; of equals the first.
void report(CaseVerdict& verdict, VerdictKind kind, int run, const std::string& detail) {
  if (kind <= verdict.kind) return;
  verdict.kind = kind;
  verdict.run = run;
  verdict.reason = detail.substr(0, detail.find('\n'));
  verdict.detail = detail;
}

std::unique_ptr<FusionExecutorCache> makeCache(const Case& testCase, const std::shared_ptr<Engine>& engine) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.record = true;
  settings.engine = engine;
  settings.maxBytes = 4 * JudgeSettings{}.maxInputBytes;
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  return std::make_unique<FusionExecutorCache>(std::move(fusion), std::move(settings));
}

void checkBeside(const Case& testCase, const PreparedCase& prepared, int run, CaseVerdict& verdict) {
  const std::string problem = strayWrite(testCase, prepared.memory);
  if (!problem.empty()) report(verdict, VerdictKind::Invariant, run, problem);
}

// Interprets the case's next run. What is no error of the engine is reported as it is on the interpreter; a rejection
// is held against what the run expects.
void prepareRun(const Case& testCase, const std::shared_ptr<Engine>& engine, PreparedCase& prepared,
                CaseVerdict& verdict) {
  const int index = static_cast<int>(prepared.runs.size());
  const Run& run = testCase.runs[prepared.runs.size()];
  PreparedRun& ready = prepared.runs.emplace_back();
  const bool wanted = run.expectation == Expectation::Rejected;
  try {
    if (!prepared.cache) prepared.cache = makeCache(testCase, engine);
    ready.data = materialize(testCase, run, JudgeSettings{}.maxInputBytes);
    const std::vector<HostValue> inputs = hostValues(ready.data);
    ready.sizes.emplace(bindSizes(testCase, inputs));
    ready.interpreted = runWith(*prepared.cache, argumentsOf(testCase, run, inputs, *ready.sizes, prepared.memory,
                                                             JudgeSettings{}.maxInputBytes));
    ready.ran = true;
    checkBeside(testCase, prepared, index, verdict);
    if (!wanted) return;
    verdict.expected = false;
    report(verdict, VerdictKind::Differs, index, "expected to be rejected, but it ran");
  } catch (const ViolationError& error) {
    report(verdict, VerdictKind::Violation, index, error.what());
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    const bool allowed = run.expectation != Expectation::Agrees;
    prepared.rejected += allowed;
    if (allowed) return;
    verdict.expected = false;
    report(verdict, VerdictKind::Rejected, index, error.what());
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    report(verdict, VerdictKind::Check, index, error.what());
  }
}

int64_t offsetOf(const TensorRef& ref, int64_t index) {
  int64_t offset = 0;
  for (size_t axis = ref.sizes.size(); axis-- > 0;) {
    offset += index % ref.sizes[axis] * ref.strides[axis];
    index /= ref.sizes[axis];
  }
  return offset;
}

// Elements with equal bits, a NaN standing for every NaN; `first`: the first that has others, in words.
int64_t equalElements(const TensorRef& a, const TensorRef& b, std::string& first) {
  if (a.dtype != b.dtype || a.sizes != b.sizes) return 0;
  return dispatch(a.dtype, [&]<class T>() -> int64_t {
    int64_t equal = 0;
    for (int64_t i = 0; i < numel(a.sizes); ++i) {
      const T* left = static_cast<const T*>(a.data) + offsetOf(a, i);
      const T* right = static_cast<const T*>(b.data) + offsetOf(b, i);
      const auto x = widen(loadElement(left)), y = widen(loadElement(right));
      const bool same = std::memcmp(left, right, sizeof(T)) == 0 || (x != x && y != y);
      equal += same;
      if (!same && first.empty()) first = concat("element ", i, " is ", y, " and interpreted ", x);
    }
    return equal;
  });
}

bool equalValues(const HostValue& a, const HostValue& b) {
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&a)) return *scalar == std::get<ScalarValue>(b);
  std::string ignored;
  const TensorRef& tensor = std::get<TensorRef>(a);
  return equalElements(tensor, std::get<TensorRef>(b), ignored) == numel(tensor.sizes);
}

bool hasOneResult(Agreement agreement, bool sameLibrary) {
  switch (agreement) {
    case Agreement::Exact: return true;
    case Agreement::Library: return sameLibrary;
    case Agreement::SignOfZero: return false;
  }
  FUSER_CHECK(false, "bad Agreement");
}

// Whether all ops between these values and that one agree to the bit on both engines. Passes only take ops away.
// addsInAnyOrder: atomics added floats somewhere in the run.
bool isExact(const Fusion& original, uint32_t value, const std::set<uint32_t>& from, bool sameLibrary,
             bool addsInAnyOrder) {
  std::vector<uint32_t> work = {value};
  std::set<uint32_t> seen = {value};
  while (!work.empty()) {
    const Val* val = original.allVals().at(work.back()).get();
    work.pop_back();
    // The host computes scalars, the same way for every engine.
    if (val->isScalar() || !val->definition() || (from.count(val->id()) && val->id() != value)) continue;
    const Expr* maker = val->definition();
    if (!hasOneResult(maker->info().agreement, sameLibrary)) return false;
    if (addsInAnyOrder && maker->op() == OpKind::ScatterAdd && isFloating(val->dtype())) return false;
    // Which bits a NaN has is an engine's own, and integers made of them are no NaN.
    const bool showsNan = maker->op() == OpKind::Bitcast && isFloating(maker->input(0)->dtype());
    if (showsNan && !isFloating(val->dtype())) return false;
    for (const Val* operand : val->definition()->inputs()) {
      if (seen.insert(operand->id()).second) work.push_back(operand->id());
    }
  }
  return true;
}

// The library function that a value is the result of, where its operands have the same bits on both engines; else null.
const Expr* functionOf(const Fusion& original, uint32_t value, const std::set<uint32_t>& from, bool addsInAnyOrder) {
  const Expr* maker = original.allVals().at(value)->definition();
  if (!maker || maker->info().agreement != Agreement::Library) return nullptr;
  for (const Val* operand : maker->inputs()) {
    if (!from.count(operand->id()) && !isExact(original, operand->id(), from, false, addsInAnyOrder)) return nullptr;
  }
  return maker;
}

// A number's place among those of its dtype, in order; both zeros have place 0.
template <class T>
int64_t placeOf(const T* element) {
  using Bits = std::conditional_t<sizeof(T) == 8, int64_t, std::conditional_t<sizeof(T) == 4, int32_t, int16_t>>;
  Bits bits;
  std::memcpy(&bits, element, sizeof bits);
  const int64_t size = bits & std::numeric_limits<Bits>::max();
  return bits < 0 ? -size : size;
}

// At most the largest int64_t, which doubles of other signs may exceed.
int64_t distanceOf(int64_t a, int64_t b) {
  const uint64_t distance =
      a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a) : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  return static_cast<int64_t>(std::min<uint64_t>(distance, std::numeric_limits<int64_t>::max()));
}

// NaNs have no distance: the oracle judges them.
void addFunction(const OpInfo& function, const TensorRef& a, const TensorRef& b, int64_t equal, BitCounts& bits) {
  const std::string variant = function.variant.empty() ? "" : concat(" {", function.variant, "}");
  FunctionResults& results = bits.functions[concat(function.mnemonic, variant, " ", dtypeName(a.dtype))];
  results.elements += numel(a.sizes);
  results.equal += equal;
  results.column = function.rule == IntervalRule::Formula ? "steps" : concat(function.error);
  dispatch(a.dtype, [&]<class T>() {
    if constexpr (std::is_floating_point_v<decltype(widen(loadElement(static_cast<const T*>(nullptr))))>) {
      for (int64_t i = 0; i < numel(a.sizes); ++i) {
        const T* left = static_cast<const T*>(a.data) + offsetOf(a, i);
        const T* right = static_cast<const T*>(b.data) + offsetOf(b, i);
        const auto x = widen(loadElement(left)), y = widen(loadElement(right));
        if (x == x && y == y) results.distance += distanceOf(placeOf(left), placeOf(right));
      }
    }
  });
}

// "" or what is wrong.
std::string compareSegment(const Case& testCase, const SegmentRecord& interpreted, const SegmentRecord& other,
                           bool sameLibrary, bool addsInAnyOrder, BitCounts& bits) {
  std::set<uint32_t> from;  // none in a program for devices: all ops count that lead to a value
  bool sameInputs = !interpreted.addsByAtomics;
  for (size_t i = 0; i < interpreted.inputs.size(); ++i) {
    if (interpreted.inputs[i].origin) from.insert(*interpreted.inputs[i].origin);
    sameInputs = sameInputs && equalValues(interpreted.inputs[i].value, other.inputs.at(i).value);
  }
  std::string problem;
  for (size_t i = 0; i < interpreted.outputs.size(); ++i) {
    const BoundaryValue& value = interpreted.outputs[i];
    const TensorRef* tensor = std::get_if<TensorRef>(&value.value);
    if (!tensor) continue;
    std::string first;
    const TensorRef& others = std::get<TensorRef>(other.outputs.at(i).value);
    const int64_t equal = equalElements(*tensor, others, first);
    const int64_t count = numel(tensor->sizes);
    const bool exact =
        sameInputs && value.origin && isExact(*testCase.fusion, *value.origin, from, sameLibrary, addsInAnyOrder);
    (exact ? bits.exact : bits.others) += count;
    (exact ? bits.exactEqual : bits.othersEqual) += equal;
    const bool sameShape = tensor->dtype == others.dtype && tensor->sizes == others.sizes;
    const bool isOther = !exact && sameInputs && value.origin && sameShape && isFloating(tensor->dtype) && count > 0;
    const Expr* function = isOther ? functionOf(*testCase.fusion, *value.origin, from, addsInAnyOrder) : nullptr;
    if (function) addFunction(function->info(), *tensor, others, equal, bits);
    if (exact && equal != count && problem.empty())
      problem = concat("%", value.name, " must have the interpreter's bits: ", count - equal, " of ", count,
                       " elements differ; ", first);
  }
  return problem;
}

VerdictKind kindOf(oracle::Verdict verdict) {
  switch (verdict) {
    case oracle::Verdict::Agrees: return VerdictKind::Agrees;
    case oracle::Verdict::Undecided: return VerdictKind::Undecided;
    case oracle::Verdict::Unsupported: return VerdictKind::Unsupported;
    case oracle::Verdict::Differs: return VerdictKind::Differs;
  }
  FUSER_CHECK(false, "bad Verdict");
}

void judgeRun(const Case& testCase, PreparedCase& prepared, size_t run, FunctionLibrary functions,
              ComparedCase& compared) {
  const std::vector<HostValue> inputs = hostValues(prepared.runs[run].data);
  const RunRecord record =
      runWith(*prepared.cache, argumentsOf(testCase, testCase.runs[run], inputs, *prepared.runs[run].sizes,
                                           prepared.memory, JudgeSettings{}.maxInputBytes));
  checkBeside(testCase, prepared, static_cast<int>(run), compared.verdict);
  const std::optional<Case> made = judgedCase(testCase, inputs);
  const Case& judged = made ? *made : testCase;
  const oracle::Judgement judgement =
      oracle::judge(*judged.fusion, inputs, record, judgeOptions(testCase.options, functions));
  compared.verdict.elements += judgement.total;
  report(compared.verdict, kindOf(judgement.verdict), static_cast<int>(run), oracle::toString(judgement));
  const std::string problem =
      compareBits(judged, prepared.runs[run].interpreted, record, functions == FunctionLibrary::Host, compared.bits);
  if (!problem.empty()) report(compared.verdict, VerdictKind::Differs, static_cast<int>(run), problem);
}

}  // namespace

std::string compareBits(const Case& testCase, const RunRecord& interpreted, const RunRecord& other, bool sameLibrary,
                        BitCounts& bits) {
  std::string first;
  for (size_t i = 0; i < interpreted.segments.size(); ++i) {
    const std::string problem = compareSegment(testCase, interpreted.segments[i], other.segments.at(i), sameLibrary,
                                               interpreted.addsByAtomics(), bits);
    if (first.empty() && !problem.empty()) first = concat("segment ", i, ": ", problem);
  }
  return first;
}

std::vector<ComparedCase> compareEngines(const std::vector<const Case*>& cases, EngineKind kind) {
  return compareEngines(cases, *makeEngine(kind));
}

std::vector<ComparedCase> compareEngines(const std::vector<const Case*>& statements, Engine& engine) {
  const FunctionalCases functional(statements);
  const std::vector<const Case*>& cases = functional.get();
  const auto collecting = std::make_shared<CollectingEngine>(engine.device());
  std::vector<ComparedCase> compared(cases.size());
  std::vector<PreparedCase> prepared(cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    while (prepared[i].runs.size() < cases[i]->runs.size() && !isFinding(compared[i].verdict.kind))
      prepareRun(*cases[i], collecting, prepared[i], compared[i].verdict);
  }
  collecting->switchTo(engine.compile(collecting->kernels()));
  for (size_t i = 0; i < cases.size(); ++i) {
    CaseVerdict& verdict = compared[i].verdict;
    if (cases[i]->runs.empty()) report(verdict, VerdictKind::Unsupported, -1, "the case has no run");
    for (size_t run = 0; run < prepared[i].runs.size() && !isFinding(verdict.kind); ++run) {
      if (!prepared[i].runs[run].ran) continue;
      try {
        judgeRun(*cases[i], prepared[i], run, engine.functions(), compared[i]);
      } catch (const ViolationError& error) {
        report(verdict, VerdictKind::Violation, static_cast<int>(run), error.what());
      } catch (const ListedRejection& error) {  // the engine has no room for what the interpreter ran
        report(verdict, VerdictKind::Rejected, static_cast<int>(run), error.what());
      } catch (const std::exception& error) {
        rethrowIfSetUpError(error);
        report(verdict, VerdictKind::Check, static_cast<int>(run), concat("not so when interpreted: ", error.what()));
      }
    }
    // Nothing of it runs, as the file says: what the engine does with it is no news.
    if (prepared[i].rejected > 0 && prepared[i].rejected == prepared[i].runs.size())
      report(verdict, VerdictKind::Rejected, -1, "as it expects");
  }
  return compared;
}

}  // namespace fuser::fuzz
