// Losses: of squares, and of classes by their index or by their probabilities.

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

// What a loss becomes of its elements: `reduction = mean | sum | none`.
enum class LossReduction : uint8_t { Mean, Sum, None };

LossReduction lossReduction(std::string_view op, const NamedAttributes& attributes) {
  const std::string_view word = attributes.wordOr(AttributeName::reduction, "mean");
  FUSER_USER_CHECK(word == "mean" || word == "sum" || word == "none", op, ": reduction is mean, sum or none, not '",
                   word, "'");
  return word == "mean" ? LossReduction::Mean : word == "sum" ? LossReduction::Sum : LossReduction::None;
}

// A loss by the index of a class, for each place of the targets; 0 where that is ignored.
class ClassLoss {
 public:
  // `scores`: of each class, along the second axis, or the only one.
  ClassLoss(std::string_view op, Composite& make, TensorView* scores, TensorView* target, TensorView* weight,
            int64_t ignored)
      : make_(make), scores_(scores), dim_(scores->rank() == 1 ? 0 : 1) {
    FUSER_USER_CHECK(scores->rank() >= 1, op, " of ", typeText(scores), ": it has no classes");
    FUSER_USER_CHECK(target->dtype() == DataType::Int64, op, ": classes are i64, not ", typeText(target));
    std::vector<IntExpr> places = sizesOf(scores);
    places.erase(places.begin() + dim_);
    target = ofSizes(op, make.fusion(), DataType::Int64, target, places, make.named(".target"));
    Val* none = make.fusion().newConstant(ScalarValue(ignored));
    counts_ = make.op(OpKind::Ne, target, none, ".counts");
    Val* zero = make.fusion().newConstant(ScalarValue(int64_t{0}));
    classes_ = make.where(counts_, target, zero, ".classes");
    if (!weight) return;
    weight_ =
        make.wide(ofSizes(op, make.fusion(), weight->dtype(), weight, {sizesOf(scores)[dim_]}, make.named(".weight")),
                  ".weights");
    TensorView* row = classes_;
    if (places.size() != 1)
      row = build::reshape(make.fusion(), row, {make.fusion().ints().constant(-1)}, make.named(".row"));
    chosenWeight_ = indexSelected(make.fusion(), weight_, row, 0, make.named(".chosen"));
    if (places.size() != 1) chosenWeight_ = build::reshape(make.fusion(), chosenWeight_, places, make.named(".places"));
  }

  // -weight * score, of the targets' classes.
  TensorView* ofTargets() {
    TensorView* places = build::unsqueeze(make_.fusion(), classes_, {dim_}, make_.named(".index"));
    TensorView* score = build::structuralTensor(make_.fusion(), OpKind::Gather, {scores_, places},
                                                Attributes().dim(dim_), make_.named(".score"));
    score = build::squeeze(make_.fusion(), score, {dim_}, make_.named(".target_score"));
    TensorView* loss = make_.op(OpKind::Neg, score, ".loss");
    if (chosenWeight_) loss = make_.op(OpKind::Mul, loss, chosenWeight_, ".weighted");
    return counted(loss, ".each");
  }

  // -sum of weight * score, of all classes.
  TensorView* ofAll() {
    TensorView* terms = scores_;
    if (weight_) {
      TensorView* each =
          alongAxis(make_.fusion(), weight_, static_cast<size_t>(dim_), scores_->rank(), make_.named(".each_class"));
      terms = make_.op(OpKind::Mul, terms, each, ".terms");
    }
    TensorView* sum = build::reduction(make_.fusion(), OpKind::Sum, terms, {dim_}, false, make_.named(".all"));
    return counted(make_.op(OpKind::Neg, sum, ".smooth"), ".smooth_each");
  }

