#include "fuzz/judge/explain_case.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "fuser/analysis/compile_observer.h"
#include "fuser/analysis/segment_decisions.h"
#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/faults/faults.h"

namespace fuser::fuzz {
namespace {

// Leaves the compiler before anything runs.
struct Explained {};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// "1,024 bytes" is easier to compare than a power.
std::string bytesText(int64_t bytes) {
  std::string digits = std::to_string(bytes);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits + (bytes == 1 ? " byte" : " bytes");
}

class Explainer : public CompileObserver {
 public:
  // Of the run that the case is compiled for.
  void setInputs(const std::vector<HostValue>& inputs) { inputs_ = inputs; }
  std::string text() const { return text_; }
  void add(const std::string& title, const std::string& lines) {
    text_ += concat(text_.empty() ? "" : "\n", "== ", title, "\n", lines);
  }
  // A sentence where there is nothing to show.
  void endPasses() {
    if (!inPasses_) return;
    inPasses_ = false;
    add("passes", changes_.empty() ? "none of them changes anything\n" : changes_);
  }

  void beforePasses(Fusion& fusion) override {
    before_ = printFusion(fusion);
    inPasses_ = true;
  }
  void afterApplication(std::string_view pass, Fusion& fusion, bool&) override {
    const std::string after = printFusion(fusion);
    if (const std::string lines = changedLines(before_, after); !lines.empty()) changes_ += concat(pass, "\n", lines);
    before_ = after;
  }
  void afterPasses(Fusion&) override { endPasses(); }

  void afterDecisions(const SegmentDecisions& decisions) override { decisions_ = decisions.explanation(); }
  void afterSegment(std::unique_ptr<SegmentedFusion>& segmented) override {
    add("segments", decisions_.empty() ? "a schedule for the whole fusion makes it one segment\n" : decisions_);
    add("values that segments read", edgesOf(*segmented));
  }
  void afterSchedule(int segment, Fusion&, Schedule& schedule) override {
    add(concat("schedule of segment ", segment), printSchedule(schedule));
  }
  void afterHost(HostIrContainer&) override { throw Explained{}; }

 private:
  std::string edgesOf(const SegmentedFusion& segmented) {
    const Fusion& fusion = segmented.completeFusion();
    const ValueNames names(fusion);
    ExpressionEvaluator sizes(fusion);
    sizes.bindInputs(inputs_);
    const auto& groups = segmented.groups();
    const auto numberOf = [&](const SegmentedGroup* group) {
      return std::find(groups.begin(), groups.end(), group) - groups.begin();
    };
    std::string lines;
    int64_t between = 0;
    for (const SegmentedGroup* group : groups) {
      for (const Val* val : group->inputs()) {
        const SegmentedGroup* producer = segmented.producerOf(val);
        if (!producer && !val->isFusionInput()) continue;
        const int64_t bytes = bytesOf(val, sizes);
        if (producer) between += bytes;
        lines += concat(producer ? concat("segment ", numberOf(producer)) : "input", " -> segment ", numberOf(group),
                        ": ", printOperand(val, names), " ", printType(val, names), ", ", bytesText(bytes), "\n");
      }
    }
    return concat(lines, bytesText(between), " cross between segments\n");
  }

  static int64_t bytesOf(const Val* val, ExpressionEvaluator& sizes) {
    int64_t bytes = static_cast<int64_t>(dtypeSize(val->dtype()));
    if (!val->isTensor()) return bytes;
    for (const IterDomain* axis : val->as<TensorView>()->axes()) bytes *= sizes.evaluate(axis->size());
    return bytes;
  }

  std::vector<HostValue> inputs_;
  std::string text_, before_, changes_, decisions_;
  bool inPasses_ = false;
};

void compile(const Case& statements, Explainer& explainer) {
  const std::string program = printFusion(*statements.fusion);
  explainer.add("program", program);
  const Case functional = functionalCase(statements);
  const RunData data = materialize(functional, functional.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  const Case testCase = concreteCase(functional, inputs);
  const std::string compiled = printFusion(*testCase.fusion);
  if (compiled != program) explainer.add("the program without updates, for the sizes of the first run", compiled);
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  std::unique_ptr<PlantedFault> fault;
  if (!testCase.options.fault.empty()) {
    fault = plantFault(testCase.options.fault);
    settings.context.observers.push_back(fault.get());
  }
  explainer.setInputs(inputs);
  settings.context.observers.push_back(&explainer);
  // The case outlives this.
  FusionExecutorCache(std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), testCase.fusion.get()),
                      std::move(settings))
      .run(inputs);
}

}  // namespace

std::string explainCase(const Case& statements) {
  FUSER_USER_CHECK(!statements.runs.empty(), "the case has no run to compile it for");
  Explainer explainer;
  try {
    compile(statements, explainer);
  } catch (const Explained&) {
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    explainer.endPasses();
    explainer.add("the compiler ends here", concat(error.what(), "\n"));
  }
  return explainer.text();
}

// By the longest common subsequence.
std::string changedLines(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = linesOf(before), b = linesOf(after);
  std::vector<std::vector<uint32_t>> common(a.size() + 1, std::vector<uint32_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  }
  std::string lines;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines += concat("- ", a[i++], "\n");
    } else {
      lines += concat("+ ", b[j++], "\n");
    }
  }
  return lines;
}

}  // namespace fuser::fuzz
