// Names of complex values, by their parts: (a + bi) and (c + di) in the formulas below.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/complex_values.h"

namespace fuser::text {

std::optional<DataType> partOfComplex(std::string_view name) {
  if (name == "complex64" || name == "c64") return DataType::Float;
  if (name == "complex128" || name == "c128") return DataType::Double;
  return std::nullopt;
}

std::string_view complexName(DataType part) { return part == DataType::Double ? "complex128" : "complex64"; }

std::string typeText(const ComplexValue& value) {
  const TensorView* any = value.real ? value.real : value.whole;
  const std::string parts = fuser::typeText(any);  // "f32[i0]", or "f32[i0, 2]" of the whole
  std::string sizes = parts.substr(parts.find('['));
  if (!value.real) sizes = any->rank() == 1 ? "[]" : sizes.substr(0, sizes.rfind(',')) + "]";
  return concat(complexName(any->dtype()), sizes);
}

ComplexValue partsOf(Fusion& fusion, TensorView* whole, const std::string& name) {
  const auto part = [&](int64_t index, const char* ending) {
    return build::structuralTensor(fusion, OpKind::Select, {whole},
                                   Attributes().dim(-1).setBound(AttributeName::index, fusion.ints().constant(index)),
                                   name + ending);
  };
  return {part(0, ".re"), part(1, ".im"), false, whole};
}

TensorView* imaginaryOf(Fusion& fusion, const ComplexValue& value, const std::string& name) {
  if (!value.isConjugate) return value.imaginary;
  return build::unary(fusion, OpKind::Neg, value.imaginary, name)->as<TensorView>();
}

TensorView* joined(Fusion& fusion, const ComplexValue& value, const std::string& name) {
  Val* parts[] = {build::unsqueeze(fusion, value.real, {-1}, name + ".re1"),
                  build::unsqueeze(fusion, imaginaryOf(fusion, value, name + ".im"), {-1}, name + ".im1")};
  return build::cat(fusion, parts, -1, name);
}

DataType commonPart(std::string_view op, const std::vector<ComplexOperand>& operands) {
  std::vector<Val*> parts;
  for (const ComplexOperand& operand : operands) parts.push_back(operand.real);
  const DataType common = commonType(OpKind::Mul, parts);
  FUSER_USER_CHECK(common != DataType::Half, op, ": the result is complex32, which the language does not have");
  return common == DataType::Double ? common : DataType::Float;
}

namespace {

// One name of complex values, whose tensors are converted to the dtype of its parts.
class ComplexName {
 public:
  ComplexName(std::string_view op, Fusion& fusion, std::vector<ComplexOperand> operands, const std::string& name)
      : fusion_(fusion), name_(name), part_(commonPart(op, operands)), operands_(std::move(operands)) {
    for (size_t i = 0; i < operands_.size(); ++i) {
      convert(operands_[i].real, concat(".re", i));
      if (operands_[i].isComplex()) convert(operands_[i].imaginary, concat(".im", i));
    }
  }

  const ComplexOperand& operator[](size_t i) const { return operands_[i]; }
  DataType part() const { return part_; }
  std::string named(std::string_view ending) const { return concat(name_, ending); }
  Val* number(double real) { return fusion_.newConstant(ScalarValue(real)); }
  // The imaginary part, or 0.
  Val* imaginary(size_t i) { return operands_[i].isComplex() ? operands_[i].imaginary : number(0); }
  Val* op(OpKind kind, Val* a, Val* b, std::string_view ending) {
    return build::binary(fusion_, kind, a, b, named(ending));
  }
  Val* op(OpKind kind, Val* a, std::string_view ending) { return build::unary(fusion_, kind, a, named(ending)); }
  Val* where(Val* condition, Val* a, Val* b, std::string_view ending) {
    return build::where(fusion_, condition, a, b, named(ending));
  }
  ComplexResult pair(Val* real, Val* imaginary) {
    real->setName(named(".re"));
    imaginary->setName(named(".im"));
    return {{real->as<TensorView>(), imaginary->as<TensorView>()}, nullptr};
  }
  ComplexResult real(Val* tensor) {
    tensor->setName(name_);
    return {{}, tensor->as<TensorView>()};
  }

 private:
  template <class Value>
  void convert(Value*& value, const std::string& ending) {
    if (!value->isTensor() || value->dtype() == part_) return;
    value = build::cast(fusion_, value, part_, named(ending))->template as<TensorView>();
  }

