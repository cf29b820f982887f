#include "fuzz/campaign/target_faults.h"

#include <algorithm>

#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

struct TargetFault {
  FaultInfo info;
  std::string_view mutation;
};
constexpr TargetFault kFaults[] = {
    {{"another-op", FaultStage::Fusion, "an op is another one of its family"}, "ReplaceOp"},
    {{"swapped-operands", FaultStage::Fusion, "two operands of an op are swapped"}, "SwapOperands"},
    {{"another-operand", FaultStage::Fusion, "an op reads another value of the same kind"}, "ReplaceOperand"},
    {{"bypassed-op", FaultStage::Fusion, "readers of a result read one of its operands instead"}, "BypassOp"},
    {{"another-attribute", FaultStage::Fusion, "an op has other axes, another shape or another dtype"},
     "ChangeAttribute"},
    {{"rounded-operand", FaultStage::Fusion, "an operand is cast to another dtype"}, "ChangeDtype"},
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

}  // namespace fuser::fuzz
