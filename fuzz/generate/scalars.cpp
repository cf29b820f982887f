// Scalars: literals, inputs, sizes, chains of them, and extents that name them. Their values are known in every run.

#include <algorithm>
#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/ops/op_eval.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

constexpr DataType kScalarTypes[] = {DataType::Double, DataType::Int64, DataType::Bool};

constexpr OpKind kDivisions[] = {OpKind::TruncDiv, OpKind::FloorDiv, OpKind::Fmod, OpKind::Remainder};

ScalarEntry literal(Workspace& work, ScalarValue value) { return {work.fusion->newConstant(value), {value, value}}; }

// The result in each run, or nothing where the op is undefined or leaves the sane range.
std::optional<std::array<ScalarValue, kRuns>> evaluateRuns(OpKind op, const std::vector<ScalarEntry>& operands) {
  std::array<ScalarValue, kRuns> results;
  for (size_t run = 0; run < kRuns; ++run) {
    std::vector<ScalarValue> values;
    std::vector<DataType> dtypes;
    for (const ScalarEntry& operand : operands) {
      values.push_back(operand.values[run]);
      dtypes.push_back(operand.values[run].dtype());
    }
    const DataType common = scalarCommonType(op, dtypes);
    if (!acceptsDtype(op, common)) return std::nullopt;
    // A named scalar that takes no part in promotion is a float beside an integer only as a literal.
    const bool named = opInfo(op).promotion == Promotion::Operand && !isFloating(common);
    if (named && std::count(dtypes.begin(), dtypes.end(), DataType::Double) > 0) return std::nullopt;
    std::vector<Estimate> points;
    for (const ScalarValue& value : values) points.push_back(pointEstimate(value.castTo(common)));
    if (!isDefined(op, points, common)) return std::nullopt;
    results[run] = evaluateScalar(op, values);
    const double magnitude = std::abs(results[run].as<double>());
    if (!(magnitude <= 1e12)) return std::nullopt;
  }
  return results;
}

// A scalar of any kind but a literal.
std::optional<ScalarEntry> existing(Workspace& work, DataType dtype) {
  std::vector<size_t> suited;
  for (size_t i = 0; i < work.scalars.size(); ++i) {
    if (work.scalars[i].scalar->dtype() == dtype) suited.push_back(i);
  }
  if (suited.empty()) return std::nullopt;
  return work.scalars[work.choices.pick(suited)];
}

// A scalar that is computed on the host to these sizes: what exists, moved by a number or scaled by one.
Val* derivedScalar(Workspace& work, const Sizes& sizes) {
  const auto from = existing(work, DataType::Int64);
  if (!from) return nullptr;
  const Sizes values{from->values[0].as<int64_t>(), from->values[1].as<int64_t>()};
  const auto make = [&](OpKind op, int64_t number) -> Val* {
    if (!work.policy.opAllowed(op)) return nullptr;
    Val* val = build::binary(*work.fusion, op, from->scalar, work.fusion->newConstant(number), work.freshName());
    work.keepScalar(val, {sizes[0], sizes[1]});
    return val;
  };
  constexpr int64_t kFar = 1 << 20;
  const int64_t distance = sizes[0] - values[0];
  if (std::abs(distance) < kFar && sizes[1] - values[1] == distance) {
    return distance < 0 && work.choices.chance(0.5) ? make(OpKind::Sub, -distance) : make(OpKind::Add, distance);
  }
  for (int64_t factor : {2, 3, 4}) {
    if (values[0] * factor == sizes[0] && values[1] * factor == sizes[1]) return make(OpKind::Mul, factor);
    const bool quotient =
        values[0] >= 0 && values[1] >= 0 && values[0] / factor == sizes[0] && values[1] / factor == sizes[1];
    if (quotient) return make(OpKind::FloorDiv, factor);
  }
  return nullptr;
}

}  // namespace

ScalarEntry drawScalar(Workspace& work, DataType dtype) {
  Choices& choices = work.choices;
  const DataType scalarType = kScalarTypes[isFloating(dtype) ? 0 : dtype == DataType::Bool ? 2 : 1];
  constexpr double kKinds[] = {/*literal*/ 0.4, /*existing*/ 0.46, /*new input*/ 0.11, /*item*/ 0.03};
  const size_t kind = choices.weighted(kKinds);
  if (kind == 1) {
    if (const auto found = existing(work, scalarType)) return *found;
  }
  if (kind == 2 && work.policy.inputs) return newScalarInput(work, scalarType);
  if (kind == 3 && work.policy.inputs && work.policy.opAllowed(OpKind::Item)) return newHostElement(work, scalarType);
  return literal(work, work.drawLiteral(scalarType));
}

