// Follows placed axes from readers to what they read.

#include "fuser/analysis/body_slices.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "fuser/analysis/standalone_op.h"

namespace fuser {
namespace {

// Depth-first, from the expressions in their order; iterative, because a body may be long.
std::vector<const Expr*> inTopologicalOrder(const std::vector<const Expr*>& exprs) {
  const std::unordered_set<const Expr*> inside(exprs.begin(), exprs.end());  // look-ups only
  std::unordered_set<const Expr*> placed;                                    // look-ups only
  std::vector<const Expr*> order, stack;
  for (const Expr* root : exprs) {
    stack.push_back(root);
    while (!stack.empty()) {
      const Expr* expr = stack.back();
      const auto missing = std::find_if(expr->inputs().begin(), expr->inputs().end(), [&](const Val* input) {
        return input->definition() && inside.count(input->definition()) && !placed.count(input->definition());
      });
      if (missing != expr->inputs().end()) {
        stack.push_back((*missing)->definition());
        continue;
      }
      stack.pop_back();
      if (placed.insert(expr).second) order.push_back(expr);
    }
  }
  return order;
}

std::optional<size_t> axisOf(const TensorView* tensor, ParallelType type) {
  return type == ParallelType::Stream ? tensor->streamAxis() : tensor->shardAxis();
}

// The operand's axis from which the slices are read. A turn of a loop has the axis no more, in none of its tensors; a
// device's part has one of the whole, and reads the one element that is broadcast along it whole (nullopt).
std::optional<size_t> slicedAxis(const Expr* expr, const Val* operand, size_t axis, ParallelType type) {
  const std::optional<size_t> found = operandAxis(expr, operand, axis);
  if (!found || type == ParallelType::Stream) return found;
  const IterDomain* read = operand->as<TensorView>()->axes()[*found];
  return read->isBroadcast() && !read->isExpanded() ? std::nullopt : found;
}

bool reduces(const Expr* expr) { return familyInfo(expr->family()).coordinates == Coordinates::Reducing; }

class Finder {
 public:
  Finder(const std::vector<const Val*>& results, ParallelType type) : results_(results), type_(type) {}

  BodySlices find(const std::vector<const Expr*>& exprs) {
    slices_.exprs = inTopologicalOrder(exprs);
    for (auto expr = slices_.exprs.rbegin(); expr != slices_.exprs.rend() && slices_.reason.empty(); ++expr) {
      visit(*expr);
    }
    return std::move(slices_);
  }

 private:
  // Readers come before what they read.
  void visit(const Expr* expr) {
    const std::optional<size_t> placed = placedAxis(expr, type_);
    std::optional<size_t> axis = placed;
    for (const Val* output : expr->outputs()) {
      const auto read = slices_.axes.find(output);
      if (read != slices_.axes.end() && !placed) axis = read->second;
      if (placed) assign(output, placed);
    }
    if (!placed) checkAlike(expr, axis);
    if (placed) checkPlaced(expr, *placed);
    if (!slices_.reason.empty()) return;
    for (const Val* output : expr->outputs()) assign(output, axis);
    for (const Val* input : expr->inputs()) {
      if (input->isTensor()) assign(input, axis ? slicedAxis(expr, input, *axis, type_) : std::nullopt);
    }
    if (placed && type_ == ParallelType::Stream) checkTurns(expr, *placed);
  }

  void checkPlaced(const Expr* expr, size_t axis) {
    for (const Val* output : expr->outputs()) {
      if (axisOf(output->as<TensorView>(), type_).value_or(axis) != axis) refuse(output, " has another axis placed");
    }
    if (slices_.reason.empty()) slices_.reason = whyNoSlices(expr, axis);
  }

  // The turns of one loop are the slices of everything that it makes. (Devices have a part each, of any length.)
  void checkTurns(const Expr* expr, size_t axis) {
    for (const Val* output : expr->outputs()) {
      const IntExpr size = output->as<TensorView>()->axes().at(axis)->size();
      if (!turns_) turns_ = size;
      if (size != turns_) refuse(output, " has another number of slices");
    }
  }

  // Of an expression that has no placed axis.
  void checkAlike(const Expr* expr, std::optional<size_t> axis) {
    for (const Val* output : expr->outputs()) {
      const bool stored = std::find(results_.begin(), results_.end(), output) != results_.end();
      const bool alike =
          !axis || expr->family() == Family::Factory || output->as<TensorView>()->axes().at(*axis)->isBroadcast();
      if (stored || !alike) refuse(output, " is not spread along the axis");
    }
    if (reduces(expr)) refuse(expr->output(), " would be reduced again in every slice");
    const bool sliceable = isLowerableAsStandaloneHostOp(expr) || expr->family() == Family::Factory;
    if (axis && !sliceable) refuse(expr->output(), " cannot be sliced");
    const std::vector<int64_t>& dims = expr->attributes().allAxes();
    const bool moved = axis && familyInfo(expr->family()).elements == Elements::Move &&
                       std::find(dims.begin(), dims.end(), static_cast<int64_t>(*axis)) != dims.end();
    if (moved) refuse(expr->output(), " moves elements along the axis");
  }

  // nullopt: whole.
  void assign(const Val* tensor, std::optional<size_t> axis) {
    const auto [known, fresh] = seen_.emplace(tensor, axis);
    if (!fresh && known->second != axis) refuse(tensor, " is needed in other slices, too");
    if (axis) slices_.axes.emplace(tensor, *axis);
  }

  void refuse(const Val* val, const char* reason) {
    if (slices_.reason.empty()) slices_.reason = concat("%", val->name(), reason);
  }

  const std::vector<const Val*>& results_;
  ParallelType type_;
  BodySlices slices_;
  IntExpr turns_ = nullptr;                                     // of the loop over streams
  std::unordered_map<const Val*, std::optional<size_t>> seen_;  // look-ups only
};

}  // namespace

std::optional<size_t> placedAxis(const Expr* expr, ParallelType type) {
  for (const Val* output : expr->outputs()) {
    if (!output->isTensor()) continue;
    if (const std::optional<size_t> axis = axisOf(output->as<TensorView>(), type)) return axis;
  }
  return std::nullopt;
}

BodySlices bodySlices(const std::vector<const Expr*>& exprs, const std::vector<const Val*>& results,
                      ParallelType type) {
  return Finder(results, type).find(exprs);
}

}  // namespace fuser
