// Scans: those of the table, with the places of extremes; and logcumsumexp, whose results each are a reduction of the
// elements up to their own place, with the others put aside by a mask.

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

// Each place beside all along a new axis.
class Pairs {
 public:
  Pairs(std::string_view op, Fusion& fusion, TensorView* tensor, int64_t dim, const std::string& name)
      : fusion_(fusion), name_(name) {
    if (tensor->rank() == 0) {
      FUSER_USER_CHECK(dim == 0 || dim == -1, op, ": dim ", dim, " of a tensor without axes");
      tensor = build::unsqueeze(fusion, tensor, {0}, name + ".line");
      isScalar_ = true;
    }
    tensor_ = tensor;
    dim_ = static_cast<int64_t>(axisOf(op, tensor, dim));
    FUSER_USER_CHECK(tensor->rank() < kMaxRank, op, " of ", typeText(tensor), ": more than ", kMaxRank - 1, " axes");
    const size_t rank = tensor->rank() + 1, axis = static_cast<size_t>(dim_);
    TensorView* own = countsAlong(fusion, 0, size(), axis, rank, name + ".own");
    TensorView* other = countsAlong(fusion, 0, size(), axis + 1, rank, name + ".other");
    upTo_ = build::binary(fusion, OpKind::Le, other, own, name + ".up_to");
  }

  TensorView* tensor() { return tensor_; }
  bool isEmpty() const { return size()->isConstant(0); }  // an empty axis has no greatest element
  // Beside each place all of them, along a new axis behind `dim`.
  TensorView* all(TensorView* tensor, std::string_view ending) {
    return build::unsqueeze(fusion_, tensor, {dim_}, concat(name_, ending));
  }
  TensorView* own(TensorView* tensor, std::string_view ending) {
    return build::unsqueeze(fusion_, tensor, {dim_ + 1}, concat(name_, ending));
  }
  // Of terms beside each place: those up to it, the others replaced by what changes nothing.
  TensorView* reduced(OpKind op, TensorView* terms, Val* neutral, std::string_view ending) {
    auto* kept = build::where(fusion_, upTo_, terms, neutral, concat(name_, ending, "_terms"))->as<TensorView>();
    return build::reduction(fusion_, op, kept, {dim_ + 1}, false, concat(name_, ending));
  }
  TensorView* finished(TensorView* result) {
    if (isScalar_) return build::squeeze(fusion_, result, {0}, name_);
    result->setName(name_);
    return result;
  }

 private:
  IntExpr size() const { return sizesOf(tensor_)[static_cast<size_t>(dim_)]; }

  Fusion& fusion_;
  const std::string& name_;
  TensorView* tensor_ = nullptr;
  int64_t dim_ = 0;
  Val* upTo_ = nullptr;
  bool isScalar_ = false;
};

// A scan of a tensor, or of one without axes, which is its only element.
TensorView* scanned(std::string_view op, OpKind kind, Fusion& fusion, TensorView* tensor, int64_t dim,
                    const std::string& name) {
  if (tensor->rank() == 0) {
    FUSER_USER_CHECK(dim == 0 || dim == -1, op, ": dim ", dim, " of a tensor without axes");
    return build::set(fusion, tensor, name);
  }
  const auto axis = static_cast<int64_t>(axisOf(op, tensor, dim));
  return build::structuralTensor(fusion, kind, {tensor}, Attributes().dim(axis), name);
}

// Values, and the last place of the greatest or the least one so far; NaN is either. The text may leave the places out.
template <OpKind kOp>
std::vector<TensorView*> extremesUpTo(Fusion& fusion, const std::vector<Val*>& operands,
                                      const NamedAttributes& attributes, const std::vector<std::string>& names) {
  constexpr std::string_view kName = kOp == OpKind::Cummax ? "cummax" : "cummin";
  FUSER_USER_CHECK(names.size() <= 2, kName, " has 1 or 2 results, not ", names.size());
  TensorView* tensor = tensorAt(operands, 0);
  const int64_t dim = attributes.axis(AttributeName::dim);
  TensorView* values = scanned(kName, kOp, fusion, tensor, dim, names[0]);
  if (names.size() == 1) return {values};
  const std::string& name = names[1];
  if (tensor->rank() == 0) {
    Val* zero = fusion.newConstant(ScalarValue(int64_t{0}));
    return {values, build::full(fusion, {}, zero, DataType::Int64, name)};
  }
  // It is reached for the last time at the last place that holds it.
  Val* isReached = build::binary(fusion, OpKind::Eq, tensor, values, name + ".reached");
  if (isFloating(tensor->dtype())) {
    Val* isNan = build::unary(fusion, OpKind::IsNan, tensor, name + ".nan");
    isReached = build::binary(fusion, OpKind::LogicalOr, isReached, isNan, name + ".counts");
  }
  const size_t axis = axisOf(kName, tensor, dim);
  TensorView* places = countsAlong(fusion, 0, sizesOf(tensor)[axis], axis, tensor->rank(), name + ".places");
  Val* none = fusion.newConstant(ScalarValue(int64_t{0}));
  auto* found = build::where(fusion, isReached, places, none, name + ".found")->as<TensorView>();
  return {values, scanned(kName, OpKind::Cummax, fusion, found, dim, name)};
}

