// Random numbers: names that the text makes of other ops (fuser/text/expanded_random.cpp).

#include <algorithm>

#include "fuser/text/expansions.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

struct RandomName {
  const char* name;
  bool hasShape;  // else it takes a tensor
  Estimate estimate;
};
// A normal one of 24 bits is at most sqrt(2 log 2^24), one of 53 bits sqrt(2 log 2^53).
constexpr RandomName kNames[] = {
    {"rand", true, {0, 1, true, false}},       {"randn", true, {-8.6, 8.6, true, false}},
    {"rand_like", false, {0, 1, true, false}}, {"randn_like", false, {-8.6, 8.6, true, false}},
    {"randint", true, {-3, 100, true, false}}, {"bernoulli", false, {0, 1, true, false}},
    {"uniform", true, {-1, 3, true, false}},   {"normal", true, {-17, 18.5, true, false}},
    {"dropout", false, {0, 0, false, false}},
};

bool areAllowed(const Policy& policy) {
  constexpr OpKind kParts[] = {OpKind::Philox, OpKind::Arange, OpKind::Reshape, OpKind::RightShift, OpKind::BitwiseAnd,
                               OpKind::Cast,   OpKind::Mul,    OpKind::Add,     OpKind::Log,        OpKind::Sqrt,
                               OpKind::Cos,    OpKind::Lt,     OpKind::Ge,      OpKind::Sub,        OpKind::Remainder};
  return std::all_of(std::begin(kParts), std::end(kParts), [&](OpKind op) { return policy.opAllowed(op); });
}

void set(text::NamedAttributes& attributes, Workspace& work, AttributeName name, ScalarValue value) {
  attributes.setOperand(name, work.fusion->newConstant(value));
}

DataType drawFloat(Workspace& work) {
  constexpr DataType kFloats[] = {DataType::Float, DataType::Float, DataType::Half, DataType::BFloat16,
                                  DataType::Double};
  return work.choices.pick(kFloats);
}

}  // namespace

bool drawRandom(Workspace& work) {
  if (!areAllowed(work.policy)) return false;
  Choices& choices = work.choices;
  const RandomName& drawn = choices.pick(kNames);
  const std::string_view name = drawn.name;
  text::NamedAttributes attributes;
  std::vector<Val*> operands;
  Estimate estimate = drawn.estimate;
  if (drawn.hasShape) {
    std::vector<IntExpr> shape;
    const std::vector<AxisPlan> plan = drawShape(work);
    if (!work.affordable(sizesOf(plan))) return false;
    for (const AxisPlan& axis : plan) shape.push_back(drawExtent(work, axis.sizes));
    attributes.set(AttributeName::shape, Attributes().shape(std::move(shape)));
  } else {
    const int64_t found = drawTensor(
        work, [&](const TensorValue& value) { return isFloating(value.tensor->dtype()) || name == "bernoulli"; });
    if (found < 0) return false;
    const TensorValue& like = work.tensors[static_cast<size_t>(found)];
    operands.push_back(like.tensor);
    if (name == "dropout") {
      estimate = hull(like.estimate, {0, 0, false, false});
      estimate = {2 * estimate.low, 2 * estimate.high, false, like.estimate.wild};
    }
  }
  constexpr double kShares[] = {0.5, 0.25, 0.0, 0.125, 1.0};
  if (name == "rand" || name == "randn" || name == "uniform" || name == "normal") {
    attributes.set(AttributeName::dtype, Attributes().dtype(drawFloat(work)));
    set(attributes, work, AttributeName::low, ScalarValue(-1.0));
    set(attributes, work, AttributeName::high, ScalarValue(3.0));
    set(attributes, work, AttributeName::mean, ScalarValue(0.5));
    set(attributes, work, AttributeName::std, ScalarValue(2.0));
  } else if (name == "randint") {
    set(attributes, work, AttributeName::low, ScalarValue(int64_t{-3}));
    set(attributes, work, AttributeName::high, ScalarValue(choices.integer(-2, 100)));
  } else if (name == "bernoulli" || name == "dropout") {
    set(attributes, work, AttributeName::p, ScalarValue(choices.pick(kShares)));
  }
  set(attributes, work, AttributeName::seed, ScalarValue(choices.chance(0.8) ? 0 : choices.integer(-9, 9)));
  set(attributes, work, AttributeName::offset, ScalarValue(work.randomOps++));
  work.composed.emplace_back(name);
  work.keep(text::findExpansion(name)->build(*work.fusion, operands, attributes, work.freshName()), estimate);
  return true;
}

}  // namespace fuser::fuzz
