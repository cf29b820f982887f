#pragma once
// RunRecord: the outputs of one run of a segmented fusion and, on request, every value that crossed a segment boundary,
// so that the oracle can judge each segment. Plain data, so that its readers do not link the compiler.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuser/types/reduction_depth.h"
#include "fuser/types/scalar_value.h"
#include "fuser/types/sum_forms.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

using HostValue = std::variant<TensorRef, ScalarValue>;

// A value that a segment loads or stores.
struct BoundaryValue {
  std::optional<uint32_t> origin;  // the id of the equal value of the original fusion; nullopt if there is none
  std::string name;
  HostValue value;
};

struct SegmentRecord {
  int index = 0;
  std::string scheduler = "None";  // the one that accepted it, "PointWise"; "None": ops that the host runs alone
  std::vector<BoundaryValue> inputs;
  std::vector<BoundaryValue> outputs;  // with probes, every tensor of the segment
  // (origin of the result, depth) of each reduction (fuser/kernel/accumulation_depth.h).
  std::vector<std::pair<uint32_t, ReductionDepth>> reductionDepths;
  // (origin of the result, forms) of each add and sub, with contraction (fuser/kernel/contracted_sums.h).
  std::vector<std::pair<uint32_t, SumForms>> sums;
  // Whether its kernel adds floats by atomics, so that another run, or engine, may give other bits.
  bool addsByAtomics = false;
};

struct RunRecord {
  std::vector<HostValue> outputs;  // the fusion's outputs, in order
  std::vector<SegmentRecord> segments;
  // (id in the original fusion, number that the run used) of each computed scalar that sets an extent or a bound.
  std::vector<std::pair<uint32_t, int64_t>> extents;
  std::vector<std::shared_ptr<std::byte[]>> memory;  // keeps every TensorRef above alive
  // The peak memory of the program's own live tensors, in bytes. It does not include the caller's inputs, or freed
  // tensors that a recorded run, or one with streams, keeps to its end (those do count for maxBytes).
  size_t peakBytes = 0;
  // What was only moved, in bytes: by kernels that move what other kernels made and compute nothing, and by the host,
  // to where outputs go.
  size_t copiedBytes = 0;
  // Why the run compiled a program: "the first run", "i0 is 1", "(i0 * i1) is not divisible by 4". "": an earlier run's
  // program fits.
  std::string compiled;

  bool addsByAtomics() const {
    return std::any_of(segments.begin(), segments.end(),
                       [](const SegmentRecord& segment) { return segment.addsByAtomics; });
  }
};

}  // namespace fuser
