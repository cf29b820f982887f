// A case from its policy: grow the program, choose its outputs, make its runs.

#include "fuzz/generate/generate.h"

#include <algorithm>
#include <iterator>

#include "fuser/ir/updates.h"
#include "fuzz/generate/composed_name.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/gradients.h"
#include "fuzz/generate/preallocated.h"
#include "fuzz/generate/streams.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

void grow(Workspace& work) {
  if (work.policy.inputs && work.choices.chance(0.3)) newScalarInput(work, DataType::Int64);
  // A draw that suits nothing adds nothing; so many in a row do not happen but in tiny subsets of ops.
  const int limit = 4 * work.policy.expressions + 8;
  for (int i = 0; i < limit && static_cast<int>(work.fusion->exprIdCount()) < work.policy.expressions; ++i) {
    if (work.elementsLeft() <= 0) break;
    if (work.choices.chance(work.policy.scalarOps)) {
      applyScalarOp(work);
    } else if (work.policy.stored > 0 && work.choices.chance(work.policy.stored / 3)) {
      applyStoredOp(work);
    } else if (work.choices.chance(work.policy.random)) {
      drawRandom(work);
    } else if (work.policy.products > 0 && work.choices.chance(work.policy.products)) {
      drawProduct(work);
    } else if (work.policy.composites > 0 && work.choices.chance(work.policy.composites)) {
      drawComposite(work);
    } else {
      applyOp(work, kAllOps[work.choices.weighted(work.policy.opWeights)]);
    }
  }
  const bool unused = work.policy.inputs && work.choices.chance(0.03);
  if (work.tensors.empty() || unused) drawSource(work);
}

// Back to fewer bits, as programs do that compute in f32.
Val* narrowed(Workspace& work, size_t index) {
  if (work.policy.opAllowed(OpKind::Cast) && !isStored(work.tensors[index].tensor->dtype())) {
    if (const std::optional<size_t> stored = applyStore(work, index)) return work.tensors[*stored].tensor;
  }
  const TensorValue& value = work.tensors[index];
  const bool narrow = value.tensor->dtype() == DataType::Float && work.policy.opAllowed(OpKind::Cast);
  if (!narrow || !work.choices.chance(work.policy.narrowCast)) return value.tensor;
  if (work.options.exactData && value.estimate.magnitude() > exactMagnitude(DataType::BFloat16)) return value.tensor;
  const bool half = value.estimate.wild || value.estimate.magnitude() < saneMagnitude(DataType::Half);
  const size_t cast = applyCast(
      work, index, half && work.choices.chance(work.policy.narrowToHalf) ? DataType::Half : DataType::BFloat16);
  return work.tensors[cast].tensor;
}

void chooseOutputs(Workspace& work) {
  Choices& choices = work.choices;
  std::vector<Val*> outputs;
  const size_t count = work.tensors.size();
  for (size_t i = 0; i < count; ++i) {
    TensorView* tensor = work.tensors[i].tensor;
    const bool input = tensor->isFusionInput();
    if (tensor->uses().empty()) {
      if (!choices.chance(input ? 1 - work.policy.inputOutput : work.policy.deadCode))
        outputs.push_back(narrowed(work, i));
    } else if (choices.chance(input ? work.policy.inputOutput / 4 : work.policy.extraOutput)) {
      outputs.push_back(tensor);
    }
  }
  for (const ScalarEntry& entry : work.scalars) {
    const double rate = entry.scalar->isFusionInput() ? work.policy.inputOutput / 4 : work.policy.scalarOutput;
    if (choices.chance(rate)) outputs.push_back(entry.scalar);
  }
  if (outputs.empty()) outputs.push_back(work.tensors.back().tensor);
  if (choices.chance(work.policy.repeatedOutput)) outputs.push_back(choices.pick(outputs));
  if (choices.chance(0.2)) choices.shuffle(outputs);
  for (Val* output : outputs) work.fusion->addOutput(output);
}

