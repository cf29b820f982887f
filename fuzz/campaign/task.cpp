// A worker's side of a campaign: task in, result out.

#include "fuzz/campaign/task.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fuser/analysis/stage_observers.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/judge/bucket.h"
#include "fuzz/views/views.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

using nlohmann::json;

json countsJson(const oracle::Counts& counts) {
  return {counts.judged, counts.decided, counts.decidedToScale, counts.inside, counts.outside};
}

oracle::Counts countsFrom(const json& array) {
  return {array.at(0), array.at(1), array.at(2), array.at(3), array.at(4)};
}

// A result is kept for every case of a campaign: what is empty is left out.
template <class T>
void put(json& object, const char* key, const T& value) {
  if (value != T{}) object[key] = value;
}

template <class T>
void get(const json& object, const char* key, T& value) {
  const auto found = object.find(key);
  if (found != object.end()) found->get_to(value);
}

json verdictJson(const CaseVerdict& verdict) {
  json out;
  out["kind"] = verdictName(verdict.kind);
  put(out, "reason", verdict.reason);
  put(out, "detail", verdict.detail);
  if (verdict.run >= 0) out["run"] = verdict.run;
  if (!verdict.expected) out["unexpected"] = true;
  put(out, "probed", verdict.probed);
  out["outputs"] = countsJson(verdict.outputs);
  out["elements"] = countsJson(verdict.elements);
  for (const auto& [op, counts] : verdict.ops) out["by op"][std::string(opName(op))] = countsJson(counts);
  for (const auto& [op, margins] : verdict.margins) out["margins"][std::string(opName(op))] = margins.tenths;
  put(out, "wrong value", verdict.wrongValue);
  put(out, "place", verdict.place);
  put(out, "pattern", verdict.pattern);
  put(out, "only probed", verdict.onlyProbed);
  put(out, "schedulers", verdict.schedulers);
  put(out, "passes", verdict.passes);
  put(out, "decisions", verdict.decisions);
  put(out, "compilations", verdict.compilations);
  put(out, "kernels", verdict.kernels);
  json times = json::array();
  for (const auto& [stage, seconds] : verdict.seconds) times.push_back({stage, std::llround(1e6 * seconds)});
  out["microseconds"] = std::move(times);
  return out;
}

CaseVerdict verdictFrom(const json& in) {
  CaseVerdict verdict;
  const std::optional<VerdictKind> kind = verdictFromName(in.at("kind").get<std::string>());
  if (!kind) throw std::invalid_argument("no verdict is called " + in.at("kind").get<std::string>());
  verdict.kind = *kind;
  get(in, "reason", verdict.reason);
  get(in, "detail", verdict.detail);
  get(in, "run", verdict.run);
  verdict.expected = !in.contains("unexpected");
  get(in, "probed", verdict.probed);
  verdict.outputs = countsFrom(in.at("outputs"));
  verdict.elements = countsFrom(in.at("elements"));
  const json none = json::object();
  const json& counts = in.contains("by op") ? in.at("by op") : none;
  const json& margins = in.contains("margins") ? in.at("margins") : none;
  for (OpKind op : kAllOps) {
    const std::string name(opName(op));
    if (counts.contains(name)) verdict.ops[op] = countsFrom(counts.at(name));
    if (margins.contains(name)) margins.at(name).get_to(verdict.margins[op].tenths);
  }
  get(in, "wrong value", verdict.wrongValue);
  get(in, "place", verdict.place);
  get(in, "pattern", verdict.pattern);
  get(in, "only probed", verdict.onlyProbed);
  get(in, "schedulers", verdict.schedulers);
  get(in, "passes", verdict.passes);
  get(in, "decisions", verdict.decisions);
  get(in, "compilations", verdict.compilations);
  get(in, "kernels", verdict.kernels);
  for (const json& time : in.at("microseconds")) {
    verdict.seconds.emplace_back(time.at(0).get<std::string>(), 1e-6 * time.at(1).get<double>());
  }
  return verdict;
}

Case obtain(const std::string& kind, const std::string& argument, const TaskSettings& settings) {
  if (kind == "file") return parseCase(readTextFile(argument), argument);
  const uint64_t number = std::stoull(argument);
  Case made = generateCase(settings.seed, number, settings.generator);
  const size_t space = argument.find(' ');
  return space == std::string::npos ? std::move(made) : viewOf(argument.substr(space + 1), made, settings.seed, number);
}

