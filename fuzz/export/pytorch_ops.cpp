// The rows of pytorch.def, filled in.

#include "fuzz/export/pytorch_ops.h"

#include <cctype>
#include <cmath>

namespace fuser::fuzz {
namespace {

// --- what a row may hold ---

class Line {
 public:
  Line(const Expr* expr, const PythonNames& names) : expr_(expr), names_(names) {}

  // The value of a word in braces: "0", "t1", "dims".
  std::string word(std::string_view name) const {
    if (name == "all") return all();
    if (name.size() <= 2 && std::isdigit(static_cast<unsigned char>(name.back()))) {
      const size_t i = static_cast<size_t>(name.back() - '0');
      const char kind = name.size() == 1 ? ' ' : name.front();
      if (kind == 'm') return moved(i);
      if (kind == 'i') return operand(i) + (expr_->input(i)->dtype() == DataType::Int64 ? "" : ".to(torch.int64)");
      return kind == 't' ? tensor(i) : kind == 'n' ? number(i) : kind == 'v' ? numberOfResult(i) : operand(i);
    }
    if (name == "moved") {
      const DataType dtype = expr_->output()->dtype();
      return isStored(dtype) ? concat(".view(", torchDtype(dtype), ")") : "";
    }
    for (const FamilyAttribute& attribute : familyAttributes(expr_->family())) {
      if (attribute.text() == name) return valueOf(attribute);
    }
    FUSER_CHECK(false, "pytorch.def: ", expr_->info().mnemonic, " has no '", name, "'");
  }

  std::string operand(size_t i) const { return expr_->isScalarExpr() ? tensor(i) : number(i); }

  // Values as they stand in Python: a tensor's name, a number.
  std::string number(size_t i) const {
    const Val* val = expr_->input(i);
    if (val->isTensor() || !val->as<Scalar>()->isConstant()) return names_.of(val);
    return pythonLiteral(*val->as<Scalar>()->constant());
  }

  const Expr* expr() const { return expr_; }
  std::string dim(IntExpr dim) const { return names_.dim(dim); }

 private:
  std::string all() const {
    std::string text;
    for (size_t i = 0; i < expr_->inputs().size(); ++i) text += (i == 0 ? "" : ", ") + operand(i);
    return text;
  }

  std::string tensor(size_t i) const {
    const Val* val = expr_->input(i);
    if (val->isTensor()) return number(i);
    if (takesCondition(expr_->op(), i)) return concat("boolean(", number(i), ")");
    if (!expr_->isScalarExpr()) return concat("number(", number(i), ", ", torchDtype(tensorDtype()), ")");
    const bool widened =
        expr_->output()->dtype() == DataType::Double && expr_->op() != OpKind::Cast && !takesCondition(expr_->op(), i);
    const DataType dtype = widened ? DataType::Double : val->dtype();
    const std::string_view wrap = dtype == DataType::Double ? "f64(" : dtype == DataType::Int64 ? "i64(" : "boolean(";
    return concat(wrap, number(i), ")");
  }

  std::string moved(size_t i) const {
    const DataType dtype = expr_->input(i)->dtype();
    if (!isStored(dtype)) return operand(i);
    const size_t size = dtypeSize(dtype);
    return concat(operand(i), ".view(torch.", size == 1 ? "uint8" : size == 2 ? "int16" : "int32", ")");
  }

  // The dtype that the tensors among the operands have: promotion is casts of its own.
  DataType tensorDtype() const {
    for (size_t i = 0; i < expr_->inputs().size(); ++i) {
      if (expr_->input(i)->isTensor() && !takesCondition(expr_->op(), i)) return expr_->input(i)->dtype();
    }
    return expr_->output()->dtype();
  }

  // PyTorch refuses a number that the dtype does not hold; converted it is taken.
  std::string numberOfResult(size_t i) const {
    const Scalar* scalar = expr_->input(i)->as<Scalar>();
    const DataType dtype = expr_->output()->dtype();
    if (scalar->isConstant() && isHeld(*scalar->constant(), dtype)) return number(i);
    return concat("number(", number(i), ", ", torchDtype(dtype), ").item()");
  }

  static bool isHeld(const ScalarValue& value, DataType dtype) {
    const double wanted = value.as<double>();
    if (std::isnan(wanted)) return isFloating(dtype);
    if (!isFloating(dtype) && std::isinf(wanted)) return false;
    return dispatch(dtype, [&]<class T>() { return convert<double>(value.as<T>()) == wanted; });
  }

