// %s = sum(%x) {dims = [0, 2]}   becomes   %s = sum(%x) {dims = [1]}   without axis 0; without both, %x stands for %s

#include <algorithm>

#include "fuzz/minimize/rebuilding.h"

namespace fuser::fuzz {
namespace {

// Entries of `dims` that count axes, without those that go.
std::vector<int64_t> keptDims(const std::vector<int64_t>& dims, const std::vector<bool>& kept) {
  std::vector<int64_t> left;
  for (int64_t dim : dims) {
    if (kept.at(static_cast<size_t>(dim))) left.push_back(std::count(kept.begin(), kept.begin() + dim, true));
  }
  return left;
}

class LineEditor {
 public:
  LineEditor(Rebuilding& rebuilding, const Expr* expr) : rebuilding_(rebuilding), expr_(expr) {}

  void edit(EditLine line) {
    for (size_t i = 0; i < expr_->inputs().size(); ++i) {
      EditOperand& operand = i < line.operands.size() ? line.operands[i] : line.braced.at(i - line.operands.size());
      const auto literal = rebuilding_.change.literals.find({expr_->id(), i});
      operand = literal == rebuilding_.change.literals.end() ? rebuilding_.operandOf(expr_->input(i)) : literal->second;
    }
    for (size_t i = 0; i < line.results.size(); ++i) {
      // Its name is the input's that it becomes.
      if (rebuilding_.kept.isInput(expr_->outputs()[i])) line.results[i] = rebuilding_.edit.freshName(line.results[i]);
    }
    const auto other = rebuilding_.change.ops.find(expr_->id());
    if (other != rebuilding_.change.ops.end()) {
      const auto [op, place] = other->second;
      line = {line.results, op, {line.operands.at(place)}, Attributes()};
    }
    if (!isPointwise(line.op)) {
      line.attributes = keptAttributes();
      const bool done = !expr_->attributes().allAxes().empty() && line.attributes.allAxes().empty();
      if (done && !leaveOut(line)) return;
    }
    for (const Val* result : expr_->outputs()) {
      if (result->isTensor() && !rebuilding_.kept.isInput(result)) {
        rebuilding_.keepPlacement(result->as<TensorView>());
      }
    }
    rebuilding_.edit.lines.push_back(std::move(line));
  }

 private:
  // Nothing is left to do along any axis: what stands for the result. True where it is a line: of another dtype.
  bool leaveOut(EditLine& line) {
    const Val* result = expr_->output();
    if (result->isScalar()) {
      const auto dim = static_cast<size_t>(expr_->attributes().dim());
      const std::optional<int64_t> number =
          rebuilding_.numberOf(expr_->input(0)->as<TensorView>()->axes().at(dim)->size());
      FUSER_USER_CHECK(number, "%", result->name(), " differs between the runs");
      rebuilding_.standIns.emplace(result->id(), ScalarValue(*number));
      return false;
    }
    FUSER_USER_CHECK(!isWelford(line.op), "%", result->name(), " varies along no axis");
    const EditOperand operand = line.operands.at(0);
    if (!isReduction(line.op) || rebuilding_.kept.standIn(expr_->input(0))->dtype() == result->dtype()) {
      rebuilding_.standIns.emplace(result->id(), operand);
      return false;
    }
    line = {line.results, OpKind::Cast, {operand}, Attributes().dtype(result->dtype())};
    return true;
  }

  // The entries that the kept axes of the result leave; place(i): the axis that entry i belongs to.
  template <class Place, class Map>
  std::vector<IntExpr> keptEntries(AttributeName name, Place place, Map map) {
    const std::vector<IntExpr>& entries = expr_->attributes().integers(name);
    const std::vector<bool> axes = rebuilding_.kept.axes(expr_->output()->as<TensorView>());
    std::vector<IntExpr> kept;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (axes.at(place(i))) kept.push_back(map(entries[i], place(i)));
    }
    return kept;
  }

  // The attributes without the axes that go, over the edit's sizes.
  Attributes keptAttributes() {
    const Val* result = expr_->output();
    const Attributes& old = expr_->attributes();
    const auto itself = [](size_t i) { return i; };
    const auto fromTheLast = [&](size_t i) { return result->as<TensorView>()->rank() - 1 - i / 2; };
    const auto asItIs = [&](IntExpr entry, size_t) { return rebuilding_.sizeOf(entry); };
    const auto resized = [&](IntExpr size, size_t axis) { return rebuilding_.resized(size, {result->id(), axis}); };
    Attributes kept;
    for (const FamilyAttribute& attribute : familyAttributes(expr_->family())) {
      const AttributeName name = attribute.name;
      switch (attribute.kind) {
        case AttributeKind::Axis:
        case AttributeKind::Axes: {
          const Val* tensor = attribute.ofResult ? result : expr_->input(0);
          kept.setAxes(name, keptDims(old.axes(name), rebuilding_.kept.axes(tensor->as<TensorView>())));
          break;
        }
        case AttributeKind::Extents: kept.setIntegers(name, keptEntries(name, itself, resized)); break;
        case AttributeKind::Counts: kept.setIntegers(name, keptEntries(name, itself, asItIs)); break;
        case AttributeKind::Bounds: kept.setIntegers(name, keptEntries(name, fromTheLast, asItIs)); break;
        case AttributeKind::Extent: kept.setBound(name, resized(old.bound(name), slotOf(name))); break;
        case AttributeKind::Bound: kept.setBound(name, rebuilding_.sizeOf(old.bound(name))); break;
        case AttributeKind::Dtype: kept.setDtype(name, rebuilding_.dtypeOf(old.dtypeOf(name))); break;
        case AttributeKind::Number: kept.setNumber(name, old.number(name)); break;
        case AttributeKind::Mark: kept.setMark(name, old.has(name)); break;
        case AttributeKind::Word:
        case AttributeKind::Flag:
        case AttributeKind::Operand: break;
      }
    }
    return kept;
  }

  Rebuilding& rebuilding_;
  const Expr* expr_;
};

}  // namespace

void editLines(Rebuilding& rebuilding) {
  const std::vector<EditLine> lines = std::move(rebuilding.edit.lines);
  rebuilding.edit.lines.clear();
  const std::vector<Expr*>& exprs = rebuilding.old.exprs();
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (rebuilding.kept.isMade(exprs[i])) LineEditor(rebuilding, exprs[i]).edit(lines.at(i));
  }
}

}  // namespace fuser::fuzz
