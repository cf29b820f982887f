// Prints both fusions with canonical names (numbered by first occurrence) and compares the texts.
#include "fuser/ir/equality.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fuser {
namespace {

class CanonicalText {
 public:
  explicit CanonicalText(const Fusion& fusion) : fusion_(fusion) {
    names_.assign(fusion.valCount(), kUnnamed);
    // Inputs number the symbols that they bind, so that the order of terms in a later expression does not matter.
    for (const Val* input : fusion.inputs()) {
      if (input->isScalar()) continue;
      for (const IterDomain* axis : input->as<TensorView>()->domain().logical) {
        if (axis->size()->isSymbol()) numberOf(axis->size());
      }
    }
    for (const Val* input : fusion.inputs()) {
      text_ += "input ";
      declare(input);
      text_ += '\n';
    }
    for (const Expr* expr : fusion.exprs()) line(expr);
    text_ += "return";
    for (const Val* output : fusion.outputs()) {
      add(' ');
      addName(output);
    }
    for (const auto& [output, input] : fusion.aliases()) {
      add(" alias ", output, ' ');
      addName(input);
    }
    text_ += '\n';
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr size_t kUnnamed = ~size_t{0};

  template <class... Args>
  void add(const Args&... args) {
    (appendText(text_, args), ...);
  }

  // Appends straight to the text, without temporary strings: it runs after every pass.
  void addName(const Val* val) {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) return add(val->as<Scalar>()->constant()->toString());
    const size_t number = names_[val->id()];
    if (number == kUnnamed) return add("undefined");
    add('v', number);
  }

  void addExtent(IntExpr expr) {
    if (!expr) return add("none");
    if (expr->isConstant()) return add(expr->value);
    if (expr->isSymbol()) return addSymbol(expr);
    std::vector<std::string> operands;
    collectOperands(expr->op, expr->a, operands);
    collectOperands(expr->op, expr->b, operands);
    // The arena orders commutative operands by id, which differs between arenas; order them by text.
    if (expr->op != IntOp::FloorDiv && expr->op != IntOp::Mod && expr->op != IntOp::Less) {
      std::sort(operands.begin(), operands.end());
    }
    constexpr const char* kNames[] = {"", "", "+", "*", "//", "%", "min", "max", "meet", "<", "==", "&&"};  // by IntOp
    add('(', kNames[static_cast<size_t>(expr->op)]);
    for (const std::string& operand : operands) add(' ', operand);
    add(')');
  }

  void addSymbol(IntExpr expr) {
    if (const Val* scalar = fusion_.scalarOf(expr)) return addName(scalar);
    add('s', numberOf(expr));
  }

  // Numbers a symbol by first occurrence.
  size_t numberOf(IntExpr symbol) {
    const size_t next = symbols_.size();
    return symbols_.emplace(symbol->value, next).first->second;
  }

  void collectOperands(IntOp op, IntExpr expr, std::vector<std::string>& operands) {
    const bool nested = op == IntOp::Add || op == IntOp::Mul || op == IntOp::Meet;
    if (nested && expr->op == op) {
      collectOperands(op, expr->a, operands);
      collectOperands(op, expr->b, operands);
      return;
    }
    const size_t begin = text_.size();
    addExtent(expr);
    operands.push_back(text_.substr(begin));
    text_.resize(begin);
  }

  void declare(const Val* val) {
    names_[val->id()] = named_++;
    addName(val);
    add(": ", val->dtype());
    if (val->isScalar()) return;
    const TensorDomain& domain = val->as<TensorView>()->domain();
    add('[');
    for (const IterDomain* axis : domain.logical) {
      add(static_cast<int>(axis->type()), ':');
      addExtent(axis->extent());
      add(':');
      addExtent(axis->expandedExtent());
      add(',');
    }
    add(']');
    if (val->as<TensorView>()->isCpuScalar()) add(" cpu");
    // A layout that is not row-major always counts as specified, because it parses back that way.
    const bool rowMajor = std::is_sorted(domain.allocationOrder.begin(), domain.allocationOrder.end());
    if (domain.hasFixedLayout && rowMajor) add(" given");
    if (domain.view) add(" view");
    if (domain.inPlace) add(" in_place");
    for (size_t i = 0; i < domain.allocationOrder.size(); ++i) {
      const std::optional<bool> contiguous = domain.contiguity[i];
      add(' ', domain.allocationOrder[i], contiguous ? (*contiguous ? 't' : 'f') : 'n');
    }
  }

  // In the order of the row. dtype is left out: it equals the result's.
  void addAttributes(const Expr* expr) {
    const Attributes& attributes = expr->attributes();
    for (const FamilyAttribute& attribute : familyAttributes(expr->family())) {
      switch (attribute.kind) {
        case AttributeKind::Axis:
        case AttributeKind::Axes:
          for (int64_t axis : attributes.axes(attribute.name)) add(axis, ',');
          break;
        case AttributeKind::Extents:
        case AttributeKind::Counts:
        case AttributeKind::Bounds:
          for (IntExpr size : attributes.integers(attribute.name)) addEntry(size);
          break;
        case AttributeKind::Extent:
        case AttributeKind::Bound: addEntry(attributes.bound(attribute.name)); break;
        case AttributeKind::Number: add(attribute.text(), ' ', attributes.number(attribute.name), ','); break;
        case AttributeKind::Mark:
          if (attributes.has(attribute.name)) add(attribute.text(), ',');
          break;
        case AttributeKind::Dtype:
        case AttributeKind::Flag:
        case AttributeKind::Word:
        case AttributeKind::Operand: break;
      }
    }
  }

  void addEntry(IntExpr size) {
    addExtent(size);
    add(',');
  }

  void line(const Expr* expr) {
    add(opName(expr->op()), '(');
    for (const Val* operand : expr->inputs()) {
      addName(operand);
      add(',');
    }
    add(") {");
    addAttributes(expr);
    add("} ->");
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

// FNV-1a (Fowler, Noll, Vo) over words instead of bytes, for speed: it runs after every pass. Each step folds the high
// bits down. File names are derived from it, so it is the same on every machine.
uint64_t fingerprint(const Fusion& fusion) {
  uint64_t hash = 0xcbf29ce484222325ull;
  const CanonicalText canonical(fusion);
  for (std::string_view rest = canonical.text(); !rest.empty(); rest.remove_prefix(std::min<size_t>(8, rest.size()))) {
    uint64_t word = 0;
    for (size_t i = 0; i < std::min<size_t>(8, rest.size()); ++i) {
      word |= static_cast<uint64_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
    }
    hash = (hash ^ word) * 0x100000001b3ull;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace fuser
