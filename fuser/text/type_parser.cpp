// Parses types, dims and layouts, and checks a written result type against the inferred one.

#include <algorithm>
#include <cmath>

#include "fuser/ir/verify.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"
#include "fuser/text/printer.h"
#include "fuser/tokens/literals.h"
#include "fuser/types/dims.h"

namespace fuser::text {
namespace {

// The default contiguity of a tensor with these axes: `none` on broadcast axes, true on the others.
std::vector<std::optional<bool>> contiguous(const std::vector<int>& order, const std::vector<AxisType>& axes) {
  std::vector<std::optional<bool>> result;
  for (int axis : order) {
    result.push_back(axes[static_cast<size_t>(axis)].type == IterType::Broadcast ? std::nullopt
                                                                                 : std::optional<bool>(true));
  }
  return result;
}

}  // namespace

FusionParser::Type FusionParser::parseType() {
  Type type;
  type.start = reader_.peek();
  const std::optional<DataType> part = partOfComplex(type.start.text);
  type.isComplex = part.has_value();
  if (part) reader_.next();
  type.dtype = part ? *part : readDtype(reader_);
  if (!reader_.at("[")) return type;
  type.tensor = true;
  reader_.list("[", "]", kMaxListEntries, [&] {
    if (type.axes.size() == kMaxRank) reader_.fail(reader_.peek(), "a tensor has at most ", kMaxRank, " axes");
    type.axes.push_back(parseAxis());
  });
  if (reader_.at("{")) type.layout = parseLayout(type.axes);
  return type;
}

// dim | 1 * dim
AxisType FusionParser::parseAxis() {
  const Token first = reader_.peek();
  const IntExpr extent = parseDim();
  if (extent->isConstant() && extent->value < 0) reader_.fail(first, "a size is not negative");
  const IterType type = extent->isConstant(1) ? IterType::Broadcast : IterType::Iteration;
  if (!reader_.at("*")) return {type, extent, nullptr};
  if (type != IterType::Broadcast) reader_.fail(first, "only 1 is expanded: 1*size");
  reader_.next();
  const Token second = reader_.peek();
  const IntExpr expanded = parseDim();
  if (expanded->isConstant() && expanded->value < 0) reader_.fail(second, "a size is not negative");
  if (expanded->isConstant(1)) reader_.fail(second, "1 expanded to 1 is written 1");
  return {type, extent, expanded};
}

FusionParser::Layout FusionParser::parseLayout(const std::vector<AxisType>& axes) {
  Layout layout;
  layout.start = reader_.peek();
  std::vector<Token> contiguityAt;
  std::set<std::string_view> keys;
  for (size_t i = 0; i < axes.size(); ++i) layout.order.push_back(static_cast<int>(i));
  reader_.list("{", "}", kMaxListEntries, [&] {
    const Token key = reader_.expect(TokenKind::Identifier, "a layout attribute");
    constexpr std::string_view kKnown[] = {"allocation_order", "contiguity", "device", "in_place", "view"};
    if (std::find(std::begin(kKnown), std::end(kKnown), key.text) == std::end(kKnown)) {
      reader_.fail(key, "unknown layout attribute '", key.text,
                   "'; known: allocation_order, contiguity, device, in_place, view");
    }
    if (!keys.insert(key.text).second) reader_.fail(key, "'", key.text, "' is given twice");
    reader_.expect("=");
    const Token value = reader_.peek();
    if (key.text == "device") {
      if (!reader_.accept("cpu")) {
        reader_.fail(value, "the device is 'cpu', or left out: then it is the device that kernels run on");
      }
      if (!inParameters_ || !axes.empty()) reader_.fail(value, "only an input of rank 0 may lie on the host");
      layout.onHost = true;
      return;
    }
    if (key.text == "view") {
      if (inParameters_) reader_.fail(key, "an input is not a view");
      layout.view = readBool(reader_);
      return;
    }
    if (key.text == "in_place") {
      if (inParameters_) reader_.fail(key, "an input is nowhere but in its own memory");
      layout.inPlace = readBool(reader_);
      return;
    }
    layout.isExplicit = true;
    if (key.text == "allocation_order") {
      const std::vector<int64_t> order = readIntegerList(reader_, kMaxRank);
      const bool permutation =
          order.size() == axes.size() &&
          std::is_permutation(order.begin(), order.end(), layout.order.begin(), layout.order.end());
      if (!permutation) reader_.fail(value, "allocation_order names each of the ", axes.size(), " axes once");
      layout.order.assign(order.begin(), order.end());
      return;
    }
    reader_.list("[", "]", kMaxRank, [&] {
      contiguityAt.push_back(reader_.peek());
      layout.contiguity.push_back(reader_.accept("none") ? std::nullopt : std::optional<bool>(readBool(reader_)));
    });
    if (layout.contiguity.size() != axes.size()) {
      reader_.fail(value, "contiguity has an entry for each of ", axes.size(), " axes");
    }
  });
  const std::vector<std::optional<bool>> standard = contiguous(layout.order, axes);
  for (size_t i = 0; i < layout.contiguity.size(); ++i) {
    if (layout.contiguity[i].has_value() != standard[i].has_value()) {
      reader_.fail(contiguityAt[i], "contiguity is 'none' exactly on broadcast axes; axis ", layout.order[i],
                   standard[i] ? " is not a broadcast axis" : " is a broadcast axis");
    }
  }
  if (layout.contiguity.empty()) layout.contiguity = standard;
  return layout;
}

// --- dims ---

// integer | symbol | %scalar | (expression)
IntExpr FusionParser::parseDim() {
  dimTerms_ = 0;
  const Token first = reader_.peek();
  if (first.kind == TokenKind::Identifier && inParameters_) {
    reader_.next();
    return fusion_->extentSymbol(std::string(first.text));  // alone in a parameter's dim: this binds it
  }
  return parseFactor(0).expr;
}

// Reads an entry of `shape`: a dim or -1.
IntExpr FusionParser::parseSizeEntry() {
  const Token first = reader_.peek();
  if (!reader_.at("-")) {
    const IntExpr size = parseDim();
    if (size->isConstant() && size->value < 0) reader_.fail(first, "a size is not negative");
    return size;
  }
  if (readInteger(reader_) != -1) reader_.fail(first, "a size is not negative; -1 keeps the axis");
  return fusion_->ints().constant(-1);
}

FusionParser::Term FusionParser::checkBound(const Token& at, Term term) const {
  if (term.bound > kMaxDimNumber) {
    reader_.fail(at, "the numbers of a size are above ", static_cast<int64_t>(kMaxDimNumber));
  }
  return term;
}

FusionParser::Term FusionParser::parseSum(size_t depth) {
  Term sum = parseProduct(depth);
  while (reader_.at("+") || reader_.at("-")) {
    const Token op = reader_.next();
    const Term term = parseProduct(depth);
    IntExprArena& ints = fusion_->ints();
    const IntExpr joined = op.text == "+" ? ints.add(sum.expr, term.expr) : ints.sub(sum.expr, term.expr);
    sum = checkBound(op, {joined, sum.bound + term.bound});
  }
  return sum;
}

FusionParser::Term FusionParser::parseProduct(size_t depth) {
  Term product = parseFactor(depth);
  while (reader_.at("*") || reader_.at("//")) {
    const Token op = reader_.next();
    const Token divisor = reader_.peek();
    const Term factor = parseFactor(depth);
    if (op.text == "*") {
      product = checkBound(op, {fusion_->ints().mul(product.expr, factor.expr), product.bound * factor.bound});
      continue;
    }
    if (factor.expr->isConstant() && factor.expr->value <= 0) reader_.fail(divisor, "a divisor is positive");
    product.expr = fusion_->ints().floorDiv(product.expr, factor.expr);
  }
  return product;
}

FusionParser::Term FusionParser::parseFactor(size_t depth) {
  const Token first = reader_.peek();
  if (++dimTerms_ > kMaxDimTerms) reader_.fail(first, "a size has more than ", kMaxDimTerms, " terms");
  if (first.kind == TokenKind::Identifier) {
    reader_.next();
    if (depth > 0 && reader_.at("(")) return parseFunction(first, depth);
    return {extentNamed(first), 1};
  }
  if (first.kind == TokenKind::Value) {
    reader_.next();
    Val* scalar = lookUp(first);
    if (scalar->isTensor() || scalar->dtype() != DataType::Int64) {
      reader_.fail(first, "a size is an i64 scalar; %", first.text, " is ", typeText(scalar));
    }
    return {fusion_->scalarSymbol(scalar), 1};
  }
  if (reader_.accept("(")) {
    if (depth >= kMaxDimDepth) reader_.fail(first, "parentheses are nested deeper than ", kMaxDimDepth);
    const Term inner = parseSum(depth + 1);
    reader_.expect(")");
    return inner;
  }
  if (first.kind != TokenKind::Number && !(depth > 0 && reader_.at("-"))) {
    reader_.failExpected("a size: an integer, a symbol, %scalar or (expression)");
  }
  const int64_t value = readInteger(reader_);
  return checkBound(first, {fusion_->ints().constant(value), std::max(1.0, std::abs(static_cast<double>(value)))});
}

// Reads the rest of min(a, b), max(a, b) or meet(a, b), after the name.
FusionParser::Term FusionParser::parseFunction(const Token& name, size_t depth) {
  if (name.text != "min" && name.text != "max" && name.text != "meet") {
    reader_.fail(name, "a size has no function '", name.text, "'; known: max, meet, min");
  }
  if (depth >= kMaxDimDepth) reader_.fail(name, "parentheses are nested deeper than ", kMaxDimDepth);
  reader_.expect("(");
  const Term a = parseSum(depth + 1);
  reader_.expect(",");
  const Term b = parseSum(depth + 1);
  reader_.expect(")");
  const IntOp op = name.text == "min" ? IntOp::Min : name.text == "max" ? IntOp::Max : IntOp::Meet;
  return {fusion_->ints().join(op, a.expr, b.expr), std::max(a.bound, b.bound)};
}

IntExpr FusionParser::extentNamed(const Token& name) {
  if (inParameters_) {
    usedSymbols_.push_back(name);
  } else if (!boundSymbols_.count(name.text)) {
    reader_.fail(name, "no input binds '", name.text, "'");
  }
  return fusion_->extentSymbol(std::string(name.text));
}

// --- written result types ---

namespace {

// Whether the axes have the same kind and not two different constant extents. Different symbols pass here: they are
// assumed equal, and checkAssumptions later requires that some op makes them meet.
bool fits(const AxisType& written, const IterDomain* inferred) {
  if (written.type != inferred->type() || (written.expandedExtent != nullptr) != inferred->isExpanded()) return false;
  const IntExpr size = written.expandedExtent ? written.expandedExtent : written.extent;
  return size == inferred->size() || !size->isConstant() || !inferred->size()->isConstant();
}

}  // namespace

void FusionParser::checkResultType(Val* result, const Type& type) {
  bool same = !type.isComplex && type.tensor == result->isTensor() && type.dtype == result->dtype();
  if (same && type.tensor) {
    const std::vector<IterDomain*> axes = result->as<TensorView>()->axes();
    same = axes.size() == type.axes.size();
    for (size_t i = 0; same && i < axes.size(); ++i) same = fits(type.axes[i], axes[i]);
  }
  if (!same)
    reader_.fail(type.start, "the op's result is ", printType(result, ValueNames(*fusion_)),
                 "; the type written here differs");
  if (!type.tensor) return;
  TensorView* tensor = result->as<TensorView>();
  applyAxes(tensor, type);
  if (!type.layout) return;
  if (type.layout->contiguity != contiguous(type.layout->order, type.axes)) {
    reader_.fail(type.layout->start, "a result is contiguous in its allocation order");
  }
  tensor->domain().allocationOrder = type.layout->order;
  tensor->domain().contiguity = type.layout->contiguity;
  tensor->domain().hasFixedLayout = type.layout->isExplicit;
  tensor->domain().view = type.layout->view;
  tensor->domain().inPlace = type.layout->inPlace;
  if (type.layout->view || type.layout->inPlace) views_.emplace_back(type.layout->start, tensor);
}

// Replaces the result's inferred extents by the written ones.
void FusionParser::applyAxes(TensorView* tensor, const Type& type) {
  TensorDomain& domain = tensor->domain();
  size_t axis = 0;
  for (IterDomain*& logical : domain.logical) {
    if (logical->isReduction()) continue;
    const AxisType& written = type.axes[axis++];
    if (written.extent == logical->extent() && written.expandedExtent == logical->expandedExtent()) continue;
    const IntExpr size = written.expandedExtent ? written.expandedExtent : written.extent;
    for (IntExpr one : sizesThatMeet(logical->size())) unite(one, logical->size());
    assumptions_.push_back({type.start, size, logical->size()});
    const Val* scalar = size->isSymbol() ? fusion_->scalarOf(size) : nullptr;
    const Expr* maker = scalar ? scalar->definition() : nullptr;
    if (maker && maker->op() == OpKind::Size) {
      const auto dim = static_cast<size_t>(maker->attributes().dim());
      unite(size, maker->input(0)->as<TensorView>()->axes()[dim]->size());
      // Where no attribute names that scalar, the type need not either.
      if (namedInAttributes_.count(scalar) == 0) continue;
    }
    logical = fusion_->newIterDomain(written.type, written.extent, written.expandedExtent);
  }
  domain.loopRoot = domain.logical;
  domain.loop = domain.logical;
}

void FusionParser::unite(IntExpr a, IntExpr b) {
  met_.grow(std::max(a->id, b->id) + size_t{1});
  met_.unite(a->id, b->id);
}

// Records extents that are equal, or of which one is 1: those of axes that meet in a pointwise op or cat without
// broadcasting, and an axis' old and new name where an expand keeps it.
void FusionParser::recordMeetings(const Expr* expr) {
  for (const Val* scalar : Fusion::extentScalars(expr)) namedInAttributes_.insert(scalar);
  if (!expr->output()->isTensor()) return;
  const std::vector<IterDomain*> result = expr->output()->as<TensorView>()->axes();
  if (expr->op() == OpKind::Expand) {
    const std::vector<IterDomain*> operand = expr->input(0)->as<TensorView>()->axes();
    for (size_t i = 0; i < result.size(); ++i) {
      const IntExpr size = expr->attributes().shape()[i];
      const bool isPlain = operand[i]->isBroadcast() && !operand[i]->isExpanded();
      if (!size->isConstant(-1) && !isPlain) unite(operand[i]->size(), size);
    }
  }
  const bool joins = expr->family() == Family::Cat || expr->family() == Family::SliceScatter;
  if (!isPointwise(expr->op()) && !joins && expr->family() != Family::Update) return;
  for (const Val* operand : expr->inputs()) {
    if (operand->isScalar()) continue;
    const std::vector<IterDomain*> axes = operand->as<TensorView>()->axes();
    for (size_t i = 0; i < axes.size(); ++i) {
      if (joins && static_cast<int64_t>(i) == expr->attributes().dim()) continue;
      const bool broadcast = axes[i]->isBroadcast() && (!axes[i]->isExpanded() || !result[i]->isBroadcast());
      if (!broadcast) unite(axes[i]->size(), result[i]->size());
    }
  }
}

void FusionParser::checkViews() {
  for (const auto& [place, tensor] : views_) {
    if (tensor->domain().inPlace && !canBeInPlace(tensor)) {
      reader_.fail(place, "%", tensor->name(),
                   " cannot be in place: what is made by slice, select, permute, unsqueeze, squeeze, reshape or "
                   "slice_scatter can");
    }
    if (!tensor->domain().view || canBeView(tensor)) continue;
    reader_.fail(place, "%", tensor->name(),
                 " cannot be a view: one is made by set, permute, unsqueeze, squeeze or "
                 "expand from an input, an output or a view, and read by views alone");
  }
}

void FusionParser::checkAssumptions() {
  for (const Assumption& assumption : assumptions_) {
    met_.grow(std::max(assumption.written->id, assumption.inferred->id) + size_t{1});
    if (met_.same(assumption.written->id, assumption.inferred->id)) continue;
    const ValueNames names(*fusion_);
    reader_.fail(assumption.place, "a size is written ", printDim(*fusion_, assumption.written, names), ", but it is ",
                 printDim(*fusion_, assumption.inferred, names), ", and no op makes them equal");
  }
}

}  // namespace fuser::text
