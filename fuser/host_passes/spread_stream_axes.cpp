// SpreadStreamAxesPass; its header describes it.

#include "fuser/host_passes/spread_stream_axes.h"

#include <algorithm>

#include "fuser/analysis/body_slices.h"
#include "fuser/analysis/resharding.h"
#include "fuser/analysis/standalone_op.h"

namespace fuser {
namespace {

class Spreader {
 public:
  explicit Spreader(Fusion& fusion)
      : exprs_(fusion.exprs()),
        axes_(fusion.exprIdCount()),
        before_(fusion.exprIdCount(), false),
        behind_(fusion.exprIdCount(), false) {}

  bool run() {
    for (const Expr* expr : exprs_) {
      axes_[expr->id()] = placedAxis(expr, ParallelType::Stream);
      if (axes_[expr->id()]) reach(expr);
    }
    for (bool more = true; more;) {
      more = false;
      for (auto expr = exprs_.rbegin(); expr != exprs_.rend(); ++expr) more |= spreadTo(*expr);
      for (Expr* expr : exprs_) more |= spreadTo(expr);
      for (Expr* expr : exprs_) more |= spreadBeside(expr);
    }
    bool changed = false;
    for (const Expr* expr : exprs_) changed |= place(expr);
    return changed;
  }

 private:
  bool isOn(const Expr* expr) const { return axes_[expr->id()].has_value(); }

  // Notes what lies before the expression, which is on the streams, and what lies behind it.
  void reach(const Expr* from) {
    std::vector<const Expr*> stack{from};
    while (!stack.empty()) {
      const Expr* expr = stack.back();
      stack.pop_back();
      for (const Val* input : expr->inputs()) {
        const Expr* maker = input->definition();
        if (maker && !before_[maker->id()]) {
          before_[maker->id()] = true;
          stack.push_back(maker);
        }
      }
    }
    stack.push_back(from);
    while (!stack.empty()) {
      const Expr* expr = stack.back();
      stack.pop_back();
      for (const Val* output : expr->outputs()) {
        for (const Expr* reader : output->uses()) {
          if (behind_[reader->id()]) continue;
          behind_[reader->id()] = true;
          stack.push_back(reader);
        }
      }
    }
  }

  bool spreadTo(const Expr* expr) {
    if (isOn(expr) || !mayTake(expr)) return false;
    const std::optional<size_t> axis = axisAround(expr);
    if (!axis || !whyNoStreamAxis(expr, *axis).empty() || !agrees(expr, *axis) || leavesSomethingBetween(expr))
      return false;
    axes_[expr->id()] = axis;
    reach(expr);
    return true;
  }

  // The expression and all behind it, if it shares an operand with one on the streams, and all of them can take the
  // axis: one that reduces it would leave a kernel before itself that it had not without the streams.
  bool spreadBeside(const Expr* expr) {
    const std::optional<size_t> axis = isOn(expr) ? std::nullopt : axisBeside(expr);
    if (!axis) return false;
    std::vector<std::pair<const Expr*, size_t>> taken{{expr, *axis}};
    for (size_t i = 0; i < taken.size(); ++i) {
      const auto [maker, place] = taken[i];
      if (!mayTake(maker) || !whyNoStreamAxis(maker, place).empty() || before_[maker->id()] || behind_[maker->id()]) {
        return false;
      }
      for (const Val* output : maker->outputs()) {
        for (const Expr* reader : output->uses()) {
          const std::optional<size_t> next = axisFrom(output, place, reader);
          const auto known = std::find_if(taken.begin(), taken.end(),
                                          [&, reader = reader](const auto& each) { return each.first == reader; });
          if (!next || (known != taken.end() && known->second != *next)) return false;
          if (known == taken.end()) taken.emplace_back(reader, *next);
        }
      }
    }
    for (const auto& [each, place] : taken) {
      axes_[each->id()] = place;
      reach(each);
    }
    return true;
  }

  // The axis of the reader's results that is this axis of what it reads.
  static std::optional<size_t> axisFrom(const Val* operand, size_t axis, const Expr* reader) {
    if (reader->isScalarExpr()) return std::nullopt;
    for (size_t place = 0; place < reader->output()->as<TensorView>()->rank(); ++place) {
      if (operandAxis(reader, operand, place) == axis) return place;
    }
    return std::nullopt;
  }

  std::optional<size_t> axisBeside(const Expr* expr) const {
    for (const Val* input : expr->inputs()) {
      if (input->isScalar()) continue;
      for (const Expr* other : input->uses()) {
        if (!isOn(other)) continue;
        const std::optional<size_t> axis = operandAxis(other, input, *axes_[other->id()]);
        if (axis) return axisFrom(input, *axis, expr);
      }
    }
    return std::nullopt;
  }

  static bool mayTake(const Expr* expr) {
    if (!isLowerableAsStandaloneHostOp(expr) || expr->op() == OpKind::Set) return false;
    return std::none_of(expr->outputs().begin(), expr->outputs().end(),
                        [](const Val* output) { return output->as<TensorView>()->domain().view; });
  }

  // The axis that a reader or an operand on the streams asks for.
  std::optional<size_t> axisAround(const Expr* expr) const {
    for (const Val* output : expr->outputs()) {
      for (const Expr* reader : output->uses()) {
        if (!isOn(reader)) continue;
        if (const auto axis = operandAxis(reader, output, *axes_[reader->id()])) return axis;
      }
    }
    for (const Val* input : expr->inputs()) {
      if (input->isScalar() || !input->definition() || !isOn(input->definition())) continue;
      if (const auto axis = axisFrom(input, *axes_[input->definition()->id()], expr)) return axis;
    }
    return std::nullopt;
  }

  // Whether all readers and operands on the streams would use the same slices.
  bool agrees(const Expr* expr, size_t axis) const {
    for (const Val* output : expr->outputs()) {
      for (const Expr* reader : output->uses()) {
        if (isOn(reader) && operandAxis(reader, output, *axes_[reader->id()]) != axis) return false;
      }
    }
    return std::all_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* input) {
      if (input->isScalar() || !input->definition() || !isOn(input->definition())) return true;
      return operandAxis(expr, input, axis) == axes_[input->definition()->id()];
    });
  }

  // Whether something off the streams would lie behind the expression and before one on them, or the other way round.
  bool leavesSomethingBetween(const Expr* expr) const {
    for (const Val* output : expr->outputs()) {
      for (const Expr* reader : output->uses()) {
        if (!isOn(reader) && before_[reader->id()]) return true;
      }
    }
    return std::any_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* input) {
      const Expr* maker = input->definition();
      return maker && !isOn(maker) && behind_[maker->id()];
    });
  }

  bool place(const Expr* expr) const {
    bool changed = false;
    for (Val* output : isOn(expr) ? expr->outputs() : std::vector<Val*>{}) {
      auto* tensor = output->as<TensorView>();
      if (tensor->streamAxis()) continue;
      tensor->axes().at(*axes_[expr->id()])->parallelize(ParallelType::Stream);
      changed = true;
    }
    return changed;
  }

  const std::vector<Expr*> exprs_;           // in topological order
  std::vector<std::optional<size_t>> axes_;  // by id: of the expression's results
  std::vector<bool> before_, behind_;        // by id: whether it lies before, or behind, one on the streams
};

}  // namespace

bool SpreadStreamAxesPass::runPass(Fusion* fusion, const CompileContext&, OwnRun) { return Spreader(*fusion).run(); }

}  // namespace fuser
