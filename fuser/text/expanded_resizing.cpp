// torch.nn.functional.interpolate: planes of another size, from the nearest element or between two along each axis.
// Places are computed as LibTorch does, in f32 (of f64 in f64), so that both read the same elements.

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

constexpr std::string_view kName = "interpolate";

// What is known of one axis.
struct Resized {
  size_t axis;
  IntExpr from, to;
  Val* ratio;  // elements of the operand for one of the result
};

class Resizing {
 public:
  Resizing(Fusion& fusion, TensorView* tensor, bool alignCorners, const std::string& name)
      : fusion_(fusion),
        ints_(fusion.ints()),
        name_(name),
        tensor_(tensor),
        alignCorners_(alignCorners),
        dtype_(tensor->dtype() == DataType::Double ? DataType::Double : DataType::Float) {}

  // The operand's elements nearest to each place.
  TensorView* nearest(TensorView* tensor, const Resized& resized) {
    TensorView* places = counts(resized, ".to");
    auto* source = op(OpKind::Mul, places, resized.ratio, resized, ".source");
    return indexSelected(fusion_, tensor, below(source, resized), resized.axis, at(resized, ".nearest"));
  }

  // Between the two elements around each place.
  TensorView* linear(TensorView* tensor, const Resized& resized) {
    TensorView* places = counts(resized, ".to");
    Val* source = places;
    if (!alignCorners_) {
      source = op(OpKind::Add, source, real(0.5), resized, ".centre");
      source = op(OpKind::Mul, source, resized.ratio, resized, ".scaled");
      source = op(OpKind::Sub, source, real(0.5), resized, ".moved");
      source = op(OpKind::ClampMin, source, real(0), resized, ".source");
    } else {
      source = op(OpKind::Mul, source, resized.ratio, resized, ".source");
    }
    TensorView* first = below(source, resized);
    Val* lastPlace = last(resized);
    Val* isInside = build::binary(fusion_, OpKind::Lt, first, lastPlace, at(resized, ".inside"));
    Val* one = build::cast(fusion_, isInside, DataType::Int64, at(resized, ".one"));
    auto* second = build::binary(fusion_, OpKind::Add, first, one, at(resized, ".second"))->as<TensorView>();
    Val* start = build::cast(fusion_, first, dtype_, at(resized, ".start"));
    Val* share = op(OpKind::Sub, source, start, resized, ".rest");
    share = op(OpKind::ClampMin, share, real(0), resized, ".rest_from_0");
    share = op(OpKind::ClampMax, share, real(1), resized, ".of_second");
    Val* other = op(OpKind::Sub, real(1), share, resized, ".of_first");
    TensorView* low = indexSelected(fusion_, tensor, first, resized.axis, at(resized, ".low"));
    TensorView* high = indexSelected(fusion_, tensor, second, resized.axis, at(resized, ".high"));
    Val* a = op(OpKind::Mul, low, beside(other, resized, ".first_share"), resized, ".low_part");
    Val* b = op(OpKind::Mul, high, beside(share, resized, ".second_share"), resized, ".high_part");
    return op(OpKind::Add, a, b, resized, ".between")->as<TensorView>();
  }

  Resized resized(size_t axis, const NamedAttributes& attributes, size_t place, bool isLinear) {
    Resized result{axis, sizesOf(tensor_)[axis], nullptr, nullptr};
    std::optional<double> scale;
    if (attributes.hasOperand(AttributeName::scale_factor)) {
      const Val* factor = attributes.operand(AttributeName::scale_factor);
      FUSER_USER_CHECK(factor->isScalar() && factor->as<Scalar>()->constant(), kName, ": scale_factor is a number");
      scale = factor->as<Scalar>()->constant()->as<double>();
      FUSER_USER_CHECK(*scale > 0 && *scale <= 1 << 20, kName, ": a scale_factor of ", *scale);
      result.to = scaledSize(result.from, *scale);
    } else {
      const std::vector<IntExpr>& sizes = attributes.integers(AttributeName::size);
      result.to = sizes.size() == 1 ? sizes[0] : sizes.at(place);
    }
    FUSER_USER_CHECK(result.to->range.high >= 1, kName, " to no element along axis ", axis);
    result.ratio = ratioOf(result, scale, isLinear);
    return result;
  }

 private:
  // floor(size * scale). Of a size that only a run knows: the scale is a number of 20 bits behind the point at most.
  IntExpr scaledSize(IntExpr size, double scale) {
    if (size->isConstant())
      return ints_.constant(static_cast<int64_t>(std::floor(static_cast<double>(size->value) * scale)));
    constexpr double kUnit = 1 << 20;
    const double units = scale * kUnit;
    FUSER_USER_CHECK(units == std::floor(units), kName, ": a scale_factor of ", scale,
                     " needs sizes that are numbers: give a size");
    int64_t above = static_cast<int64_t>(units), below = 1 << 20;
    while (above % 2 == 0 && below % 2 == 0) above /= 2, below /= 2;
    return ints_.floorDiv(ints_.mul(size, ints_.constant(above)), ints_.constant(below));
  }

