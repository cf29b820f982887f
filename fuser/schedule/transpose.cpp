// Transpose: accepts what PointWise does, where tensors have different fastest axes in memory: most are read and
// written along P, others along Q. A block has a tile of P and Q, in which its threads lie along P; what lies along Q
// goes through shared memory, on which side threads lie along Q. A short axis is merged with the next slower one, where
// these are neighbours in all tensors: h * w of images. T threads, o the other axes:
//   [o, q, p] -> [B (BIDx), Q*P/T, T (TIDx)], B = o * q/Q * p/P
//   %x.tile, which is loaded along Q: [B (BIDx), P*Q/T, T (TIDx)]
#include <algorithm>

#include "fuser/schedule/padded_rows.h"
#include "fuser/schedule/pointwise_facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

constexpr int64_t kThreadsOfTile = 256;
constexpr int64_t kTileOfThread = 4;
constexpr int64_t kSmallestTile = 64;         // elements; what is smaller lies in few sectors anyway
constexpr int64_t kShort = 32;                // elements along a side that may be merged with another
constexpr int64_t kSides[] = {4, 8, 16, 32};  // of tiles along short axes

struct TilePlan {
  std::vector<int> p, q;                           // positions of the reference's axes, slowest first
  std::vector<const TensorView*> inputs, outputs;  // along Q, in the order of the part
  int64_t sideOfP = 0, sideOfQ = 0;                // powers of two
  int64_t threads = 0;
};

// An input or output, and the reference's axes that it is read or written along, slowest in memory first; without those
// of one element.
struct Traversed {
  const TensorView* tensor;
  std::vector<int> order;
  bool input;
  bool has(int position) const { return std::find(order.begin(), order.end(), position) != order.end(); }
};

std::vector<int> orderOf(const TensorView* tensor, const std::vector<int>& positions, SizeFacts* sizes) {
  const std::vector<IterDomain*> axes = tensor->axes();
  std::vector<int> order;
  for (int axis : tensor->domain().allocationOrder) {
    const IterDomain* own = axes[static_cast<size_t>(axis)];
    const bool stored = !own->isBroadcast() && !sizes->atMost(own->extent(), 1);
    if (stored) order.push_back(positions[static_cast<size_t>(axis)]);
  }
  return order;
}

// Those that each expression moves along the same axes.
std::vector<Traversed> movedTensors(const PartLoops& loops, const ReferenceMap& map, SizeFacts* sizes) {
  std::vector<Traversed> moved;
  const FusionView& view = loops.view;
  const auto add = [&](const TensorView* tensor, const std::vector<int>& positions, bool input) {
    std::vector<int> order = orderOf(tensor, positions, sizes);
    if (!order.empty() && order.back() >= 0) moved.push_back({tensor, std::move(order), input});
  };
  for (const Val* input : view.inputs) {
    if (input->isScalar() || loops.readInline.count(input) != 0) continue;
    const auto* tensor = input->as<TensorView>();
    const std::vector<Expr*> readers = readersIn(view.exprs, tensor);
    if (readers.empty()) continue;
    if (const std::optional<std::vector<int>> positions = onlyReading(readers, map, tensor))
      add(tensor, *positions, true);
  }
  for (const Val* output : view.outputs) {
    const auto* tensor = output->as<TensorView>();
    if (map.contains(tensor)) add(tensor, visiblePositions(tensor, map), false);
  }
  return moved;
}

// The axis next to this one, slower by one, in the first tensor that has one there; -1: none has.
int slowerThan(int position, const std::vector<Traversed>& traversed) {
  for (const Traversed& each : traversed) {
    const auto own = std::find(each.order.begin(), each.order.end(), position);
    if (own != each.order.end() && own != each.order.begin()) return *(own - 1);
  }
  return -1;
}

// Whether the first axis is next to the second, slower by one, in all tensors that have both.
bool areNeighbours(int slower, int faster, const std::vector<Traversed>& traversed) {
  return std::all_of(traversed.begin(), traversed.end(), [&](const Traversed& each) {
    const auto own = std::find(each.order.begin(), each.order.end(), faster);
    if (own == each.order.end() || !each.has(slower)) return true;
    return own != each.order.begin() && *(own - 1) == slower;
  });
}

// Puts slower axes before a side's while it is short.
void extend(std::vector<int>& side, const std::vector<int>& other, const std::vector<Traversed>& traversed,
            const ReferenceMap& map, SizeFacts* sizes) {
  const auto isTaken = [&](int axis) {
    return std::find(side.begin(), side.end(), axis) != side.end() ||
           std::find(other.begin(), other.end(), axis) != other.end();
  };
  while (sizes->atMost(extentAlong(side, map), kShort, SizeLimit::Tile)) {
    const int next = slowerThan(side.front(), traversed);
    if (next < 0 || isTaken(next) || !areNeighbours(next, side.front(), traversed)) return;
    side.insert(side.begin(), next);
  }
}

