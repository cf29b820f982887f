// Prints and parses declarations of tensors.

#include "fuser/host_ir/declarations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

#include "fuser/text/limits.h"
#include "fuser/text/token_rules.h"
#include "fuser/types/dims.h"

namespace fuser {
namespace {

// --- extents ---

std::string extentText(const Fusion& fusion, IntExpr extent);

// Collects the terms of a sum or the factors of a product.
void collect(const Fusion& fusion, IntExpr extent, IntOp op, std::vector<std::string>& parts) {
  if (!extent->isConstant() && !extent->isSymbol() && extent->op == op) {
    collect(fusion, extent->a, op, parts);
    collect(fusion, extent->b, op, parts);
  } else {
    parts.push_back(extentText(fusion, extent));
  }
}

std::string extentText(const Fusion& fusion, IntExpr extent) {
  if (extent->isConstant()) return concat(extent->value);
  if (extent->isSymbol()) {
    const Val* scalar = fusion.scalarOf(extent);
    return scalar ? "%" + scalar->name() : fusion.ints().symbolOf(extent).name;
  }
  const bool isExtreme = extent->op == IntOp::Min || extent->op == IntOp::Max;
  const bool isFlat = extent->op == IntOp::Add || extent->op == IntOp::Mul;
  if (!isExtreme && !isFlat) {
    FUSER_CHECK(extent->op == IntOp::FloorDiv, "an extent consists of + - * // min max only");
    return concat("(", extentText(fusion, extent->a), " // ", extentText(fusion, extent->b), ")");
  }
  std::vector<std::string> parts;
  if (isFlat) {
    collect(fusion, extent, extent->op, parts);
  } else {  // nested as it is: min(1, min(4, i0)) is another expression than min(min(1, 4), i0)
    parts = {extentText(fusion, extent->a), extentText(fusion, extent->b)};
  }
  std::sort(parts.begin(), parts.end());
  const char* between = extent->op == IntOp::Add ? " + " : extent->op == IntOp::Mul ? " * " : ", ";
  std::string text = extent->op == IntOp::Min ? "min(" : extent->op == IntOp::Max ? "max(" : "(";
  for (size_t i = 0; i < parts.size(); ++i) text += concat(i ? between : "", parts[i]);
  return text + ")";
}

std::string axisText(const Fusion& fusion, const IterDomain* axis) {
  std::string text = extentText(fusion, axis->extent());
  if (axis->isExpanded()) text += "*" + extentText(fusion, axis->expandedExtent());
  return text;
}

// --- layouts ---

// The layout, unless it is row-major and contiguous: "allocation_order = [1, 0], contiguity = [true, false]".
std::string layoutText(const TensorView* tensor) {
  const TensorDomain& domain = tensor->domain();
  const std::vector<IterDomain*> axes = tensor->axes();
  std::string order, contiguity;
  bool usual = true;
  for (size_t i = 0; i < domain.allocationOrder.size(); ++i) {
    const std::optional<bool>& flag = domain.contiguity[i];
    usual &= flag.has_value() ? *flag : axes[static_cast<size_t>(domain.allocationOrder[i])]->isBroadcast();
    order += concat(i ? ", " : "", domain.allocationOrder[i]);
    contiguity += concat(i ? ", " : "", !flag ? "none" : *flag ? "true" : "false");
  }
  const bool rowMajor = std::is_sorted(domain.allocationOrder.begin(), domain.allocationOrder.end());
  std::string text = rowMajor ? "" : concat("allocation_order = [", order, "]");
  if (!usual) text += concat(text.empty() ? "" : ", ", "contiguity = [", contiguity, "]");
  return text;
}

// --- reading ---

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Splits at commas outside of brackets.
std::vector<std::string_view> pieces(std::string_view text) {
  std::vector<std::string_view> found;
  size_t depth = 0, start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '(' || text[i] == '[')) ++depth;
    if (i < text.size() && (text[i] == ')' || text[i] == ']') && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view piece = trimmed(text.substr(start, i - start));
    if (!piece.empty()) found.push_back(piece);
    start = i + 1;
  }
  return found;
}

class Reader {
 public:
  Reader(Fusion& fusion, const std::function<void(const std::string&)>& fail) : fusion_(fusion), fail_(fail) {}

