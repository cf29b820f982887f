#include "tests/oracle/adversarial.h"

#include "tests/oracle/cut_sum.h"
#include "tests/oracle/indexed.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "fuser/ir/tensor_view.h"
#include "fuser/ops/op_eval.h"
#include "tests/oracle/cut_sum.h"
#include "tests/oracle/dense_array.h"
#include "tests/oracle/dense_views.h"
#include "tests/oracle/erroneous.h"
#include "tests/oracle/random_welford.h"

namespace oracle_test {

using fuser::DataType;
using fuser::Dims;
using fuser::Expr;
using fuser::Family;
using fuser::Fusion;
using fuser::HostValue;
using fuser::OpKind;
using fuser::RunRecord;
using fuser::ScalarValue;
using fuser::SegmentRecord;
using fuser::TensorRef;
using fuser::Val;

namespace {

using Random = std::mt19937_64;

int64_t integer(Random& random, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}
bool chance(Random& random, double p) { return std::uniform_real_distribution<double>(0, 1)(random) < p; }

bool isLiteral(const Val* val) { return val->isScalar() && val->as<fuser::Scalar>()->isConstant(); }

// Calls run<T>() with the type that computes.
template <class Run>
void withComputeType(DataType compute, const Run& run) {
  fuser::dispatch(compute, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      run.template operator()<T>();
    } else {
      FUSER_CHECK(false, "no compute type");
    }
  });
}