  Val* ratioOf(const Resized& resized, std::optional<double> scale, bool isLinear) {
    const bool corners = isLinear && alignCorners_;
    if (scale && !corners) return rounded(1 / *scale);
    if (resized.from->isConstant() && resized.to->isConstant()) {
      const auto from = static_cast<double>(resized.from->value), to = static_cast<double>(resized.to->value);
      if (!corners) return quotient(from, to);
      return to > 1 ? quotient(from - 1, to - 1) : real(0);
    }
    Val* from = element(sizeAsScalar(fusion_, tensor_, resized.axis, at(resized, ".size")), resized, ".from_size");
    TensorView* line = counts(resized, ".line");
    Val* to = element(sizeAsScalar(fusion_, line, 0, at(resized, ".result_size")), resized, ".to_size");
    if (!corners) return op(OpKind::Div, from, to, resized, ".ratio");
    Val* spans = op(OpKind::Sub, to, real(1), resized, ".spans");
    Val* number = op(OpKind::ClampMin, spans, real(1), resized, ".number");
    Val* some = op(OpKind::ClampMax, spans, real(1), resized, ".some");  // 0 where there is one place
    Val* ratio = op(OpKind::Div, op(OpKind::Sub, from, real(1), resized, ".last"), number, resized, ".of_corners");
    return op(OpKind::Mul, ratio, some, resized, ".ratio");
  }

  // A scalar as an element of what places are computed in.
  Val* element(Val* scalar, const Resized& resized, std::string_view ending) {
    return build::full(fusion_, {}, scalar, dtype_, at(resized, ending));
  }

  // The last place that is not above `source`, and not beyond the operand.
  TensorView* below(Val* source, const Resized& resized) {
    Val* whole = build::unary(fusion_, OpKind::Floor, source, at(resized, ".floor"));
    Val* place = build::cast(fusion_, whole, DataType::Int64, at(resized, ".place"));
    return build::binary(fusion_, OpKind::Minimum, place, last(resized), at(resized, ".first"))->as<TensorView>();
  }

  Val* last(const Resized& resized) {
    if (resized.from->isConstant()) return fusion_.newConstant(ScalarValue(resized.from->value - 1));
    Val* size = sizeAsScalar(fusion_, tensor_, resized.axis, at(resized, ".count"));
    return build::binary(fusion_, OpKind::Sub, size, fusion_.newConstant(ScalarValue(int64_t{1})), at(resized, ".end"));
  }

  TensorView* counts(const Resized& resized, std::string_view ending) {
    return build::arange(fusion_, ints_.constant(0), resized.to, ints_.constant(1), dtype_, at(resized, ending));
  }

  TensorView* beside(Val* line, const Resized& resized, std::string_view ending) {
    return alongAxis(fusion_, line->as<TensorView>(), resized.axis, tensor_->rank(), at(resized, ending));
  }
  Val* op(OpKind kind, Val* a, Val* b, const Resized& resized, std::string_view ending) {
    return build::binary(fusion_, kind, a, b, at(resized, ending));
  }
  Val* real(double number) { return fusion_.newConstant(ScalarValue(number)); }
  Val* rounded(double number) { return real(dtype_ == DataType::Float ? static_cast<float>(number) : number); }
  Val* quotient(double a, double b) {
    return real(dtype_ == DataType::Float ? static_cast<float>(a) / static_cast<float>(b) : a / b);
  }
  std::string at(const Resized& resized, std::string_view ending) const {
    return concat(name_, ".axis", resized.axis, ending);
  }

  Fusion& fusion_;
  IntExprArena& ints_;
  const std::string& name_;
  TensorView* tensor_;
  bool alignCorners_;
  DataType dtype_;
};

}  // namespace

TensorView* interpolated(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), kName, " takes floats, not ", typeText(tensor));
  FUSER_USER_CHECK(tensor->rank() >= 3, kName, " of ", typeText(tensor),
                   ": samples and channels stand before what is resized");
  const size_t axes = tensor->rank() - 2;
  const std::string_view mode = attributes.wordOr(AttributeName::mode, "nearest");
  const bool isLinear = mode != "nearest";
  constexpr std::string_view kLinear[] = {"linear", "bilinear", "trilinear"};
  FUSER_USER_CHECK(!isLinear || (axes <= 3 && mode == kLinear[axes - 1]), kName, ": the mode of ", axes,
                   axes == 1 ? " axis" : " axes", " is nearest", axes <= 3 ? " or " : "",
                   axes <= 3 ? kLinear[axes - 1] : "", ", not '", mode, "'");
  const bool corners = attributes.flagOr(AttributeName::align_corners, false);
  FUSER_USER_CHECK(isLinear || !corners, kName, ": align_corners is of the linear modes");
  FUSER_USER_CHECK(attributes.has(AttributeName::size) != attributes.hasOperand(AttributeName::scale_factor), kName,
                   " takes a size or a scale_factor");
  if (attributes.has(AttributeName::size)) {
    const size_t given = attributes.integers(AttributeName::size).size();
    FUSER_USER_CHECK(given == 1 || given == axes, kName, ": ", given, " sizes for ", axes, " axes");
  }
  Composite make(fusion, name, tensor->dtype());
  Resizing resizing(fusion, tensor, corners, name);
  TensorView* result = isLinear ? make.wide(tensor) : tensor;
  for (size_t place = axes; place-- > 0;) {  // the last axis first, as LibTorch does
    const Resized resized = resizing.resized(2 + place, attributes, place, isLinear);
    const bool isWhole = isLinear || !attributes.hasOperand(AttributeName::scale_factor);
    if (resized.from == resized.to && isWhole) continue;
    result = isLinear ? resizing.linear(result, resized) : resizing.nearest(result, resized);
  }
  return result == tensor ? build::set(fusion, tensor, name) : make.rounded(result);
}

}  // namespace fuser::text
