// Fusion -> text.

#include <algorithm>

#include "fuser/text/print_statements.h"
#include "fuser/text/printer.h"
#include "fuser/text/token_rules.h"

namespace fuser {
namespace {

template <class Range, class F>
std::string joined(const Range& range, F&& text) {
  std::string out;
  bool first = true;
  for (const auto& entry : range) {
    if (!first) out += ", ";
    first = false;
    out += text(entry);
  }
  return out;
}

// --- dims ---

enum class Level { Sum, Product, Atom };

class DimPrinter {
 public:
  DimPrinter(const Fusion& fusion, const ValueNames& names) : fusion_(fusion), names_(names) {}

  std::string print(IntExpr dim) const {
    if (dim->isConstant()) return concat(dim->value);
    return dim->isSymbol() ? symbol(dim) : "(" + at(dim, Level::Sum) + ")";
  }

 private:
  std::string at(IntExpr dim, Level level) const {
    if (dim->isConstant()) {
      return dim->value < 0 && level != Level::Sum ? concat("(", dim->value, ")") : concat(dim->value);
    }
    if (dim->isSymbol()) return symbol(dim);
    if (dim->op == IntOp::Min || dim->op == IntOp::Max) return extreme(dim);
    if (dim->op == IntOp::Meet) return meet(dim);
    std::string text;
    Level precedence = Level::Product;
    if (dim->op == IntOp::Add) {
      text = sum(dim);
      precedence = Level::Sum;
    } else if (dim->op == IntOp::Mul) {
      text = product(dim);
    } else {
      FUSER_CHECK(dim->op == IntOp::FloorDiv, "an extent consists of + - * // min max meet only");
      text = at(dim->a, Level::Product) + " // " + at(dim->b, Level::Atom);
    }
    return precedence < level ? "(" + text + ")" : text;
  }

  std::string symbol(IntExpr symbol) const {
    const Val* scalar = fusion_.scalarOf(symbol);
    return scalar ? printOperand(scalar, names_) : names_.ofSymbol(symbol);
  }

  // The arena orders the two operands by id; the text orders them by their text.
  std::string extreme(IntExpr dim) const {
    std::string left = at(dim->a, Level::Sum);
    std::string right = at(dim->b, Level::Sum);
    if (right < left) std::swap(left, right);
    return concat(dim->op == IntOp::Min ? "min(" : "max(", left, ", ", right, ")");
  }

  // Flat in the arena; in the order of the texts here.
  std::string meet(IntExpr dim) const {
    std::vector<std::string> sizes;
    for (IntExpr size : sizesThatMeet(dim)) sizes.push_back(at(size, Level::Sum));
    std::sort(sizes.begin(), sizes.end());
    std::string text = sizes.front();
    for (size_t i = 1; i < sizes.size(); ++i) text = concat("meet(", text, ", ", sizes[i], ")");
    return text;
  }

  std::string sum(IntExpr dim) const {
    std::vector<IntExpr> terms;
    collect(IntOp::Add, dim, terms);
    // Constants last, negative ones as subtractions; the rest by their text.
    std::vector<std::string> texts;
    int64_t constant = 0;
    for (IntExpr term : terms) {
      if (term->isConstant()) {
        constant += term->value;
      } else {
        texts.push_back(at(term, Level::Product));
      }
    }
    std::sort(texts.begin(), texts.end());
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : " + ") + text;
    if (constant < 0) return concat(out, " - ", -constant);
    return constant == 0 ? out : concat(out, " + ", constant);
  }

  // Collects the operands of a flat sum or product.
  static void collect(IntOp op, IntExpr dim, std::vector<IntExpr>& operands) {
    if (dim->op != op) {
      operands.push_back(dim);
      return;
    }
    collect(op, dim->a, operands);
    collect(op, dim->b, operands);
  }