class Engine {
 public:
  Engine(const Fusion& fusion, std::span<const HostValue> inputs, const Adversary& adversary, Random& random)
      : fusion_(fusion),
        adversary_(adversary),
        random_(random),
        stored_(fusion.valCount()),
        segmentOf_(fusion.valCount(), -1) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Val* input = fusion.inputs()[i];
      stored_[input->id()] = toDense(inputs[i]);
      inputs_.push_back(inputs[i]);
      if (input->isScalar()) continue;
      const std::vector<fuser::IterDomain*> axes = input->as<fuser::TensorView>()->axes();
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        if (axes[axis]->size()->isSymbol()) extents_[axes[axis]->size()] = stored_[input->id()]->sizes[axis];
      }
    }
  }

  RunRecord run() {
    assignSegments();
    for (int segment = 0; segment < segments_; ++segment) runSegment(segment);
    RunRecord record;
    for (const Val* output : fusion_.outputs()) record.outputs.push_back(hostValue(output));
    record.segments = std::move(records_);
    for (const Expr* expr : fusion_.exprs()) {
      for (const Val* scalar : Fusion::extentScalars(expr)) {
        if (!scalar->definition()) continue;
        record.extents.emplace_back(scalar->id(), stored_[scalar->id()]->scalar().as<fuser::int64>());
      }
    }
    for (std::optional<DenseArray>& array : stored_) {
      if (array) record.memory.push_back(array->memory);
    }
    return record;
  }

 private:
  void assignSegments() {
    const std::vector<Expr*>& exprs = fusion_.exprs();
    segments_ = static_cast<int>(integer(random_, 1, adversary_.maxSegments));
    std::vector<size_t> cuts;
    for (int i = 1; i < segments_; ++i)
      cuts.push_back(static_cast<size_t>(integer(random_, 0, static_cast<int64_t>(exprs.size()))));
    std::sort(cuts.begin(), cuts.end());
    for (size_t i = 0; i < exprs.size(); ++i) {
      for (const Val* result : exprs[i]->outputs()) {
        segmentOf_[result->id()] = static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), i) - cuts.begin());
      }
    }
  }

  bool crosses(const Val* val) const {
    if (val->isFusionOutput()) return true;
    for (const Expr* use : val->uses()) {
      if (segmentOf_[use->output()->id()] != segmentOf_[val->id()]) return true;
    }
    // Scalars that extents name.
    return val->isScalar();
  }

  void runSegment(int segment) {
    segment_ = segment;
    records_.emplace_back();
    records_.back().index = segment;
    local_.clear();
    loads_.clear();
    for (const Expr* expr : fusion_.exprs()) {
      for (size_t i = 0; i < expr->outputs().size(); ++i) {
        const Val* output = expr->output(i);
        if (segmentOf_[output->id()] != segment || !(adversary_.probes || crosses(output))) continue;
        stored_[output->id()] = adversary_.probes ? compute(expr, i) : value(output);
        stored_[output->id()] = stored_[output->id()]->copy();
        records_.back().outputs.push_back({output->id(), output->name(), hostValue(output)});
      }
    }
    for (uint32_t id : loads_) {
      const Val* val = valById(id);
      records_.back().inputs.push_back({id, val->name(), hostValue(val)});
    }
  }

  const Val* valById(uint32_t id) const {
    for (const Val* val : fusion_.usedVals()) {
      if (val->id() == id) return val;
    }
    FUSER_CHECK(false, "no value ", id);
  }

  HostValue hostValue(const Val* val) const {
    const DenseArray& array = isLiteral(val) ? literal(val) : *stored_[val->id()];
    if (val->isScalar()) return array.scalar();
    return array.ref();
  }

  static DenseArray literal(const Val* val) { return toDense(*val->as<fuser::Scalar>()->constant()); }

  // What this segment sees of a value.
  DenseArray value(const Val* val) {
    if (isLiteral(val)) return literal(val);
    const bool elsewhere = segmentOf_[val->id()] != segment_;
    const auto known = local_.find(val->id());
    const bool isStored = stored_[val->id()].has_value();
    if (!val->definition() || (adversary_.probes && isStored)) return load(val);
    if (known != local_.end() && !(budget_ > 0 && chance(random_, 0.1))) return known->second;
    if (elsewhere && isStored) {
      // Loads are decided once: a segment that loads a value never computes it, and the other way round.
      if (!recomputes_.contains({segment_, val->id()}) &&
          (loads_.contains(val->id()) || budget_ <= 0 || val->isScalar() || chance(random_, 0.8))) {
        return load(val);
      }
      recomputes_.insert({segment_, val->id()});
    }
    --budget_;
    const std::vector<Val*>& results = val->definition()->outputs();
    DenseArray result = compute(val->definition(),
                                static_cast<size_t>(std::find(results.begin(), results.end(), val) - results.begin()));
    local_.insert_or_assign(val->id(), result);
    return result;
  }

  DenseArray load(const Val* val) {
    if (segmentOf_[val->id()] != segment_) loads_.insert(val->id());  // not its own probed copy
    return *stored_[val->id()];
  }

  int64_t extentOf(fuser::IntExpr symbol) {
    if (const Val* scalar = fusion_.scalarOf(symbol)) return value(scalar).scalar().as<fuser::int64>();
    return extents_.at(symbol);
  }

  std::vector<int64_t> numbersOf(const Expr* expr) {
    std::vector<int64_t> numbers;
    for (fuser::IntExpr extent : expr->attributes().allIntegers()) {
      numbers.push_back(fuser::evaluate(extent, [&](fuser::IntExpr symbol) { return extentOf(symbol); }));
    }
    return numbers;
  }
  Dims shapeOf(const Expr* expr) {
    const std::vector<int64_t> numbers = numbersOf(expr);
    return Dims(numbers.begin(), numbers.end());
  }

  DenseArray compute(const Expr* expr, size_t result) {
    std::vector<DenseArray> x;
    for (const Val* input : expr->inputs()) x.push_back(value(input));
    const std::vector<int64_t>& dims = expr->attributes().allAxes();
    switch (expr->family()) {
      case Family::Unary:
      case Family::Binary:
      case Family::Ternary: return pointwise(expr, x);
      case Family::Cast: return x[0].cast(expr->output()->dtype());
      case Family::Bitcast: return x[0].bitcast(expr->output()->dtype());
      case Family::LoadStore: return x[0];
      case Family::Broadcast: {
        Dims sizes = x[0].sizes;
        for (int64_t dim : dims) sizes.insert(static_cast<size_t>(dim), 1);
        return x[0].reshaped(sizes);
      }
      case Family::Squeeze: {
        Dims sizes = x[0].sizes;
        for (size_t i = dims.size(); i-- > 0;) sizes.erase(static_cast<size_t>(dims[i]));
        return x[0].reshaped(sizes);
      }
      case Family::Expand: {
        Dims shape = shapeOf(expr);
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          if (shape[axis] == -1) shape[axis] = x[0].sizes[axis];
        }
        return x[0].expanded(shape);
      }
      case Family::Permute: return x[0].permuted(dims);
      case Family::Factory:
        return x[0]
            .cast(expr->output()->dtype())
            .reshaped(Dims(expr->attributes().shape().size(), 1))
            .expanded(shapeOf(expr));
      case Family::Range: {
        const Dims bounds = shapeOf(expr);
        const int64_t distance = bounds[1] - bounds[0];
        const int64_t count = distance == 0 ? 0 : (distance - (bounds[2] > 0 ? 1 : -1)) / bounds[2] + 1;
        DenseArray numbers(DataType::Int64, {count});
        for (int64_t i = 0; i < count; ++i) numbers.as<fuser::int64>()[i] = bounds[0] + i * bounds[2];
        return numbers.cast(expr->output()->dtype());
      }
      case Family::Eye: {
        const Dims sizes = shapeOf(expr);
        DenseArray numbers(DataType::Int64, sizes);
        for (int64_t i = 0; i < sizes[0] * sizes[1]; ++i) {
          numbers.as<fuser::int64>()[i] = i / sizes[1] == i % sizes[1];
        }
        return numbers.cast(expr->output()->dtype());
      }
      case Family::Size: return toDense(ScalarValue(x[0].sizes[static_cast<size_t>(dims[0])]));
      case Family::Slice:
      case Family::Pad:
      case Family::Cat:
      case Family::Reshape:
      case Family::Repeat:
      case Family::Flip:
      case Family::Select:
      case Family::Unfold:
      case Family::SliceScatter:
      case Family::Gather: return view(expr, x);
      case Family::Scatter: return scattered(*expr, x, random_);
      case Family::Branch:
      case Family::Update: FUSER_CHECK(false, "a concrete, functional fusion has neither branches nor updates");
      case Family::Item: return x[0].cast(expr->output()->dtype());
      case Family::Reduction: return reduction(expr, x[0]);
      case Family::ExtremeIndex: return extremeIndex(*expr, x[0]);
      case Family::Scan: return scan(expr, x[0]);
      case Family::Welford: return welford(expr, x[0], result);
    }
    FUSER_CHECK(false, "bad family");
  }

  // Elements at other coordinates; the result's sizes are those that the program gives it.
  DenseArray view(const Expr* expr, const std::vector<DenseArray>& x) {
    Dims sizes;
    for (const fuser::IterDomain* axis : expr->output()->as<fuser::TensorView>()->axes()) {
      sizes.push_back(fuser::evaluate(axis->size(), [&](fuser::IntExpr symbol) { return extentOf(symbol); }));
    }
    return viewOf(*expr, x, sizes, expr->family() == Family::Reshape ? std::vector<int64_t>() : numbersOf(expr));
  }

  DataType commonType(const Expr* expr, const std::vector<DenseArray>& x) const {
    if (expr->info().result == fuser::Result::Same) return expr->output()->dtype();
    for (size_t i = 0; i < x.size(); ++i) {
      if (expr->input(i)->isTensor()) return x[i].dtype;
    }
    DataType common = x[0].dtype;
    for (const DenseArray& operand : x) common = fuser::promoteTypes(common, operand.dtype);
    return common;
  }

  // Operands of the compute dtype, all of the result's sizes.
  std::vector<DenseArray> prepared(const Expr* expr, std::vector<DenseArray> x, DataType common) const {
    const Dims sizes = commonSizes(x);
    for (size_t i = 0; i < x.size(); ++i) {
      const bool condition = takesCondition(expr->op(), i);
      if (expr->input(i)->isScalar()) {
        if (!condition && expr->info().scalar == fuser::ScalarOperand::Round) x[i] = x[i].cast(common);
        x[i] = x[i].reshaped(Dims(sizes.size(), 1));
      }
      x[i] = x[i].cast(condition ? DataType::Bool : fuser::computeType(common)).expanded(sizes);
    }
    return x;
  }

  DenseArray pointwise(const Expr* expr, const std::vector<DenseArray>& operands) {
    const DataType common = commonType(expr, operands);
    const DataType compute = fuser::computeType(common);
    const std::vector<DenseArray> x = prepared(expr, operands, common);
    const bool toBool = expr->info().result == fuser::Result::Bool;
    DenseArray result(toBool ? DataType::Bool : compute, x[0].sizes);
    const auto pointer = [&](size_t i) { return i < x.size() ? x[i].data() : nullptr; };
    fuser::laneFunction(expr->op(), compute)(pointer(0), pointer(1), pointer(2), result.data(), result.count());
    if (!toBool && compute == DataType::Float) disturb<float>(expr, x, result);
    if (!toBool && compute == DataType::Double) disturb<double>(expr, x, result);
    return result.cast(expr->output()->dtype());
  }

  template <class T>
  void disturb(const Expr* expr, const std::vector<DenseArray>& x, DenseArray& result) {
    const OpKind op = expr->op();
    T* out = result.as<T>();
    const T* a = x[0].dtype == result.dtype ? x[0].as<T>() : nullptr;
    const T* b = x.size() > 1 ? x[1].as<T>() : nullptr;
    const T* c = x.size() > 2 ? x[2].as<T>() : nullptr;
    if (expr->info().rule == fuser::IntervalRule::Formula) {
      for (size_t i = 0; i < result.count(); ++i) {
        const T second = b ? b[i] : T{1};
        const T third = c ? c[i] : T{1};
        out[i] = erroneousFormula<T>(op, a[i], second, third, adversary_.errorScale, random_);
      }
    } else if (expr->info().error > 0) {
      for (size_t i = 0; i < result.count(); ++i)
        out[i] = erroneousFunction<T>(op, a[i], b ? b[i] : T{1}, adversary_.errorScale, random_);
    }
    const bool selects = op == OpKind::Maximum || op == OpKind::Minimum || op == OpKind::Fmax || op == OpKind::Fmin;
    if (selects || op == OpKind::Relu) {
      for (size_t i = 0; i < result.count(); ++i) {
        if (a[i] == 0 && (!selects || b[i] == 0) && chance(random_, 0.5)) out[i] = -out[i];
      }
    }
    if (op == OpKind::Add || op == OpKind::Sub) contract<T>(expr, x, out, result.count());
  }

  // The factors of an operand that an FMA may take unrounded.
  std::optional<std::vector<DenseArray>> factors(const Val* val, const Dims& sizes) {
    if (!adversary_.contraction || adversary_.probes || !val->isTensor() || !val->definition() ||
        loads_.contains(val->id()))
      return std::nullopt;
    const Expr* product = val->definition();
    if (product->op() == OpKind::Cast && val->dtype() == DataType::Double && product->input(0)->isTensor() &&
        product->input(0)->dtype() == DataType::Float && segmentOf_[val->id()] == segment_) {
      std::optional<std::vector<DenseArray>> narrow = factors(product->input(0), sizes);
      if (narrow) {
        for (DenseArray& factor : *narrow) factor = factor.cast(DataType::Double);
      }
      return narrow;
    }
    if (product->op() != OpKind::Mul || fuser::computeType(val->dtype()) != val->dtype()) return std::nullopt;
    if (!fuser::isFloating(val->dtype()) || segmentOf_[val->id()] != segment_) return std::nullopt;
    std::vector<DenseArray> x;
    for (const Val* input : product->inputs()) x.push_back(value(input));
    x = prepared(product, x, val->dtype());
    for (DenseArray& factor : x) factor = factor.expanded(sizes);
    return x;
  }

  template <class T>
  void contract(const Expr* expr, const std::vector<DenseArray>& x, T* out, size_t count) {
    fuser::SumForms forms{true, false};
    for (size_t side : {0, 1}) {
      if (!chance(random_, 0.5)) continue;
      const auto product = factors(expr->input(side), x[0].sizes);
      if (!product) continue;
      forms = {chance(random_, 0.5), true};
      const bool subtracts = expr->op() == OpKind::Sub;
      for (size_t i = 0; i < count; ++i) {
        const T first = (*product)[0].as<T>()[i];
        const T second = (*product)[1].as<T>()[i];
        const T other = x[1 - side].as<T>()[i];
        const T fused = side == 0 ? std::fma(first, second, subtracts ? -other : other)
                                  : std::fma(subtracts ? -first : first, second, other);
        if (!forms.rounded || chance(random_, 0.7)) out[i] = fused;
      }
      break;
    }
    if (adversary_.contraction && chance(random_, 0.7)) records_.back().sums.emplace_back(expr->output()->id(), forms);
  }

  // --- reductions ---

  // Accumulators take terms in turn or in blocks; then they are joined in pairs or one after the other.
  struct Tree {
    int64_t accumulators;
    bool blocked;
    bool paired;
    bool fromIdentity;
  };

  DenseArray reduction(const Expr* expr, const DenseArray& x) {
    const DataType dtype = expr->output()->dtype();
    const DataType compute = fuser::computeType(dtype);
    const DenseArray terms = x.cast(compute);
    const DenseArray rows = terms.reducedLast(expr->attributes().dims());  // [kept…, terms]
    const int64_t count = rows.sizes.back();
    Dims kept = rows.sizes;
    kept.erase(kept.size() - 1);
    Tree tree{integer(random_, 1, std::max<int64_t>(1, std::min<int64_t>(count, 64))), chance(random_, 0.5),
              chance(random_, 0.5), chance(random_, 0.5)};
    if (count == 0) tree.fromIdentity = true;
    DenseArray result(compute, kept);
    int64_t depth = 0;
    std::vector<DenseArray> product;
    const bool byMma = expr->op() == OpKind::Sum && compute == DataType::Float && chance(random_, 0.15);
    if (!byMma && *expr->info().combine == OpKind::Add && chance(random_, 0.5)) {
      if (const auto found = factors(expr->input(0), x.sizes)) {
        for (const DenseArray& factor : *found) product.push_back(factor.reducedLast(expr->attributes().dims()));
      }
    }
    const auto reduceAll = [&]<class T>() {
      for (size_t i = 0; i < result.count(); ++i) {
        const size_t base = i * static_cast<size_t>(count);
        const T* factorA = product.empty() ? nullptr : product[0].as<T>() + base;
        const T* factorB = product.empty() ? nullptr : product[1].as<T>() + base;
        result.as<T>()[i] =
            reduceOne<T>(expr->op(), rows.as<T>() + base, factorA, factorB, count, tree, compute, depth);
      }
    };
    if (byMma) {
      for (size_t i = 0; i < result.count(); ++i)
        result.as<float>()[i] = sumByMma(rows.as<float>() + i * static_cast<size_t>(count), count, depth);
    } else {
      withComputeType(compute, reduceAll);
    }
    records_.back().reductionDepths.emplace_back(expr->output()->id(), fuser::ReductionDepth{depth, 0, byMma});
    if (expr->info().finish == fuser::Finish::DivideByCount) {
      for (size_t i = 0; i < result.count(); ++i) {
        if (compute == DataType::Double) result.as<double>()[i] /= static_cast<double>(count);
        if (compute == DataType::Float) result.as<float>()[i] /= static_cast<float>(count);
      }
    }
    return result.cast(dtype);
  }

  // As tensor cores add: some terms at once, in any order, each cut at some place of the largest one.
  float sumByMma(const float* terms, int64_t count, int64_t& depth) {
    std::vector<double> order(terms, terms + count);
    std::shuffle(order.begin(), order.end(), random_);
    const int64_t atOnce = int64_t{4} << integer(random_, 0, 2);
    const auto places = static_cast<int>(integer(random_, 24, 27));
    const bool cutsResult = chance(random_, 0.5);
    float sum = 0;
    for (int64_t first = 0; first < count; first += atOnce) {
      const std::span block(order.data() + first, static_cast<size_t>(std::min(atOnce, count - first)));
      sum = cutSum(sum, block, places, cutsResult);
    }
    depth = std::max(depth, (count + atOnce - 1) / atOnce * 16);
    return sum;
  }

  DenseArray welford(const Expr* expr, const DenseArray& x, size_t result) {
    const DataType dtype = expr->output()->dtype();
    const DataType compute = fuser::computeType(dtype);
    const DenseArray rows = x.cast(compute).reducedLast(expr->attributes().dims());
    Dims kept = rows.sizes;
    kept.erase(kept.size() - 1);
    DenseArray results(compute, kept);
    fuser::ReductionDepth depth;
    const int64_t count = rows.sizes.back();
    const auto all = [&]<class T>() {
      for (size_t i = 0; i < results.count(); ++i) {
        const WelfordState<T> part = welfordAtRandom<T>(random_, rows.as<T>() + i * static_cast<size_t>(count), count,
                                                        adversary_.contraction, depth);
        results.as<T>()[i] = result == 0 ? finishedVariance(part, expr->attributes().correction()) : finishedMean(part);
      }
    };
    if (compute == DataType::Double) {
      all.template operator()<double>();
    } else {
      all.template operator()<float>();
    }
    records_.back().reductionDepths.emplace_back(expr->output(result)->id(), depth);
    return results.cast(dtype);
  }

  // Each result by itself, of the terms so far in an order of its own.
  DenseArray scan(const Expr* expr, const DenseArray& x) {
    const DataType dtype = expr->output()->dtype(), compute = fuser::computeType(dtype);
    const auto dim = expr->attributes().dim();
    const DenseArray rows = x.cast(compute).reducedLast({dim});
    const int64_t count = rows.sizes.back();
    DenseArray results(compute, rows.sizes);
    const auto all = [&]<class T>() {
      for (size_t i = 0; i < results.count(); ++i) {
        const int64_t terms = static_cast<int64_t>(i) % count + 1;
        const Tree tree{integer(random_, 1, std::min<int64_t>(terms, 64)), chance(random_, 0.5), chance(random_, 0.5),
                        chance(random_, 0.5)};
        int64_t depth = 0;
        const T* line = rows.as<T>() + i + 1 - static_cast<size_t>(terms);
        results.as<T>()[i] = reduceOne<T>(expr->op(), line, nullptr, nullptr, terms, tree, compute, depth);
      }
    };
    withComputeType(compute, all);
    std::vector<int64_t> order(x.sizes.size());
    for (size_t axis = 0, kept = 0; axis < order.size(); ++axis) {
      order[axis] = static_cast<int64_t>(static_cast<int64_t>(axis) == dim ? order.size() - 1 : kept++);
    }
    return results.permuted(order).cast(dtype);
  }

  template <class T>
  T reduceOne(OpKind op, const T* terms, const T* factorA, const T* factorB, int64_t count, const Tree& tree,
              DataType compute, int64_t& depth) {
    const OpKind combine = *fuser::opInfo(op).combine;
    const fuser::LaneFunction join = fuser::laneFunction(combine, compute);
    const auto joined = [&](T a, T b) {
      T result{};
      join(&a, &b, nullptr, &result, 1);
      if constexpr (std::is_floating_point_v<T>) {
        // Either zero, where the op leaves the sign open.
        if (result == 0 && a == 0 && b == 0 && combine != OpKind::Mul && chance(random_, 0.5)) result = -result;
      }
      return result;
    };
    const fuser::Identity identity = fuser::reductionIdentity(op, compute);
    T neutral{};
    if constexpr (std::is_floating_point_v<T>)
      neutral = static_cast<T>(identity.floating);
    else
      neutral = static_cast<T>(identity.integer);
    struct Partial {
      T value;
      int64_t depth;
    };
    std::vector<Partial> partials;
    for (int64_t k = 0; k < tree.accumulators; ++k) {
      Partial partial{neutral, 0};
      bool first = !tree.fromIdentity;
      const int64_t block = (count + tree.accumulators - 1) / tree.accumulators;
      for (int64_t j = 0; j < count; ++j) {
        if (k != (tree.blocked ? j / std::max<int64_t>(block, 1) : j % tree.accumulators)) continue;
        if (first)
          partial.value = terms[j];
        else if constexpr (std::is_floating_point_v<T>)
          partial.value = factorA && combine == OpKind::Add ? std::fma(factorA[j], factorB[j], partial.value)
                                                            : joined(partial.value, terms[j]);
        else
          partial.value = joined(partial.value, terms[j]);
        partial.depth += !first;
        first = false;
      }
      if (!first || tree.fromIdentity) partials.push_back(partial);
    }
    if (partials.empty()) return neutral;
    while (partials.size() > 1) {
      std::vector<Partial> next;
      if (tree.paired) {
        for (size_t i = 0; i + 1 < partials.size(); i += 2) {
          next.push_back({joined(partials[i].value, partials[i + 1].value),
                          std::max(partials[i].depth, partials[i + 1].depth) + 1});
        }
        if (partials.size() % 2) next.push_back(partials.back());
      } else {
        next.assign(partials.begin() + 1, partials.end());
        next[0] = {joined(partials[0].value, partials[1].value), std::max(partials[0].depth, partials[1].depth) + 1};
      }
      partials = std::move(next);
    }
    depth = std::max(depth, partials[0].depth);
    return partials[0].value;
  }

  const Fusion& fusion_;
  const Adversary& adversary_;
  Random& random_;
  std::vector<HostValue> inputs_;
  std::vector<std::optional<DenseArray>> stored_;  // inputs and what segments stored, by id
  std::vector<int> segmentOf_;
  std::map<fuser::IntExpr, int64_t> extents_;
  std::map<uint32_t, DenseArray> local_;  // of the current segment
  std::set<uint32_t> loads_;
  std::set<std::pair<int, uint32_t>> recomputes_;
  std::vector<SegmentRecord> records_;
  int segments_ = 1;
  int segment_ = 0;
  int budget_ = 400;  // of evaluations beyond the first
};

}  // namespace

RunRecord runAdversarially(const Fusion& fusion, std::span<const HostValue> inputs, const Adversary& adversary,
                           Random& random) {
  return Engine(fusion, inputs, adversary, random).run();
}

}  // namespace oracle_test