// The sum or the product of the elements so far; of integers in i64.
TensorView* combinedUpTo(std::string_view op, OpKind kind, Fusion& fusion, const std::vector<Val*>& operands,
                         const NamedAttributes& attributes, const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const DataType own = isFloating(tensor->dtype()) ? tensor->dtype() : DataType::Int64;
  const DataType dtype = attributes.dtypeOr(AttributeName::dtype, own);
  FUSER_USER_CHECK(dtype != DataType::Bool, op, " gives no bool");
  if (tensor->dtype() != dtype) tensor = build::cast(fusion, tensor, dtype, name + ".from")->as<TensorView>();
  // A narrow dtype keeps the low bits of what i64 gives.
  const bool isNarrow = !isFloating(dtype) && dtype != DataType::Int64;
  TensorView* result =
      scanned(op, kind, fusion, tensor, attributes.axis(AttributeName::dim), isNarrow ? name + ".wide" : name);
  return result->dtype() == dtype ? result : build::cast(fusion, result, dtype, name)->as<TensorView>();
}

}  // namespace

// torch.cumsum
TensorView* cumulativeSum(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                          const std::string& name) {
  return combinedUpTo("cumsum", OpKind::Cumsum, fusion, operands, attributes, name);
}

// torch.cumprod
TensorView* cumulativeProduct(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                              const std::string& name) {
  return combinedUpTo("cumprod", OpKind::Cumprod, fusion, operands, attributes, name);
}

// torch.cummax, torch.cummin
std::vector<TensorView*> cumulativeMaximum(Fusion& fusion, const std::vector<Val*>& operands,
                                           const NamedAttributes& attributes, const std::vector<std::string>& names) {
  return extremesUpTo<OpKind::Cummax>(fusion, operands, attributes, names);
}
std::vector<TensorView*> cumulativeMinimum(Fusion& fusion, const std::vector<Val*>& operands,
                                           const NamedAttributes& attributes, const std::vector<std::string>& names) {
  return extremesUpTo<OpKind::Cummin>(fusion, operands, attributes, names);
}

// torch.logcumsumexp: log(sum(exp(x - max))) + max, each of the elements so far, without a max that is infinite.
TensorView* logCumulativeSumExp(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                                const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "logcumsumexp takes floats, not ", typeText(tensor));
  Composite make(fusion, name, tensor->dtype());
  Pairs scan("logcumsumexp", fusion, make.wide(tensor), attributes.axis(AttributeName::dim), name);
  if (scan.isEmpty()) return build::set(fusion, tensor, name);
  TensorView* all = scan.all(scan.tensor(), ".all");
  TensorView* most = scan.reduced(OpKind::Amax, all, make.real(-HUGE_VAL), ".most");
  TensorView* isInfinite = make.op(OpKind::Eq, make.op(OpKind::Abs, most, ".abs"), make.real(HUGE_VAL), ".infinite");
  TensorView* shift = make.where(isInfinite, make.real(0), most, ".shift");
  TensorView* powers = make.op(OpKind::Exp, make.op(OpKind::Sub, all, scan.own(shift, ".shifts"), ".shifted"), ".exp");
  TensorView* sum = scan.reduced(OpKind::Sum, powers, make.real(0), ".sum");
  TensorView* result = scan.finished(make.op(OpKind::Add, make.op(OpKind::Log, sum, ".log"), shift, ".kept"));
  if (result->dtype() != tensor->dtype()) result->setName(name + ".result");
  return make.rounded(result);
}

}  // namespace fuser::text
