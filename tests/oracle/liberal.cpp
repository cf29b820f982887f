#include "tests/oracle/liberal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "fuser/ir/tensor_view.h"
#include "oracle/rounding.h"

namespace oracle_test {

using fuser::DataType;
using fuser::Dims;
using fuser::Expr;
using fuser::Family;
using fuser::HostValue;
using fuser::OpKind;
using fuser::Val;
using oracle::Profile;

namespace {

using Random = std::mt19937_64;

bool isNarrow(DataType dtype) { return fuser::isFloating(dtype) && fuser::computeType(dtype) != dtype; }

// Floating values are kept in the dtype that computes, so that 16 bits may have more of them.
class Liberal {
 public:
  Liberal(const Profile& profile, Random& random) : profile_(profile), random_(random) {}

  std::vector<DenseArray> run(const fuser::Fusion& fusion, std::span<const HostValue> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Val* input = fusion.inputs()[i];
      values_[input] = toDense(inputs[i]).cast(fuser::computeType(input->dtype()));
      if (input->isScalar()) continue;
      const std::vector<fuser::IterDomain*> axes = input->as<fuser::TensorView>()->axes();
      for (size_t axis = 0; axis < axes.size(); ++axis) extents_[axes[axis]->size()] = values_[input].sizes[axis];
    }
    for (const Expr* expr : fusion.exprs()) values_[expr->output()] = compute(*expr);
    std::vector<DenseArray> outputs;
    for (const Val* output : fusion.outputs()) outputs.push_back(valueOf(output).cast(output->dtype()));
    return outputs;
  }

 private:
  bool chance(double p = 0.5) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }

  DenseArray valueOf(const Val* val) const {
    if (val->isScalar() && val->as<fuser::Scalar>()->isConstant())
      return toDense(*val->as<fuser::Scalar>()->constant());
    return values_.at(val);
  }

