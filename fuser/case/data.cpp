// Recipes -> bytes: allocates one buffer per tensor that is not a view, fills it with poison, then writes the elements.

#include <cstring>
#include <limits>
#include <new>

#include "fuser/case/case.h"
#include "fuser/case/check_input.h"
#include "fuser/case/recipe_data.h"
#include "fuser/support/rejection.h"

namespace fuser {
namespace {

constexpr size_t kAlignment = 64;

// The layout of an input tensor, computed for all inputs before memory is allocated.
struct Plan {
  const RunInput* run = nullptr;
  const TensorInput* input = nullptr;
  Dims strides;
  int64_t extent = 0;  // elements from the first to the last addressed one
};

// The number of elements that the tensor spans in memory. A UserError if it is too large: sizes come from files.
int64_t checkedExtent(const std::string& name, const Dims& sizes, const Dims& strides) {
  __int128 elements = 1;
  __int128 last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    FUSER_USER_CHECK(sizes[i] >= 0, "%", name, ": size ", sizes[i], " is negative");
    FUSER_USER_CHECK(strides[i] >= 0, "%", name, ": stride ", strides[i], " is negative");
    FUSER_USER_CHECK(sizes[i] <= kMaxElements, "%", name, ": size ", sizes[i], " is above ", kMaxElements);
    // The other sizes of an empty tensor must not be so large that strides overflow.
    elements *= std::max<int64_t>(sizes[i], 1);
    FUSER_USER_CHECK(elements <= kMaxElements, "%", name, " has more than ", kMaxElements, " elements: sizes ", sizes);
    last += static_cast<__int128>(std::max<int64_t>(sizes[i] - 1, 0)) * strides[i];
    FUSER_USER_CHECK(last < kMaxElements, "%", name, " spans more than ", kMaxElements, " elements: strides ", strides);
  }
  return extentInMemory(sizes, strides);
}

// Contiguous strides in the input's allocation order; expanded axes have stride 0.
Dims defaultStrides(const TensorView* tensor, const Dims& sizes) {
  const std::vector<IterDomain*> axes = tensor->axes();
  Dims stored = sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->isExpanded()) stored[i] = 1;
  }
  Dims order;
  for (int axis : tensor->domain().allocationOrder) order.push_back(axis);
  Dims strides = stridesInOrder(stored, order);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->isExpanded()) strides[i] = 0;
  }
  return strides;
}

Plan planTensor(const TensorView* tensor, const RunInput& run, const TensorInput& input) {
  FUSER_USER_CHECK(input.dtype == tensor->dtype(), "%", run.name, " is ", tensor->dtype(), " in the fusion, and ",
                   input.dtype, " in the run");
  FUSER_USER_CHECK(input.sizes.size() == tensor->rank(), "%", run.name, " has rank ", tensor->rank(),
                   ", the run gives sizes ", input.sizes);
  FUSER_USER_CHECK(!input.strides || input.strides->size() == input.sizes.size(), "%", run.name, ": strides ",
                   input.strides.value_or(Dims{}), " for sizes ", input.sizes);
  FUSER_USER_CHECK(input.offset >= 0 && input.offset <= kMaxElements, "%", run.name, ": offset ", input.offset,
                   " is outside [0, ", kMaxElements, "]");
  checkRecipe(input.recipe, input.dtype);
  FUSER_USER_CHECK(!input.recipe.peak || input.recipe.peak->axis < static_cast<int64_t>(input.sizes.size()), "%",
                   run.name, " has ", input.sizes.size(), " axes, and a peak along axis ", input.recipe.peak->axis);
  Plan plan{&run, &input, {}, 0};
  // Checks the sizes first, because default strides are products of them.
  checkedExtent(run.name, input.sizes, Dims(input.sizes.size(), 0));
  plan.strides = input.strides ? *input.strides : defaultStrides(tensor, input.sizes);
  plan.extent = checkedExtent(run.name, input.sizes, plan.strides);
  const auto count = static_cast<size_t>(numel(input.sizes));
  const size_t given = input.recipe.values.size();
  FUSER_USER_CHECK(input.recipe.kind != RecipeKind::Values || given == count || (given == 1 && plan.extent <= 1), "%",
                   run.name, ": ", given, " values for ", count, " elements",
                   given == 1 ? ": one value is for memory of one element, with strides of 0" : "");
  return plan;
}

size_t blockBytes(const Plan& plan) {
  const size_t elements = static_cast<size_t>(plan.input->offset + plan.extent);
  const size_t bytes = elements * dtypeSize(plan.input->dtype);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment + kAlignment;  // poison behind the last element too
}

