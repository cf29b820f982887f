// InnerPersistent: accepts several reductions over the same axes, the fastest in memory, and what reads them along
// these axes, as one kernel (softmax, layer norm): rows that are kept (persistent_rows.h), with TIDx along the row and
// TIDy beside it.
#include <algorithm>

#include "fuser/schedule/persistent_rows.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

constexpr int64_t kShortestRow = 32, kLongestRow = int64_t{1} << 16;
constexpr int64_t kFewThreads = 32, kUsualThreads = 256;
constexpr int64_t kElementsAThread = 4;  // while that makes no more than kUsualThreads
constexpr int64_t kThreadsABlock = 128;  // at least, where several rows fit

// The longest row of which a block has room for what is kept; 0: none.
int64_t longestRow(const PersistentPlan& plan, const DeviceProperties& device) {
  int64_t longest = 0;
  for (int64_t row = kShortestRow; row <= kLongestRow; row *= 2) {
    RowShape shape{row, std::min(row, mostThreads(device)), 1, {}};
    if (!placeKept(plan, shape, device)) break;
    longest = row;
  }
  return longest;
}

// Threads are as few as keep everything in registers, or all.
RowShape shapeFor(const Fusion& part, IntExpr count, const PersistentPlan& plan, SizeFacts* sizes,
                  const DeviceProperties& device) {
  RowShape shape{kShortestRow, kFewThreads, 1, {}};
  while (!sizes->atMost(count, shape.row, SizeLimit::Row)) shape.row *= 2;
  // The indices of elements that move take registers, too.
  const bool moves = std::any_of(part.exprs().begin(), part.exprs().end(), [](const Expr* expr) {
    return familyInfo(expr->family()).elements == Elements::Move;
  });
  const int64_t usual = std::min(moves ? 2 * kUsualThreads : kUsualThreads, mostThreads(device));
  shape.threads = std::clamp(shape.row / kElementsAThread, std::min(kFewThreads, usual), usual);
  const int64_t most = std::min(shape.row, mostThreads(device));
  while (shape.threads < most && !(placeKept(plan, shape, device) && shape.inShared.empty())) shape.threads *= 2;
  FUSER_CHECK(placeKept(plan, shape, device), "a block has no room for a row that was accepted");
  // No more rows than leave that as it is.
  const size_t inShared = shape.inShared.size();
  shape.rows = std::max<int64_t>(1, std::min(kThreadsABlock, mostThreads(device)) / shape.threads);
  while (shape.rows > 1 && !(placeKept(plan, shape, device) && shape.inShared.size() == inShared)) shape.rows /= 2;
  placeKept(plan, shape, device);
  return shape;
}

// Whether each input that is loaded by vectors is kept, or read once: a copy that readers in several passes share would
// be needed inside the loops of all of them.
bool oneCopyServes(const Fusion& part, const PersistentPlan& plan, const VectorPlan& vectors) {
  return std::all_of(part.inputs().begin(), part.inputs().end(), [&](const Val* input) {
    const auto is = [&](const std::string& name) { return name == input->name(); };
    if (std::none_of(vectors.inputs.begin(), vectors.inputs.end(), is)) return true;
    return input->uses().size() == 1 ||
           std::find(plan.keptInputs.begin(), plan.keptInputs.end(), input) != plan.keptInputs.end();
  });
}

}  // namespace

std::string whyNotInnerPersistent(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  const auto whyNoRoom = [&](const PersistentPlan& plan, const RowSizes& row) -> std::string {
    const int64_t longest = longestRow(plan, whole.device);
    if (row.sizes->atMost(row.terms, longest, SizeLimit::Row)) return "";
    return concat("a row has more than ", longest, " elements, which is what a block keeps of it");
  };
  return whyNotRows(whole, true, whyNoRoom, kept);
}

Schedule scheduleInnerPersistent(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                                 const ReferenceMap* known, const DeviceProperties& device) {
  const RowPart rows = rowPart(part, known);
  const TensorView* reference = rows.map().reference();
  const RowShape shape = shapeFor(part, rowSizes(part, reference, sizes).terms, rows.plan, sizes, device);
  // Vectors are between global memory and registers.
  VectorPlan vectors;
  if (shape.inShared.empty()) {
    vectors = planVectors(part, rows.map(), fastestReduced(reference), sizes, layouts, shape.row / shape.threads, true);
    if (!oneCopyServes(part, rows.plan, vectors)) vectors = {};
  }
  return scheduleRows(rows, shape, vectors, ParallelType::TIDx, ParallelType::TIDy);
}

}  // namespace fuser
