#include "fuzz/generate/exact_draws.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "fuser/ops/op_table.h"

namespace fuser::fuzz {
namespace {

using Weights = std::array<double, std::size(kAllDataTypes)>;
constexpr Weights kUsual = {/*f64*/ 0.6, /*f32*/ 3, /*f16*/ 1,  /*bf16*/ 1,
                            /*i64*/ 1,   /*i32*/ 1, /*i8*/ 0.6, /*bool*/ 0.4,
                            /*i16*/ 0.4, /*u8*/ 0.4};
constexpr Weights kIntegers = {0, 0.3, 0, 0, 2, 2, 2, 0.5, 1, 1};
constexpr Weights kSixteenBits = {0, 0.5, 3, 3, 0.1, 0.1, 0, 0.2};
constexpr Weights kWide = {1, 4, 0.5, 0.5, 1, 1, 0.3, 0.3};

struct ExactDraw {
  std::string_view name;
  double weight = 1;
  // Lowest and highest: of expressions before what steering adds; of log2 of the main shape's elements.
  std::array<int, 2> expressions = {7, 18};
  std::array<int, 2> ranks = {1, 4};
  std::array<double, 2> bits = {2, 12};
  Weights dtypes = kUsual;
  double reductions = 2, moves = 1.5, factories = 1;  // factors of the weights of these families
  double newInput = 0.2;
  // Probabilities, as Policy has them.
  double empty = 0, permuted = 0, strided = 0, expanded = 0, channelsLast = 0;
  double outputs = 0;  // that ops read, and that are returned twice
  double oneSpecial = 0;
  double sparse = 0;  // of the case
};
#define EXACT_DRAW(itsName, itsWeight, ...) {.name = itsName, .weight = itsWeight __VA_OPT__(, ) __VA_ARGS__},
constexpr ExactDraw kDraws[] = {
#include "fuzz/generate/exact_draws.def"
};
#undef EXACT_DRAW

enum class Demand : uint8_t { NotZero, PowerOfTwo, FewBits };
struct OperandRow {
  OpKind op;
  Demand demand;
};
constexpr OperandRow kOperands[] = {
#define EXACT_OPERAND(op, demand) {OpKind::op, Demand::demand},
#include "fuzz/generate/exact_operands.def"
#undef EXACT_OPERAND
};

constexpr double kUnit = 8;  // values are multiples of 1/8, mostly

bool isPowerOfTwo(double number) {
  int exponent = 0;
  return number != 0 && std::abs(std::frexp(number, &exponent)) == 0.5;
}

bool meets(Demand demand, const Estimate& operand) {
  switch (demand) {
    case Demand::NotZero: return operand.low >= 1 / kUnit || operand.high <= -1 / kUnit;
    case Demand::PowerOfTwo: {
      const bool isPoint = operand.low == operand.high && isPowerOfTwo(operand.low);
      return isPoint || (operand.low >= 1 && operand.high <= 2) || (operand.low >= -2 && operand.high <= -1);
    }
    case Demand::FewBits: return operand.low >= 0 && operand.high <= 4;
  }
  FUSER_CHECK(false, "bad Demand");
}

double factorOf(const ExactDraw& draw, Family family) {
  switch (family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary:
    case Family::Cast:
    case Family::Bitcast:
    case Family::LoadStore:
    case Family::Size:
    case Family::Item: return 1;
    case Family::Broadcast:
    case Family::Squeeze:
    case Family::Expand:
    case Family::Permute:
    case Family::Slice:
    case Family::Pad:
    case Family::Cat:
    case Family::Reshape:
    case Family::Repeat:
    case Family::Flip:
    case Family::Select:
    case Family::Unfold:
    case Family::SliceScatter:
    case Family::Gather:
    case Family::Scatter:
    case Family::Branch:
    case Family::Update: return draw.moves;
    case Family::Factory:
    case Family::Range:
    case Family::Eye: return draw.factories;
    case Family::Scan:
    case Family::Reduction:
    case Family::ExtremeIndex:
    case Family::Welford: return draw.reductions;
  }
  FUSER_CHECK(false, "bad Family");
}

// Where the case's own subset of ops has none of them, all of its family.
void weigh(const ExactDraw& draw, Policy& policy) {
  for (const Family family : kAllFamilies) {
    const double factor = factorOf(draw, family);
    double total = 0;
    for (const OpKind op : kAllOps) {
      if (opInfo(op).family == family) total += policy.opWeights[static_cast<size_t>(op)];
    }
    for (const OpKind op : kAllOps) {
      if (opInfo(op).family != family || !policy.allowed[static_cast<size_t>(op)]) continue;
      double& weight = policy.opWeights[static_cast<size_t>(op)];
      if (total == 0 && factor > 1) weight = familyInfo(family).weight / 4;
      weight *= factor;
    }
  }
}

// NaN and infinities are to meet the ops that choose among numbers.
void favourChoosing(Policy& policy) {
  constexpr double kFavour = 3;
  for (const OpKind op : kAllOps) {
    if (opInfo(op).rule == IntervalRule::Select) policy.opWeights[static_cast<size_t>(op)] *= kFavour;
  }
}

void drawShape(Choices& choices, const GeneratorOptions& options, const ExactDraw& draw, Policy& policy) {
  MainShape shape;
  shape.rank = static_cast<size_t>(choices.integer(draw.ranks[0], draw.ranks[1]));
  const double bits = choices.real(draw.bits[0], draw.bits[1]);
  shape.elements = std::llround(std::exp2(bits));
  shape.constant = choices.chance(0.3) ? 0.5 : 0;
  shape.empty = draw.empty;
  shape.one = choices.chance(0.15) ? 0.3 : 0.02;
  GeneratorOptions roomy = options;
  roomy.maxElements = std::max(options.maxElements, 2 * shape.elements);
  roomy.maxCaseElements = std::max(options.maxCaseElements, 8 * shape.elements);
  drawAxes(choices, roomy, shape, policy);
}

}  // namespace

std::vector<std::string_view> exactDraws() {
  std::vector<std::string_view> names;
  for (const ExactDraw& draw : kDraws) names.push_back(draw.name);
  return names;
}

void drawExactly(Choices& choices, const GeneratorOptions& options, Policy& policy) {
  std::vector<double> weights;
  for (const ExactDraw& draw : kDraws) weights.push_back(draw.weight);
  const ExactDraw& draw = kDraws[choices.weighted(weights)];
  drawShape(choices, options, draw, policy);
  policy.expressions =
      std::min(static_cast<int>(choices.integer(draw.expressions[0], draw.expressions[1])), options.maxExpressions);
  policy.dtypeWeights.assign(draw.dtypes.begin(), draw.dtypes.end());
  weigh(draw, policy);
  if (draw.oneSpecial > 0) favourChoosing(policy);
  policy.steered = true;
  policy.special = 0;
  policy.newInput = draw.newInput;
  policy.permuted = draw.permuted;
  policy.strided = draw.strided;
  policy.expandedAxis = draw.expanded;
  policy.channelsLast = draw.channelsLast;
  policy.oneSpecial = draw.oneSpecial;
  policy.sparse = choices.chance(draw.sparse);
  policy.extraOutput = std::max(policy.extraOutput, draw.outputs);
  policy.repeatedOutput = std::max(policy.repeatedOutput, draw.outputs / 2);
  if (!policy.inputs) {
    for (MainAxis& axis : policy.axes) axis.sizes[1] = axis.sizes[0];  // nothing tells the runs apart
  }
}

double exactMagnitude(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return 0x1p45;
    case DataType::Float: return 0x1p20;
    case DataType::Half: return 0x1p7;
    case DataType::BFloat16: return 0x1p5;
    case DataType::Int64: return 0x1p50;
    case DataType::Int32: return 0x1p30;
    case DataType::Float8E4M3: return 0x1p3;
    case DataType::Float8E5M2: return 0x1p2;
    case DataType::Bool: return 1;
    default: return static_cast<double>(integerRange(dtype).most);
  }
}