  std::string valueOf(const FamilyAttribute& attribute) const {
    const Attributes& attributes = expr_->attributes();
    std::vector<std::string> entries;
    switch (attribute.kind) {
      case AttributeKind::Axis: return concat(attributes.axis(attribute.name));
      case AttributeKind::Axes:
        for (int64_t axis : attributes.axes(attribute.name)) entries.push_back(concat(axis));
        return pythonTuple(entries);
      case AttributeKind::Extents:
      case AttributeKind::Counts:
      case AttributeKind::Bounds:
        for (IntExpr extent : attributes.integers(attribute.name)) entries.push_back(dim(extent));
        return pythonTuple(entries);
      case AttributeKind::Extent:
      case AttributeKind::Bound: return dim(attributes.bound(attribute.name));
      case AttributeKind::Dtype: return torchDtype(attributes.dtypeOf(attribute.name));
      case AttributeKind::Number: return concat(attributes.number(attribute.name));
      case AttributeKind::Mark:
      case AttributeKind::Word:
      case AttributeKind::Flag:
      case AttributeKind::Operand: break;
    }
    FUSER_CHECK(false, attribute.text(), " is no part of an expression");
  }

  const Expr* expr_;
  const PythonNames& names_;
};

// --- rows that are functions ---

std::string unsqueezed(const Line& line) {
  std::string text = line.operand(0);
  for (int64_t dim : line.expr()->attributes().dims()) text += concat(".unsqueeze(", dim, ")");
  return text;
}

std::string sliced(const Line& line) {
  const Attributes& attributes = line.expr()->attributes();
  std::string text = line.operand(0) + "[";
  for (int64_t axis = 0; axis < attributes.dim(); ++axis) text += ":, ";
  return concat(text, line.dim(attributes.start()), ":", line.dim(attributes.end()), ":", line.dim(attributes.step()),
                "]");
}

// PyTorch has none of bool.
std::string extremeIndex(const Line& line) {
  const Expr* expr = line.expr();
  const std::string name = expr->op() == OpKind::Argmax ? "torch.argmax(" : "torch.argmin(";
  const std::string operand = line.operand(0) + (expr->input(0)->dtype() == DataType::Bool ? ".to(torch.int8)" : "");
  const std::vector<int64_t>& dims = expr->attributes().dims();
  const bool isAll = dims.size() == expr->input(0)->as<TensorView>()->rank();
  return concat(name, operand, isAll ? "" : concat(", ", dims[0]), ")");
}

// From the last axis on, so that the others keep their numbers.
std::string product(const Line& line) {
  std::string text = line.operand(0);
  const std::vector<int64_t>& dims = line.expr()->attributes().dims();
  if (dims.empty()) return concat("torch.prod(", text, ")");
  for (size_t i = dims.size(); i-- > 0;) text = concat("torch.prod(", text, ", ", dims[i], ")");
  return text;
}

// --- the table ---

struct PytorchRow {
  std::string_view text;                        // of CALL
  std::string (*write)(const Line&) = nullptr;  // of WRITTEN
  std::string_view refusal;                     // of REFUSED
};

// Without default: an op without a row does not compile.
PytorchRow pytorchRow(OpKind op) {
  switch (op) {
#define CALL(op, call) \
  case OpKind::op: return {call, nullptr, {}};
#define WRITTEN(op, function) \
  case OpKind::op: return {{}, function, {}};
#define REFUSED(op, why) \
  case OpKind::op: return {{}, nullptr, why};
#include "fuzz/export/pytorch.def"
#undef CALL
#undef WRITTEN
#undef REFUSED
  }
  FUSER_CHECK(false, "bad OpKind");
}

std::string filled(std::string_view text, const Line& line) {
  std::string out;
  while (true) {
    const size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == text.npos) return out;
    const size_t close = text.find('}', open);
    FUSER_CHECK(close != text.npos, "pytorch.def: a brace is open in ", text);
    out += line.word(text.substr(open + 1, close - open - 1));
    text = text.substr(close + 1);
  }
}

}  // namespace

std::string pytorchCall(const Expr* expr, const PythonNames& names) {
  const Line line(expr, names);
  const PytorchRow row = pytorchRow(expr->op());
  const std::string text = row.write ? row.write(line) : filled(row.text, line);
  return expr->isScalarExpr() && expr->family() != Family::Size ? text + ".item()" : text;
}

std::optional<std::string_view> whyNotInPytorch(OpKind op) {
  const std::string_view why = pytorchRow(op).refusal;
  return why.empty() ? std::nullopt : std::optional(why);
}

std::string torchDtype(DataType dtype) { return concat("torch.", pytorchName(dtype)); }

std::string pythonLiteral(const ScalarValue& value) {
  if (value.dtype() == DataType::Bool) return value.as<bool>() ? "True" : "False";
  if (value.dtype() != DataType::Double || std::isfinite(value.as<double>())) return value.toString();
  const double number = value.as<double>();
  return std::isnan(number) ? "torch.nan" : number < 0 ? "-torch.inf" : "torch.inf";
}

std::string pythonTuple(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ", ") + entry;
  return concat("(", text, entries.size() == 1 ? ",)" : ")");
}

}  // namespace fuser::fuzz
