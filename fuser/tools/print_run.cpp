// Short text of outputs.

#include "fuser/tools/print_run.h"

#include <algorithm>

namespace fuser {
namespace {

// Memory offset of the index-th element in logical order.
int64_t offsetOf(const TensorRef& ref, int64_t index) {
  int64_t offset = 0;
  for (size_t axis = ref.sizes.size(); axis-- > 0;) {
    offset += index % ref.sizes[axis] * ref.strides[axis];
    index /= ref.sizes[axis];
  }
  return offset;
}

ScalarValue elementOf(const TensorRef& ref, int64_t offset) {
  return dispatch(ref.dtype, [&]<class T>() -> ScalarValue {
    const T value = static_cast<const T*>(ref.data)[offset];
    switch (category(ref.dtype)) {
      case Category::Float: return convert<double>(value);
      case Category::Int: return convert<int64_t>(value);
      case Category::Bool: return convert<bool>(value);
    }
    FUSER_CHECK(false, "bad category");
  });
}

}  // namespace

std::string summarize(const HostValue& value, int64_t maxElements) {
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&value)) {
    return concat(scalar->dtype(), " = ", *scalar);
  }
  const TensorRef& ref = std::get<TensorRef>(value);
  const int64_t count = numel(ref.sizes);
  std::string text = concat(ref.dtype, ref.sizes);
  for (int64_t i = 0; i < std::min(count, maxElements); ++i) {
    text += concat(i ? ", " : " = ", elementOf(ref, offsetOf(ref, i)));
  }
  return count > maxElements ? text + ", …" : text;
}

std::string summarizeOutputs(const Fusion& fusion, const RunRecord& record) {
  std::string text;
  for (size_t i = 0; i < record.outputs.size(); ++i) {
    text += concat("  %", fusion.outputs().at(i)->name(), ": ", summarize(record.outputs[i]), "\n");
  }
  return text;
}

}  // namespace fuser