  Fusion& fusion_;
  const std::string& name_;
  DataType part_;
  std::vector<ComplexOperand> operands_;
};

// c10::complex' operator /=, by Smith's method: with p the one of c and d of the greater magnitude and q the other,
// r = q / p, s = 1 / (p + q r), it is s (a + b r) + s (b - a r) i where p is c, and s (b + a r) + s (b r - a) i else.
// By 0 + 0i, a / 0 + (b / 0) i.
ComplexResult smithQuotient(ComplexName& n, Val* a, Val* b, Val* c, Val* d) {
  Val* sizeOfC = n.op(OpKind::Abs, c, ".c");
  Val* sizeOfD = n.op(OpKind::Abs, d, ".d");
  Val* isC = n.op(OpKind::Ge, sizeOfC, sizeOfD, ".by.c");
  Val* p = n.where(isC, c, d, ".p");
  Val* q = n.where(isC, d, c, ".q");
  Val* r = n.op(OpKind::Div, q, p, ".r");
  Val* s = n.op(OpKind::Reciprocal, n.op(OpKind::Add, p, n.op(OpKind::Mul, q, r, ".qr"), ".pqr"), ".s");
  Val* x = n.where(isC, a, b, ".x");
  Val* y = n.where(isC, b, a, ".y");
  Val* real = n.op(OpKind::Mul, n.op(OpKind::Add, x, n.op(OpKind::Mul, y, r, ".yr"), ".xyr"), s, ".scaled.re");
  Val* difference = n.op(OpKind::Sub, y, n.op(OpKind::Mul, x, r, ".xr"), ".yxr");
  Val* imaginary =
      n.op(OpKind::Mul, n.where(isC, difference, n.op(OpKind::Neg, difference, ".minus"), ".signed"), s, ".scaled.im");
  Val* isZero = n.op(OpKind::Eq, n.op(OpKind::Maximum, sizeOfC, sizeOfD, ".size"), n.number(0), ".by.zero");
  // By 1 where it is not taken: a gradient of 0 stays 0 there.
  Val* divisor = n.where(isZero, n.number(0), n.number(1), ".zero");
  return n.pair(n.where(isZero, n.op(OpKind::Div, a, divisor, ".inf.re"), real, ".re"),
                n.where(isZero, n.op(OpKind::Div, b, divisor, ".inf.im"), imaginary, ".im"));
}

// Whether both parts, or one of them, are so.
template <OpKind kTest, OpKind kJoin>
ComplexResult partsTested(std::string_view op, Fusion& fusion, const std::vector<ComplexOperand>& operands,
                          const std::string& name) {
  ComplexName n(op, fusion, operands, name);
  return n.real(n.op(kJoin, n.op(kTest, n[0].real, ".re"), n.op(kTest, n[0].imaginary, ".im"), ""));
}

template <OpKind kTest, OpKind kJoin>
ComplexResult partsCompared(std::string_view op, Fusion& fusion, const std::vector<ComplexOperand>& operands,
                            const std::string& name) {
  ComplexName n(op, fusion, operands, name);
  Val* real = n.op(kTest, n[0].real, n[1].real, ".re");
  return n.real(n.op(kJoin, real, n.op(kTest, n.imaginary(0), n.imaginary(1), ".im"), ""));
}

}  // namespace

// (ac - bd) + (ad + bc) i; by a real number each part by itself.
ComplexResult complexProduct(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                             const std::string& name) {
  ComplexName n("mul", fusion, operands, name);
  if (!n[0].isComplex() || !n[1].isComplex()) {
    const size_t i = n[0].isComplex() ? 0 : 1;
    return n.pair(n.op(OpKind::Mul, n[i].real, n[1 - i].real, ".re"),
                  n.op(OpKind::Mul, n[i].imaginary, n[1 - i].real, ".im"));
  }
  Val* ac = n.op(OpKind::Mul, n[0].real, n[1].real, ".ac");
  Val* bd = n.op(OpKind::Mul, n[0].imaginary, n[1].imaginary, ".bd");
  Val* ad = n.op(OpKind::Mul, n[0].real, n[1].imaginary, ".ad");
  Val* bc = n.op(OpKind::Mul, n[0].imaginary, n[1].real, ".bc");
  return n.pair(n.op(OpKind::Sub, ac, bd, ".re"), n.op(OpKind::Add, ad, bc, ".im"));
}

ComplexResult complexSquare(Fusion& fusion, const std::vector<ComplexOperand>& operands,
                            const NamedAttributes& attributes, const std::string& name) {
  return complexProduct(fusion, {operands[0], operands[0]}, attributes, name);
}

// By a real number each part by itself.
ComplexResult complexQuotient(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                              const std::string& name) {
  ComplexName n("div", fusion, operands, name);
  if (!n[1].isComplex()) {
    return n.pair(n.op(OpKind::Div, n[0].real, n[1].real, ".re"), n.op(OpKind::Div, n[0].imaginary, n[1].real, ".im"));
  }
  return smithQuotient(n, n[0].real, n.imaginary(0), n[1].real, n[1].imaginary);
}

ComplexResult complexReciprocal(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                                const std::string& name) {
  ComplexName n("reciprocal", fusion, operands, name);
  return smithQuotient(n, n.number(1), n.number(0), n[0].real, n[0].imaginary);
}

ComplexResult complexSize(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                          const std::string& name) {
  ComplexName n("abs", fusion, operands, name);
  // Of 0 its gradient is 0, as PyTorch's, where that of a hypot is NaN.
  Val* larger = n.op(OpKind::Maximum, n.op(OpKind::Abs, n[0].real, ".abs.re"),
                     n.op(OpKind::Abs, n[0].imaginary, ".abs.im"), ".larger");
  Val* isZero = n.op(OpKind::Eq, larger, n.number(0), ".zero");
  Val* real = n.where(isZero, n.number(1), n[0].real, ".re");
  return n.real(n.where(isZero, n.number(0), n.op(OpKind::Hypot, real, n[0].imaginary, ".size"), ""));
}

// Of a real number pi below 0, else 0; NaN of NaN.
ComplexResult complexAngle(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                           const std::string& name) {
  if (operands[0].isComplex()) {
    ComplexName n("angle", fusion, operands, name);
    return n.real(n.op(OpKind::Atan2, n[0].imaginary, n[0].real, ""));
  }
  Val* x = operands[0].real;
  FUSER_USER_CHECK(x->isTensor(), "angle takes a tensor, not ", fuser::typeText(x));
  const DataType dtype = isFloating(x->dtype()) ? x->dtype() : DataType::Float;
  if (x->dtype() != dtype) x = build::cast(fusion, x, dtype, name + ".from");
  Val* zero = fusion.newConstant(ScalarValue(0.0));
  Val* isBelow = build::binary(fusion, OpKind::Lt, x, zero, name + ".below");
  Val* none = build::binary(fusion, OpKind::Mul, x, zero, name + ".none");  // NaN of NaN, and of infinity
  Val* isNan = build::unary(fusion, OpKind::IsNan, x, name + ".nan");
  Val* other = build::where(fusion, isNan, none, zero, name + ".other");
  Val* angle = build::where(fusion, isBelow, fusion.newConstant(ScalarValue(std::numbers::pi)), other, name);
  return {{}, angle->as<TensorView>()};
}

// Both of one dtype, f32 or f64, as in PyTorch. They are copied, so that it has memory of its own.
ComplexResult complexFromParts(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                               const std::string& name) {
  TensorView* parts[2];
  for (size_t i = 0; i < 2; ++i) {
    Val* part = operands[i].real;
    FUSER_USER_CHECK(part->isTensor() && !operands[i].isComplex(), "complex takes two real tensors");
    parts[i] = part->as<TensorView>();
  }
  const DataType dtype = parts[0]->dtype();
  FUSER_USER_CHECK(dtype == parts[1]->dtype() && (dtype == DataType::Float || dtype == DataType::Double),
                   "complex takes two tensors of f32 or of f64, not ", fuser::typeText(parts[0]), " and ",
                   fuser::typeText(parts[1]));
  // Each of the sizes of both: x + 0 y would hand NaN of y on, a where does not.
  Val* all = fusion.newConstant(ScalarValue(true));
  const bool isEqual = sizesOf(parts[0]) == sizesOf(parts[1]);
  const auto part = [&](size_t i, const char* ending) {
    if (isEqual) return build::set(fusion, parts[i], name + ending);
    return build::where(fusion, all, parts[i], parts[1 - i], name + ending)->as<TensorView>();
  };
  return {{part(0, ".re"), part(1, ".im")}, nullptr};
}

// abs cos(angle) + abs sin(angle) i
ComplexResult complexFromPolar(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                               const std::string& name) {
  for (const ComplexOperand& each : operands) {
    const DataType dtype = each.real->dtype();
    FUSER_USER_CHECK(each.real->isTensor() && !each.isComplex() && dtype == operands[0].real->dtype() &&
                         (dtype == DataType::Float || dtype == DataType::Double),
                     "polar takes two real tensors of f32 or of f64, not ", fuser::typeText(operands[0].real), " and ",
                     fuser::typeText(operands[1].real));
  }
  ComplexName n("polar", fusion, operands, name);
  Val* real = n.op(OpKind::Mul, n[0].real, n.op(OpKind::Cos, n[1].real, ".cos"), ".re");
  return n.pair(real, n.op(OpKind::Mul, n[0].real, n.op(OpKind::Sin, n[1].real, ".sin"), ".im"));
}

ComplexResult complexEqual(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                           const std::string& name) {
  return partsCompared<OpKind::Eq, OpKind::LogicalAnd>("eq", fusion, operands, name);
}
ComplexResult complexUnequal(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                             const std::string& name) {
  return partsCompared<OpKind::Ne, OpKind::LogicalOr>("ne", fusion, operands, name);
}
ComplexResult complexIsNan(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                           const std::string& name) {
  return partsTested<OpKind::IsNan, OpKind::LogicalOr>("isnan", fusion, operands, name);
}
ComplexResult complexIsInf(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                           const std::string& name) {
  return partsTested<OpKind::IsInf, OpKind::LogicalOr>("isinf", fusion, operands, name);
}
ComplexResult complexIsFinite(Fusion& fusion, const std::vector<ComplexOperand>& operands, const NamedAttributes&,
                              const std::string& name) {
  return partsTested<OpKind::IsFinite, OpKind::LogicalAnd>("isfinite", fusion, operands, name);
}

}  // namespace fuser::text