  TensorView* reduced(TensorView* each, LossReduction reduction, const std::string& ending) {
    if (reduction == LossReduction::None) return each;
    TensorView* sum = make_.overAll(OpKind::Sum, each, ending + ".sum");
    if (reduction == LossReduction::Sum) return sum;
    TensorView* counts = chosenWeight_ ? counted(chosenWeight_, ending + ".count")
                                       : make_.as(make_.computed(), counts_, ending + ".count");
    return make_.op(OpKind::Div, sum, make_.overAll(OpKind::Sum, counts, ending + ".total"), ending + ".mean");
  }

 private:
  // 0 where the class is ignored.
  TensorView* counted(TensorView* each, const std::string& ending) {
    return make_.where(counts_, each, make_.real(0), ending);
  }

  Composite& make_;
  TensorView* scores_;
  int64_t dim_;
  TensorView *counts_ = nullptr, *classes_ = nullptr, *weight_ = nullptr, *chosenWeight_ = nullptr;
};

int64_t ignoredClass(const NamedAttributes& attributes) {
  return attributes.has(AttributeName::ignore_index) ? attributes.number(AttributeName::ignore_index) : -100;
}

// How many classes there are, as a scalar.
Val* classCount(Composite& make, TensorView* scores, size_t dim) {
  return sizeAsScalar(make.fusion(), scores, dim, make.named(".number"));
}

// target * (1 - smoothing) + smoothing / classes
TensorView* smoothed(Composite& make, TensorView* target, Val* smoothing, Val* number) {
  Fusion& fusion = make.fusion();
  Val* kept = build::binary(fusion, OpKind::Sub, make.real(1), smoothing, make.named(".kept"));
  Val* share = build::binary(fusion, OpKind::Div, smoothing, number, make.named(".share"));
  return make.op(OpKind::Add, make.op(OpKind::Mul, target, kept, ".sharp"), share, ".soft");
}

bool isZero(const Val* scalar) {
  const std::optional<ScalarValue>& literal = scalar->as<Scalar>()->constant();
  return literal && literal->as<double>() == 0;
}

// -sum of weight * target * score: targets are probabilities of all classes.
TensorView* ofProbabilities(Composite& make, TensorView* scores, TensorView* target, TensorView* weight,
                            const NamedAttributes& attributes) {
  Fusion& fusion = make.fusion();
  const int64_t dim = scores->rank() == 1 ? 0 : 1;
  const std::vector<IntExpr> sizes = sizesOf(scores);
  target =
      make.wide(ofSizes("cross_entropy", fusion, target->dtype(), target, sizes, make.named(".target")), ".shares");
  Val* smoothing = attributes.operand(AttributeName::label_smoothing);
  if (!isZero(smoothing))
    target = smoothed(make, target, smoothing, classCount(make, scores, static_cast<size_t>(dim)));
  TensorView* terms = make.op(OpKind::Mul, scores, target, ".terms");
  if (weight) {
    weight = make.wide(ofSizes("cross_entropy", fusion, weight->dtype(), weight, {sizes[static_cast<size_t>(dim)]},
                               make.named(".weight")),
                       ".weights");
    weight = alongAxis(fusion, weight, static_cast<size_t>(dim), scores->rank(), make.named(".each_class"));
    terms = make.op(OpKind::Mul, terms, weight, ".weighted");
  }
  const LossReduction reduction = lossReduction("cross_entropy", attributes);
  if (reduction == LossReduction::None) {
    TensorView* sum = build::reduction(fusion, OpKind::Sum, terms, {dim}, false, make.named(".sum"));
    return make.rounded(make.op(OpKind::Neg, sum, ".loss"));
  }
  TensorView* loss = make.op(OpKind::Neg, make.overAll(OpKind::Sum, terms, ".sum"), ".loss");
  if (reduction == LossReduction::Sum) return make.rounded(loss);
  std::vector<IntExpr> places = sizes;
  places.erase(places.begin() + dim);
  TensorView* ones = build::full(fusion, places, make.real(1), make.computed(), make.named(".places"));
  return make.rounded(make.op(OpKind::Div, loss, make.overAll(OpKind::Sum, ones, ".count"), ".mean"));
}

}  // namespace