bool isLikelyExact(OpKind op, std::span<const Estimate> operands, const Estimate& result, DataType common) {
  for (size_t i = takesCondition(op, 0) ? 1 : 0; i < operands.size(); ++i) {
    if (operands[i].magnitude() > exactMagnitude(common)) return false;
  }
  if (opInfo(op).result == Result::Same && (result.wild || result.magnitude() > exactMagnitude(common))) return false;
  const auto* row =
      std::find_if(std::begin(kOperands), std::end(kOperands), [&](const OperandRow& one) { return one.op == op; });
  return row == std::end(kOperands) || meets(row->demand, operands.back());
}

bool combinesExactly(OpKind op, const Estimate& operand, DataType dtype, int64_t terms) {
  const OpKind combine = opInfo(op).combine.value();
  const auto count = static_cast<double>(std::max<int64_t>(terms, 1));
  const bool widens = opInfo(op).promotion == Promotion::Integral64 && !isFloating(dtype);
  const double most = exactMagnitude(widens ? DataType::Int64 : dtype);
  if (combine == OpKind::Add) return operand.magnitude() * count <= most * (isFloating(dtype) ? kUnit : 1);
  if (combine == OpKind::Mul) return std::pow(std::max(operand.magnitude(), 1.0), count) <= most;
  return true;
}

bool hasExactCount(OpKind op, int64_t terms) {
  return opInfo(op).finish != Finish::DivideByCount || std::has_single_bit(static_cast<uint64_t>(terms));
}

bool isExactScalar(const ScalarValue& value) {
  if (value.dtype() != DataType::Double) return true;
  const auto number = value.as<double>();
  constexpr double kMost = 1024;
  return std::abs(number) <= kMost && number * kUnit == std::floor(number * kUnit);
}

}  // namespace fuser::fuzz
