// Order: sort and its kin by ranks, and places among sorted boundaries by counts. The rank of an element is the number
// of elements that come before it, each compared with each, so that equal ones keep their order.

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

class Order {
 public:
  Order(std::string_view op, Fusion& fusion, TensorView* tensor, int64_t dim, bool descending, const std::string& name)
      : op_(op), fusion_(fusion), name_(name), descending_(descending) {
    if (tensor->rank() == 0) {
      FUSER_USER_CHECK(dim == 0 || dim == -1, op, ": dim ", dim, " of a tensor without axes");
      tensor = build::unsqueeze(fusion, tensor, {0}, name + ".line");
      isScalar_ = true;
    }
    tensor_ = tensor;
    dim_ = axisOf(op, tensor, dim);
    FUSER_USER_CHECK(tensor->rank() < kMaxRank, op, " of ", typeText(tensor), ": more than ", kMaxRank - 1, " axes");
  }

  TensorView* values(const std::string& ending) { return atRanks(tensor_, ending); }
  TensorView* indices(const std::string& ending) {
    TensorView* counts = countsAlong(fusion_, 0, sizesOf(tensor_)[dim_], dim_, tensor_->rank(), name_ + ".counts");
    if (tensor_->rank() > 1) counts = build::expand(fusion_, counts, sizesOf(tensor_), name_ + ".places");
    return atRanks(counts, ending);
  }
  // Without the axis that was put in for a tensor without axes.
  TensorView* finished(TensorView* result, const std::string& name) {
    if (isScalar_) return build::squeeze(fusion_, result, {0}, name);
    result->setName(name);
    return result;
  }
  // The first `count` places along the axis.
  TensorView* first(TensorView* sorted, IntExpr count, const std::string& name) {
    NamedAttributes part;
    IntExprArena& ints = fusion_.ints();
    part.set(AttributeName::dim, Attributes().setAxis(AttributeName::dim, static_cast<int64_t>(dim_)));
    part.set(AttributeName::start, Attributes().start(ints.constant(0)));
    part.set(AttributeName::length, Attributes().length(count));
    return narrowed(fusion_, {sorted}, part, name + ".first");
  }
  // One place along the axis, which goes, or stays with one element.
  TensorView* at(TensorView* sorted, IntExpr place, bool keepdim, const std::string& name) {
    const auto dim = static_cast<int64_t>(dim_);
    TensorView* one = build::structuralTensor(fusion_, OpKind::Select, {sorted}, Attributes().dim(dim).index(place),
                                              keepdim && !isScalar_ ? name + ".one" : name);
    return keepdim && !isScalar_ ? build::unsqueeze(fusion_, one, {dim}, name) : one;
  }
  size_t dim() const { return dim_; }
  TensorView* tensor() const { return tensor_; }
  IntExpr size() const { return sizesOf(tensor_)[dim_]; }

 private:
  // Whether a comes before b by its value. NaN is above all numbers.
  Val* isBefore(Val* a, Val* b, const std::string& ending) {
    if (a->dtype() == DataType::Bool) {
      a = build::cast(fusion_, a, DataType::Int32, name_ + ending + ".a");
      b = build::cast(fusion_, b, DataType::Int32, name_ + ending + ".b");
    }
    Val* isLess = build::binary(fusion_, descending_ ? OpKind::Gt : OpKind::Lt, a, b, name_ + ending);
    if (!isFloating(a->dtype())) return isLess;
    Val *high = descending_ ? a : b, *low = descending_ ? b : a;
    Val* isNan = build::unary(fusion_, OpKind::IsNan, high, name_ + ending + ".nan");
    Val* isNumber =
        build::unary(fusion_, OpKind::LogicalNot, build::unary(fusion_, OpKind::IsNan, low, name_ + ending + ".other"),
                     name_ + ending + ".number");
    Val* isOnlyNan = build::binary(fusion_, OpKind::LogicalAnd, isNan, isNumber, name_ + ending + ".only_nan");
    return build::binary(fusion_, OpKind::LogicalOr, isLess, isOnlyNan, name_ + ending + ".before");
  }