// torch.nn.functional.mse_loss: (x - target)^2. The two are broadcast to each other.
TensorView* mseLoss(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  const DataType dtype = commonType(OpKind::Sub, operands);
  FUSER_USER_CHECK(isFloating(dtype), "mse_loss takes floats, not ", typeText(operands[0]), " and ",
                   typeText(operands[1]));
  Composite make(fusion, name, dtype);
  TensorView* difference = make.op(OpKind::Sub, make.wide(tensorAt(operands, 0), ".x"),
                                   make.wide(tensorAt(operands, 1), ".target"), ".difference");
  TensorView* squares = make.op(OpKind::Mul, difference, difference, ".squares");
  const LossReduction reduction = lossReduction("mse_loss", attributes);
  if (reduction == LossReduction::None) return make.rounded(squares);
  return make.rounded(make.overAll(reduction == LossReduction::Mean ? OpKind::Mean : OpKind::Sum, squares, ".all"));
}

// torch.nn.functional.nll_loss: minus the log-probability of each target's class, which lies along the second axis.
TensorView* nllLoss(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(operands.size() == 2 || operands.size() == 3, "nll_loss takes 2 or 3 operands, not ",
                   operands.size());
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "nll_loss takes floats, not ", typeText(tensor));
  Composite make(fusion, name, tensor->dtype());
  ClassLoss loss("nll_loss", make, make.wide(tensor), tensorAt(operands, 1),
                 optionalTensor("nll_loss", operands, 2, attributes, AttributeName::weight), ignoredClass(attributes));
  return make.rounded(loss.reduced(loss.ofTargets(), lossReduction("nll_loss", attributes), ".loss"));
}

// torch.nn.functional.cross_entropy: of scores; targets are classes, or probabilities of all classes.
TensorView* crossEntropy(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  TensorView *tensor = tensorAt(operands, 0), *target = tensorAt(operands, 1);
  FUSER_USER_CHECK(operands.size() == 2 || operands.size() == 3, "cross_entropy takes 2 or 3 operands, not ",
                   operands.size());
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "cross_entropy takes floats, not ", typeText(tensor));
  FUSER_USER_CHECK(tensor->rank() >= 1, "cross_entropy of ", typeText(tensor), ": it has no classes");
  Composite make(fusion, name, tensor->dtype());
  const int64_t dim = tensor->rank() == 1 ? 0 : 1;
  NamedAttributes along;
  along.set(AttributeName::dim, Attributes().setAxis(AttributeName::dim, dim));
  TensorView* scores = logSoftmax(fusion, {make.wide(tensor)}, along, make.named(".scores"));
  TensorView* weight = optionalTensor("cross_entropy", operands, 2, attributes, AttributeName::weight);
  Val* smoothing = attributes.operand(AttributeName::label_smoothing);
  const std::optional<ScalarValue>& literal = smoothing->as<Scalar>()->constant();
  FUSER_USER_CHECK(!literal || (literal->as<double>() >= 0 && literal->as<double>() <= 1),
                   "cross_entropy: label_smoothing is from 0 to 1, not ", literal->toString());
  if (isFloating(target->dtype())) return ofProbabilities(make, scores, target, weight, attributes);
  ClassLoss loss("cross_entropy", make, scores, target, weight, ignoredClass(attributes));
  const LossReduction reduction = lossReduction("cross_entropy", attributes);
  TensorView* result = loss.reduced(loss.ofTargets(), reduction, ".loss");
  if (isZero(smoothing)) return make.rounded(result);
  Val* kept = build::binary(fusion, OpKind::Sub, make.real(1), smoothing, name + ".kept");
  Val* share = build::binary(fusion, OpKind::Div, smoothing, classCount(make, scores, static_cast<size_t>(dim)),
                             name + ".share");
  TensorView* smooth = make.op(OpKind::Mul, loss.reduced(loss.ofAll(), reduction, ".smooth"), share, ".soft");
  return make.rounded(make.op(OpKind::Add, make.op(OpKind::Mul, result, kept, ".sharp"), smooth, ".both"));
}

}  // namespace fuser::text