  struct Declared {
    std::string name;
    DataType dtype = DataType::Float;
    std::string type;                    // as written
    std::vector<std::string_view> axes;  // "i0", "1", "1*i0"
    std::vector<int> order;
    std::vector<std::optional<bool>> contiguity;
    std::optional<size_t> stream;
  };

  // "%t.s0: f32[i1] {allocation_order = [0], contiguity = [false], stream = 0}"
  Declared read(std::string_view text) const {
    Declared declaration;
    const size_t colon = text.find(": "), open = text.find('['), brace = text.find(" {"),
                 close = text.rfind(']', brace);
    if (!text.starts_with('%') || colon == text.npos || open == text.npos || open < colon || close == text.npos ||
        close < open) {
      refuse("'%name: dtype[axes] {layout}' expected");
    }
    declaration.name = text.substr(1, colon - 1);
    if (!text::isName(declaration.name) || declaration.name.size() > text::kMaxNameBytes)
      refuse("that is not a tensor's name");
    declaration.type = trimmed(text.substr(colon + 2, brace == text.npos ? brace : brace - colon - 2));
    const std::string_view dtype = trimmed(text.substr(colon + 2, open - colon - 2));
    const std::optional<DataType> known = dtypeFromName(dtype);
    if (!known) refuse(concat("no dtype is called ", dtype));
    declaration.dtype = *known;
    declaration.axes = pieces(text.substr(open + 1, close - open - 1));
    if (declaration.axes.size() > static_cast<size_t>(kMaxRank)) {
      refuse(concat("%", declaration.name, " has more than ", kMaxRank, " axes"));
    }
    for (size_t i = 0; i < declaration.axes.size(); ++i) {
      declaration.order.push_back(static_cast<int>(i));
      declaration.contiguity.push_back(isStored(declaration.axes[i]) ? std::optional<bool>(true) : std::nullopt);
    }
    if (brace == text.npos) return declaration;
    std::string_view layout = trimmed(text.substr(brace + 2));
    if (!layout.ends_with('}')) refuse("'}' expected");
    layout.remove_suffix(1);
    for (std::string_view field : pieces(layout)) readField(field, declaration);
    return declaration;
  }

  // Finds an extent of the fusion by its text; otherwise builds it from integers, symbols and the operators that
  // extentText prints.
  IterDomain* axis(std::string_view text) {
    if (text == "1") return fusion_.newIterDomain(IterType::Broadcast, fusion_.ints().constant(1));
    if (text.starts_with("1*")) {
      return fusion_.newIterDomain(IterType::Broadcast, fusion_.ints().constant(1), size(text.substr(2)));
    }
    const IntExpr extent = size(text);
    if (extent->isConstant(1)) refuse("an axis of 1 is a broadcast axis, and is written 1");
    return fusion_.newIterDomain(IterType::Iteration, extent);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    fail_(message);
    FUSER_CHECK(false, "an error that throws nothing");
  }

  static bool isStored(std::string_view axis) { return axis != "1" && !axis.starts_with("1*"); }

  int integer(std::string_view text) const {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse(concat("'", text, "' is not an integer"));
    return value;
  }

  void readField(std::string_view field, Declared& declaration) const {
    const size_t equals = field.find(" = ");
    if (equals == field.npos) refuse(concat("'name = value' expected, not '", field, "'"));
    const std::string_view name = field.substr(0, equals);
    std::string_view value = field.substr(equals + 3);
    if (name == "stream") {
      const int axis = integer(value);
      if (axis < 0 || static_cast<size_t>(axis) >= declaration.axes.size() ||
          !isStored(declaration.axes[static_cast<size_t>(axis)])) {
        refuse(concat("%", declaration.name, " has no axis ", value, " to spread over streams"));
      }
      declaration.stream = static_cast<size_t>(axis);
      return;
    }
    if (!value.starts_with('[') || !value.ends_with(']')) refuse(concat("'[…]' expected, not '", value, "'"));
    const std::vector<std::string_view> entries = pieces(value.substr(1, value.size() - 2));
    if (entries.size() != declaration.axes.size())
      refuse(concat("%", declaration.name, " has ", declaration.axes.size(), " axes"));
    if (name == "allocation_order") {
      std::vector<int> order;
      for (std::string_view entry : entries) order.push_back(integer(entry));
      if (!std::is_permutation(order.begin(), order.end(), declaration.order.begin())) {
        refuse("an allocation order names each axis once");
      }
      declaration.order = order;
      for (size_t i = 0; i < order.size(); ++i) {
        declaration.contiguity[i] =
            isStored(declaration.axes[static_cast<size_t>(order[i])]) ? std::optional<bool>(true) : std::nullopt;
      }
    } else if (name == "contiguity") {
      for (size_t i = 0; i < entries.size(); ++i) {
        const bool stored = isStored(declaration.axes[static_cast<size_t>(declaration.order[i])]);
        if (entries[i] != "none" && entries[i] != "true" && entries[i] != "false") {
          refuse("contiguity is true, false or none");
        }
        if (stored == (entries[i] == "none")) refuse("contiguity is none exactly on broadcast axes");
        declaration.contiguity[i] = stored ? std::optional<bool>(entries[i] == "true") : std::nullopt;
      }
    } else {
      refuse(concat("no '", name, "' is declared of tensors"));
    }
  }

