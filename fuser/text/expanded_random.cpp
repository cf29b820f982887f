// Random numbers. Each is made of a word that depends on the place of its element, row-major, and on a key alone:
//
//   %y = rand() {shape = [i0, 4], dtype = f32}   ->   %y.line = arange() {start = 0, end = (i0 * 4), dtype = i64}
//                                                     %y.place = reshape(%y.line) {shape = [i0, 4]}
//                                                     %y.key = philox(3, 7)            offset 3, seed 7
//                                                     %y.word = philox(%y.place, %y.key)
//                                                     %y.high = bitwise_right_shift(%y.word, 40)
//                                                     %y.bits = bitwise_and(%y.high, 16777215)
//                                                     %y.number = cast(%y.bits) {dtype = f32}
//                                                     %y = mul(%y.number, 5.9604644775390625e-08)
//
// So no order of kernels, cut or dead op changes a bit of it.

#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

constexpr int kWordBits = 64;

Val* integer(Fusion& fusion, int64_t value) { return fusion.newConstant(ScalarValue(value)); }
Val* real(Fusion& fusion, double value) { return fusion.newConstant(ScalarValue(value)); }

TensorView* binary(Fusion& fusion, OpKind op, Val* a, Val* b, const std::string& name) {
  return build::binary(fusion, op, a, b, name)->as<TensorView>();
}

// 0, 1, … of a tensor of these sizes, row-major.
TensorView* places(Fusion& fusion, const std::vector<IntExpr>& shape, const std::string& name) {
  IntExprArena& ints = fusion.ints();
  IntExpr count = ints.constant(1);
  for (IntExpr size : shape) count = ints.mul(count, size);
  TensorView* line = build::arange(fusion, ints.constant(0), count, ints.constant(1), DataType::Int64, name + ".line");
  return shape.size() == 1 ? line : build::reshape(fusion, line, shape, name + ".place");
}

// A name's draws: its words, by place.
class Draw {
 public:
  Draw(Fusion& fusion, std::string_view op, const NamedAttributes& attributes, std::vector<IntExpr> shape,
       std::string name)
      : fusion_(fusion), name_(std::move(name)), shape_(std::move(shape)) {
    Val* key[] = {attributes.operand(AttributeName::offset), attributes.operand(AttributeName::seed)};
    for (const Val* each : key) {
      FUSER_USER_CHECK(each->dtype() == DataType::Int64, op, ": seed and offset are i64, not ", each->dtype());
    }
    key_ = build::binary(fusion, OpKind::Philox, key[0], key[1], name_ + ".key");
  }

  // Of `of` numbers for each place, the words of the `which`-th.
  TensorView* words(int64_t of = 1, int64_t which = 0) {
    const std::string number = of == 1 ? "" : std::to_string(which + 1);
    if (!places_) places_ = places(fusion_, shape_, name_);
    TensorView* counter = places_;
    if (of > 1) counter = binary(fusion_, OpKind::Mul, counter, integer(fusion_, of), name_ + ".from" + number);
    if (which > 0) counter = binary(fusion_, OpKind::Add, counter, integer(fusion_, which), name_ + ".counter");
    return binary(fusion_, OpKind::Philox, counter, key_, name_ + ".word" + number);
  }

  // So many bits of a word, without those below them, as an integer.
  TensorView* bitsOf(TensorView* word, int bits, int below, const std::string& ending) {
    TensorView* high = word;
    if (below > 0) {
      high = binary(fusion_, OpKind::RightShift, word, integer(fusion_, below), name_ + ".high" + ending);
    }
    const auto mask = static_cast<int64_t>((uint64_t{1} << bits) - 1);
    return binary(fusion_, OpKind::BitwiseAnd, high, integer(fusion_, mask), name_ + ".bits" + ending);
  }

  // bits * 2^-n, exact in a dtype with n bits.
  TensorView* fraction(TensorView* bits, int n, DataType dtype, const std::string& ending, const std::string& name) {
    Val* number = build::cast(fusion_, bits, dtype, name_ + ".number" + ending);
    return binary(fusion_, OpKind::Mul, number, real(fusion_, std::ldexp(1, -n)), name);
  }

  // In [0, 1): the top bits of a word, as many as the dtype has.
  TensorView* uniform(DataType dtype, const std::string& name) {
    FUSER_USER_CHECK(isFloating(dtype), "random numbers in [0, 1) are floats, not ", dtype);
    const int bits = precisionOf(dtype);
    return fraction(bitsOf(words(), bits, kWordBits - bits, ""), bits, dtype, "", name);
  }

