// Faults of the ops that give elements other coordinates: in the fusion, as a wrong pass would leave it, and in the
// scheduled part, right before its indices are made.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

std::vector<Expr*> viewsOf(const Fusion& fusion, Family family) {
  std::vector<Expr*> found;
  for (Expr* expr : fusion.exprs()) {
    if (expr->family() == family) found.push_back(expr);
  }
  return found;
}

// The same op with other operands and attributes, and the result as it was.
void redefine(Fusion& fusion, Expr* expr, std::vector<Val*> operands, Attributes attributes) {
  const OpKind op = expr->op();
  const std::vector<Val*> outputs = expr->outputs();
  fusion.removeExpr(expr);
  fusion.newExpr(op, std::move(operands), outputs, std::move(attributes));
}

}  // namespace

bool sliceStartsLate(Fusion& part) {
  bool applied = false;
  for (Expr* slice : viewsOf(part, Family::Slice)) {
    Attributes attributes = slice->attributes();
    attributes.start(part.ints().add(attributes.start(), part.ints().constant(1)));
    if (attributes.start()->isConstant(0)) continue;  // from the last element to the first
    redefine(part, slice, slice->inputs(), std::move(attributes));
    applied = true;
  }
  return applied;
}

bool sliceWithoutStep(Fusion& part) {
  bool applied = false;
  for (Expr* slice : viewsOf(part, Family::Slice)) {
    Attributes attributes = slice->attributes();
    if (attributes.step()->isConstant(1)) continue;
    redefine(part, slice, slice->inputs(), std::move(attributes.step(part.ints().constant(1))));
    applied = true;
  }
  return applied;
}

bool selectFromOtherEnd(Fusion& part) {
  bool applied = false;
  for (Expr* select : viewsOf(part, Family::Select)) {
    Attributes attributes = select->attributes();
    if (!attributes.index()->isConstant()) continue;
    redefine(part, select, select->inputs(),
             std::move(attributes.index(part.ints().constant(-1 - attributes.index()->value))));
    applied = true;
  }
  return applied;
}

bool flipOneAxisLess(Fusion& part) {
  bool applied = false;
  for (Expr* flip : viewsOf(part, Family::Flip)) {
    std::vector<int64_t> dims = flip->attributes().dims();
    if (dims.empty()) continue;
    dims.pop_back();
    redefine(part, flip, flip->inputs(), Attributes().dims(std::move(dims)));
    applied = true;
  }
  return applied;
}

bool padOffByOne(Fusion& part) {
  bool applied = false;
  for (Expr* pad : viewsOf(part, Family::Pad)) {
    Attributes attributes = pad->attributes();
    std::vector<IntExpr> numbers = attributes.pad();
    if (numbers.empty()) continue;
    numbers[0] = part.ints().add(numbers[0], part.ints().constant(1));
    numbers[1] = part.ints().add(numbers[1], part.ints().constant(-1));
    attributes.pad(std::move(numbers));
    redefine(part, pad, pad->inputs(), std::move(attributes));
    applied = true;
  }
  return applied;
}

bool dropPadValue(Fusion& part) {
  bool applied = false;
  for (Expr* pad : viewsOf(part, Family::Pad)) {
    redefine(part, pad, {pad->input(0), part.newConstant(int64_t{0})}, pad->attributes());
    applied = true;
  }
  return applied;
}

bool swapCatOperands(Fusion& part) {
  bool applied = false;
  for (Expr* cat : viewsOf(part, Family::Cat)) {
    std::vector<Val*> operands = cat->inputs();
    if (operands.front() == operands.back()) continue;
    std::swap(operands.front(), operands.back());
    redefine(part, cat, std::move(operands), cat->attributes());
    applied = true;
  }
  return applied;
}

// The operand's axes are matched with the result's from the wrong end.
bool reverseReshape(Fusion& part) {
  bool applied = false;
  for (Expr* reshape : viewsOf(part, Family::Reshape)) {
    Attributes attributes = reshape->attributes();
    std::vector<IntExpr> sizes = attributes.shape();
    if (sizes.size() < 2) continue;
    std::reverse(sizes.begin(), sizes.end());
    attributes.shape(std::move(sizes));
    redefine(part, reshape, reshape->inputs(), std::move(attributes));
    applied = true;
  }
  return applied;
}