  IntExpr size(std::string_view text) {
    terms_ = 0;
    const IntExpr size = extent(text, 0);
    if (size->isConstant() && size->value < 0) refuse("a size is not negative");
    return size;
  }

  IntExpr extent(std::string_view text, size_t depth) {
    if (depth > text::kMaxDimDepth) refuse(concat("parentheses are nested deeper than ", text::kMaxDimDepth));
    if (++terms_ > text::kMaxDimTerms) refuse(concat("a size of more than ", text::kMaxDimTerms, " terms"));
    if (extents_.empty()) {
      for (const std::unique_ptr<Val>& val : fusion_.allVals()) {
        if (!val->isTensor()) continue;
        for (const IterDomain* axis : val->as<TensorView>()->domain().logical) {
          for (IntExpr size : {axis->extent(), axis->expandedExtent()}) {
            if (size) extents_.emplace(extentText(fusion_, size), size);
          }
        }
      }
    }
    const auto known = extents_.find(text);
    if (known != extents_.end()) return known->second;
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto isNameByte = [&](char c) {
      return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (!digits.empty() && std::all_of(digits.begin(), digits.end(), isDigit)) {
      return fusion_.ints().constant(integer(text));
    }
    if (text.ends_with(')')) return computedExtent(text, depth);
    if (text.empty() || !std::all_of(text.begin(), text.end(), isNameByte)) {
      refuse(concat("the fusion has no extent ", text));
    }
    return fusion_.extentSymbol(std::string(text));
  }

  // An upper bound on the constants that folding the extent can produce.
  static double boundOf(IntExpr extent) {
    if (extent->isConstant()) return std::max(1.0, std::abs(static_cast<double>(extent->value)));
    if (extent->isSymbol()) return 1;
    return joinedBound(extent->op, boundOf(extent->a), boundOf(extent->b));
  }
  static double joinedBound(IntOp op, double a, double b) {
    return op == IntOp::Mul ? a * b : op == IntOp::FloorDiv ? a : a + b;
  }

  // "(a + b + c)", "(a * b)", "(a // b)", "min(a, b)", "max(a, b)"
  IntExpr computedExtent(std::string_view text, size_t depth) {
    constexpr std::tuple<std::string_view, std::string_view, IntOp> kForms[] = {{"min(", ", ", IntOp::Min},
                                                                                {"max(", ", ", IntOp::Max},
                                                                                {"(", " + ", IntOp::Add},
                                                                                {"(", " * ", IntOp::Mul},
                                                                                {"(", " // ", IntOp::FloorDiv}};
    for (const auto& [open, between, op] : kForms) {
      if (!text.starts_with(open)) continue;
      const std::vector<std::string_view> parts =
          partsOf(text.substr(open.size(), text.size() - open.size() - 1), between);
      if (parts.size() < 2) continue;
      IntExpr joined = extent(parts.front(), depth + 1);
      for (size_t i = 1; i < parts.size(); ++i) joined = join(op, joined, extent(parts[i], depth + 1));
      return joined;
    }
    refuse(concat("the fusion has no extent ", text));
  }

  IntExpr join(IntOp op, IntExpr a, IntExpr b) const {
    IntExprArena& ints = fusion_.ints();
    if (joinedBound(op, boundOf(a), boundOf(b)) > text::kMaxDimNumber) refuse("the numbers of a size are too large");
    switch (op) {
      case IntOp::Min: return ints.min(a, b);
      case IntOp::Max: return ints.max(a, b);
      case IntOp::Add: return ints.add(a, b);
      case IntOp::Mul: return ints.mul(a, b);
      case IntOp::FloorDiv:
        if (b->isConstant() && b->value <= 0) refuse("a divisor is positive");
        return ints.floorDiv(a, b);
      case IntOp::Constant:
      case IntOp::Symbol:
      case IntOp::Mod:
      case IntOp::Meet:
      case IntOp::Less:
      case IntOp::Equal:
      case IntOp::And: break;
    }
    FUSER_CHECK(false, "no form of an extent");
  }

  // Splits at separators outside of brackets.
  static std::vector<std::string_view> partsOf(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    size_t depth = 0, start = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && depth > 0) --depth;
      if (depth > 0 || !text.substr(i).starts_with(separator)) continue;
      parts.push_back(text.substr(start, i - start));
      start = i + separator.size();
    }
    parts.push_back(text.substr(start));
    return parts;
  }

  Fusion& fusion_;
  const std::function<void(const std::string&)>& fail_;
  std::map<std::string, IntExpr, std::less<>> extents_;
  size_t terms_ = 0;  // of the size that is read
};

}  // namespace