void applyScalarOp(Workspace& work) {
  Choices& choices = work.choices;
  std::vector<OpKind> suited;
  for (OpKind op : kAllOps) {
    const bool cast = op == OpKind::Cast;
    if ((isPointwise(op) || cast) && work.policy.opWeights[static_cast<size_t>(op)] > 0) suited.push_back(op);
  }
  if (suited.empty()) return;
  OpKind op = choices.pick(suited);
  // What host and device may do differently: rounding of quotients, signs of remainders.
  if (choices.chance(0.25)) {
    const OpKind division = choices.pick(kDivisions);
    if (work.policy.opAllowed(division)) op = division;
  }
  if (op == OpKind::Cast) {
    const ScalarEntry operand = drawScalar(work, choices.pick(kScalarTypes));
    const DataType dtype = choices.pick(kScalarTypes);
    std::array<ScalarValue, kRuns> values;
    for (size_t run = 0; run < kRuns; ++run) values[run] = operand.values[run].castTo(dtype);
    work.keepScalar(build::cast(*work.fusion, operand.scalar, dtype, work.freshName()), values);
    return;
  }
  std::vector<ScalarEntry> operands;
  const DataType dtype = choices.chance(0.5) ? DataType::Int64 : DataType::Double;
  for (size_t i = 0; i < operandCount(op); ++i) {
    const bool condition = takesCondition(op, i);
    operands.push_back(drawScalar(work, condition ? DataType::Bool : dtype));
  }
  const auto values = evaluateRuns(op, operands);
  if (!values) return;
  if (work.options.exactData && !std::all_of(values->begin(), values->end(), isExactScalar)) return;
  std::vector<Val*> vals;
  for (const ScalarEntry& operand : operands) vals.push_back(operand.scalar);
  work.keepScalar(build::pointwise(*work.fusion, op, vals, work.freshName()), *values);
}

IntExpr drawExtent(Workspace& work, const Sizes& sizes) {
  Choices& choices = work.choices;
  if (choices.chance(work.policy.scalarExtent)) {
    std::vector<Val*> suited;
    for (const ScalarEntry& entry : work.scalars) {
      if (entry.scalar->dtype() != DataType::Int64) continue;
      const Sizes values{entry.values[0].as<int64_t>(), entry.values[1].as<int64_t>()};
      if (values == sizes) suited.push_back(entry.scalar);
    }
    if (choices.chance(0.4)) {
      if (Val* derived = derivedScalar(work, sizes)) return work.fusion->scalarSymbol(derived);
    }
    if (!suited.empty()) return work.fusion->scalarSymbol(choices.pick(suited));
    if (work.policy.inputs && work.policy.opAllowed(OpKind::Item) && choices.chance(0.15)) {
      return work.fusion->scalarSymbol(newHostElement(work, DataType::Int64, {sizes[0], sizes[1]}).scalar);
    }
    if (work.policy.inputs && choices.chance(0.5)) {
      Scalar* scalar = work.fusion->newScalar(DataType::Int64, work.freshName());
      work.fusion->addInput(scalar);
      work.inputs.push_back({scalar, {}, {sizes[0], sizes[1]}});
      work.keepScalar(scalar, {sizes[0], sizes[1]});
      return work.fusion->scalarSymbol(scalar);
    }
  }
  std::vector<IntExpr> known = work.extentsOf(sizes, true);
  if (known.empty() && sizes == Sizes{1, 1}) return work.fusion->ints().constant(1);
  if (!known.empty()) return choices.pick(known);
  if (!work.policy.inputs) return work.fusion->ints().constant(sizes[0]);
  // Nothing binds these sizes yet: a scalar input does.
  Scalar* scalar = work.fusion->newScalar(DataType::Int64, work.freshName());
  work.fusion->addInput(scalar);
  work.inputs.push_back({scalar, {}, {sizes[0], sizes[1]}});
  work.keepScalar(scalar, {sizes[0], sizes[1]});
  return work.fusion->scalarSymbol(scalar);
}

}  // namespace fuser::fuzz