  // How many come before each: those before it by value, and those of no other value at earlier places.
  TensorView* ranks() {
    if (ranks_) return ranks_;
    const auto dim = static_cast<int64_t>(dim_);
    const size_t rank = tensor_->rank() + 1;
    TensorView* own = build::unsqueeze(fusion_, tensor_, {dim + 1}, name_ + ".own");
    TensorView* other = build::unsqueeze(fusion_, tensor_, {dim}, name_ + ".other");
    Val* before = isBefore(other, own, ".above");
    Val* behind = isBefore(own, other, ".below");
    TensorView* ownPlace = countsAlong(fusion_, 0, size(), dim_, rank, name_ + ".own_place");
    TensorView* otherPlace = countsAlong(fusion_, 0, size(), dim_ + 1, rank, name_ + ".other_place");
    Val* earlier = build::binary(fusion_, OpKind::Lt, otherPlace, ownPlace, name_ + ".earlier");
    Val* notBehind = build::unary(fusion_, OpKind::LogicalNot, behind, name_ + ".not_behind");
    Val* tied = build::binary(fusion_, OpKind::LogicalAnd, notBehind, earlier, name_ + ".tied");
    Val* counted = build::binary(fusion_, OpKind::LogicalOr, before, tied, name_ + ".counted");
    auto* ones = build::cast(fusion_, counted, DataType::Int64, name_ + ".ones")->as<TensorView>();
    ranks_ = build::reduction(fusion_, OpKind::Sum, ones, {dim + 1}, false, name_ + ".ranks");
    return ranks_;
  }

  // Each element at the place that its rank says.
  TensorView* atRanks(TensorView* elements, const std::string& ending) {
    Val* zero = filling(op_, fusion_, fusion_.newConstant(ScalarValue(int64_t{0})), elements->dtype(),
                        name_ + ending + ".zero");
    TensorView* room = build::full(fusion_, sizesOf(tensor_), zero, elements->dtype(), name_ + ending + ".room");
    return build::structuralTensor(fusion_, OpKind::Scatter, {room, ranks(), elements},
                                   Attributes().dim(static_cast<int64_t>(dim_)), name_ + ending);
  }

  std::string_view op_;
  Fusion& fusion_;
  const std::string& name_;
  bool descending_;
  bool isScalar_ = false;
  TensorView* tensor_ = nullptr;
  TensorView* ranks_ = nullptr;
  size_t dim_ = 0;
};

void checkTwo(std::string_view op, const std::vector<std::string>& names) {
  FUSER_USER_CHECK(names.size() == 2, op, " has 2 results, not ", names.size());
}

// Elements and their indices, at their ranks.
struct Sorted {
  TensorView *values, *indices;
};
Sorted sortedBy(Order& order, const std::string& ending = ".sorted") {
  TensorView* values = order.values(ending);
  return {values, order.indices(ending + "_indices")};
}

// Whether there is a NaN along the axis of a median, and the first place of one.
Sorted nansAlong(Fusion& fusion, const Order& order, bool keepdim, const std::string& name) {
  auto* isNan = build::unary(fusion, OpKind::IsNan, order.tensor(), name + ".nan")->as<TensorView>();
  auto* ones = build::cast(fusion, isNan, DataType::Int32, name + ".nans")->as<TensorView>();
  const auto dim = static_cast<int64_t>(order.dim());
  return {build::reduction(fusion, OpKind::Any, isNan, {dim}, keepdim, name + ".any_nan"),
          build::reduction(fusion, OpKind::Argmax, ones, {dim}, keepdim, name + ".first_nan")};
}

// The lower one of the two in the middle; NaN, and its first place, where there is one. `names`: of the value and the
// index, or of the value alone.
std::vector<TensorView*> middle(Fusion& fusion, TensorView* tensor, int64_t dim, bool keepdim,
                                const std::vector<std::string>& names) {
  const bool isReal = isFloating(tensor->dtype()), hasIndex = names.size() > 1;
  Order order("median", fusion, tensor, dim, false, names[0]);
  IntExprArena& ints = fusion.ints();
  const IntExpr place = ints.floorDiv(ints.sub(order.size(), ints.constant(1)), ints.constant(2));
  const std::string ending = isReal ? ".middle" : "";
  std::vector<TensorView*> found{order.at(order.values(".sorted"), place, keepdim, names[0] + ending)};
  if (hasIndex) found.push_back(order.at(order.indices(".sorted_indices"), place, keepdim, names[1] + ending));
  if (!isReal) return found;
  const Sorted nans = nansAlong(fusion, order, keepdim && tensor->rank() > 0, names[0]);
  Val* nan = fusion.newConstant(ScalarValue(std::numeric_limits<double>::quiet_NaN()));
  found[0] = build::where(fusion, nans.values, nan, found[0], names[0])->as<TensorView>();
  if (hasIndex) found[1] = build::where(fusion, nans.values, nans.indices, found[1], names[1])->as<TensorView>();
  return found;
}