std::shared_ptr<std::byte[]> allocate(size_t bytes) {
  constexpr std::align_val_t kAlign{kAlignment};
  return {static_cast<std::byte*>(::operator new[](bytes, kAlign)),
          [](std::byte* memory) { ::operator delete[](memory, std::align_val_t{kAlignment}); }};
}

// Elements that share memory hold the value of the last of them in logical order.
void writeElements(const Plan& plan, std::byte* first) {
  const TensorInput& input = *plan.input;
  const Dims& sizes = input.sizes;
  const size_t rank = sizes.size();
  if (numel(sizes) == 0) return;
  const Dims logical = contiguousStrides(sizes);
  const size_t elementSize = dtypeSize(input.dtype);
  const auto isPeak = [&](const Dims& element, int64_t index) {
    if (!input.recipe.peak) return false;
    const auto [value, axis, wanted] = *input.recipe.peak;
    if (axis == kAllAxes) return index == (wanted < 0 ? wanted + numel(sizes) : wanted);
    const auto along = static_cast<size_t>(axis);
    return element[along] == (wanted < 0 ? wanted + sizes[along] : wanted);
  };
  Dims at(rank, 0);
  for (size_t i = 0; i < rank; ++i) at[i] = plan.strides[i] == 0 ? sizes[i] - 1 : 0;
  while (true) {
    int64_t index = 0;
    int64_t place = 0;
    for (size_t i = 0; i < rank; ++i) {
      index += at[i] * logical[i];
      place += at[i] * plan.strides[i];
    }
    std::byte* to = first + static_cast<size_t>(place) * elementSize;
    if (isPeak(at, index)) {
      writeNumber(input.recipe.peak->value, input.dtype, to);
    } else {
      writeElement(input.recipe, input.dtype, static_cast<uint64_t>(index), to);
    }
    size_t axis = rank;
    while (axis-- > 0) {
      if (plan.strides[axis] == 0) continue;
      if (++at[axis] < sizes[axis]) break;
      at[axis] = 0;
    }
    if (axis == std::numeric_limits<size_t>::max()) return;
  }
}

TensorData makeTensor(const Plan& plan) {
  const TensorInput& input = *plan.input;
  TensorData data;
  data.bytes = blockBytes(plan);
  data.memory = allocate(data.bytes);
  std::memset(data.memory.get(), static_cast<int>(poisonByte(input.dtype)), data.bytes);
  std::byte* first = data.memory.get() + static_cast<size_t>(input.offset) * dtypeSize(input.dtype);
  data.ref = {first, input.dtype, input.sizes, plan.strides, {}};
  writeElements(plan, first);
  return data;
}

// The view's offset counts from the first element of its base.
TensorData makeView(const Plan& plan, const Plan& base, const TensorData& baseData) {
  const TensorInput& input = *plan.input;
  FUSER_USER_CHECK(input.dtype == base.input->dtype, "%", plan.run->name, " is ", input.dtype,
                   ", it cannot be a view of %", base.run->name, ", which is ", base.input->dtype);
  FUSER_USER_CHECK(input.offset + plan.extent <= base.extent, "%", plan.run->name, " reaches element ",
                   input.offset + plan.extent - 1, " of %", base.run->name, ", which spans ", base.extent);
  auto* first = static_cast<std::byte*>(baseData.ref.data) + static_cast<size_t>(input.offset) * dtypeSize(input.dtype);
  return {baseData.memory, baseData.bytes, {first, input.dtype, input.sizes, plan.strides, {}}};
}

size_t findBase(const std::vector<Plan>& plans, const Plan& view) {
  const std::string& wanted = view.input->recipe.viewOf;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].run->name != wanted) continue;
    FUSER_USER_CHECK(plans[i].input->recipe.kind != RecipeKind::View, "%", view.run->name, " is a view of %", wanted,
                     ", which is a view itself");
    return i;
  }
  throwUserError(concat("%", view.run->name, " is a view of %", wanted, ", which is no input tensor"));
}

// Checks that the run has a value of the right kind for each input of the fusion, in order.
void checkInputs(const Case& testCase, const Run& run) {
  const std::vector<Val*>& inputs = testCase.fusion->inputs();
  FUSER_USER_CHECK(run.inputs.size() == inputs.size(), "the fusion has ", inputs.size(), " inputs, the run gives ",
                   run.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    FUSER_USER_CHECK(run.inputs[i].name == inputs[i]->name(), "input ", i, " is %", inputs[i]->name(),
                     ", the run gives %", run.inputs[i].name);
    const ScalarValue* scalar = std::get_if<ScalarValue>(&run.inputs[i].value);
    FUSER_USER_CHECK(inputs[i]->isTensor() == !scalar, "%", inputs[i]->name(), " is a ",
                     inputs[i]->isTensor() ? "tensor" : "scalar", ", and the run has the other kind of value");
    FUSER_USER_CHECK(!scalar || scalar->dtype() == inputs[i]->dtype(), "%", inputs[i]->name(), " is ",
                     inputs[i]->dtype(), ", the run gives ", scalar ? scalar->toString() : "");
  }
}

}  // namespace

