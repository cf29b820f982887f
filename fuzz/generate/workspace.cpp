// What a case under construction knows of its values and extents.

#include "fuzz/generate/workspace.h"

#include <algorithm>
#include <cmath>

namespace fuser::fuzz {
namespace {

// Of the same sign, from 1/8 to 8; 0 stays.
double nearPowerOfTwo(double number) {
  if (number == 0) return number;
  const double exponent = std::clamp(std::round(std::log2(std::abs(number))), -3.0, 3.0);
  return std::copysign(std::exp2(exponent), number);
}

}  // namespace

int64_t Workspace::sizeOf(IntExpr size, size_t run) const {
  return evaluate(size, [&](IntExpr symbol) -> int64_t {
    if (const Val* scalar = fusion->scalarOf(symbol)) {
      for (const ScalarEntry& entry : scalars) {
        if (entry.scalar == scalar) return entry.values[run].as<int64_t>();
      }
      FUSER_CHECK(false, "%", scalar->name(), " has no known value");
    }
    for (const KnownExtent& known : extents_) {
      if (known.expr == symbol) return known.sizes[run];
    }
    FUSER_CHECK(false, "an extent has no known size");
  });
}

size_t Workspace::keep(Val* val, const Estimate& estimate) {
  TensorValue value{val->as<TensorView>(), estimate, {}};
  for (const IterDomain* axis : value.tensor->axes()) {
    for (size_t run = 0; run < kRuns; ++run) value.sizes[run].push_back(sizeOf(axis->size(), run));
  }
  for (size_t run = 0; run < kRuns; ++run) elements_[run] += numel(value.sizes[run]);
  tensors.push_back(std::move(value));
  return tensors.size() - 1;
}

ScalarEntry Workspace::keepScalar(Val* scalar, std::array<ScalarValue, kRuns> values) {
  scalars.push_back({scalar, values});
  return scalars.back();
}

bool Workspace::affordable(const std::array<Dims, kRuns>& sizes) const {
  for (const Dims& run : sizes) {
    double elements = 1, others = 1;  // others: of an empty tensor, whose strides are products, too
    for (int64_t size : run) {
      elements *= static_cast<double>(size);
      others *= static_cast<double>(std::max<int64_t>(size, 1));
    }
    if (others > static_cast<double>(kMaxElements)) return false;
    if (elements > static_cast<double>(std::min(policy.tensorCap, elementsLeft()))) return false;
  }
  return true;
}

std::vector<IntExpr> Workspace::extentsOf(const Sizes& sizes, bool numbers) const {
  std::vector<IntExpr> found;
  for (const KnownExtent& known : extents_) {
    if (known.sizes == sizes) found.push_back(known.expr);
  }
  if (numbers && sizes[0] == sizes[1] && sizes[0] != 1) found.push_back(fusion->ints().constant(sizes[0]));
  return found;
}

IntExpr Workspace::inputExtent(const Sizes& sizes) {
  const bool number = std::any_of(policy.axes.begin(), policy.axes.end(),
                                  [&](const MainAxis& axis) { return axis.constant && axis.sizes == sizes; });
  if (number && sizes[0] != 1 && choices.chance(0.8)) return fusion->ints().constant(sizes[0]);
  const std::vector<IntExpr> known = extentsOf(sizes, false);
  if (!known.empty() && !choices.chance(policy.manySymbols)) return choices.pick(known);
  const IntExpr symbol = fusion->extentSymbol("i" + std::to_string(nextSymbol_++));
  extents_.push_back({symbol, sizes});
  return symbol;
}

bool Workspace::isReadable(const TensorValue& value) const {
  const DataType dtype = value.tensor->dtype();
  return storedOnly ? dtype == *storedOnly : !isStored(dtype);
}

DataType Workspace::drawDtype() {
  return storedOnly ? *storedOnly : kAllDataTypes[choices.weighted(policy.dtypeWeights)];
}

DataType Workspace::drawDtypeFor(OpKind op) {
  if (storedOnly) return *storedOnly;
  std::vector<double> weights = policy.dtypeWeights;
  double total = 0;
  for (DataType dtype : kAllDataTypes) {
    double& weight = weights[static_cast<size_t>(dtype)];
    if (!acceptsDtype(op, dtype)) weight = 0;
    total += weight;
  }
  if (total == 0) weights[static_cast<size_t>(DataType::Float)] = 1;
  return kAllDataTypes[choices.weighted(weights)];
}

double Workspace::literalNear(double number) const { return options.exactData ? nearPowerOfTwo(number) : number; }

ScalarValue Workspace::drawLiteral(DataType dtype) {
  constexpr double kFloats[] = {1.0,  0.5,  2.0,   -1.0, 0.125, 3.0,  0.1,
                                -0.7, 1e-5, 1.702, 0.0,  -0.0,  10.0, 3.1415926535897931};
  constexpr int64_t kInts[] = {1, 2, 3, 0, -1, 5, 7, -3, 16, 100};
  // What compilers fold away.
  const bool isPlain = choices.chance(0.15);
  if (isPlain && category(dtype) != Category::Bool) {
    const bool one = choices.chance(0.5);
    return isFloating(dtype) ? ScalarValue(one ? 1.0 : 0.0) : ScalarValue(int64_t{one});
  }
  switch (category(dtype)) {
    case Category::Float: {
      const double number = choices.chance(0.3) ? choices.real(-4, 4) : choices.pick(kFloats);
      return literalNear(number);
    }
    case Category::Int: {
      const int64_t number = choices.pick(kInts);
      return isUnsigned(dtype) ? std::abs(number) : number;
    }
    case Category::Bool: return choices.chance(0.5);
  }
  FUSER_CHECK(false, "bad Category");
}

IntExpr scalarBetween(Workspace& work, int64_t low, int64_t high) {
  std::vector<Val*> suited;
  for (const ScalarEntry& entry : work.scalars) {
    if (entry.scalar->dtype() != DataType::Int64) continue;
    const bool fits = std::all_of(entry.values.begin(), entry.values.end(), [&](const ScalarValue& value) {
      return value.as<int64_t>() >= low && value.as<int64_t>() <= high;
    });
    if (fits) suited.push_back(entry.scalar);
  }
  return suited.empty() ? nullptr : work.fusion->scalarSymbol(work.choices.pick(suited));
}

}  // namespace fuser::fuzz