void describe(const Case& testCase, TaskResult& result) {
  result.runs = static_cast<int64_t>(testCase.runs.size());
  const Features features = featuresOf(testCase);
  result.ops = features.ops;
  result.dtypes = features.dtypes;
  result.ranks = features.ranks;
  result.traits = features.traits;
}

// What the compiled program's segments hold.
void collectPlaces(const SegmentedFusion& segmented, TaskResult& result) {
  for (const SegmentedGroup* group : segmented.groups()) {
    const std::string scheduler(schedulerTypeName(group->schedulerType()));
    std::set<std::string> ops;
    for (const Expr* expr : group->exprs()) {
      const Val* typed = expr->inputs().empty() ? expr->outputs().at(0) : expr->inputs()[0];
      const std::string op(opName(expr->op()));
      result.places.insert({op, std::string(dtypeName(typed->dtype())), scheduler});
      ops.insert(op);
    }
    if (group->exprs().size() > 1 && !group->isScalarGroup()) result.fused.insert(ops.begin(), ops.end());
  }
}

// The case whose kernels a compiler refuses; the whole batch was refused.
size_t guiltyCase(const std::vector<const Case*>& cases) {
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!runCompilerBatch({cases[i]}).problem.empty()) return i;
  }
  return 0;
}

TaskResult performBatch(const std::string& argument, const TaskSettings& settings) {
  const size_t space = argument.find(' ');
  const uint64_t first = std::stoull(argument), count = std::stoull(argument.substr(space + 1));
  std::vector<Case> made;
  for (uint64_t i = 0; i < count; ++i) made.push_back(generateCase(settings.seed, first + i, settings.generator));
  std::vector<const Case*> cases;
  for (const Case& one : made) cases.push_back(&one);
  // NVRTC is the dearest: one arch a batch, in turn.
  const BatchResult batch = runCompilerBatch(cases, {first / kBatchStride % 2 == 0 ? "80" : "90"});
  TaskResult result;
  result.batch = {static_cast<int64_t>(batch.cases), static_cast<int64_t>(batch.kernels), batch.clangSeconds,
                  batch.nvrtcSeconds, batch.skipped};
  const auto add = [&](size_t index, CaseVerdict verdict) {
    made[index].options.engine = EngineKind::Cpu;
    result.findings.push_back({first + index, std::move(verdict), printCase(made[index])});
  };
  for (const CompilerVerdict& finding : batch.findings) add(finding.index, finding.verdict);
  if (!batch.problem.empty()) {
    CaseVerdict verdict;
    verdict.kind = VerdictKind::Check;
    verdict.reason = batch.problem.substr(0, batch.problem.find('\n'));
    verdict.detail = batch.problem;
    add(guiltyCase(cases), std::move(verdict));
  }
  return result;
}

int64_t segmentsIn(const CaseVerdict& verdict) {
  int64_t segments = 0;
  for (const auto& [scheduler, count] : verdict.schedulers) segments += count;
  return segments;
}

// A generated case in the views that its number draws. The first finding becomes the case's verdict; counts stay those
// of the case itself.
void judgeViews(const Case& testCase, uint64_t number, const TaskSettings& settings, TaskResult& result) {
  for (const View& view : allViews()) {
    const std::optional<uint64_t> draw = viewDraw(view, settings.seed, number);
    if (!draw || isFinding(result.verdict.kind)) continue;
    const std::optional<Case> seen = viewOf(view, testCase, *draw);
    if (!seen) continue;
    const auto start = std::chrono::steady_clock::now();
    const CaseVerdict verdict = judgeCase(*seen, settings.judge);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.verdict.seconds.emplace_back("views", seconds);
    result.views[std::string(view.name)] = verdictName(verdict.kind);
    result.viewSegments[std::string(view.name)] = {segmentsIn(result.verdict), segmentsIn(verdict)};
    if (!isFinding(verdict.kind)) continue;
    result.view = view.name;
    result.verdict.kind = verdict.kind;
    result.verdict.reason = concat("view '", view.name, "': ", verdict.reason);
    result.verdict.detail = verdict.detail;
    result.verdict.run = verdict.run;
    result.verdict.wrongValue = verdict.wrongValue;
    result.verdict.place = verdict.place;
    result.verdict.pattern = verdict.pattern;
    result.verdict.onlyProbed = verdict.onlyProbed;
    result.text = printCase(*seen);
  }
}