  // Box and Muller (1958): sqrt(-2 log u) cos(2 pi v), of u in (0, 1] and v in [0, 1), which a word of f32 has both.
  TensorView* normal(DataType dtype, const std::string& name) {
    FUSER_USER_CHECK(isFloating(dtype), "normal random numbers are floats, not ", dtype);
    const DataType computed = dtype == DataType::Double ? dtype : DataType::Float;
    const int bits = precisionOf(computed);
    const int64_t count = computed == DataType::Double ? 2 : 1;
    TensorView* first = words(count, 0);
    TensorView* second = count == 1 ? first : words(count, 1);
    TensorView* low = bitsOf(first, bits, 0, "1");
    TensorView* high = bitsOf(second, bits, kWordBits - bits, "2");
    low = binary(fusion_, OpKind::Add, low, integer(fusion_, 1), name_ + ".above");
    TensorView* u = fraction(low, bits, computed, "1", name_ + ".u");
    TensorView* v = fraction(high, bits, computed, "2", name_ + ".v");
    Val* square = binary(fusion_, OpKind::Mul, build::unary(fusion_, OpKind::Log, u, name_ + ".log"), real(fusion_, -2),
                         name_ + ".square");
    Val* angle = binary(fusion_, OpKind::Mul, v, real(fusion_, 2 * std::acos(-1.0)), name_ + ".angle");
    Val* radius = build::unary(fusion_, OpKind::Sqrt, square, name_ + ".radius");
    Val* cosine = build::unary(fusion_, OpKind::Cos, angle, name_ + ".cosine");
    if (computed == dtype) return binary(fusion_, OpKind::Mul, radius, cosine, name);
    Val* wide = binary(fusion_, OpKind::Mul, radius, cosine, name_ + ".wide");
    return build::cast(fusion_, wide, dtype, name)->as<TensorView>();
  }

 private:
  Fusion& fusion_;
  std::string name_;
  std::vector<IntExpr> shape_;
  Val* key_ = nullptr;
  TensorView* places_ = nullptr;
};

// Of a literal; a scalar of a run may be any number.
void checkLiteral(std::string_view op, std::string_view what, const Val* val, double low, double high) {
  const std::optional<ScalarValue>& literal = val->as<Scalar>()->constant();
  const double number = literal ? literal->as<double>() : low;
  FUSER_USER_CHECK(number >= low && number <= high, op, ": ", what, " = ", *literal, " is outside [", low, ", ", high,
                   "]");
}

// shift + number * scale.
TensorView* scaled(Fusion& fusion, TensorView* number, Val* shift, Val* scale, const std::string& name) {
  Val* moved = build::binary(fusion, OpKind::Mul, number, scale, name + ".scaled");
  return build::binary(fusion, OpKind::Add, moved, shift, name)->as<TensorView>();
}

}  // namespace

TensorView* rand(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes, const std::string& name) {
  Draw draw(fusion, "rand", attributes, attributes.integers(AttributeName::shape), name);
  return draw.uniform(attributes.dtypeOr(AttributeName::dtype, DataType::Float), name);
}

TensorView* randn(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes,
                  const std::string& name) {
  Draw draw(fusion, "randn", attributes, attributes.integers(AttributeName::shape), name);
  return draw.normal(attributes.dtypeOr(AttributeName::dtype, DataType::Float), name);
}

TensorView* randLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  auto* like = operands[0]->as<TensorView>();
  Draw draw(fusion, "rand_like", attributes, sizesOf(like), name);
  return draw.uniform(attributes.dtypeOr(AttributeName::dtype, like->dtype()), name);
}

TensorView* randnLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  auto* like = operands[0]->as<TensorView>();
  Draw draw(fusion, "randn_like", attributes, sizesOf(like), name);
  return draw.normal(attributes.dtypeOr(AttributeName::dtype, like->dtype()), name);
}

// From low to high, which a rounded sum may reach.
TensorView* uniform(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes,
                    const std::string& name) {
  Draw draw(fusion, "uniform", attributes, attributes.integers(AttributeName::shape), name);
  TensorView* number = draw.uniform(attributes.dtypeOr(AttributeName::dtype, DataType::Float), name + ".unit");
  Val *low = attributes.operand(AttributeName::low), *high = attributes.operand(AttributeName::high);
  const std::optional<ScalarValue>&from = low->as<Scalar>()->constant(), &to = high->as<Scalar>()->constant();
  FUSER_USER_CHECK(!from || !to || !(from->as<double>() > to->as<double>()), "uniform: low = ", *from,
                   " is above high = ", *to);
  Val* span = build::binary(fusion, OpKind::Sub, high, low, name + ".span");
  return scaled(fusion, number, low, span, name);
}

TensorView* normal(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes,
                   const std::string& name) {
  Draw draw(fusion, "normal", attributes, attributes.integers(AttributeName::shape), name);
  TensorView* number = draw.normal(attributes.dtypeOr(AttributeName::dtype, DataType::Float), name + ".unit");
  checkLiteral("normal", "std", attributes.operand(AttributeName::std), 0, HUGE_VAL);
  return scaled(fusion, number, attributes.operand(AttributeName::mean), attributes.operand(AttributeName::std), name);
}