// The least side of a tile that holds so many elements, or the number of threads.
int64_t sideOf(IntExpr extent, int64_t threads, SizeFacts* sizes) {
  for (int64_t side : kSides) {
    if (side >= threads || sizes->atMost(extent, side, SizeLimit::Tile)) return std::min(side, threads);
  }
  return threads;
}

int64_t sizeOf(const TensorView* tensor) { return static_cast<int64_t>(dtypeSize(tensor->dtype())); }

int64_t bytesOf(const TilePlan& plan) {
  int64_t bytes = 0;
  const auto bytesOf = [](int64_t row, int64_t rows, int64_t size) {
    return bytesOfTile(row * rows, paddingOf(row, rows, size), size);
  };
  for (const TensorView* input : plan.inputs) bytes += bytesOf(plan.sideOfQ, plan.sideOfP, sizeOf(input));
  for (const TensorView* output : plan.outputs) bytes += bytesOf(plan.sideOfP, plan.sideOfQ, sizeOf(output));
  return bytes;
}

// Chooses the largest tile, near to a square, that the device has room for; false if there is none.
bool chooseTile(TilePlan& plan, const ReferenceMap& map, SizeFacts* sizes, const DeviceProperties& device) {
  const int64_t threads = std::min(kThreadsOfTile, mostThreads(device));
  plan.sideOfP = sideOf(extentAlong(plan.p, map), threads, sizes);
  plan.sideOfQ = sideOf(extentAlong(plan.q, map), threads, sizes);
  const auto area = [&] { return plan.sideOfP * plan.sideOfQ; };
  while (area() > threads * kTileOfThread || (area() >= kSmallestTile && bytesOf(plan) > device.optInShared)) {
    (plan.sideOfP >= plan.sideOfQ ? plan.sideOfP : plan.sideOfQ) /= 2;
  }
  plan.threads = std::min(threads, std::max(area() / kTileOfThread, plan.sideOfP));
  return area() >= kSmallestTile;
}

// The tile of a part, or why it has none.
std::variant<TilePlan, std::string> planTile(const PartLoops& loops, const ReferenceMap& map, SizeFacts* sizes,
                                             const DeviceProperties& device) {
  if (!sizes) return "nothing is known of the sizes of a tile";
  const std::vector<Traversed> moved = movedTensors(loops, map, sizes);
  // The axes by how many tensors have them as their fastest; on a tie, the one of an earlier tensor first.
  std::vector<std::pair<int, int>> counts;
  for (const Traversed& each : moved) {
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == each.order.back(); });
    if (known == counts.end()) {
      counts.emplace_back(each.order.back(), 1);
    } else {
      ++known->second;
    }
  }
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (counts.size() < 2) return "all tensors have one fastest axis in memory";
  TilePlan plan;
  const int p = counts[0].first;
  plan.p = {p};
  for (size_t i = 1; i < counts.size() && plan.inputs.empty() && plan.outputs.empty(); ++i) {
    plan.q = {counts[i].first};
    for (const Traversed& each : moved) {
      if (each.order.back() != counts[i].first || !each.has(p)) continue;
      (each.input ? plan.inputs : plan.outputs).push_back(each.tensor);
    }
  }
  if (plan.inputs.empty() && plan.outputs.empty()) return "no tensor has two fastest axes of the part";
  extend(plan.q, plan.p, moved, map, sizes);
  extend(plan.p, plan.q, moved, map, sizes);
  if (!chooseTile(plan, map, sizes, device)) return "a tile is small";
  return plan;
}

// Whether some layout or op makes the fastest axes of two tensors differ: cheaper to see than the map is to build.
bool mayTranspose(const FusionView& view) {
  const auto isReordered = [](const Val* val) {
    if (val->isScalar()) return false;
    const std::vector<int>& order = val->as<TensorView>()->domain().allocationOrder;
    return !std::is_sorted(order.begin(), order.end());
  };
  return std::any_of(view.exprs.begin(), view.exprs.end(),
                     [](const Expr* expr) { return expr->op() == OpKind::Permute; }) ||
         std::any_of(view.inputs.begin(), view.inputs.end(), isReordered) ||
         std::any_of(view.outputs.begin(), view.outputs.end(), isReordered);
}

