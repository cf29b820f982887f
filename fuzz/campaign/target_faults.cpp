#include "fuzz/campaign/target_faults.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuser/types/scalar_value.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

// --- of answers ---

// The bytes of an output's elements.
struct Elements {
  explicit Elements(AnswerTensor& given) : tensor(given), size(dtypeSize(given.dtype)) {}

  size_t count() const { return tensor.elements.size() / size; }
  ScalarValue at(size_t index) const { return elementAt(tensor.dtype, tensor.elements.data() + index * size); }
  void copy(size_t from, size_t to) const {
    std::memcpy(tensor.elements.data() + to * size, tensor.elements.data() + from * size, size);
  }

  AnswerTensor& tensor;
  size_t size;
};

// Finite and not 0: then the lowest bit of it is a digit.
bool hasDigits(const Elements& elements, size_t index) {
  const double number = elements.at(index).as<double>();
  return elements.tensor.dtype != DataType::Bool && std::isfinite(number) && number != 0;
}

using Places = std::vector<std::pair<AnswerTensor*, size_t>>;

// The elements of all outputs of which something holds.
template <class Predicate>
Places placesWhere(std::vector<AnswerRun>& runs, const Predicate& holds) {
  Places places;
  for (AnswerRun& run : runs) {
    for (AnswerTensor& output : run.outputs) {
      const Elements elements(output);
      for (size_t i = 0; i < elements.count(); ++i) {
        if (holds(elements, i)) places.emplace_back(&output, i);
      }
    }
  }
  return places;
}

bool flipLastBit(std::vector<AnswerRun>& runs, Choices& choices) {
  const Places places = placesWhere(runs, hasDigits);
  if (places.empty()) return false;
  const auto& [output, index] = choices.pick(places);
  output->elements[index * dtypeSize(output->dtype)] ^= 1;  // the lowest byte comes first
  return true;
}

bool loseNan(std::vector<AnswerRun>& runs, Choices& choices) {
  const Places places =
      placesWhere(runs, [](const Elements& elements, size_t i) { return std::isnan(elements.at(i).as<double>()); });
  if (places.empty()) return false;
  const auto& [output, index] = choices.pick(places);
  const size_t size = dtypeSize(output->dtype);
  std::memset(output->elements.data() + index * size, 0, size);
  return true;
}

// As where the last elements of a row are computed by other code.
bool repeatBeforeLast(std::vector<AnswerRun>& runs, Choices& choices) {
  const Places places = placesWhere(runs, [](const Elements& elements, size_t i) {
    const bool isLast = i > 0 && i + 1 == elements.count();
    return isLast && elements.at(i) != elements.at(i - 1);
  });
  if (places.empty()) return false;
  const auto& [output, index] = choices.pick(places);
  Elements(*output).copy(index - 1, index);
  return true;
}

// As where a compiled program keeps what it computed before.
bool repeatFirstRun(std::vector<AnswerRun>& runs, Choices&) {
  bool isChanged = false;
  for (size_t run = 1; run < runs.size(); ++run) {
    for (size_t i = 0; i < std::min(runs[run].outputs.size(), runs[0].outputs.size()); ++i) {
      const AnswerTensor& first = runs[0].outputs[i];
      AnswerTensor& later = runs[run].outputs[i];
      if (first.sizes != later.sizes || first.elements == later.elements) continue;
      later.elements = first.elements;
      isChanged = true;
    }
  }
  return isChanged;
}

// --- all ---

struct TargetFault {
  FaultInfo info;
  std::string_view mutation;                                       // of programs; "": of answers
  bool (*change)(std::vector<AnswerRun>&, Choices& choices) = {};  // of answers
};
constexpr TargetFault kFaults[] = {
    {{"another-op", FaultStage::Fusion, "an op is another one of its family"}, "ReplaceOp"},
    {{"swapped-operands", FaultStage::Fusion, "two operands of an op are swapped"}, "SwapOperands"},
    {{"another-operand", FaultStage::Fusion, "an op reads another value of the same kind"}, "ReplaceOperand"},
    {{"bypassed-op", FaultStage::Fusion, "readers of a result read one of its operands instead"}, "BypassOp"},
    {{"another-attribute", FaultStage::Fusion, "an op has other axes, another shape or another dtype"},
     "ChangeAttribute"},
    {{"rounded-operand", FaultStage::Fusion, "an operand is cast to another dtype"}, "ChangeDtype"},
    {{"last-bit", FaultStage::Launch, "one element is off by the last bit of its number"}, "", flipLastBit},
    {{"last-element", FaultStage::Launch, "the last element of an output is the one before it"}, "", repeatBeforeLast},
    {{"lost-nan", FaultStage::Launch, "a NaN is 0"}, "", loseNan},
    {{"stale-run", FaultStage::Launch, "later runs of the same sizes give what the first one gave"},
     "",
     repeatFirstRun},
};

const TargetFault& faultNamed(std::string_view name) {
  const auto found = std::find_if(std::begin(kFaults), std::end(kFaults),
                                  [&](const TargetFault& one) { return one.info.name == name; });
  FUSER_USER_CHECK(found != std::end(kFaults), "no fault of a target is called '", name,
                   "'; fuserfuzz selftest --target=NAME --list lists them");
  return *found;
}

bool haveTheSameTypes(const Fusion& one, const Fusion& other) {
  const auto isSame = [](const Val* a, const Val* b) {
    if (a->isTensor() != b->isTensor() || a->dtype() != b->dtype()) return false;
    return !a->isTensor() || a->as<TensorView>()->axes().size() == b->as<TensorView>()->axes().size();
  };
  return std::equal(one.outputs().begin(), one.outputs().end(), other.outputs().begin(), other.outputs().end(), isSame);
}

}  // namespace

std::span<const FaultInfo> targetFaults() {
  static const std::vector<FaultInfo> infos = [] {
    std::vector<FaultInfo> all;
    for (const TargetFault& fault : kFaults) all.push_back(fault.info);
    return all;
  }();
  return infos;
}

void checkIsTargetFault(std::string_view name) { faultNamed(name); }

std::optional<Case> miscompiled(const Case& testCase, std::string_view fault, uint64_t number) {
  const std::string_view name = faultNamed(fault).mutation;
  if (name.empty()) return std::nullopt;
  const std::span<const Mutation> mutations = allMutations();
  const auto mutation =
      std::find_if(mutations.begin(), mutations.end(), [&](const Mutation& one) { return one.name == name; });
  const CaseEdit original = editForMutation(testCase);
  const std::string text = printCase(finishMutant(original));
  Choices choices(number, 0);
  constexpr int kTries = 12;
  for (int i = 0; i < kTries; ++i) {
    CaseEdit edit = original;
    if (!mutation->apply(edit, nullptr, choices)) continue;
    try {
      Case other = finishMutant(edit);
      if (haveTheSameTypes(*testCase.fusion, *other.fusion) && printCase(other) != text) return other;
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);  // no valid case; another try
    }
  }
  return std::nullopt;
}

bool misanswer(std::vector<AnswerRun>& runs, std::string_view fault, uint64_t number) {
  const TargetFault& named = faultNamed(fault);
  Choices choices(number, 0);
  return named.change && named.change(runs, choices);
}

}  // namespace fuser::fuzz
