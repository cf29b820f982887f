#pragma once
// The outputs of a run as bytes, to compare runs.

#include <string>

#include "fuser/record/run_record.h"

namespace fuser {

inline void appendBytes(const TensorRef& ref, std::string& bytes) {
  for (int64_t i = 0; i < numel(ref.sizes); ++i) {
    int64_t rest = i;
    int64_t offset = 0;
    for (size_t axis = ref.sizes.size(); axis-- > 0;) {
      offset += rest % ref.sizes[axis] * ref.strides[axis];
      rest /= ref.sizes[axis];
    }
    const int64_t size = static_cast<int64_t>(dtypeSize(ref.dtype));
    bytes.append(static_cast<const char*>(ref.data) + offset * size, static_cast<size_t>(size));
  }
}

// All outputs, bit for bit, in logical order.
inline std::string bytesOf(const RunRecord& record) {
  std::string bytes;
  for (const HostValue& output : record.outputs) {
    if (const ScalarValue* scalar = std::get_if<ScalarValue>(&output)) {
      bytes += scalar->toString();
    } else {
      appendBytes(std::get<TensorRef>(output), bytes);
    }
  }
  return bytes;
}

}  // namespace fuser