  DenseArray compute(const Expr& expr) {
    const std::vector<Val*>& operands = expr.inputs();
    const std::vector<int64_t>& dims = expr.attributes().allAxes();
    if (expr.family() == Family::LoadStore) return valueOf(operands[0]);
    if (expr.family() == Family::Cast)
      return converted(valueOf(operands[0]), operands[0]->dtype(), expr.output()->dtype());
    if (expr.family() == Family::Broadcast) {
      const DenseArray x = valueOf(operands[0]);
      Dims sizes = x.sizes;
      for (int64_t dim : dims) sizes.insert(static_cast<size_t>(dim), 1);
      return x.reshaped(sizes);
    }
    if (expr.family() == Family::Expand) {
      const DenseArray x = valueOf(operands[0]);
      Dims shape;
      for (fuser::IntExpr extent : expr.attributes().allIntegers())
        shape.push_back(fuser::evaluate(extent, [&](fuser::IntExpr symbol) { return extents_.at(symbol); }));
      for (size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = shape[axis] == -1 ? x.sizes[axis] : shape[axis];
      return x.expanded(shape);
    }
    if (expr.family() == Family::Reduction) return reduction(expr);
    if (expr.family() == Family::Scatter) return scattered(expr);
    return pointwise(expr);
  }

  template <class F>
  DenseArray each(const DenseArray& x, const F& f) {
    DenseArray result = x.copy();
    for (size_t i = 0; i < result.count(); ++i) {
      if (result.dtype == DataType::Float) result.as<float>()[i] = static_cast<float>(f(x.as<float>()[i]));
      if (result.dtype == DataType::Double) result.as<double>()[i] = f(x.as<double>()[i]);
    }
    return result;
  }

  double flush(double number, DataType compute) {
    const bool isDenormal = std::fabs(number) < std::ldexp(1.0, oracle::format(compute).minExponent);
    if (profile_.flushToZero && isDenormal && chance()) return chance() ? 0.0 : -0.0;
    return number == 0 && chance(0.2) ? -number : number;
  }
  DenseArray flushed(const DenseArray& x) {
    if (!fuser::isFloating(x.dtype)) return x;
    return each(x, [&](double number) { return flush(number, x.dtype); });
  }
  static double rounded(double number, DataType dtype) {
    const double result = oracle::roundOnce(number, dtype);
    return std::isinf(result) && !oracle::format(dtype).hasInfinities ? std::nan("") : result;
  }
  // Of the compute dtype: rounded to fewer bits, or not.
  double narrowed(double number, DataType dtype) {
    if (!isNarrow(dtype) || (profile_.excessPrecision && chance())) return number;
    return rounded(number, dtype);
  }
  DenseArray settled(const DenseArray& x, DataType dtype) {
    if (!fuser::isFloating(x.dtype)) return x;
    return each(x, [&](double number) { return narrowed(flush(number, x.dtype), dtype); });
  }

  DenseArray converted(const DenseArray& x, DataType from, DataType to) {
    const DenseArray operand = flushed(x);
    if (!isNarrow(to) || !fuser::isFloating(from)) {
      const DenseArray result = operand.cast(to).cast(fuser::computeType(to));
      return settled(result, to);
    }
    if (profile_.excessPrecision && chance()) return operand.cast(DataType::Float);
    const bool atOnce = chance();
    const DenseArray wide = operand.cast(DataType::Double);
    return each(
               wide,
               [&](double number) { return rounded(atOnce ? number : oracle::roundOnce(number, DataType::Float), to); })
        .cast(DataType::Float);
  }

  std::vector<DenseArray> prepared(const Expr& expr, DataType common) {
    std::vector<DenseArray> x;
    for (const Val* operand : expr.inputs()) x.push_back(valueOf(operand));
    const Dims sizes = commonSizes(x);
    for (size_t i = 0; i < x.size(); ++i) {
      if (expr.input(i)->isScalar()) {
        if (isNarrow(common) && chance()) x[i] = x[i].cast(common);
        x[i] = x[i].reshaped(Dims(sizes.size(), 1));
      }
      const bool condition = fuser::takesCondition(expr.op(), i);
      x[i] = flushed(x[i].cast(condition ? DataType::Bool : fuser::computeType(common)).expanded(sizes));
    }
    return x;
  }

  static DataType commonOf(const Expr& expr) {
    if (expr.info().result == fuser::Result::Same) return expr.output()->dtype();
    for (const Val* operand : expr.inputs()) {
      if (operand->isTensor()) return operand->dtype();
    }
    DataType common = expr.input(0)->dtype();
    for (const Val* operand : expr.inputs()) common = fuser::promoteTypes(common, operand->dtype());
    return common;
  }

  DenseArray pointwise(const Expr& expr) {
    const OpKind op = expr.op();
    const DataType common = commonOf(expr), compute = fuser::computeType(common);
    const std::vector<DenseArray> x = prepared(expr, common);
    const bool toBool = expr.info().result == fuser::Result::Bool;
    DenseArray result(toBool ? DataType::Bool : compute, x[0].sizes);
    const auto pointer = [&](size_t i) { return i < x.size() ? x[i].data() : nullptr; };
    fuser::laneFunction(op, compute)(pointer(0), pointer(1), pointer(2), result.data(), result.count());
    if (toBool) return result;
    if (compute == DataType::Float) take<float>(expr, common, x, result);
    if (compute == DataType::Double) take<double>(expr, common, x, result);
    if (compute == DataType::Int32 && profile_.anyOverflow) overflow(op, x, result);
    return settled(result, common);
  }

  template <class T>
  void take(const Expr& expr, DataType common, const std::vector<DenseArray>& x, DenseArray& result) {
    const OpKind op = expr.op();
    T* out = result.as<T>();
    const auto at = [&](size_t k, size_t i) { return x[k].as<T>()[i]; };
    const bool contracts = profile_.contraction && (!isNarrow(common) || profile_.excessPrecision);
    if (op == OpKind::Mul && contracts) factors_[expr.output()] = x;
    for (size_t i = 0; i < result.count(); ++i) {
      if (op == OpKind::Div && profile_.reciprocals && chance()) out[i] = at(0, i) * (T{1} / at(1, i));
      const bool isExtreme = op == OpKind::Maximum || op == OpKind::Minimum;
      if (isExtreme && profile_.numberBesideNan && std::isnan(out[i]) && chance())
        out[i] = std::isnan(at(0, i)) ? at(1, i) : at(0, i);
      if (const oracle::FunctionError* row = oracle::errorOf(profile_, op, common))
        out[i] = static_cast<T>(errant(*row, static_cast<double>(at(0, i))));
    }
    if (op != OpKind::Add && op != OpKind::Sub) return;
    for (size_t side : {0, 1}) {
      const auto product = factors_.find(expr.input(side));
      // A product of scalars is one of f64, whatever the sum is.
      if (product == factors_.end() || product->second[0].dtype != x[0].dtype || !chance()) continue;
      const DenseArray a = product->second[0].expanded(x[0].sizes), b = product->second[1].expanded(x[0].sizes);
      const bool subtracts = op == OpKind::Sub;
      for (size_t i = 0; i < result.count(); ++i) {
        const T first = subtracts && side == 1 ? -a.as<T>()[i] : a.as<T>()[i];
        const T other = subtracts && side == 0 ? -at(1, i) : at(1 - side, i);
        out[i] = std::fma(first, b.as<T>()[i], other);
      }
      return;
    }
  }

  // Of Exp and Tanh: within the row's ulps of the true value.
  double errant(const oracle::FunctionError& row, double x) {
    const double value = row.op == OpKind::Exp ? std::exp(x) : std::tanh(x);
    if (!std::isfinite(value) || std::fabs(x) > row.most) return value;
    const double off = std::uniform_real_distribution<double>(-0.49 * row.ulps, 0.49 * row.ulps)(random_);
    return oracle::roundOnce(value + off * oracle::ulp(value, row.dtype), fuser::computeType(row.dtype));
  }

  void overflow(OpKind op, const std::vector<DenseArray>& x, DenseArray& result) {
    if (op != OpKind::Add && op != OpKind::Sub && op != OpKind::Mul) return;
    for (size_t i = 0; i < result.count(); ++i) {
      const int64_t a = x[0].as<fuser::int32>()[i], b = x[1].as<fuser::int32>()[i];
      const int64_t wide = op == OpKind::Add ? a + b : op == OpKind::Sub ? a - b : a * b;
      if (wide != static_cast<fuser::int32>(wide)) result.as<fuser::int32>()[i] = static_cast<fuser::int32>(random_());
    }
  }

  // In a random order, two by two; in 16 bits each partial result is rounded to them, or not.
  DenseArray reduction(const Expr& expr) {
    const DataType dtype = expr.output()->dtype(), compute = fuser::computeType(dtype);
    if (!fuser::isFloating(dtype)) return reducedIntegers(expr).cast(dtype);
    const DenseArray rows = flushed(valueOf(expr.input(0)).cast(compute)).reducedLast(expr.attributes().dims());
    Dims kept = rows.sizes;
    const auto count = static_cast<size_t>(kept.back());
    kept.erase(kept.size() - 1);
    DenseArray result(compute, kept);
    for (size_t i = 0; i < result.count(); ++i) {
      if (compute == DataType::Float) result.as<float>()[i] = reduced<float>(expr, rows, i * count, count, dtype);
      if (compute == DataType::Double) result.as<double>()[i] = reduced<double>(expr, rows, i * count, count, dtype);
    }
    return settled(result, dtype);
  }

  // In any order, so that any of several elements for a place may stay; 16 bits rounded after each sum, or not.
  DenseArray scattered(const Expr& expr) {
    const DataType dtype = expr.output()->dtype();
    const bool adds = expr.op() == OpKind::ScatterAdd;
    const DenseArray x = valueOf(expr.input(0)), source = valueOf(expr.input(2)).cast(x.dtype);
    const DenseArray indices = valueOf(expr.input(1)).cast(DataType::Int64);
    const auto dim = static_cast<size_t>(expr.attributes().dim());
    DenseArray result = adds ? flushed(x).copy() : x.copy();
    const DenseArray written = adds ? flushed(source) : source;
    const Dims strides = fuser::contiguousStrides(x.sizes);
    Dims others = strides;
    others[dim] = 0;
    std::vector<std::array<int64_t, 2>> hits;  // to, from
    oracle::forEachOffset<3>(indices.sizes,
                             {fuser::contiguousStrides(indices.sizes), fuser::contiguousStrides(source.sizes), others},
                             [&](const std::array<int64_t, 3>& at) {
                               const int64_t index = indices.as<fuser::int64>()[at[0]];
                               if (index >= 0 && index < x.sizes[dim])
                                 hits.push_back({at[2] + index * strides[dim], at[1]});
                             });
    std::shuffle(hits.begin(), hits.end(), random_);
    const bool rounds = chance();
    for (const auto& [to, from] : hits) {
      fuser::dispatch(x.dtype, [&]<class T>() {
        T& place = result.as<T>()[to];
        const T element = written.as<T>()[from];
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          const T sum = place + element;
          place = !adds ? element : isNarrow(dtype) && rounds ? static_cast<T>(oracle::roundOnce(sum, dtype)) : sum;
        } else if constexpr (std::is_integral_v<T>) {
          place = adds ? static_cast<T>(static_cast<uint64_t>(place) + static_cast<uint64_t>(element)) : element;
        }
        return 0;
      });
    }
    return adds ? settled(result, dtype) : result;
  }

