// StreamParallelTypePass: creates loops over streams. Each top-level expression whose results have a Stream axis moves
// into a loop over that axis. An iteration runs on its own stream, on the slices of operands and results at its index:
//   compute (%t) from (%x) as %t
// becomes
//   allocate %t: f32[i0, i1]
//   for index0 in %t {axis = 0} {
//     get stream saved0
//     set stream by index0
//     synchronize saved0
//     select %x.s0: f32[i1] of %x {axis = 0, index = index0}
//     select %t.s1: f32[i1] of %t {axis = 0, index = index0}
//     compute into (%t.s1) from (%x.s0) as %t {without_axis = 0}
//     set stream saved0
//     synchronize by index0
//   }
// A node of several expressions becomes one of their slices. On several devices a turn computes a slice of the device's
// part. Adjacent nodes with axes of equal size share a loop if one
// reads the other only at the same index. A UserError names the tensor whose axis cannot be sliced, and why.

#include <algorithm>
#include <set>

#include "fuser/analysis/body_slices.h"
#include "fuser/analysis/resharding.h"
#include "fuser/analysis/standalone_op.h"
#include "fuser/host_ir/tensor_parts.h"
#include "fuser/host_passes/fresh_names.h"
#include "fuser/host_passes/host_ir_pass.h"

namespace fuser {
namespace {

// A loop over streams to which further expressions may be added.
struct OpenLoop {
  hir::HostExpr* loop = nullptr;
  hir::HostExpr* end = nullptr;  // the first of the nodes that close a turn
  IntExpr size = nullptr;
  struct Slice {
    const TensorView* tensor;
    size_t axis;
    TensorView* slice;
    bool written;
  };
  std::vector<Slice> slices;
};

class Builder {
 public:
  explicit Builder(HostIrContainer& program)
      : program_(program), fusion_(program.fusion()), names_(program.fusion(), "s") {}

  bool run() {
    checkOthers();
    bool changed = false;
    for (hir::HostExpr* expr : hir::Body(program_.topLevel())) {
      auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
      const std::optional<size_t> axis = op ? streamAxis(*op) : std::nullopt;
      if (!axis) {
        open_ = {};
        continue;
      }
      const BodySlices slices = slicesOf(*op, *axis);
      const auto named = std::find_if(op->results.begin(), op->results.end(),
                                      [](const TensorView* output) { return output->streamAxis().has_value(); });
      FUSER_USER_CHECK(slices.reason.empty(), "stream %", (*named)->name(), " {dim = ", *axis, "}: ", slices.reason);
      lower(expr, *op, slices);
      changed = true;
    }
    return changed;
  }

 private:
  // The axes at which a turn computes the op's slices, `axis` being the first result's.
  static BodySlices slicesOf(const hir::StandaloneOp& op, size_t axis) {
    if (op.exprs.size() > 1) {
      return bodySlices(op.exprs, {op.results.begin(), op.results.end()}, ParallelType::Stream);
    }
    BodySlices slices;
    slices.reason = whyNoSlices(op.exprs.front(), axis);
    if (!slices.reason.empty()) return slices;
    for (const TensorView* result : op.results) slices.axes.emplace(result, axis);
    for (const Val* operand : op.operands) {
      if (const auto at = operandAxis(op.exprs.front(), operand, axis)) slices.axes.emplace(operand, *at);
    }
    return slices;
  }

  // All results of an expression get the Stream axis, whichever one the case names. Of several: the first result's.
  static std::optional<size_t> streamAxis(const hir::StandaloneOp& op) {
    if (op.exprs.size() > 1) return placedAxis(op.results.front()->definition(), ParallelType::Stream);
    std::optional<size_t> axis;
    for (const TensorView* result : op.results) {
      const std::optional<size_t> of = result->streamAxis();
      FUSER_USER_CHECK(!axis || !of || axis == of, "stream %", result->name(), ": %", op.results.front()->name(),
                       ", which the same expression makes, has another stream axis");
      if (of) axis = of;
    }
    return axis;
  }

  // Expressions that share a kernel with others, or run through a cache, cannot be sliced: a UserError. (Dead code does
  // not run.)
  void checkOthers() const {
    std::set<const Expr*> alone, seen;  // look-ups only
    for (const hir::HostExpr* op : hostExprsOf<hir::StandaloneOp>(program_)) {
      const auto& exprs = std::get<hir::StandaloneOp>(op->node).exprs;
      alone.insert(exprs.begin(), exprs.end());
    }
    std::vector<const Val*> waiting(fusion_.outputs().begin(), fusion_.outputs().end());
    while (!waiting.empty()) {
      const Expr* expr = waiting.back()->definition();
      waiting.pop_back();
      if (!expr || !seen.insert(expr).second || expr->family() == Family::Size) continue;  // sizes need no elements
      checkOneAxis(*expr);
      waiting.insert(waiting.end(), expr->inputs().begin(), expr->inputs().end());
      if (expr->isScalarExpr() || alone.count(expr) != 0 || isElsewhere(*expr)) continue;
      for (const Val* output : expr->outputs()) {
        const std::optional<size_t> axis = output->as<TensorView>()->streamAxis();
        const bool isMoved = program_.device && isResharding(expr);
        // A device computes each of its ops alone, but none that only others read.
        if (program_.device && !isMoved) continue;
        FUSER_USER_CHECK(!axis, "stream %", output->name(), " {dim = ", *axis, "}: ", expr->info().mnemonic,
                         isMoved ? " brings it from other devices, which no loop over streams does"
                                 : " cannot run as a standalone op");
      }
    }
    for (const Val* input : fusion_.inputs()) {
      const bool hasStreamAxis = input->isTensor() && input->as<TensorView>()->streamAxis().has_value();
      FUSER_USER_CHECK(!hasStreamAxis, "input %", input->name(),
                       " has a stream axis: only a computed tensor can have one");
    }
  }

