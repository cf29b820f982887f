// Short text of outputs.

#include "fuser/tools/print_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>

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

// As a literal; floats of at most 32 bits with the digits that tell f32 values apart.
std::string elementText(const TensorRef& ref, int64_t offset) {
  return dispatch(ref.dtype, [&]<class T>() -> std::string {
    const T value = loadElement(static_cast<const T*>(ref.data) + offset);
    if (category(ref.dtype) == Category::Bool) return ScalarValue(convert<bool>(value)).toString();
    if (category(ref.dtype) == Category::Int) return ScalarValue(convert<int64_t>(value)).toString();
    const double wide = convert<double>(value);
    if (ref.dtype == DataType::Double || !std::isfinite(wide)) return ScalarValue(wide).toString();
    char buffer[32];
    const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(wide));
    const std::string text(buffer, end.ptr);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
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
    text += concat(i ? ", " : " = ", elementText(ref, offsetOf(ref, i)));
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
