// Both fusions are written out with canonical names (by first mention); equality is equality of that text.
#include "fuser/ir/equality.h"

#include <map>
#include <vector>

namespace fuser {
namespace {

class CanonicalText {
 public:
  explicit CanonicalText(const Fusion& fusion) : fusion_(fusion) {
    for (const Val* input : fusion.inputs()) lines_.push_back("input " + declare(input));
    for (const Expr* expr : fusion.exprs()) lines_.push_back(line(expr));
    std::string outputs = "return";
    for (const Val* output : fusion.outputs()) outputs += " " + name(output);
    lines_.push_back(outputs);
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string name(const Val* val) {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) return val->as<Scalar>()->constant()->toString();
    const auto found = names_.find(val->id());
    return found == names_.end() ? "undefined" : "v" + std::to_string(found->second);
  }

  std::string text(IntExpr expr) {
    if (!expr) return "none";
    return toString(expr, [&](IntExpr symbol) -> std::string {
      if (const Val* scalar = fusion_.scalarOf(symbol)) return name(scalar);
      const size_t next = symbols_.size();
      return "s" + std::to_string(symbols_.emplace(symbol->value, next).first->second);
    });
  }

  std::string declare(const Val* val) {
    names_.emplace(val->id(), names_.size());
    std::string out = concat(name(val), ": ", val->dtype());
    if (val->isScalar()) return out;
    const TensorDomain& domain = val->as<TensorView>()->domain();
    out += "[";
    for (const IterDomain* axis : domain.logical) {
      out += concat(static_cast<int>(axis->type()), ":", text(axis->extent()), ":", text(axis->expandedExtent()), ",");
    }
    out += "]";
    for (size_t i = 0; i < domain.allocationOrder.size(); ++i) {
      const std::optional<bool> contiguous = domain.contiguity[i];
      out += concat(" ", domain.allocationOrder[i], contiguous ? (*contiguous ? "t" : "f") : "n");
    }
    return out;
  }

  std::string line(const Expr* expr) {
    std::string out = concat(opName(expr->op()), "(");
    for (const Val* operand : expr->inputs()) out += name(operand) + ",";
    out += ") {";
    for (int64_t dim : expr->attributes().dims) out += concat(dim, ",");
    for (IntExpr size : expr->attributes().shape) out += text(size) + ",";
    out += concat(expr->attributes().dtype, "} ->");
    for (const Val* output : expr->outputs()) out += " " + declare(output);
    return out;
  }

  const Fusion& fusion_;
  std::map<uint32_t, size_t> names_;
  std::map<int64_t, size_t> symbols_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string firstDifference(const Fusion& a, const Fusion& b) {
  const CanonicalText left(a);
  const CanonicalText right(b);
  const size_t count = std::max(left.lines().size(), right.lines().size());
  for (size_t i = 0; i < count; ++i) {
    const std::string x = i < left.lines().size() ? left.lines()[i] : "nothing";
    const std::string y = i < right.lines().size() ? right.lines()[i] : "nothing";
    if (x != y) return x + "  against  " + y;
  }
  return "";
}

uint64_t fingerprint(const Fusion& fusion) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a, 64 bits
  const CanonicalText canonical(fusion);
  for (const std::string& line : canonical.lines()) {
    for (char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    hash = (hash ^ '\n') * 0x100000001b3ull;
  }
  return hash;
}

}  // namespace fuser
