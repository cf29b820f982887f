// Both fusions are written out with canonical names (by first mention); equality is equality of that text.
#include "fuser/ir/equality.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fuser {
namespace {

class CanonicalText {
 public:
  explicit CanonicalText(const Fusion& fusion) : fusion_(fusion) {
    names_.assign(fusion.valCount(), kUnnamed);
    // Symbols are numbered where inputs bind them, not where an expression happens to name them first.
    for (const Val* input : fusion.inputs()) {
      if (input->isScalar()) continue;
      for (const IterDomain* axis : input->as<TensorView>()->domain().logical) {
        if (axis->size()->isSymbol()) extent(axis->size());
      }
    }
    for (const Val* input : fusion.inputs()) {
      text_ += "input ";
      declare(input);
      text_ += '\n';
    }
    for (const Expr* expr : fusion.exprs()) line(expr);
    text_ += "return";
    for (const Val* output : fusion.outputs()) add(' ', name(output));
    for (const auto& [output, input] : fusion.aliases()) add(" alias ", output, ' ', name(input));
    text_ += '\n';
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr size_t kUnnamed = ~size_t{0};

  template <class... Args>
  void add(const Args&... args) {
    (appendText(text_, args), ...);
  }

  std::string name(const Val* val) const {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) return val->as<Scalar>()->constant()->toString();
    const size_t number = names_[val->id()];
    return number == kUnnamed ? "undefined" : concat('v', number);
  }

  std::string symbol(IntExpr expr) {
    if (const Val* scalar = fusion_.scalarOf(expr)) return name(scalar);
    const size_t next = symbols_.size();
    return concat('s', symbols_.emplace(expr->value, next).first->second);
  }

  std::string extent(IntExpr expr) {
    if (!expr) return "none";
    if (expr->isConstant()) return std::to_string(expr->value);
    if (expr->isSymbol()) return symbol(expr);
    std::vector<std::string> operands;
    collectOperands(expr->op, expr->a, operands);
    collectOperands(expr->op, expr->b, operands);
    // The arena orders what commutes by its ids.
    if (expr->op != IntOp::FloorDiv && expr->op != IntOp::Mod && expr->op != IntOp::Less) {
      std::sort(operands.begin(), operands.end());
    }
    constexpr const char* kNames[] = {"", "", "+", "*", "//", "%", "min", "max", "<", "==", "&&"};  // by IntOp
    std::string text = concat("(", kNames[static_cast<size_t>(expr->op)]);
    for (const std::string& operand : operands) text += " " + operand;
    return text + ")";
  }

  void collectOperands(IntOp op, IntExpr expr, std::vector<std::string>& operands) {
    const bool nested = op == IntOp::Add || op == IntOp::Mul;
    if (nested && expr->op == op) {
      collectOperands(op, expr->a, operands);
      collectOperands(op, expr->b, operands);
    } else {
      operands.push_back(extent(expr));
    }
  }

  void declare(const Val* val) {
    names_[val->id()] = named_++;
    add(name(val), ": ", val->dtype());
    if (val->isScalar()) return;
    const TensorDomain& domain = val->as<TensorView>()->domain();
    add('[');
    for (const IterDomain* axis : domain.logical) {
      add(static_cast<int>(axis->type()), ':', extent(axis->extent()), ':', extent(axis->expandedExtent()), ',');
    }
    add(']');
    if (val->as<TensorView>()->isCpuScalar()) add(" cpu");
    // Another order than row-major counts as given: that is how it reads when it is printed.
    const bool rowMajor = std::is_sorted(domain.allocationOrder.begin(), domain.allocationOrder.end());
    if (domain.layoutGiven && rowMajor) add(" given");
    if (domain.view) add(" view");
    for (size_t i = 0; i < domain.allocationOrder.size(); ++i) {
      const std::optional<bool> contiguous = domain.contiguity[i];
      add(' ', domain.allocationOrder[i], contiguous ? (*contiguous ? 't' : 'f') : 'n');
    }
  }

  void line(const Expr* expr) {
    add(opName(expr->op()), '(');
    for (const Val* operand : expr->inputs()) add(name(operand), ',');
    add(") {");
    for (int64_t dim : expr->attributes().dims) add(dim, ',');
    for (IntExpr size : expr->attributes().shape) add(extent(size), ',');
    if (isWelford(expr->op())) add("correction ", expr->attributes().correction, ',');
    add(expr->attributes().dtype, "} ->");
    for (const Val* output : expr->outputs()) {
      add(' ');
      declare(output);
    }
    add('\n');
  }

  const Fusion& fusion_;
  std::vector<size_t> names_;  // by value id
  size_t named_ = 0;
  std::map<int64_t, size_t> symbols_;
  std::string text_;
};

}  // namespace

std::string firstDifference(const Fusion& a, const Fusion& b) {
  const CanonicalText left(a);
  const CanonicalText right(b);
  std::string_view x = left.text(), y = right.text();
  if (x == y) return "";
  const auto takeLine = [](std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line.empty() ? std::string_view("nothing") : line;
  };
  while (true) {
    const std::string_view lineOfA = takeLine(x), lineOfB = takeLine(y);
    if (lineOfA != lineOfB) return concat(lineOfA, "  against  ", lineOfB);
  }
}

uint64_t fingerprint(const Fusion& fusion) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a, 64 bits
  const CanonicalText canonical(fusion);
  for (char c : canonical.text()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

}  // namespace fuser
