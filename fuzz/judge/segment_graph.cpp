#include "fuzz/judge/segment_graph.h"

#include <unordered_map>

#include "fuser/analysis/stage_observers.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"

namespace fuser::fuzz {
namespace {

using reports::GraphNode;
using reports::SegmentGraph;

// Leaves the compiler once there are segments.
struct Segmented {};

class Drawing {
 public:
  Drawing(const SegmentedFusion& segmented, const FirstCompilation& compiled, const std::string& wrongValue)
      : segmented_(segmented),
        fusion_(segmented.completeFusion()),
        names_(fusion_),
        sizes_(fusion_),
        wrongValue_(wrongValue) {
    sizes_.bindInputs(compiled.inputs);
    for (const Val* val : compiled.concrete.fusion->usedVals()) {
      if (!wrongValue.empty() && val->name() == wrongValue) wrongOrigin_ = val->id();
    }
  }

  SegmentGraph draw() {
    for (const Val* input : fusion_.inputs()) {
      inputs_[input] = graph_.nodes.size();
      graph_.nodes.push_back({GraphNode::Kind::Input, printOperand(input, names_), {}});
    }
    for (const SegmentedGroup* group : segmented_.groups()) addGroup(group);
    for (const SegmentedGroup* group : segmented_.groups()) {
      for (const Val* input : group->inputs()) connect(input, groups_.at(group));
    }
    for (const Val* output : fusion_.outputs()) {
      graph_.nodes.push_back({GraphNode::Kind::Output, printOperand(output, names_), {}});
      connect(output, graph_.nodes.size() - 1);
    }
    return std::move(graph_);
  }

 private:
  bool isWrong(const Val* val) const {
    if (val->origin()) return val->origin() == wrongOrigin_;
    return !wrongValue_.empty() && val->name() == wrongValue_;
  }

  void addGroup(const SegmentedGroup* group) {
    groups_[group] = graph_.nodes.size();
    GraphNode& node = graph_.nodes.emplace_back();
    node.title = concat("segment ", groups_.size() - 1, ": ", schedulerTypeName(group->schedulerType()));
    for (const Expr* expr : group->exprs()) {
      node.ops.push_back({printOperand(expr->output(), names_), printExpr(expr, names_), isWrong(expr->output())});
    }
  }

  // Literals come from nowhere.
  void connect(const Val* val, size_t to) {
    const SegmentedGroup* producer = segmented_.producerOf(val);
    const auto input = inputs_.find(val);
    if (!producer && input == inputs_.end()) return;
    graph_.edges.push_back({producer ? groups_.at(producer) : input->second, to, printOperand(val, names_),
                            printType(val, names_), bytesOf(val)});
  }

  int64_t bytesOf(const Val* val) {
    auto bytes = static_cast<int64_t>(dtypeSize(val->dtype()));
    if (!val->isTensor()) return bytes;
    for (const IterDomain* axis : val->as<TensorView>()->axes()) bytes *= sizes_.evaluate(axis->size());
    return bytes;
  }

  const SegmentedFusion& segmented_;
  const Fusion& fusion_;
  const ValueNames names_;
  ExpressionEvaluator sizes_;
  const std::string& wrongValue_;
  std::optional<uint32_t> wrongOrigin_;
  SegmentGraph graph_;
  std::unordered_map<const Val*, size_t> inputs_;             // look-ups only
  std::unordered_map<const SegmentedGroup*, size_t> groups_;  // look-ups only
};

}  // namespace

SegmentGraph segmentGraphOf(const SegmentedFusion& segmented, const FirstCompilation& compiled,
                            const std::string& wrongValue) {
  return Drawing(segmented, compiled, wrongValue).draw();
}

SegmentGraph segmentGraphOf(const Case& statements, const std::string& wrongValue) {
  SegmentGraph graph;
  const FirstCompilation* compiled = nullptr;
  AfterSegment drawing([&](const std::unique_ptr<SegmentedFusion>& segmented) {
    graph = segmentGraphOf(*segmented, *compiled, wrongValue);
    throw Segmented{};
  });
  try {
    compileFirstRun(statements, drawing, [&](const FirstCompilation& begun) { compiled = &begun; });
  } catch (const Segmented&) {
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    graph = {};
    graph.problem = concat("there are no segments to draw: ", error.what());
  }
  return graph;
}

}  // namespace fuser::fuzz