TaskResult performSequence(const std::string& tasks, const TaskSettings& settings) {
  std::istringstream lines(tasks);
  TaskResult result;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) result = performTask(line, settings);
  }
  return result;
}

TaskResult performTexts(const std::string& texts, const TaskSettings& settings) {
  TaskResult result;
  const std::string mark = std::string(kSequenceMark) + "\n";
  for (size_t place = texts.find(mark); place != std::string::npos;) {
    const size_t start = place + mark.size(), next = texts.find(mark, start);
    result = {};
    const Case testCase = parseCase(texts.substr(start, next == std::string::npos ? next : next - start), "sequence");
    result.verdict = judgeCase(testCase, settings.judge);
    if (isFinding(result.verdict.kind)) result.text = printCase(testCase);
    place = next;
  }
  return result;
}

TaskResult performBucket(const std::string& text, const TaskSettings& settings) {
  const Case testCase = parseCase(text, "finding");
  TaskResult result;
  result.verdict = judgeCase(testCase, settings.judge);
  if (!isFinding(result.verdict.kind)) return result;
  const Bucket bucket = bucketOf(testCase, result.verdict, settings.judge);
  result.bucket = toString(bucket);
  if (bucket.stage.rfind("pass", 0) == 0) {
    const std::optional<GuiltyRewrite> rewrite = guiltyRewrite(testCase, result.verdict, settings.judge);
    if (rewrite) result.guilty = toString(*rewrite);
  }
  return result;
}

}  // namespace

std::string kindOf(const std::string& task) { return task.substr(0, task.find_first_of(" \n")); }

std::vector<std::string> partsOf(const std::string& task, uint64_t seed) {
  const std::string kind = kindOf(task);
  if (kind != "case" && kind != "batch") return {task};
  std::istringstream words(task.substr(kind.size()));
  uint64_t number = 0, count = 0;
  words >> number >> count;
  std::vector<std::string> parts;
  if (kind == "batch") {
    for (uint64_t i = 0; i < count; ++i) parts.push_back(concat("batch ", number + i, " 1"));
    return parts;
  }
  parts.push_back(concat("plain ", number));
  for (const View& view : allViews()) {
    if (viewDraw(view, seed, number)) parts.push_back(concat("view ", number, " ", view.name));
  }
  return parts;
}

const std::vector<std::string>& allTraits() {
  static const std::vector<std::string> traits = {"streams", "devices", "shardings", "aliases", "preallocated outputs"};
  return traits;
}

Features featuresOf(const Case& testCase) {
  Features features;
  for (const Expr* expr : testCase.fusion->exprs()) features.ops.insert(std::string(opName(expr->op())));
  for (const Val* val : testCase.fusion->usedVals()) {
    if (!val->isTensor()) continue;
    features.dtypes.insert(std::string(dtypeName(val->dtype())));
    features.ranks.insert(std::to_string(val->as<TensorView>()->rank()));
  }
  if (testCase.fusion->hasStreams()) features.traits.insert("streams");
  if (testCase.fusion->hasDevices()) features.traits.insert("devices");
  const std::vector<Val*> vals = testCase.fusion->usedVals();
  const bool sharded = std::any_of(vals.begin(), vals.end(), [](const Val* val) {
    return val->isTensor() && val->as<TensorView>()->shardAxis().has_value();
  });
  if (sharded) features.traits.insert("shardings");
  if (!testCase.aliases.empty()) features.traits.insert("aliases");
  if (!testCase.preallocated.empty()) features.traits.insert("preallocated outputs");
  return features;
}

Features featuresOf(const TaskResult& result) {
  Features features{result.ops, result.dtypes, result.ranks, {}, result.traits};
  for (const auto& [scheduler, segments] : result.verdict.schedulers) {
    if (segments > 0) features.schedulers.insert(scheduler);
  }
  return features;
}