// 1 with a probability, which each element of the operand is, or that of the attribute `p` for all; else 0.
TensorView* bernoulli(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  Draw draw(fusion, "bernoulli", attributes, sizesOf(tensor), name);
  const bool each = !attributes.hasOperand(AttributeName::p);
  FUSER_USER_CHECK(!each || isFloating(tensor->dtype()), "bernoulli of ", typeText(tensor),
                   ": probabilities are floats; of other tensors p is given in braces");
  Val* p = each ? tensor : attributes.operand(AttributeName::p);
  if (!each) checkLiteral("bernoulli", "p", p, 0, 1);
  const DataType drawn = each && tensor->dtype() == DataType::Double ? DataType::Double : DataType::Float;
  Val* less = build::binary(fusion, OpKind::Lt, draw.uniform(drawn, name + ".drawn"), p, name + ".less");
  return build::cast(fusion, less, tensor->dtype(), name)->as<TensorView>();
}

// torch.nn.functional.dropout: 0 with probability p, else times 1 / (1 - p).
TensorView* dropout(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "dropout of ", typeText(tensor), ": it takes floats");
  if (!attributes.flagOr(AttributeName::training, true)) return build::set(fusion, tensor, name);
  Draw draw(fusion, "dropout", attributes, sizesOf(tensor), name);
  Val* p = attributes.operand(AttributeName::p);
  checkLiteral("dropout", "p", p, 0, 1);
  Val* one = real(fusion, 1);
  Val* kept = build::binary(fusion, OpKind::Ge, draw.uniform(DataType::Float, name + ".drawn"), p, name + ".kept");
  Val* rest = build::binary(fusion, OpKind::Sub, one, p, name + ".rest");
  Val* none = build::binary(fusion, OpKind::Eq, rest, real(fusion, 0), name + ".none");
  Val* inverse = build::binary(fusion, OpKind::Div, one, rest, name + ".inverse");
  Val* scale = build::where(fusion, none, real(fusion, 0), inverse, name + ".scale");
  Val* noise = build::cast(fusion, kept, tensor->dtype(), name + ".noise");
  Val* factor = build::binary(fusion, OpKind::Mul, noise, scale, name + ".factor");
  return build::binary(fusion, OpKind::Mul, tensor, factor, name)->as<TensorView>();
}

// Of literals: numbers of the dtype, in order, and not too far apart for the words.
void checkBounds(const Val* low, const Val* high, DataType dtype) {
  const std::optional<ScalarValue>&from = low->as<Scalar>()->constant(), &to = high->as<Scalar>()->constant();
  const bool isWhole = !isFloating(dtype);
  const double end = isWhole ? static_cast<double>(integerRange(dtype).most) + 1 : 0;
  const double least = isWhole ? static_cast<double>(integerRange(dtype).least) : 0;
  const auto fits = [&](const std::optional<ScalarValue>& bound, double above) {
    return !bound || !isWhole || (bound->as<double>() >= least && bound->as<double>() <= above);
  };
  FUSER_USER_CHECK(fits(from, end - 1) && fits(to, end), "randint: numbers from ", from ? from->toString() : "low",
                   " up to ", to ? to->toString() : "high", " are not all of ", dtype);
  if (!from || !to) return;
  int64_t span = 0;
  const bool overflows = __builtin_sub_overflow(to->as<int64_t>(), from->as<int64_t>(), &span);
  FUSER_USER_CHECK(!overflows && span > 0, "randint: there are no numbers, or more than 2^63, from ", *from,
                   " up to, but not, ", *to);
}

// In [low, high): 63 bits of a word modulo their difference.
TensorView* randint(Fusion& fusion, const std::vector<Val*>&, const NamedAttributes& attributes,
                    const std::string& name) {
  Draw draw(fusion, "randint", attributes, attributes.integers(AttributeName::shape), name);
  const DataType dtype = attributes.dtypeOr(AttributeName::dtype, DataType::Int64);
  Val* low = attributes.hasOperand(AttributeName::low) ? attributes.operand(AttributeName::low) : integer(fusion, 0);
  Val* high = attributes.operand(AttributeName::high);
  for (const Val* bound : {low, high}) {
    FUSER_USER_CHECK(bound->dtype() == DataType::Int64, "randint: low and high are i64, not ", bound->dtype());
  }
  checkBounds(low, high, dtype);
  Val* span = build::binary(fusion, OpKind::Sub, high, low, name + ".span");
  TensorView* bits = draw.bitsOf(draw.words(), kWordBits - 1, 1, "");
  Val* rest = build::binary(fusion, OpKind::Remainder, bits, span, name + ".rest");
  Val* sum = build::binary(fusion, OpKind::Add, rest, low, dtype == DataType::Int64 ? name : name + ".whole");
  return dtype == DataType::Int64 ? sum->as<TensorView>() : build::cast(fusion, sum, dtype, name)->as<TensorView>();
}

}  // namespace fuser::text
