#include "fuser/schedule/inner_rows.h"

#include <algorithm>

namespace fuser {
namespace {

constexpr int64_t kShortestRow = 32, kLongestRow = int64_t{1} << 16;
constexpr int64_t kFewThreads = 32, kUsualThreads = 256;
constexpr int64_t kElementsAThread = 4;  // while that makes no more than kUsualThreads
constexpr int64_t kThreadsABlock = 128;  // at least, where several rows fit

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

int64_t longestInnerRow(const PersistentPlan& plan, const DeviceProperties& device) {
  int64_t longest = 0;
  for (int64_t row = kShortestRow; row <= kLongestRow; row *= 2) {
    RowShape shape{row, std::min(row, mostThreads(device))};
    if (!placeKept(plan, shape, device)) break;
    longest = row;
  }
  return longest;
}

RowShape innerRowShape(const Fusion& part, IntExpr count, const PersistentPlan& plan, SizeFacts* sizes,
                       const DeviceProperties& device) {
  RowShape shape{kShortestRow, kFewThreads};
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
  return shape;
}

void addRowsBeside(RowShape& shape, const PersistentPlan& plan, const DeviceProperties& device) {
  const size_t inShared = shape.inShared.size();
  shape.rows = std::max<int64_t>(1, std::min(kThreadsABlock, mostThreads(device)) / shape.threads);
  while (shape.rows > 1 && !(placeKept(plan, shape, device) && shape.inShared.size() == inShared)) shape.rows /= 2;
  placeKept(plan, shape, device);
}

VectorPlan innerRowVectors(const RowPart& rows, const RowShape& shape, SizeFacts* sizes,
                           const std::vector<InputLayout>& layouts) {
  if (!shape.inShared.empty()) return {};
  const int row = fastestReduced(rows.map().reference());
  const VectorPlan vectors = planVectors(rows.part, rows.map(), row, sizes, layouts, shape.row / shape.threads, true);
  return oneCopyServes(rows.part, rows.plan, vectors) ? vectors : VectorPlan{};
}

}  // namespace fuser