  // A constant factor last, the others by their text.
  std::string product(IntExpr dim) const {
    std::vector<IntExpr> factors;
    collect(IntOp::Mul, dim, factors);
    std::vector<std::pair<bool, std::string>> texts;
    for (IntExpr factor : factors) texts.emplace_back(factor->isConstant(), at(factor, Level::Atom));
    std::sort(texts.begin(), texts.end());
    std::string out;
    for (const auto& [isConstant, text] : texts) out += (out.empty() ? "" : " * ") + text;
    return out;
  }

  const Fusion& fusion_;
  const ValueNames& names_;
};

std::string printAxis(const Fusion& fusion, const IterDomain* axis, const ValueNames& names) {
  const std::string stored = printDim(fusion, axis->extent(), names);
  return axis->isExpanded() ? stored + "*" + printDim(fusion, axis->expandedExtent(), names) : stored;
}

// "" for a row-major, contiguous device tensor, unless it is a result whose layout the program specifies.
std::string printLayout(const TensorView* tensor) {
  const std::vector<int>& order = tensor->domain().allocationOrder;
  const std::vector<std::optional<bool>>& contiguity = tensor->domain().contiguity;
  const bool rowMajor = std::is_sorted(order.begin(), order.end());
  const bool contiguous =
      std::all_of(contiguity.begin(), contiguity.end(), [](std::optional<bool> c) { return c.value_or(true); });
  std::string out;
  if (tensor->isCpuScalar()) return " {device = cpu}";
  if (!rowMajor || tensor->domain().hasFixedLayout) {
    out = "allocation_order = [" + joined(order, [](int axis) { return std::to_string(axis); }) + "]";
  }
  if (!contiguous) {
    const auto text = [](std::optional<bool> c) -> std::string { return !c ? "none" : *c ? "true" : "false"; };
    out += (out.empty() ? "" : ", ") + concat("contiguity = [", joined(contiguity, text), "]");
  }
  if (tensor->domain().view) out += out.empty() ? "view = true" : ", view = true";
  if (tensor->domain().inPlace) out += out.empty() ? "in_place = true" : ", in_place = true";
  return out.empty() ? "" : " {" + out + "}";
}

// --- ops ---

std::string printAxes(const FamilyAttribute& attribute, const Expr* expr) {
  const std::vector<int64_t>& axes = expr->attributes().axes(attribute.name);
  // An empty list would parse back as all axes.
  FUSER_CHECK(attribute.ifAbsent != "all" || !axes.empty() || expr->input(0)->as<TensorView>()->rank() == 0,
              expr->info().mnemonic, " over no axis");
  return concat("[", joined(axes, [](int64_t axis) { return std::to_string(axis); }), "]");
}

// `operand` is the index of the next operand in braces.
std::string printValue(const FamilyAttribute& attribute, const Expr* expr, size_t operand, const ValueNames& names) {
  const Attributes& attributes = expr->attributes();
  const auto dim = [&](IntExpr extent) { return printDim(expr->fusion(), extent, names); };
  switch (attribute.kind) {
    case AttributeKind::Axis: return std::to_string(attributes.axis(attribute.name));
    case AttributeKind::Axes: return printAxes(attribute, expr);
    case AttributeKind::Extents:
    case AttributeKind::Counts:
    case AttributeKind::Bounds: return concat("[", joined(attributes.integers(attribute.name), dim), "]");
    case AttributeKind::Extent:
    case AttributeKind::Bound: return dim(attributes.bound(attribute.name));
    case AttributeKind::Dtype: return concat(attributes.dtypeOf(attribute.name));
    case AttributeKind::Number: return std::to_string(attributes.number(attribute.name));
    case AttributeKind::Mark: return "true";
    case AttributeKind::Operand: return printOperand(expr->input(operand), names);
    case AttributeKind::Flag:
    case AttributeKind::Word: break;
  }
  FUSER_CHECK(false, attribute.text(), " is no part of an expression");
}

// `inParentheses` is the number of operands printed in parentheses; the others are printed among the attributes.
std::string printAttributes(const Expr* expr, size_t inParentheses, const ValueNames& names) {
  std::string text(expr->info().variant);
  const auto add = [&](std::string_view key, const std::string& value) {
    text += concat(text.empty() ? "" : ", ", key, " = ", value);
  };
  size_t operand = inParentheses;
  for (const NamedOperand& named : namedOperands(expr->op())) {
    add(named.name, printOperand(expr->input(operand++), names));
  }
  for (const FamilyAttribute& attribute : familyAttributes(expr->family())) {
    const bool isUnset = attribute.kind == AttributeKind::Mark && !expr->attributes().has(attribute.name);
    if (attribute.textOnly || isUnset) continue;
    add(attribute.text(), printValue(attribute, expr, operand, names));
    if (attribute.kind == AttributeKind::Operand) ++operand;
  }
  return text;
}

size_t operandsInBraces(const Expr* expr) {
  const std::vector<FamilyAttribute>& attributes = familyAttributes(expr->family());
  const auto isOperand = [](const FamilyAttribute& attribute) { return attribute.kind == AttributeKind::Operand; };
  return namedOperands(expr->op()).size() +
         static_cast<size_t>(std::count_if(attributes.begin(), attributes.end(), isOperand));
}

std::string withPercent(const Val* val, const ValueNames& names) { return "%" + names.of(val); }

}  // namespace

