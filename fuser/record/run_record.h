#pragma once
// RunRecord: what one run of a segmented fusion produced: its outputs, and, where asked for, every buffer that crossed
// a segment boundary, for the oracle to judge segment by segment. Plain data: who reads it links no compiler.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuser/types/scalar_value.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

using HostValue = std::variant<TensorRef, ScalarValue>;

// A value as a segment loads or stores it.
struct BoundaryValue {
  std::optional<uint32_t> origin;  // id in the original fusion; nullopt: no value of it
  std::string name;
  HostValue value;
};

struct SegmentRecord {
  int index = 0;
  std::string scheduler = "None";  // that took it, "PointWise"; "None": none was asked
  std::vector<BoundaryValue> inputs;
  std::vector<BoundaryValue> outputs;  // with probes: every tensor of the segment
  // Depth of the accumulation of each reduction in this segment: origin of its result -> additions on the longest path
  // from an operand to the result (counted from the kernel IR).
  std::vector<std::pair<uint32_t, int64_t>> reductionDepths;
};

struct RunRecord {
  std::vector<HostValue> outputs;  // of the fusion, in order
  std::vector<SegmentRecord> segments;
  std::vector<std::shared_ptr<std::byte[]>> memory;  // keeps every TensorRef above alive
  // The most bytes that tensors of the program's own took at one time; not counted are the caller's inputs, and freed
  // tensors' memory that a run which is recorded, or has streams, keeps to its end (though it counts for maxBytes).
  size_t peakBytes = 0;
};

}  // namespace fuser