  DenseArray reducedIntegers(const Expr& expr) {
    const DenseArray rows = valueOf(expr.input(0)).cast(DataType::Int64).reducedLast(expr.attributes().dims());
    Dims kept = rows.sizes;
    const auto count = static_cast<size_t>(kept.back());
    kept.erase(kept.size() - 1);
    DenseArray result(DataType::Int64, kept);
    for (size_t i = 0; i < result.count(); ++i) {
      const fuser::int64* terms = rows.as<fuser::int64>() + i * count;
      fuser::int64 total = expr.op() == OpKind::Amax ? std::numeric_limits<fuser::int64>::min() : 0;
      for (size_t k = 0; k < count; ++k)
        total = expr.op() == OpKind::Amax
                    ? std::max(total, terms[k])
                    : static_cast<fuser::int64>(static_cast<uint64_t>(total) + static_cast<uint64_t>(terms[k]));
      result.as<fuser::int64>()[i] = total;
    }
    return result;
  }

  template <class T>
  T reduced(const Expr& expr, const DenseArray& rows, size_t base, size_t count, DataType dtype) {
    std::vector<T> parts(rows.as<T>() + base, rows.as<T>() + base + count);
    const bool max = expr.op() == OpKind::Amax, isExtreme = max || expr.op() == OpKind::Amin;
    if (parts.empty()) parts.push_back(isExtreme ? static_cast<T>(max ? -INFINITY : INFINITY) : T{0});
    const bool isSerial = chance();
    while (parts.size() > 1) {
      const size_t last = parts.size() - 1;
      const size_t other = isSerial ? last - 1 : std::uniform_int_distribution<size_t>(0, last - 1)(random_);
      const T a = parts[other], b = parts[last];
      parts.pop_back();
      if (isExtreme) {
        const bool isNan = std::isnan(a) || std::isnan(b);
        if (isNan && profile_.numberBesideNan && chance())
          parts[other] = std::isnan(a) ? b : a;
        else
          parts[other] = isNan ? a + b : max ? std::max(a, b) : std::min(a, b);
        continue;
      }
      const auto sum = static_cast<T>(flush(static_cast<double>(a + b), rows.dtype));
      const bool rounds = isNarrow(dtype) && profile_.narrowAccumulation && chance(0.8);
      parts[other] = rounds ? static_cast<T>(oracle::roundOnce(static_cast<double>(sum), dtype)) : sum;
    }
    if (expr.op() != OpKind::Mean) return parts[0];
    const T terms = static_cast<T>(count);
    return profile_.reciprocals && chance() ? parts[0] * (T{1} / terms) : parts[0] / terms;
  }

  const Profile& profile_;
  Random& random_;
  std::map<const Val*, DenseArray> values_;
  std::map<const Val*, std::vector<DenseArray>> factors_;  // of products that a sum may take unrounded
  std::map<fuser::IntExpr, int64_t> extents_;
};

}  // namespace

const std::set<OpKind>& liberalOps() {
  static const std::set<OpKind> ops = {
      OpKind::Add,       OpKind::Sub,     OpKind::Mul,     OpKind::Div,       OpKind::Neg, OpKind::Abs,
      OpKind::Sqrt,      OpKind::Maximum, OpKind::Minimum, OpKind::Exp,       OpKind::Sum, OpKind::Amax,
      OpKind::Mean,      OpKind::Tanh,    OpKind::Where,   OpKind::Lt,        OpKind::Ge,  OpKind::Cast,
      OpKind::Unsqueeze, OpKind::Set,     OpKind::Scatter, OpKind::ScatterAdd};
  return ops;
}

std::vector<DenseArray> runLiberally(const fuser::Fusion& fusion, std::span<const HostValue> inputs,
                                     const Profile& profile, Random& random) {
  return Liberal(profile, random).run(fusion, inputs);
}

}  // namespace oracle_test
