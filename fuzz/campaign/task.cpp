// A worker's side of a campaign: task in, result out.

#include "fuzz/campaign/task.h"

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
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

Case obtain(const std::string& kind, const std::string& argument, const TaskSettings& settings) {
  if (kind != "file") return generateCase(settings.seed, std::stoull(argument), settings.generator);
  return parseCase(readTextFile(argument), argument);
}

void describe(const Case& testCase, TaskResult& result) {
  result.runs = static_cast<int64_t>(testCase.runs.size());
  for (const Expr* expr : testCase.fusion->exprs()) result.ops.insert(std::string(opName(expr->op())));
  for (const Val* val : testCase.fusion->usedVals()) {
    if (!val->isTensor()) continue;
    result.dtypes.insert(std::string(dtypeName(val->dtype())));
    result.ranks.insert(std::to_string(val->as<TensorView>()->rank()));
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
  BatchResult batch = runCompilerBatch(cases, {first / count % 2 == 0 ? "80" : "90"});
  TaskResult result;
  result.batch = {static_cast<int64_t>(batch.cases),
                  static_cast<int64_t>(batch.kernels),
                  static_cast<int64_t>(batch.findings.size()),
                  batch.clangSeconds,
                  batch.nvrtcSeconds,
                  batch.skipped};
  size_t guilty = 0;
  if (!batch.problem.empty()) {
    guilty = guiltyCase(cases);
    result.verdict.kind = VerdictKind::Check;
    result.verdict.reason = batch.problem.substr(0, batch.problem.find('\n'));
    result.verdict.detail = batch.problem;
    result.batch.findings = 1;
  } else if (!batch.findings.empty()) {
    guilty = batch.findings[0].index;
    result.verdict = batch.findings[0].verdict;
  } else {
    return result;
  }
  made[guilty].options.engine = EngineKind::Cpu;
  result.text = printCase(made[guilty]);
  return result;
}

}  // namespace

TaskResult performTask(const std::string& task, const TaskSettings& settings) {
  reference::useOneThread();
  const size_t space = task.find(' ');
  const std::string kind = task.substr(0, space), argument = task.substr(space + 1);
  TaskResult result;
  try {
    if (kind == "batch") return performBatch(argument, settings);
    const auto start = std::chrono::steady_clock::now();
    const Case testCase = obtain(kind, argument, settings);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    describe(testCase, result);
    if (kind == "print") {
      result.text = printCase(testCase);
      return result;
    }
    result.verdict = judgeCase(testCase, settings.judge);
    result.verdict.seconds.emplace_back(kind == "file" ? "parse" : "generate", seconds);
    if (isFinding(result.verdict.kind)) result.text = printCase(testCase);
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

std::string toJson(const TaskResult& result) {
  const CaseVerdict& verdict = result.verdict;
  json out;
  out["kind"] = verdictName(verdict.kind);
  out["reason"] = verdict.reason;
  out["detail"] = verdict.detail;
  out["run"] = verdict.run;
  out["expected"] = verdict.expected;
  out["probed"] = verdict.probed;
  out["outputs"] = countsJson(verdict.outputs);
  out["elements"] = countsJson(verdict.elements);
  out["by op"] = json::object();
  for (const auto& [op, counts] : verdict.ops) out["by op"][std::string(opName(op))] = countsJson(counts);
  out["margins"] = json::object();
  for (const auto& [op, margins] : verdict.margins) out["margins"][std::string(opName(op))] = margins.tenths;
  out["wrong value"] = verdict.wrongValue;
  out["schedulers"] = verdict.schedulers;
  out["compilations"] = verdict.compilations;
  out["kernels"] = verdict.kernels;
  out["seconds"] = verdict.seconds;
  out["text"] = result.text;
  out["runs"] = result.runs;
  const BatchFigures& batch = result.batch;
  out["batch"] = {batch.cases, batch.kernels, batch.findings, batch.clangSeconds, batch.nvrtcSeconds, batch.skipped};
  out["ops"] = result.ops;
  out["dtypes"] = result.dtypes;
  out["ranks"] = result.ranks;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

TaskResult taskResultFromJson(const std::string& text) {
  const json in = json::parse(text);
  TaskResult result;
  CaseVerdict& verdict = result.verdict;
  verdict.kind = verdictFromName(in.at("kind").get<std::string>()).value();
  verdict.reason = in.at("reason");
  verdict.detail = in.at("detail");
  verdict.run = in.at("run");
  verdict.expected = in.at("expected");
  verdict.probed = in.at("probed");
  verdict.outputs = countsFrom(in.at("outputs"));
  verdict.elements = countsFrom(in.at("elements"));
  for (OpKind op : kAllOps) {
    const auto found = in.at("by op").find(std::string(opName(op)));
    if (found != in.at("by op").end()) verdict.ops[op] = countsFrom(*found);
    const auto margins = in.at("margins").find(std::string(opName(op)));
    if (margins != in.at("margins").end()) margins->get_to(verdict.margins[op].tenths);
  }
  verdict.wrongValue = in.at("wrong value");
  in.at("schedulers").get_to(verdict.schedulers);
  verdict.compilations = in.at("compilations");
  verdict.kernels = in.at("kernels");
  in.at("seconds").get_to(verdict.seconds);
  result.text = in.at("text");
  result.runs = in.at("runs");
  const json& batch = in.at("batch");
  result.batch = {batch.at(0), batch.at(1), batch.at(2), batch.at(3), batch.at(4), batch.at(5)};
  in.at("ops").get_to(result.ops);
  in.at("dtypes").get_to(result.dtypes);
  in.at("ranks").get_to(result.ranks);
  return result;
}

std::string readTextFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  FUSER_USER_CHECK(in.good(), "cannot read ", path);
  std::ostringstream text;
  text << in.rdbuf();
  FUSER_USER_CHECK(!in.bad(), "cannot read ", path);
  return text.str();
}

}  // namespace fuser::fuzz