  // Whether other devices compute it, or all of those that hold parts of its operand.
  bool isElsewhere(const Expr& expr) const {
    if (!program_.device) return false;
    if (reducedShardAxis(&expr)) return true;
    return !isResharding(&expr) && !expr.output()->as<TensorView>()->mesh().contains(program_.device->number);
  }

  static void checkOneAxis(const Expr& expr) {
    for (const Val* output : expr.outputs()) {
      if (!output->isTensor()) continue;
      const std::vector<IterDomain*> axes = output->as<TensorView>()->axes();
      const auto isStream = [](const IterDomain* axis) { return axis->parallelType() == ParallelType::Stream; };
      FUSER_USER_CHECK(std::count_if(axes.begin(), axes.end(), isStream) < 2, "stream %", output->name(),
                       ": two of its axes are on streams, but at most one can be");
    }
  }

  void lower(hir::HostExpr* expr, const hir::StandaloneOp& op, const BodySlices& slices) {
    const size_t axis = slices.axes.at(op.results.front());
    const IntExpr size = op.outputs.front()->axes()[axis]->size();
    if (!joins(op, slices, size)) openLoop(expr, op.outputs.front(), axis, size);
    for (const TensorView* output : op.outputs) {
      if (!op.preallocated) program_.insertBefore(open_.loop, hir::Allocate{output});
    }
    hir::StandaloneOp inside = op;
    inside.withoutAxis = axis;
    inside.preallocated = true;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const auto at = slices.axes.find(op.operands[i]);
      if (at != slices.axes.end()) inside.inputs[i] = slice(op.inputs[i]->as<TensorView>(), at->second, false);
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      inside.outputs[i] = slice(op.outputs[i], slices.axes.at(op.results[i]), true);
    }
    program_.insertBefore(open_.end, std::move(inside));
    program_.remove(expr);
  }

  // Whether the open loop can compute it: the sizes are equal, and it reads the loop's results only at the same index.
  bool joins(const hir::StandaloneOp& op, const BodySlices& slices, IntExpr size) const {
    if (!open_.loop || open_.size != size) return false;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const auto at = slices.axes.find(op.operands[i]);
      for (const OpenLoop::Slice& known : open_.slices) {
        const bool alike = at != slices.axes.end() && at->second == known.axis;
        if (known.written && known.tensor == op.inputs[i] && !alike) return false;
      }
    }
    return true;
  }

  void openLoop(hir::HostExpr* place, const TensorView* tensor, size_t axis, IntExpr size) {
    const IntExpr index = fusion_.ints().symbol("StreamIdx");
    open_ = {};
    open_.size = size;
    open_.loop = program_.insertBefore(place, hir::ForLoop{index, tensor, axis});
    const hir::Stream* outer = program_.newStream();
    const hir::Stream* inner = program_.newStream(index);
    program_.append(hir::GetCurrentStream{outer}, open_.loop);
    program_.append(hir::SetCurrentStream{inner}, open_.loop);
    program_.append(hir::Synchronize{outer}, open_.loop);
    open_.end = program_.append(hir::SetCurrentStream{outer}, open_.loop);
    program_.append(hir::Synchronize{inner}, open_.loop);
  }

  // The slice of a tensor at the loop index, selected once per iteration.
  TensorView* slice(const TensorView* tensor, size_t axis, bool written) {
    for (OpenLoop::Slice& known : open_.slices) {
      if (known.tensor == tensor && known.axis == axis) return known.slice;
    }
    TensorView* slice = newSlice(fusion_, tensor, axis, names_.of(tensor));
    const IntExpr index = std::get<hir::ForLoop>(open_.loop->node).index;
    program_.insertBefore(open_.end, hir::HirAliasSelect{slice, tensor, axis, index});
    open_.slices.push_back({tensor, axis, slice, written});
    return slice;
  }

  HostIrContainer& program_;
  Fusion& fusion_;
  FreshNames names_;
  OpenLoop open_;
};

}  // namespace

bool StreamParallelTypePass::runPass(HostIrContainer& program, OwnRun) { return Builder(program).run(); }

}  // namespace fuser