std::map<std::string, const Val*, std::less<>> valuesByName(const Fusion& fusion) {
  std::map<std::string, const Val*, std::less<>> values;
  for (const std::unique_ptr<Val>& val : fusion.allVals()) {
    if (!val->name().empty()) values.emplace(val->name(), val.get());
  }
  for (const Val* val : fusion.usedVals()) values[val->name()] = val;
  return values;
}

std::string declaredType(const Val* val) {
  std::string text(dtypeName(val->dtype()));
  if (val->isScalar()) return text;
  const std::vector<IterDomain*> axes = val->as<TensorView>()->axes();
  for (size_t i = 0; i < axes.size(); ++i) text += concat(i ? ", " : "[", axisText(val->fusion(), axes[i]));
  return text + (axes.empty() ? "[]" : "]");
}

std::string declarationOf(const TensorView* tensor) {
  if (tensor->isFusionInput()) return "";
  std::string layout = layoutText(tensor);
  if (const std::optional<size_t> stream = tensor->streamAxis()) {
    layout += concat(layout.empty() ? "" : ", ", "stream = ", *stream);
  }
  if (tensor->definition() && layout.empty()) return "";
  return concat("%", tensor->name(), ": ", declaredType(tensor), layout.empty() ? "" : concat(" {", layout, "}"));
}

void declare(Fusion& fusion, std::string_view declaration, std::map<std::string, const Val*, std::less<>>& values,
             const std::function<void(const std::string&)>& fail) {
  Reader reader(fusion, fail);
  const Reader::Declared declared = reader.read(trimmed(declaration));
  const Val*& known = values[declared.name];
  if (known && (!known->isTensor() || known->isFusionInput())) {
    fail(concat("%", declared.name, " is an input or a scalar of the fusion"));
  }
  if (!known) {
    TensorDomain domain;
    for (std::string_view axis : declared.axes) domain.logical.push_back(reader.axis(axis));
    domain.allocationOrder = declared.order;
    domain.contiguity = declared.contiguity;
    domain.hasFixedLayout = true;
    known = fusion.newTensor(declared.dtype, std::move(domain), declared.name);
  }
  if (declaredType(known) != declared.type) fail(concat("%", declared.name, " is ", declaredType(known)));
  auto* tensor = static_cast<TensorView*>(fusion.allVals().at(known->id()).get());
  tensor->domain().allocationOrder = declared.order;
  tensor->domain().contiguity = declared.contiguity;
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->parallelType() == ParallelType::Stream || declared.stream == i) {
      axes[i]->parallelize(declared.stream == i ? ParallelType::Stream : ParallelType::Serial);
    }
  }
}

std::string workspacesText(const Kernel& kernel) {
  std::string text;
  for (const Workspace& workspace : kernel.workspaces) {
    text += concat(text.empty() ? " workspaces (" : ", ", kernel.buffers[static_cast<size_t>(workspace.buffer)].name);
  }
  return text.empty() ? "" : text + ")";
}

}  // namespace fuser