TaskResult performTask(const std::string& task, const TaskSettings& settings) {
  reference::useOneThread();
  const std::string kind = kindOf(task), argument = task.substr(std::min(kind.size() + 1, task.size()));
  TaskResult result;
  try {
    if (kind == "batch") return performBatch(argument, settings);
    if (kind == "sequence") return performSequence(argument, settings);
    if (kind == "texts") return performTexts(argument, settings);
    if (kind == "bucket") return performBucket(argument, settings);
    const auto start = std::chrono::steady_clock::now();
    const Case testCase = obtain(kind, argument, settings);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    describe(testCase, result);
    if (kind == "print") {
      result.text = printCase(testCase);
      return result;
    }
    AfterSegment collecting(
        [&](const std::unique_ptr<SegmentedFusion>& segmented) { collectPlaces(*segmented, result); });
    JudgeSettings judge = settings.judge;
    judge.observers.push_back(&collecting);
    if (kind == "case" || kind == "plain") judge.repeat &= std::stoull(argument) % kRepeatOneIn == 0;
    result.verdict = judgeCase(testCase, judge);
    if (kind == "file" && result.verdict.kind == VerdictKind::Rejected) {
      result.verdict.detail = located(testCase.places, result.verdict.detail);
    }
    // Only a file promises what becomes of it.
    if (kind != "file" && !isFinding(result.verdict.kind)) result.verdict.expected = true;
    result.verdict.seconds.emplace_back(kind == "file" ? "parse" : "generate", seconds);
    const bool kept = isFinding(result.verdict.kind) || !result.verdict.expected;
    if (kept) result.text = printCase(testCase);
    if (kind == "case" && !kept) judgeViews(testCase, std::stoull(argument), settings, result);
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (result.text.empty() && settings.slowSeconds > 0 && whole >= settings.slowSeconds) {
      result.slow = whole;
      result.text = printCase(testCase);
    }
  } catch (const UserError& error) {
    result.verdict.kind = kind == "file" ? VerdictKind::Rejected : VerdictKind::Check;
    result.verdict.reason = result.verdict.detail = error.what();
    result.verdict.expected = false;
  } catch (const std::exception& error) {
    result.verdict.kind = VerdictKind::Check;
    result.verdict.reason = result.verdict.detail = error.what();
  }
  return result;
}

std::string toJson(const CaseVerdict& verdict) {
  return verdictJson(verdict).dump(-1, ' ', false, json::error_handler_t::replace);
}

CaseVerdict verdictFromJson(const std::string& text) { return verdictFrom(json::parse(text)); }

std::string toJson(const TaskResult& result) {
  json out = verdictJson(result.verdict);
  put(out, "text", result.text);
  put(out, "slow", result.slow);
  put(out, "bucket", result.bucket);
  put(out, "view", result.view);
  put(out, "guilty", result.guilty);
  put(out, "runs", result.runs);
  const BatchFigures& batch = result.batch;
  if (batch.kernels > 0 || !batch.skipped.empty()) {
    out["batch"] = {batch.cases, batch.kernels, batch.clangSeconds, batch.nvrtcSeconds, batch.skipped};
  }
  for (const BatchFinding& finding : result.findings) {
    out["findings"].push_back(
        {{"number", finding.number}, {"verdict", verdictJson(finding.verdict)}, {"text", finding.text}});
  }
  put(out, "ops", result.ops);
  put(out, "dtypes", result.dtypes);
  put(out, "ranks", result.ranks);
  put(out, "traits", result.traits);
  put(out, "places", result.places);
  put(out, "fused", result.fused);
  put(out, "views", result.views);
  put(out, "view_segments", result.viewSegments);
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

TaskResult taskResultFromJson(const std::string& text) {
  const json in = json::parse(text);
  TaskResult result;
  result.verdict = verdictFrom(in);
  get(in, "text", result.text);
  get(in, "slow", result.slow);
  get(in, "bucket", result.bucket);
  get(in, "view", result.view);
  get(in, "guilty", result.guilty);
  get(in, "runs", result.runs);
  if (in.contains("batch")) {
    const json& batch = in.at("batch");
    result.batch = {batch.at(0), batch.at(1), batch.at(2), batch.at(3), batch.at(4)};
  }
  if (in.contains("findings")) {
    for (const json& finding : in.at("findings")) {
      result.findings.push_back({finding.at("number"), verdictFrom(finding.at("verdict")), finding.at("text")});
    }
  }
  get(in, "ops", result.ops);
  get(in, "dtypes", result.dtypes);
  get(in, "ranks", result.ranks);
  get(in, "traits", result.traits);
  get(in, "places", result.places);
  get(in, "fused", result.fused);
  get(in, "views", result.views);
  get(in, "view_segments", result.viewSegments);
  return result;
}

std::string readTextFile(const std::string& path) { return readFusionFile(path); }

}  // namespace fuser::fuzz