// For each value, the number of boundaries that are below it, or, from the right, not above it; all of them for NaN.
// `boundaries` lie along the last axis, with a value's beside it.
TensorView* placesAmong(std::string_view op, Fusion& fusion, TensorView* boundaries, TensorView* values, bool fromRight,
                        bool isInt32, const std::string& name) {
  FUSER_USER_CHECK(boundaries->dtype() == values->dtype(), op, " of ", typeText(values), " among ",
                   typeText(boundaries), ": insert a cast");
  TensorView* each = build::unsqueeze(fusion, values, {static_cast<int64_t>(values->rank())}, name + ".values");
  Val* isAbove = build::binary(fusion, fromRight ? OpKind::Gt : OpKind::Ge, boundaries, each, name + ".above");
  Val* counted = build::unary(fusion, OpKind::LogicalNot, isAbove, name + ".counted");
  auto* ones = build::cast(fusion, counted, DataType::Int64, name + ".ones")->as<TensorView>();
  TensorView* count = build::reduction(fusion, OpKind::Sum, ones, {-1}, false, isInt32 ? name + ".count" : name);
  return isInt32 ? build::cast(fusion, count, DataType::Int32, name)->as<TensorView>() : count;
}

}  // namespace

// torch.sort: stable, whether or not that is asked for.
std::vector<TensorView*> sorted(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                                const std::vector<std::string>& names) {
  checkTwo("sort", names);
  Order order("sort", fusion, tensorAt(operands, 0), attributes.axisOr(AttributeName::dim, -1),
              attributes.flagOr(AttributeName::descending, false), names[0]);
  const Sorted both = sortedBy(order);
  return {order.finished(both.values, names[0]), order.finished(both.indices, names[1])};
}

TensorView* sortedIndices(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                          const std::string& name) {
  Order order("argsort", fusion, tensorAt(operands, 0), attributes.axisOr(AttributeName::dim, -1),
              attributes.flagOr(AttributeName::descending, false), name);
  return order.finished(order.indices(".sorted"), name);
}

// torch.topk: sorted; of equal elements the first ones.
std::vector<TensorView*> topK(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                              const std::vector<std::string>& names) {
  checkTwo("topk", names);
  Order order("topk", fusion, tensorAt(operands, 0), attributes.axisOr(AttributeName::dim, -1),
              attributes.flagOr(AttributeName::largest, true), names[0]);
  const IntExpr count = attributes.bound(AttributeName::k);
  FUSER_USER_CHECK(!count->isConstant() || !order.size()->isConstant() || count->value <= order.size()->value,
                   "topk: k = ", count->value, " of ", order.size()->value, " elements");
  const Sorted both = sortedBy(order);
  return {order.finished(order.first(both.values, count, names[0]), names[0]),
          order.finished(order.first(both.indices, count, names[1]), names[1])};
}

// torch.kthvalue: the k-th smallest, from 1.
std::vector<TensorView*> kthValue(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                                  const std::vector<std::string>& names) {
  checkTwo("kthvalue", names);
  Order order("kthvalue", fusion, tensorAt(operands, 0), attributes.axisOr(AttributeName::dim, -1), false, names[0]);
  const IntExpr k = attributes.bound(AttributeName::k);
  FUSER_USER_CHECK(!k->isConstant() || k->value >= 1, "kthvalue: k = ", k->value, ", and the first is 1");
  FUSER_USER_CHECK(!k->isConstant() || !order.size()->isConstant() || k->value <= order.size()->value,
                   "kthvalue: k = ", k->value, " of ", order.size()->value, " elements");
  const IntExpr place = fusion.ints().sub(k, fusion.ints().constant(1));
  const bool keepdim = attributes.flagOr(AttributeName::keepdim, false);
  const Sorted both = sortedBy(order);
  return {order.at(both.values, place, keepdim, names[0]), order.at(both.indices, place, keepdim, names[1])};
}

// torch.median, of all elements or along an axis.
TensorView* medianOfAll(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                        const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  if (tensor->rank() > 1) tensor = build::reshape(fusion, tensor, {fusion.ints().constant(-1)}, name + ".line");
  return middle(fusion, tensor, 0, false, {name})[0];
}
std::vector<TensorView*> medianAlong(Fusion& fusion, const std::vector<Val*>& operands,
                                     const NamedAttributes& attributes, const std::vector<std::string>& names) {
  checkTwo("median of an axis", names);
  return middle(fusion, tensorAt(operands, 0), attributes.axis(AttributeName::dim),
                attributes.flagOr(AttributeName::keepdim, false), names);
}

