#include "fuzz/compilers/compare_exactly.h"

#include <cmath>

namespace fuser::fuzz {
namespace {

// A tensor of the fusion's outputs; a number is one without axes.
struct Expected {
  DataType dtype = DataType::Float;
  Dims sizes;
  std::vector<ScalarValue> elements;  // row-major
};

Expected expectedOf(const Val& output, const std::vector<std::optional<reference::Value>>& values) {
  const Scalar* literal = output.isScalar() ? output.as<Scalar>() : nullptr;
  if (literal && literal->isConstant()) return {literal->constant()->dtype(), {}, {*literal->constant()}};
  const auto& value = values.at(output.id()).value().value;
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&value)) return {scalar->dtype(), {}, {*scalar}};
  const TensorRef& tensor = std::get<TensorRef>(value);
  Expected expected{tensor.dtype, tensor.sizes, {}};
  for (int64_t index = 0, count = numel(tensor.sizes); index < count; ++index) {
    int64_t rest = index, place = 0;
    for (size_t axis = tensor.sizes.size(); axis-- > 0;) {
      place += rest % tensor.sizes[axis] * tensor.strides[axis];
      rest /= tensor.sizes[axis];
    }
    const auto* data = static_cast<const std::byte*>(tensor.data);
    expected.elements.push_back(elementAt(tensor.dtype, data + static_cast<size_t>(place) * dtypeSize(tensor.dtype)));
  }
  return expected;
}

Dims indexOf(int64_t place, const Dims& sizes) {
  Dims index = sizes;
  for (size_t axis = sizes.size(); axis-- > 0; place /= sizes[axis]) index[axis] = place % sizes[axis];
  return index;
}

void noteWrong(oracle::Judgement& judgement, const std::string& name, const Expected& expected, int64_t place,
               const ScalarValue& got) {
  const ScalarValue& right = expected.elements[static_cast<size_t>(place)];
  if (!judgement.wrong) {
    judgement.wrong.emplace();
    judgement.wrong->value = name;
    judgement.wrong->dtype = expected.dtype;
    judgement.wrong->extents = expected.sizes;
    judgement.wrong->judged = static_cast<int64_t>(expected.elements.size());
  }
  oracle::WrongValue& wrong = *judgement.wrong;
  if (wrong.value == name) {
    ++wrong.outside;
    const auto number = right.as<double>();
    if (wrong.elements.size() < oracle::kMaxWrongElements)
      wrong.elements.push_back({place, got.as<double>(), number, number, std::isnan(number), std::isinf(number)});
  }
  constexpr size_t kWorst = 5;
  if (judgement.worst.size() < kWorst) {
    const double distance = std::abs(got.as<double>() - right.as<double>());
    judgement.worst.push_back(
        {name, -1, indexOf(place, expected.sizes), got.toString(), right.toString(), true, distance});
  }
}

// A wrong dtype or shape, or "".
std::string problemOf(const Expected& expected, const AnswerTensor& given, bool sizesAreExact) {
  const bool sameShape = sizesAreExact ? given.sizes == expected.sizes : given.sizes.size() == expected.sizes.size();
  if (given.dtype == expected.dtype && sameShape) return "";
  return concat("is ", given.dtype, given.sizes, " instead of ", expected.dtype, expected.sizes);
}

// The elements, judged and not decided.
oracle::Counts undecided(int64_t elements) {
  oracle::Counts counts;
  counts.judged = counts.inside = elements;
  return counts;
}

void compareOutput(oracle::Judgement& judgement, const Val& output, size_t place, const Expected& expected,
                   const Exactness& exactness, const AnswerTensor& given) {
  oracle::ValueJudgement& judged = judgement.outputs.emplace_back();
  judged.name = output.name().empty() ? concat("output_", place) : output.name();
  judged.origin = output.id();
  judged.problem = problemOf(expected, given, exactness.sizesAreExact);
  if (!judged.problem.empty()) {
    judgement.verdict = oracle::Verdict::Differs;
    if (judgement.reason.empty()) judgement.reason = concat("%", judged.name, " ", judged.problem);
    return;
  }
  if (!exactness.of(output).empty()) {
    judged.counts = undecided(static_cast<int64_t>(expected.elements.size()));
    judgement.total += judged.counts;
    return;
  }
  const size_t size = dtypeSize(given.dtype);
  for (size_t i = 0; i < expected.elements.size(); ++i) {
    const ScalarValue got = elementAt(given.dtype, given.elements.data() + i * size);
    const bool isRight = isSameElement(expected.elements[i], got);
    ++judged.counts.judged;
    ++judged.counts.decided;
    ++(isRight ? judged.counts.inside : judged.counts.outside);
    if (!isRight) noteWrong(judgement, judged.name, expected, static_cast<int64_t>(i), got);
  }
  if (judged.counts.outside > 0) judgement.verdict = oracle::Verdict::Differs;
  judgement.total += judged.counts;
}

}  // namespace

bool isSameElement(const ScalarValue& a, const ScalarValue& b) {
  if (a.dtype() != DataType::Double) return a == b;
  const auto one = a.as<double>(), other = b.as<double>();
  return one == other || (std::isnan(one) && std::isnan(other));
}

oracle::Judgement compareExactly(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& expected,
                                 const Exactness& exactness, const std::vector<AnswerTensor>& outputs) {
  oracle::Judgement judgement;
  judgement.verdict = oracle::Verdict::Agrees;
  if (outputs.size() != fusion.outputs().size()) {
    judgement.verdict = oracle::Verdict::Differs;
    judgement.reason = concat(outputs.size(), " outputs instead of ", fusion.outputs().size());
    return judgement;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Val& output = *fusion.outputs()[i];
    compareOutput(judgement, output, i, expectedOf(output, expected), exactness, outputs[i]);
  }
  return judgement;
}

oracle::Counts undecidedOutputs(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values) {
  int64_t elements = 0;
  for (const Val* output : fusion.outputs()) {
    const auto& value = values.at(output->id());
    const TensorRef* tensor = value ? std::get_if<TensorRef>(&value->value) : nullptr;
    elements += tensor ? numel(tensor->sizes) : 1;
  }
  return undecided(elements);
}

}  // namespace fuser::fuzz
