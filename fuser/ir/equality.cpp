// Walks a fusion with canonical names (numbered by first occurrence); the walk's text compares fusions, its hash is the
// fingerprint.
#include "fuser/ir/equality.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fuser {
namespace {

// What the walk says, as text.
class TextSink {
 public:
  template <class T>
  void put(const T& value) {
    appendText(text_, value);
  }
  void put(OpKind op) { text_ += opName(op); }

  // What is put between begin() and end() is a part by itself, which the caller may put later.
  using Part = std::string;
  size_t begin() const { return text_.size(); }
  Part end(size_t begin) {
    Part part = text_.substr(begin);
    text_.resize(begin);
    return part;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// As a hash: FNV-1a (Fowler, Noll, Vo) over words instead of bytes, for speed. Each step folds the high bits down. File
// names are derived from it, so it is the same on every machine.
class HashSink {
 public:
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void put(T value) { step(static_cast<uint64_t>(value)); }
  void put(double value) { step(std::bit_cast<uint64_t>(value)); }
  void put(std::string_view text) {
    step(text.size());
    for (; !text.empty(); text.remove_prefix(std::min<size_t>(sizeof(uint64_t), text.size()))) {
      uint64_t word = 0;
      std::memcpy(&word, text.data(), std::min(sizeof word, text.size()));
      step(word);
    }
  }
  void put(const char* text) { put(std::string_view(text)); }

  using Part = uint64_t;
  uint64_t begin() { return std::exchange(hash_, kBasis); }
  Part end(uint64_t before) { return std::exchange(hash_, before); }

  uint64_t hash() const { return hash_; }

 private:
  static constexpr uint64_t kBasis = 0xcbf29ce484222325ull;
  static_assert(std::endian::native == std::endian::little);

  void step(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3ull;
    hash_ ^= hash_ >> 32;
  }

  uint64_t hash_ = kBasis;
};

template <class Sink>
class CanonicalWalk {
 public:
  explicit CanonicalWalk(const Fusion& fusion) : fusion_(fusion) {
    names_.assign(fusion.valCount(), kUnnamed);
    // Inputs number the symbols that they bind, so that the order of terms in a later expression does not matter.
    for (const Val* input : fusion.inputs()) {
      if (input->isScalar()) continue;
      for (const IterDomain* axis : input->as<TensorView>()->domain().logical) {
        if (axis->size()->isSymbol()) numberOf(axis->size());
      }
    }
    for (const Val* input : fusion.inputs()) {
      add("input ");
      declare(input);
      add('\n');
    }
    for (const Expr* expr : fusion.exprs()) line(expr);
    add("return");
    for (const Val* output : fusion.outputs()) {
      add(' ');
      addName(output);
    }
    for (const auto& [output, input] : fusion.aliases()) {
      add(" alias ", output, ' ');
      addName(input);
    }
    add('\n');
  }

  const Sink& sink() const { return sink_; }

 private:
  static constexpr size_t kUnnamed = ~size_t{0};

  template <class... Args>
  void add(const Args&... args) {
    (sink_.put(args), ...);
  }

  // Adds straight to the sink, without temporary strings: it runs after every pass.
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
    std::vector<typename Sink::Part> operands;
    collectOperands(expr->op, expr->a, operands);
    collectOperands(expr->op, expr->b, operands);
    // The arena orders commutative operands by id, which differs between arenas; order them by what they say.
    if (expr->op != IntOp::FloorDiv && expr->op != IntOp::Mod && expr->op != IntOp::Less) {
      std::sort(operands.begin(), operands.end());
    }
    constexpr const char* kNames[] = {"", "", "+", "*", "//", "%", "min", "max", "meet", "<", "==", "&&"};  // by IntOp
    add('(', kNames[static_cast<size_t>(expr->op)]);
    for (const typename Sink::Part& operand : operands) add(' ', operand);
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

  void collectOperands(IntOp op, IntExpr expr, std::vector<typename Sink::Part>& operands) {
    const bool nested = op == IntOp::Add || op == IntOp::Mul || op == IntOp::Meet;
    if (nested && expr->op == op) {
      collectOperands(op, expr->a, operands);
      collectOperands(op, expr->b, operands);
      return;
    }
    const auto begin = sink_.begin();
    addExtent(expr);
    operands.push_back(sink_.end(begin));
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
    add(expr->op(), '(');
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
  Sink sink_;
};

}  // namespace

std::string firstDifference(const Fusion& a, const Fusion& b) {
  const CanonicalWalk<TextSink> left(a), right(b);
  std::string_view x = left.sink().text(), y = right.sink().text();
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

uint64_t fingerprint(const Fusion& fusion) { return CanonicalWalk<HashSink>(fusion).sink().hash(); }

}  // namespace fuser