// Outputs that overwrite an input of their dtype and sizes; each input once.
std::vector<std::pair<std::string, std::string>> chooseAliases(Workspace& work) {
  std::vector<std::pair<std::string, std::string>> aliases;
  if (work.policy.overwritten == 0) return aliases;
  std::vector<const TensorValue*> inputs;
  for (const TensorValue& value : work.tensors) {
    if (value.tensor->isFusionInput() && !isUpdated(*work.fusion, value.tensor)) inputs.push_back(&value);
  }
  for (const TensorValue& value : work.tensors) {
    if (!value.tensor->isFusionOutput() || value.tensor->isFusionInput()) continue;
    const auto fits = [&](const TensorValue* input) {
      bool same = whyNoAlias(*work.fusion, value.tensor, input->tensor).empty();
      for (size_t run = 0; run < work.policy.runs; ++run) same = same && value.sizes[run] == input->sizes[run];
      return same;
    };
    std::vector<const TensorValue*> fitting;
    std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(fitting), fits);
    if (fitting.empty() || !work.choices.chance(work.policy.overwritten)) continue;
    const TensorValue* input = work.choices.pick(fitting);
    aliases.emplace_back(value.tensor->name(), input->tensor->name());
    std::erase(inputs, input);
  }
  return aliases;
}

// Any order, row-major among them: what is written holds, whatever the operands' layout.
void giveLayouts(Workspace& work) {
  if (work.policy.givenLayout == 0) return;
  for (const TensorValue& value : work.tensors) {
    TensorDomain& domain = value.tensor->domain();
    if (value.tensor->isFusionInput() || value.tensor->rank() < 2 || !work.choices.chance(work.policy.givenLayout)) {
      continue;
    }
    const std::vector<IterDomain*> axes = value.tensor->axes();
    if (work.choices.chance(0.7)) work.choices.shuffle(domain.allocationOrder);
    for (size_t place = 0; place < axes.size(); ++place) {
      const bool stored = !axes[static_cast<size_t>(domain.allocationOrder[place])]->isBroadcast();
      domain.contiguity[place] = stored ? std::optional<bool>(true) : std::nullopt;
    }
    domain.hasFixedLayout = true;
  }
}

}  // namespace

Case generate(Choices& choices, const GeneratorOptions& options) {
  const Policy policy = drawPolicy(choices, options);
  Workspace work(choices, options, policy);
  work.fusion->setConcrete(policy.onesMeet == 0);
  grow(work);
  chooseOutputs(work);
  giveLayouts(work);
  Case testCase;
  if (!work.composed.empty()) testCase.metadata.emplace_back(kNamesKey, namesOf(work));
  testCase.aliases = chooseAliases(work);
  testCase.runs = makeRuns(work);
  const bool isWritten = !testCase.aliases.empty() || hasUpdates(*work.fusion) || work.fusion->hasDevices();
  if (!isWritten && choices.chance(0.3)) shareMemory(work, testCase.runs);
  testCase.fusion = std::move(work.fusion);
  testCase.fusion->setConcrete(false);
  // Pads move where nothing schedules them.
  const std::vector<Expr*>& exprs = testCase.fusion->exprs();
  const bool pads = std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return expr->op() == OpKind::Pad; });
  if (pads && choices.chance(0.5)) testCase.options.disabled.insert(DisableOption::ResizeScheduler);
  if (choices.chance(0.02)) spreadOverStreams(testCase, choices);
  if (choices.chance(0.02)) preallocateOutputs(testCase, choices);
  if (choices.chance(0.04) && spreadOverDevices(testCase, choices) && choices.chance(0.3)) {
    spreadOverStreams(testCase, choices);
  }
  if (choices.chance(0.03)) takeGradients(testCase, options);
  return testCase;
}

Case generateCase(uint64_t seed, uint64_t number, const GeneratorOptions& options) {
  Choices choices(seed, number);
  Case testCase = generate(choices, options);
  const std::pair<std::string, std::string> identity[] = {
      {"stream", std::to_string(kStreamVersion)}, {"seed", std::to_string(seed)}, {"case", std::to_string(number)}};
  testCase.metadata.insert(testCase.metadata.begin(), std::begin(identity), std::end(identity));
  testCase.options.fault = options.fault;
  return testCase;
}

}  // namespace fuser::fuzz
