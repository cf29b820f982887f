#include "fuzz/judge/f64_values.h"

#include <cstring>
#include <memory>

#include "fuser/case/functional_updates.h"
#include "fuser/support/set_up_error.h"
#include "fuser/types/dims.h"
#include "fuzz/judge/f64_twin.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

// Whether it is one of the tensor's.
bool isIndexOf(const TensorRef& ref, const std::vector<int64_t>& index) {
  if (index.size() != ref.sizes.size()) return false;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (index[axis] < 0 || index[axis] >= ref.sizes[axis]) return false;
  }
  return true;
}

const std::byte* placeOf(const TensorRef& ref, const std::vector<int64_t>& index) {
  int64_t place = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * ref.strides[axis];
  return static_cast<const std::byte*>(ref.data) + place * static_cast<int64_t>(dtypeSize(ref.dtype));
}

reference::Value widened(const TensorRef& ref) {
  if (!isFloating(ref.dtype)) return {ref, nullptr};
  const int64_t count = numel(ref.sizes);
  const std::shared_ptr<double[]> memory(new double[static_cast<size_t>(count)]);
  std::vector<int64_t> index(ref.sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    memory[static_cast<size_t>(i)] = elementAt(ref.dtype, placeOf(ref, index)).as<double>();
    for (size_t axis = index.size(); axis-- > 0 && ++index[axis] == ref.sizes[axis];) index[axis] = 0;
  }
  return {TensorRef{memory.get(), DataType::Double, ref.sizes, contiguousStrides(ref.sizes), ref.device}, memory};
}

std::vector<reference::Value> widenedInputs(const RunData& data) {
  std::vector<reference::Value> values;
  for (const auto& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      values.push_back(widened(data.tensors[*tensor].ref));
    } else {
      values.push_back({std::get<ScalarValue>(input), nullptr});
    }
  }
  return values;
}

std::string textOf(const reference::Value& value, const std::vector<int64_t>& index) {
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&value.value)) return scalar->toString();
  const TensorRef& ref = std::get<TensorRef>(value.value);
  return isIndexOf(ref, index) ? elementAt(ref.dtype, placeOf(ref, index)).toString() : "";
}

}  // namespace

std::vector<std::string> f64ValuesOf(const Case& testCase, size_t run, const std::vector<WrongPlace>& places) {
  std::vector<std::string> texts(places.size());
  if (places.empty() || run >= testCase.runs.size()) return texts;
  try {
    const Case functional = functionalCase(testCase), twin = f64TwinOf(functional);
    const RunData data = materialize(functional, functional.runs[run]);
    reference::useOneThread();
    const auto values = reference::evaluate(*twin.fusion, widenedInputs(data));
    for (const Val* val : twin.fusion->usedVals()) {
      for (size_t i = 0; i < places.size(); ++i) {
        if (val->name() == places[i].value && values[val->id()]) texts[i] = textOf(*values[val->id()], places[i].index);
      }
    }
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
  }
  return texts;
}

}  // namespace fuser::fuzz
