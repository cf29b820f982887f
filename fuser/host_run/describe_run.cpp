// Visits the nodes of a program once, after its run.

#include "fuser/host_run/describe_run.h"

#include <algorithm>
#include <set>

#include "fuser/execute/engine.h"
#include "fuser/kernel/accumulation_depth.h"
#include "fuser/kernel/contracted_sums.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

class RunDescription {
 public:
  RunDescription(const HostIrContainer& program, const std::function<HostValue(const Val*)>& value, RunTraces& traces,
                 RunRecord& record)
      : program_(program), value_(value), traces_(traces), record_(record) {
    for (const hir::HostExpr* place : hostExprsOf<hir::Place>(program)) {
      placed_.insert(std::get<hir::Place>(place->node).tensor);
    }
  }

  // Segments and standalone ops.
  void describe(const hir::Body& body) {
    for (const hir::HostExpr* expr : body) {
      if (std::holds_alternative<hir::Segment>(expr->node)) {
        describeSegment(std::get<hir::Segment>(expr->node));
      } else if (program_.device) {
        describePart(expr);
        for (const hir::HostExpr* inner : loopBody(expr)) describePart(inner);
      } else if (std::holds_alternative<hir::StandaloneOp>(expr->node)) {
        record_.segments.push_back(recordOf({&std::get<hir::StandaloneOp>(expr->node)}, record_.segments.size()));
      } else if (const std::vector<const hir::StandaloneOp*> ops = opsWithSlices(expr); !ops.empty()) {
        record_.segments.push_back(recordOf(ops, record_.segments.size()));
      } else {
        for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch) describe(program_.body(expr, branch));
      }
    }
  }

 private:
  std::vector<BoundaryValue> boundary(const std::vector<const Val*>& vals) {
    std::vector<BoundaryValue> values;
    for (const Val* val : vals) {
      values.push_back({isOverwritten(val) ? std::nullopt : originOf(val), val->name(), value_(val)});
    }
    return values;
  }

  // Whether a later update may have stored something else there.
  bool isOverwritten(const Val* val) const {
    if (!val->isTensor() || val->isFusionOutput()) return false;
    return val->as<TensorView>()->domain().inPlace || placed_.count(val) != 0;
  }

  // A copy from another device has the origin of the value that it copies.
  std::optional<uint32_t> originOf(const Val* val) const {
    while (program_.device && !val->origin() && val->definition() && val->definition()->family() == Family::LoadStore) {
      val = val->definition()->input(0);
    }
    return val->origin();
  }

  // The record of one device of several: its parts of the results of expressions and communications. (Copies for other
  // devices have no origin.)
  void describePart(const hir::HostExpr* expr) {
    SegmentRecord alone;
    alone.index = static_cast<int>(record_.segments.size());
    const auto noteResult = [&](const TensorView* output) {
      if (output->origin()) alone.outputs.push_back({output->origin(), output->name(), value_(output)});
    };
    if (const auto* op = std::get_if<hir::StandaloneOp>(&expr->node)) {
      for (const TensorView* output : op->outputs) {
        const TensorView* whole = op->withoutAxis ? selectedFrom(expr, output) : output;
        if (!traces_.sliced.at(whole->id())) noteResult(whole);
      }
      if (!op->exprs.empty()) addFigures(op->launch.kernel, op, alone);
    } else if (const auto* communication = std::get_if<hir::Communication>(&expr->node)) {
      if (communication->receive) noteResult(communication->receive);
    }
    const bool saysNothing = alone.outputs.empty() && alone.reductionDepths.empty() && alone.sums.empty();
    if (!saysNothing) record_.segments.push_back(std::move(alone));
  }

  hir::Body loopBody(const hir::HostExpr* expr) const {
    return std::holds_alternative<hir::ForLoop>(expr->node) ? program_.body(expr) : hir::Body();
  }

  // The tensor of which the loop around the node selects the slice.
  const TensorView* selectedFrom(const hir::HostExpr* expr, const TensorView* slice) const {
    for (const hir::HostExpr* other : program_.body(program_.parent(expr))) {
      const auto* select = std::get_if<hir::HirAliasSelect>(&other->node);
      if (select && select->tensor == slice) return select->source;
    }
    FUSER_CHECK(false, "no turn selects %", slice->name());
  }

  // The expressions of a loop, if some of their results exist only in slices; otherwise none.
  std::vector<const hir::StandaloneOp*> opsWithSlices(const hir::HostExpr* loop) const {
    std::vector<const hir::StandaloneOp*> ops;
    bool slices = false;
    if (!std::holds_alternative<hir::ForLoop>(loop->node)) return ops;
    for (const hir::HostExpr* expr : program_.body(loop)) {
      const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
      if (!op) continue;
      ops.push_back(op);
      for (const TensorView* result : op->results) slices |= traces_.sliced.at(result->id());
    }
    return slices ? ops : std::vector<const hir::StandaloneOp*>{};
  }

  SegmentRecord recordOf(const std::vector<const hir::StandaloneOp*>& ops, size_t index) {
    SegmentRecord together;
    together.index = static_cast<int>(index);
    std::vector<const Val*> read, results;
    for (const hir::StandaloneOp* op : ops) results.insert(results.end(), op->results.begin(), op->results.end());
    const auto contains = [](const std::vector<const Val*>& vals, const Val* val) {
      return std::find(vals.begin(), vals.end(), val) != vals.end();
    };
    for (const hir::StandaloneOp* op : ops) {
      for (const Val* input : op->operands) {
        const bool literal = input->isScalar() && input->as<Scalar>()->isConstant();
        if (!literal && !contains(results, input) && !contains(read, input)) read.push_back(input);
      }
      addFigures(op->launch.kernel, op, together);
    }
    std::erase_if(results, [&](const Val* val) { return traces_.sliced.at(val->id()); });
    together.inputs = boundary(read);
    together.outputs = boundary(results);
    return together;
  }

  void describeSegment(const hir::Segment& segment) {
    if (segment.cache >= 0) {
      for (SegmentRecord& inner : traces_.cached.at(static_cast<size_t>(segment.cache)).segments) {
        inner.index = segment.index;
        record_.segments.push_back(std::move(inner));
      }
      return;
    }
    SegmentRecord whole{segment.index,
                        std::string(schedulerTypeName(segment.scheduler)),
                        boundary(segment.inputs),
                        boundary(segment.outputs),
                        {},
                        {},
                        false};
    if (segment.kernel >= 0) {
      const size_t kernel = static_cast<size_t>(segment.kernel);
      if (!traces_.launched.at(kernel))
        throw ViolationError(concat("kernel ", program_.kernels[kernel]->name, ": never launched"));
      addFigures(segment.kernel, nullptr, whole);
    }
    record_.segments.push_back(std::move(whole));
  }

  // A reduction across devices may be followed by a cast or a set before it equals a value of the original.
  std::optional<uint32_t> originBehind(const Val* val) const {
    while (program_.device && !val->origin() && val->uses().size() == 1) {
      const Expr* reader = val->uses().front();
      if (reader->op() != OpKind::Cast && reader->family() != Family::LoadStore) break;
      val = reader->output();
    }
    return val->origin();
  }

  // How the kernel reduces and adds. `op`: of which it computes a slice or a part, if it does. A kernel that was never
  // launched had no elements to compute.
  void addFigures(int number, const hir::StandaloneOp* op, SegmentRecord& segment) const {
    if (number < 0) return;
    const size_t kernel = static_cast<size_t>(number);
    segment.addsByAtomics |= addsFloatsByAtomics(*program_.kernels[kernel]);
    for (const auto& [sum, forms] : contractedSums(*program_.kernels[kernel])) {
      if (sum->origin()) segment.sums.emplace_back(*sum->origin(), forms);
    }
    const std::optional<std::vector<int64_t>>& ints = traces_.launched.at(kernel);
    if (!ints) return;
    for (const auto& [result, depth] : accumulationDepth(*program_.kernels[kernel], *ints)) {
      const bool alone = op && op->exprs.size() == 1;
      if (!alone && result->origin()) segment.reductionDepths.emplace_back(*result->origin(), depth);
      for (const TensorView* whole : alone ? op->results : std::vector<const TensorView*>{}) {
        const std::optional<uint32_t> origin = originBehind(whole);
        if (origin) segment.reductionDepths.emplace_back(*origin, depth);
      }
    }
  }

  const HostIrContainer& program_;
  const std::function<HostValue(const Val*)>& value_;
  RunTraces& traces_;
  RunRecord& record_;
  std::set<const Val*> placed_;  // for lookups only
};

}  // namespace

void describeRun(const HostIrContainer& program, const std::function<HostValue(const Val*)>& value, RunTraces& traces,
                 RunRecord& record) {
  RunDescription(program, value, traces, record).describe(program.topLevel());
}

}  // namespace fuser