bool repeatAnyNumber(Fusion& part) {
  bool applied = false;
  for (Expr* repeat : viewsOf(part, Family::Repeat)) {
    Attributes attributes = repeat->attributes();
    attributes.repeats(std::vector<IntExpr>(attributes.repeats().size(), part.ints().constant(1)));
    if (attributes == repeat->attributes()) continue;
    redefine(part, repeat, repeat->inputs(), std::move(attributes));
    applied = true;
  }
  return applied;
}

bool windowsWithoutSpacing(Fusion& part) {
  bool applied = false;
  for (Expr* unfold : viewsOf(part, Family::Unfold)) {
    Attributes attributes = unfold->attributes();
    if (attributes.spacing()->isConstant(1)) continue;
    redefine(part, unfold, unfold->inputs(), std::move(attributes.spacing(part.ints().constant(1))));
    applied = true;
  }
  return applied;
}

bool windowsBesideEachOther(Fusion& part) {
  bool applied = false;
  for (Expr* unfold : viewsOf(part, Family::Unfold)) {
    Attributes attributes = unfold->attributes();
    if (attributes.spacing() == attributes.window() || attributes.window()->isConstant(0)) continue;
    redefine(part, unfold, unfold->inputs(), std::move(attributes.spacing(unfold->attributes().window())));
    applied = true;
  }
  return applied;
}

bool selectOneLate(Fusion& part) {
  bool applied = false;
  for (Expr* select : viewsOf(part, Family::Select)) {
    Attributes attributes = select->attributes();
    attributes.index(part.ints().add(select->attributes().index(), part.ints().constant(1)));
    redefine(part, select, select->inputs(), std::move(attributes));
    applied = true;
  }
  return applied;
}

// The first element is lost, and behind the last one there is a 0.
bool windowsBeginLate(Fusion& fusion) {
  bool applied = false;
  IntExprArena& ints = fusion.ints();
  for (Expr* unfold : viewsOf(fusion, Family::Unfold)) {
    auto* tensor = unfold->input(0)->as<TensorView>();
    std::vector<IntExpr> pads(2 * (tensor->rank() - static_cast<size_t>(unfold->attributes().dim())), ints.constant(0));
    pads[pads.size() - 2] = ints.constant(-1);
    pads[pads.size() - 1] = ints.constant(1);
    TensorView* late =
        build::pad(fusion, tensor, std::move(pads), fusion.newConstant(int64_t{0}), unfold->output()->name() + ".late");
    fusion.replaceInput(unfold, 0, late);
    applied = true;
  }
  return applied;
}

bool windowsBackwards(Fusion& fusion) {
  bool applied = false;
  for (Expr* unfold : viewsOf(fusion, Family::Unfold)) {
    auto* windows = unfold->output()->as<TensorView>();
    const auto last = static_cast<int64_t>(windows->rank()) - 1;
    const std::vector<Expr*> readers = windows->uses();
    if (readers.empty()) continue;
    Val* flipped =
        build::structuralTensor(fusion, OpKind::Flip, {windows}, Attributes().dims({last}), windows->name() + ".wrong");
    for (Expr* reader : readers) {
      for (size_t i = 0; i < reader->inputs().size(); ++i) {
        if (reader->input(i) == windows) fusion.replaceInput(reader, i, flipped);
      }
    }
    applied = true;
  }
  return applied;
}

bool padBeforeAnything(Fusion& fusion) {
  bool applied = false;
  for (Expr* pad : viewsOf(fusion, Family::Pad)) {
    Expr* before = pad->input(0)->definition();
    if (!before || before->family() != Family::Unary || before->input(0)->dtype() != pad->output()->dtype()) continue;
    TensorView* padded = build::pad(fusion, before->input(0)->as<TensorView>(), pad->attributes().pad(), pad->input(1),
                                    pad->output()->name() + ".early");
    fusion.replaceAllUses(pad->output(), build::unary(fusion, before->op(), padded, pad->output()->name() + ".wrong"));
    applied = true;
  }
  return applied;
}

}  // namespace fuser::fuzz::faults
