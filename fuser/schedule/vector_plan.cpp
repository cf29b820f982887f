#include "fuser/schedule/vector_plan.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/inline_reads.h"
#include "fuser/schedule/pointwise_facts.h"

namespace fuser {
namespace {

constexpr int64_t kVectorBytes = 16;

// The fastest axis in the tensor's memory, an index into axes(); none if it has one element.
std::optional<size_t> fastestAxis(const TensorView* tensor) {
  if (tensor->domain().allocationOrder.empty()) return std::nullopt;
  const auto fastest = static_cast<size_t>(tensor->domain().allocationOrder.back());
  return tensor->axes()[fastest]->isBroadcast() ? std::nullopt : std::optional(fastest);
}

// Whether neighbours along the reference's axis at `position` are neighbours along the fastest axis of the tensor's
// memory. They lie next to each other if the contiguity of that axis says so.
bool isFastest(const TensorView* tensor, const std::vector<int>& positions, int position) {
  const std::optional<size_t> fastest = fastestAxis(tensor);
  return fastest && !positions.empty() && positions[*fastest] == position;
}

bool liesDense(const TensorView* tensor) { return tensor->domain().contiguity.back() == true; }

// Whether some expression reads the input's neighbours along the axis, at whatever coordinates.
bool readsNeighbours(const TensorView* input, const ReferenceMap& map, int position) {
  const std::optional<size_t> axis = fastestAxis(input);
  if (!axis) return false;
  const int fastest = static_cast<int>(*axis);
  return std::any_of(input->uses().begin(), input->uses().end(), [&](const Expr* reader) {
    const auto* result = reader->output()->as<TensorView>();
    if (!map.contains(result)) return true;  // computed inline: mostly along the reader's fastest axis
    const std::vector<int> beside = axesBeside(reader, input);
    const std::vector<int>& positions = map.positions(result);
    bool follows = false;
    for (size_t i = 0; i < beside.size() && i < positions.size(); ++i) {
      if (beside[i] == fastest && positions[i] == position) return true;
      follows |= beside[i] == fastest;
    }
    // An axis that is taken apart, as by reshape: mostly along the result's fastest axis.
    return !follows && !readsInPlace(reader, input) && isFastest(result, visiblePositions(result, map), position);
  });
}

struct Moved {
  const TensorView* tensor;
  int64_t alignment;  // in bytes; below the size of an element: it cannot be moved by vectors
  bool input;
};

// The inputs and outputs of which neighbours along the axis are moved.
std::vector<Moved> movedAlong(const Fusion& part, const ReferenceMap& map, int position,
                              const std::vector<InputLayout>& layouts) {
  std::vector<Moved> moved;
  const InlineReads reads(part);
  for (size_t i = 0; i < part.inputs().size(); ++i) {
    if (part.inputs()[i]->isScalar() || part.inputs()[i]->uses().empty()) continue;
    const TensorView* input = part.inputs()[i]->as<TensorView>();
    const std::optional<std::vector<int>> positions = onlyReading(input->uses(), map, input);
    // What is computed inline reads one element at a time.
    const bool together =
        positions && isFastest(input, *positions, position) && liesDense(input) && reads.readInline().count(input) == 0;
    if (together || readsNeighbours(input, map, position)) {
      moved.push_back({input, together ? (i < layouts.size() ? layouts[i].alignment : 1) : 0, true});
    }
  }
  for (const Val* output : part.outputs()) {
    const TensorView* tensor = output->as<TensorView>();
    if (!isFastest(tensor, visiblePositions(tensor, map), position)) continue;
    // Behind a trailing reshape, the loops are over axes of its operand.
    const bool together = liesDense(tensor) && !map.trailing(tensor);
    moved.push_back({tensor, together ? kVectorBytes : 0, false});
  }
  return moved;
}

}  // namespace

VectorPlan planVectors(const Fusion& part, const ReferenceMap& map, int position, SizeFacts* sizes,
                       const std::vector<InputLayout>& layouts, int64_t widest, bool whole) {
  VectorPlan plan;
  if (position < 0) return plan;
  const IterDomain* axis = map.reference()->domain().logical[static_cast<size_t>(position)];
  if (!sizes || axis->isBroadcast()) return plan;
  const std::vector<Moved> moved = movedAlong(part, map, position, layouts);
  if (moved.empty()) return plan;
  int64_t width = std::min(widest, kVectorBytes);
  for (const Moved& each : moved) {
    const int64_t size = static_cast<int64_t>(dtypeSize(each.tensor->dtype()));
    width = std::min(width, kVectorBytes / size);
  }
  int64_t aligned = width;
  for (const Moved& each : moved) {
    aligned = std::min(aligned, each.alignment / static_cast<int64_t>(dtypeSize(each.tensor->dtype())));
  }
  if (whole && aligned < width) return plan;
  width = aligned;
  // What shares loops with the reference and no value has extents of its own.
  const auto isWhole = [&](const Moved& each) {
    return sizes->divisibleBy(each.tensor->axes()[*fastestAxis(each.tensor)]->extent(), width);
  };
  while (width > 1 && !(sizes->divisibleBy(axis->extent(), width) && std::all_of(moved.begin(), moved.end(), isWhole)))
    width = whole ? 1 : width / 2;
  if (width <= 1) return plan;
  plan.width = width;
  for (const Moved& each : moved) (each.input ? plan.inputs : plan.outputs).push_back(each.tensor->name());
  return plan;
}

void vectorize(Schedule& schedule, const VectorPlan& plan) {
  for (const std::string& input : plan.inputs) {
    schedule.push_back(parallelize(input + ".cache", -1, ParallelType::Vectorize));
  }
  for (const std::string& output : plan.outputs) schedule.push_back(parallelize(output, -1, ParallelType::Vectorize));
}

}  // namespace fuser