void checkInput(const TensorView* tensor, const RunInput& run, const TensorInput& input) {
  planTensor(tensor, run, input);
}

RunData materialize(const Case& testCase, const Run& run, size_t maxBytes) {
  checkInputs(testCase, run);
  std::vector<Plan> plans;
  RunData data;
  size_t total = 0;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (const ScalarValue* scalar = std::get_if<ScalarValue>(&run.inputs[i].value)) {
      data.inputs.emplace_back(*scalar);
      continue;
    }
    data.inputs.emplace_back(plans.size());
    plans.push_back(planTensor(testCase.fusion->inputs()[i]->as<TensorView>(), run.inputs[i],
                               std::get<TensorInput>(run.inputs[i].value)));
    if (plans.back().input->recipe.kind == RecipeKind::View) continue;
    total += blockBytes(plans.back());
    FUSER_REJECT_UNLESS(total <= maxBytes, InputMemory, "the inputs take more than ", maxBytes, " bytes, at %",
                        run.inputs[i].name);
  }
  data.tensors.resize(plans.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].input->recipe.kind != RecipeKind::View) data.tensors[i] = makeTensor(plans[i]);
  }
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].input->recipe.kind != RecipeKind::View) continue;
    const size_t base = findBase(plans, plans[i]);
    data.tensors[i] = makeView(plans[i], plans[base], data.tensors[base]);
  }
  return data;
}

TensorData materialize(const PreallocatedOutput& output, DataType dtype, const Dims& sizes, size_t maxBytes) {
  const size_t rank = sizes.size();
  FUSER_USER_CHECK(output.order.empty() || output.order.size() == rank, "preallocate %", output.output,
                   ": an order of ", output.order.size(), " axes for sizes ", sizes);
  FUSER_USER_CHECK(output.gaps.empty() || output.gaps.size() == rank, "preallocate %", output.output, ": ",
                   output.gaps.size(), " gaps for sizes ", sizes);
  FUSER_USER_CHECK(output.offset >= 0 && output.offset <= kMaxElements, "preallocate %", output.output, ": offset ",
                   output.offset, " is outside [0, ", kMaxElements, "]");
  Dims strides(rank, 0);
  __int128 next = 1;  // elements that the faster axes span
  for (size_t place = rank; place-- > 0;) {
    const size_t axis = output.order.empty() ? place : static_cast<size_t>(output.order[place]);
    next += output.gaps.empty() ? 0 : output.gaps[place];
    FUSER_USER_CHECK(next <= kMaxElements, "preallocate %", output.output, " spans more than ", kMaxElements,
                     " elements");
    strides[axis] = static_cast<int64_t>(next);
    next *= std::max<int64_t>(sizes[axis], 1);
  }
  const int64_t extent = checkedExtent(output.output, sizes, strides);
  TensorData data;
  const size_t elements = static_cast<size_t>(output.offset + extent) * dtypeSize(dtype);
  data.bytes = kAlignment + (elements + kAlignment - 1) / kAlignment * kAlignment + kAlignment;
  FUSER_REJECT_UNLESS(data.bytes <= maxBytes, OutputMemory, "the memory for output %", output.output, " takes ",
                      data.bytes, " bytes, more than ", maxBytes);
  data.memory = allocate(data.bytes);
  std::memset(data.memory.get(), static_cast<int>(poisonByte(dtype)), data.bytes);
  data.ref = {data.memory.get() + kAlignment + static_cast<size_t>(output.offset) * dtypeSize(dtype),
              dtype,
              sizes,
              strides,
              {}};
  return data;
}

bool keptPoison(const TensorData& data) {
  std::vector<bool> element(data.bytes, false);
  const auto first = static_cast<size_t>(static_cast<const std::byte*>(data.ref.data) - data.memory.get());
  const size_t size = dtypeSize(data.ref.dtype);
  for (int64_t index = 0, count = numel(data.ref.sizes); index < count; ++index) {
    int64_t rest = index, place = 0;
    for (size_t axis = data.ref.sizes.size(); axis-- > 0;) {
      place += rest % data.ref.sizes[axis] * data.ref.strides[axis];
      rest /= data.ref.sizes[axis];
    }
    for (size_t byte = 0; byte < size; ++byte) element[first + static_cast<size_t>(place) * size + byte] = true;
  }
  for (size_t byte = 0; byte < data.bytes; ++byte) {
    if (!element[byte] && data.memory[byte] != poisonByte(data.ref.dtype)) return false;
  }
  return true;
}

}  // namespace fuser