// The loops of a tile along P, which all tensors get: [o, q, p] -> [B, Q, P] -> [B, Q*P/T, T/P, P] -> [B, Q*P/T, T].
void tileAlongP(Schedule& schedule, const std::string& name, const TilePlan& plan, int64_t others) {
  schedule.push_back(split(name, others + 1, plan.sideOfP));
  schedule.push_back(split(name, others, plan.sideOfQ));
  schedule.push_back(on(TransformKind::Reorder, name));
  schedule.back().old2new = {{others + 1, others + 2}, {others + 2, others + 1}};
  for (int64_t i = 0; i < others + 1; ++i) schedule.push_back(merge(name, 0));
  schedule.push_back(split(name, 1, plan.threads / plan.sideOfP));
  schedule.push_back(merge(name, 2));
  schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
  schedule.push_back(parallelize(name, 1, ParallelType::Unroll));
  schedule.push_back(parallelize(name, 2, ParallelType::TIDx));
}

// From there, those along Q: [B, Q*P/T, T] -> [B, Q*P/T, T/P, P] -> [B, P, Q] -> [B, P*Q/T, T].
void tileAlongQ(Schedule& schedule, const std::string& name, const TilePlan& plan) {
  schedule.push_back(split(name, 2, plan.sideOfP));
  schedule.push_back(on(TransformKind::Reorder, name));
  schedule.back().old2new = {{1, 2}, {2, 3}, {3, 1}};
  schedule.push_back(merge(name, 2));
  schedule.push_back(merge(name, 1));
  schedule.push_back(split(name, 1, plan.threads));
  schedule.push_back(parallelize(name, 1, ParallelType::Unroll));
  schedule.push_back(parallelize(name, 2, ParallelType::TIDx));
}

std::string tileName(const TensorView* tensor) { return tensor->name() + ".tile"; }

}  // namespace

std::string whyNotTranspose(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  if (!mayTranspose(whole)) return "all tensors have one order of axes in memory";
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfElements(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  const std::variant<TilePlan, std::string> plan = planTile(loops, map, whole.sizes, whole.device);
  if (const std::string* reason = std::get_if<std::string>(&plan)) return *reason;
  kept = std::make_shared<ReferenceMap>(std::move(map));
  return "";
}

// In-place updates may give an output another layout than the one that was accepted. If nothing is left to transpose,
// the part is one for PointWise.
Schedule scheduleTranspose(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                           const ReferenceMap* known, const DeviceProperties& device) {
  std::optional<ReferenceMap> built;
  const ReferenceMap& map = knownMap(part, known, built);
  const std::variant<TilePlan, std::string> planned = planTile(loopsOf(part), map, sizes, device);
  if (std::holds_alternative<std::string>(planned)) return schedulePointWise(part, sizes, layouts, &map, device);
  const TilePlan& plan = std::get<TilePlan>(planned);
  Schedule schedule;
  for (const TensorView* input : plan.inputs) {
    schedule.push_back(on(TransformKind::CacheAfter, input->name(), tileName(input)));
  }
  cacheOutputs(part, schedule);
  for (const TensorView* output : plan.outputs) {
    schedule.push_back(on(TransformKind::CacheBefore, output->name(), tileName(output)));
  }
  const std::string& name = map.reference()->name();
  std::vector<int> order;
  const auto isIn = [](const std::vector<int>& side, int axis) {
    return std::find(side.begin(), side.end(), axis) != side.end();
  };
  for (int axis : memoryOrder(map.reference())) {
    if (!isIn(plan.p, axis) && !isIn(plan.q, axis)) order.push_back(axis);
  }
  const auto others = static_cast<int64_t>(order.size());
  order.insert(order.end(), plan.q.begin(), plan.q.end());
  order.insert(order.end(), plan.p.begin(), plan.p.end());
  reorder(schedule, name, order);
  for (size_t i = 1; i < plan.q.size(); ++i) schedule.push_back(merge(name, others));
  for (size_t i = 1; i < plan.p.size(); ++i) schedule.push_back(merge(name, others + 1));
  tileAlongP(schedule, name, plan, others);
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  for (const TensorView* input : plan.inputs) {
    tileAlongQ(schedule, tileName(input), plan);
    keepInShared(schedule, tileName(input), paddingOf(plan.sideOfQ, plan.sideOfP, sizeOf(input)));
  }
  for (const TensorView* output : plan.outputs) {
    tileAlongQ(schedule, output->name(), plan);
    keepInShared(schedule, tileName(output), paddingOf(plan.sideOfP, plan.sideOfQ, sizeOf(output)));
  }
  schedule.push_back(on(TransformKind::InlineMost, ""));
  return schedule;
}

}  // namespace fuser