// torch.bucketize: of values among sorted boundaries.
TensorView* bucketized(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name) {
  FUSER_USER_CHECK(operands[1]->isTensor(), "bucketize: the boundaries are ", typeText(operands[1]), ", and no tensor");
  auto* boundaries = operands[1]->as<TensorView>();
  Val* value = operands[0];
  if (value->isScalar()) {  // one value
    Val* element = filling("bucketize", fusion, value, boundaries->dtype(), name + ".value");
    value = build::full(fusion, {}, element, boundaries->dtype(), name + ".one");
  }
  auto* values = value->as<TensorView>();
  FUSER_USER_CHECK(boundaries->rank() == 1, "bucketize: the boundaries are ", typeText(boundaries),
                   ", and not of 1 axis");
  return placesAmong("bucketize", fusion, boundaries, values, attributes.flagOr(AttributeName::right, false),
                     attributes.flagOr(AttributeName::out_int32, false), name);
}

// torch.searchsorted: of values among a sorted sequence, or, row by row, among those of as many rows.
TensorView* searchSorted(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  constexpr std::string_view kName = "searchsorted";
  FUSER_USER_CHECK(operands.size() == 2 || operands.size() == 3, kName, " takes 2 or 3 operands, not ",
                   operands.size());
  TensorView *sequence = tensorAt(operands, 0), *values = tensorAt(operands, 1);
  FUSER_USER_CHECK(sequence->rank() >= 1, kName, " among ", typeText(sequence), ": it has no axis");
  const std::string_view side = attributes.wordOr(AttributeName::side, "");
  const bool right = attributes.flagOr(AttributeName::right, false);
  FUSER_USER_CHECK(side.empty() || side == "left" || side == "right", kName, ": side is left or right, not '", side,
                   "'");
  FUSER_USER_CHECK(side != "left" || !right, kName, ": side = left beside right = true");
  if (TensorView* sorter = optionalTensor(kName, operands, 2, attributes, AttributeName::sorter)) {
    FUSER_USER_CHECK(sorter->dtype() == DataType::Int64, kName, ": the sorter is of i64, not ", typeText(sorter));
    TensorView* order = ofSizes(kName, fusion, DataType::Int64, sorter, sizesOf(sequence), name);
    sequence = build::structuralTensor(fusion, OpKind::Gather, {sequence, order},
                                       Attributes().dim(static_cast<int64_t>(sequence->rank()) - 1), name + ".sorted");
  }
  if (sequence->rank() > 1) {
    FUSER_USER_CHECK(sequence->rank() == values->rank(), kName, " of ", typeText(values), " among ", typeText(sequence),
                     ": ranks differ");
    std::vector<IntExpr> rows = sizesOf(values);
    rows.back() = sizesOf(sequence).back();
    sequence = ofSizes(kName, fusion, sequence->dtype(), sequence, rows, name + ".rows");
    sequence = build::unsqueeze(fusion, sequence, {static_cast<int64_t>(sequence->rank()) - 1}, name + ".sequence");
  }
  return placesAmong(kName, fusion, sequence, values, right || side == "right",
                     attributes.flagOr(AttributeName::out_int32, false), name);
}

// torch.isin: whether an element is equal to one of the others.
TensorView* isIn(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                 const std::string& name) {
  Val *elements = operands[0], *others = operands[1];
  FUSER_USER_CHECK(elements->isTensor() || others->isTensor(), "isin of two numbers: one is a tensor");
  for (const Val* operand : operands) {
    FUSER_USER_CHECK(operand->dtype() != DataType::Bool, "isin takes no bool");
  }
  if (others->isTensor() && others->as<TensorView>()->rank() != 1) {
    others = build::reshape(fusion, others->as<TensorView>(), {fusion.ints().constant(-1)}, name + ".others");
  }
  const bool isOne = others->isScalar();
  if (elements->isTensor() && !isOne) {
    auto* tensor = elements->as<TensorView>();
    elements = build::unsqueeze(fusion, tensor, {static_cast<int64_t>(tensor->rank())}, name + ".elements");
  }
  const bool inverts = attributes.flagOr(AttributeName::invert, false);
  const std::string ending = inverts ? name + ".found" : name;
  auto* found = build::binary(fusion, OpKind::Eq, elements, others, isOne ? ending : name + ".equal")->as<TensorView>();
  if (!isOne) found = build::reduction(fusion, OpKind::Any, found, {-1}, false, ending);
  return inverts ? build::unary(fusion, OpKind::LogicalNot, found, name)->as<TensorView>() : found;
}

}  // namespace fuser::text