std::string printDim(const Fusion& fusion, IntExpr dim, const ValueNames& names) {
  return DimPrinter(fusion, names).print(dim);
}

std::string printOperand(const Val* val, const ValueNames& names) {
  if (val->isScalar() && val->as<Scalar>()->isConstant()) return val->as<Scalar>()->constant()->toString();
  return withPercent(val, names);
}

std::string printType(const Val* val, const ValueNames& names) {
  if (val->isScalar()) return std::string(dtypeName(val->dtype()));
  const auto* tensor = val->as<TensorView>();
  const auto axis = [&](const IterDomain* domain) { return printAxis(val->fusion(), domain, names); };
  return concat(val->dtype(), "[", joined(tensor->axes(), axis), "]", printLayout(tensor));
}

std::string printExpr(const Expr* expr, const ValueNames& names) {
  if (expr->family() == Family::Update) {
    return concat("update ", withPercent(expr->input(0), names), " = ", withPercent(expr->input(1), names));
  }
  std::string out = joined(expr->outputs(), [&](const Val* val) { return withPercent(val, names); });
  out += concat(" = ", expr->info().mnemonic, "(");
  std::vector<const Val*> operands(expr->inputs().begin(), expr->inputs().end());
  operands.resize(operands.size() - operandsInBraces(expr));
  out += joined(operands, [&](const Val* val) { return printOperand(val, names); });
  out += ")";
  const std::string attributes = printAttributes(expr, operands.size(), names);
  if (!attributes.empty()) out += " {" + attributes + "}";
  return out + " : " + joined(expr->outputs(), [&](const Val* val) { return printType(val, names); });
}

std::string printFusion(const Fusion& fusion) {
  const ValueNames names(fusion);
  std::vector<std::string> statements;
  for (const Expr* expr : fusion.exprs()) statements.push_back(printExpr(expr, names));
  return printFusion(fusion, names, statements);
}

std::string printFusion(const Fusion& fusion, const ValueNames& names, const std::vector<std::string>& statements) {
  std::string out = "fusion ";
  if (text::isIdentifier(fusion.name())) out += fusion.name();
  out +=
      "(" +
      joined(fusion.inputs(), [&](const Val* val) { return withPercent(val, names) + ": " + printType(val, names); }) +
      ") {\n";
  for (const std::string& statement : statements) out += "  " + statement + "\n";
  out += "  return";
  if (!fusion.outputs().empty()) {
    out += " " + joined(fusion.outputs(), [&](const Val* val) { return printOperand(val, names); });
  }
  return out + "\n}\n";
}

}  // namespace fuser
