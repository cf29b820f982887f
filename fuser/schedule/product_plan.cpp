#include "fuser/schedule/product_plan.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "fuser/analysis/axis_map.h"
#include "fuser/schedule/padded_rows.h"
#include "fuser/schedule/reduction_facts.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {
namespace {

constexpr int64_t kFewElements = 8;    // along M or N: Reduction reads each side little more than once
constexpr int64_t kFewTerms = 16;      // a turn or two of the loop over K
constexpr int64_t kMostSums = 8;       // of a thread, along either side
constexpr int64_t kLeastSums = 2;      // along either side, before the device has a block for each multiprocessor
constexpr int64_t kBytesOfSums = 256;  // that a thread keeps
constexpr int64_t kThreadsOfSide = 16;
constexpr int64_t kTurnsOfPart = 8;   // before another block along K is worth a barrier of the grid
constexpr int64_t kMostParts = 16;    // along K: the first of these blocks reads the sums of all
constexpr int64_t kBytesAlongK = 64;  // of a turn, two sectors of memory
constexpr int64_t kLeastAlongK = 4, kMostAlongK = 32;
constexpr int64_t kTermsOfMmaTurn = 2 * MmaShape::kTerms;
constexpr int64_t kPaddingOfMma = 8;  // elements

using Positions = std::set<int>;

template <class Others>
bool isDisjoint(const Positions& positions, const Others& others) {
  return std::none_of(others.begin(), others.end(), [&](int other) { return positions.count(other) != 0; });
}

// The reference's axes that a tensor has elements along, as the positions of its axes say.
Positions alongOf(const std::vector<IterDomain*>& axes, const std::vector<int>& positions) {
  Positions along;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (positions[i] >= 0 && !axes[i]->isBroadcast()) along.insert(positions[i]);
  }
  return along;
}

Positions alongOf(const TensorView* tensor, const ReferenceMap& map) {
  return alongOf(tensor->domain().logical, map.positions(tensor));
}

int64_t bytesOf(DataType dtype) { return static_cast<int64_t>(dtypeSize(dtype)); }

// Finds the sides, and what is read along them.
class SideFinder {
 public:
  SideFinder(const PartLoops& loops, const ReferenceMap& map)
      : exprs_(loops.view.exprs), loops_(loops), map_(map), reduced_(reducedPositions(map.reference())) {}

  // Fills the plan's axes and sides; or says why there are no two.
  std::string find(ProductPlan& plan) {
    findInputs();
    findMoved();
    dropMakers();
    if (read_.size() < 2) return "fewer than two tensors are read along the reduced axes";
    if (std::string reason = partAxes(); !reason.empty()) return reason;
    for (int position : memoryOrder(map_.reference())) {
      const bool isRow = rows_.count(position) != 0, isColumn = columns_.count(position) != 0;
      const bool isTerm = reduced_[static_cast<size_t>(position)];
      (isTerm ? plan.k : isRow ? plan.m : isColumn ? plan.n : plan.batch).push_back(position);
    }
    for (const Read& each : read_) {
      if (!isDisjoint(each.along, rows_) || !isDisjoint(each.along, columns_)) plan.sides.push_back(side(each, plan));
    }
    if (std::string reason = numberCopies(plan); !reason.empty()) return reason;
    return connect(plan);
  }

 private:
  struct Read {
    const TensorView* tensor;
    std::vector<int> positions;  // of its axes()
    Positions along;
    bool isInput;
    std::vector<const TensorView*> makers;
    std::vector<const Expr*> readers;
  };
  // Expressions that read an input along the same axes.
  struct Reading {
    const TensorView* input;
    std::vector<int> positions;
    std::vector<const Expr*> readers;
  };

  void add(const TensorView* tensor, std::vector<int> positions, bool isInput, std::vector<const Expr*> readers,
           std::vector<const TensorView*> makers = {}) {
    Positions along = alongOf(tensor->axes(), positions);
    const bool hasTerms =
        std::any_of(along.begin(), along.end(), [&](int at) { return reduced_[static_cast<size_t>(at)]; });
    if (!hasTerms) return;
    read_.push_back({tensor, std::move(positions), std::move(along), isInput, std::move(makers), std::move(readers)});
  }

  void findInputs() {
    for (const Val* input : loops_.view.inputs) {
      if (input->isScalar() || loops_.readInline.count(input) != 0) continue;
      const auto* tensor = input->as<TensorView>();
      for (Reading& each : readingsOf(tensor)) {
        add(tensor, each.positions, true, each.readers);
        readings_.push_back(std::move(each));
      }
    }
  }

  // None where one reads it at other coordinates than its own.
  std::vector<Reading> readingsOf(const TensorView* input) const {
    std::vector<Reading> readings;
    for (const Expr* reader : readersIn(exprs_, input)) {
      if (!map_.contains(reader->output()->as<TensorView>()) || !readsInPlace(reader, input)) return {};
      std::vector<int> positions = map_.operandPositions(reader, input);
      const auto known = std::find_if(readings.begin(), readings.end(),
                                      [&](const Reading& each) { return each.positions == positions; });
      if (known != readings.end()) {
        known->readers.push_back(reader);
      } else {
        readings.push_back({input, std::move(positions), {reader}});
      }
    }
    return readings;
  }

  // One of a side's input is for its first side, the others for the other ways in which it is read: by another side, or
  // by what is no side's. Refuses what another side is made of.
  std::string numberCopies(ProductPlan& plan) const {
    std::unordered_map<const Val*, int> copies;  // look-ups only
    for (SideTensor& side : plan.sides) {
      if (!side.isInput) continue;
      side.copy = copies[side.tensor]++;
      if (side.copy > 0) plan.copies.push_back({side.tensor, side.readers, side.copy});
    }
    for (const Reading& each : readings_) {
      const bool isSide = std::any_of(plan.sides.begin(), plan.sides.end(), [&](const SideTensor& side) {
        return side.tensor == each.input && side.readers == each.readers;
      });
      const auto copy = copies.find(each.input);
      if (isSide || copy == copies.end()) continue;
      for (const SideTensor& side : plan.sides) {
        for (const Expr* reader : each.readers) {
          if (side.isInput || !isMadeOf(side, reader)) continue;
          return concat("%", each.input->name(), " is a side, and %", side.tensor->name(),
                        " is made of it in another way");
        }
      }
      plan.copies.push_back({each.input, each.readers, copy->second++});
    }
    return "";
  }

  // Whether a side that the part computes is made by this expression, or of its result.
  template <class Side>
  static bool isMadeOf(const Side& side, const Expr* maker) {
    return maker == side.tensor->definition() ||
           std::any_of(side.makers.begin(), side.makers.end(),
                       [&](const TensorView* each) { return each->definition() == maker; });
  }

  // What moves elements: the first that has them at the coordinates of the part.
  void findMoved() {
    for (const Expr* expr : exprs_) {
      const auto* result = expr->output()->as<TensorView>();
      if (expr->outputs().size() > 1 || isReduction(expr->op()) || result->isFusionOutput()) continue;
      if (loops_.readInline.count(result) != 0) continue;
      const bool moves = std::any_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* operand) {
        return operand->isTensor() &&
               (loops_.readInline.count(operand) != 0 || !readsInPlace(expr, operand->as<TensorView>()));
      });
      if (!moves) continue;
      if (std::optional<std::vector<const TensorView*>> makers = makersOf(result))
        add(result, map_.positions(result), false, constReaders(result), std::move(*makers));
    }
  }

  std::vector<const Expr*> constReaders(const Val* tensor) const {
    const std::vector<Expr*> readers = readersIn(exprs_, tensor);
    return {readers.begin(), readers.end()};
  }

  // What is read for another side's elements alone is no side itself: that one's loops read it, or compute it.
  void dropMakers() {
    const std::vector<Read> all = read_;
    std::erase_if(read_, [&](const Read& each) {
      return std::any_of(all.begin(), all.end(), [&](const Read& side) {
        return !side.isInput && side.tensor != each.tensor &&
               std::all_of(each.readers.begin(), each.readers.end(),
                           [&](const Expr* reader) { return isMadeOf(side, reader); });
      });
    });
  }

  // The tensors of the part that this one is made of; none if others read them, too, which have other loops.
  std::optional<std::vector<const TensorView*>> makersOf(const TensorView* tensor) const {
    std::vector<const TensorView*> makers;
    std::set<const Expr*> inside{tensor->definition()};  // look-ups only
    for (auto each = exprs_.rbegin(); each != exprs_.rend(); ++each) {
      const Val* result = (*each)->output();
      const std::vector<Expr*> readers = readersIn(exprs_, result);
      const auto isInside = [&](const Expr* reader) { return inside.count(reader) != 0; };
      if (std::none_of(readers.begin(), readers.end(), isInside)) continue;
      const bool alone = std::all_of(readers.begin(), readers.end(), isInside) && (*each)->outputs().size() == 1 &&
                         !isReduction((*each)->op()) && !result->isFusionOutput();
      if (!alone) return std::nullopt;
      inside.insert(*each);
      makers.push_back(result->as<TensorView>());
    }
    return makers;
  }

  // Columns are what those have that have the fastest axis which not all have; rows are what the others have.
  std::string partAxes() {
    int fastest = -1;
    for (int position : memoryOrder(map_.reference())) {
      const auto has = [&](const Read& each) { return each.along.count(position) != 0; };
      const bool isRead = std::any_of(read_.begin(), read_.end(), has);
      const bool isShared = std::all_of(read_.begin(), read_.end(), has);
      if (!reduced_[static_cast<size_t>(position)] && isRead && !isShared) fastest = position;
    }
    for (const Read& each : read_) {
      for (int position : each.along) {
        if (!reduced_[static_cast<size_t>(position)])
          (each.along.count(fastest) != 0 ? columns_ : rows_).insert(position);
      }
    }
    Positions both;
    std::set_intersection(rows_.begin(), rows_.end(), columns_.begin(), columns_.end(),
                          std::inserter(both, both.end()));
    for (int position : both) {
      rows_.erase(position);
      columns_.erase(position);
    }
    return rows_.empty() || columns_.empty() ? "its terms have no axes of one side alone" : "";
  }

  SideTensor side(const Read& read, const ProductPlan& plan) const {
    int fastest = -1;
    for (int axis : read.tensor->domain().allocationOrder) {
      const int position = read.positions[static_cast<size_t>(axis)];
      if (read.along.count(position) != 0) fastest = position;
    }
    const bool held = std::any_of(read.readers.begin(), read.readers.end(), [&](const Expr* reader) {
      return isReduction(reader->op()) || isPaired(reader->output()->as<TensorView>(), map_, plan);
    });
    const bool fastestIsTerms = fastest >= 0 && reduced_[static_cast<size_t>(fastest)];
    return {read.tensor, read.isInput, !isDisjoint(read.along, rows_), fastestIsTerms, held, read.makers, read.readers};
  }

  // Refuses a reduction that lacks a tile on a side. Those that share tiles, directly or by way of others, are one.
  std::string connect(ProductPlan& plan) const {
    std::unordered_map<const Val*, std::set<size_t>> tiles;  // that a value is made of; look-ups only
    DisjointSets shared(plan.sides.size());
    std::set<size_t> used;
    for (const Expr* expr : exprs_) {
      std::set<size_t>& own = tiles[expr->output()];
      for (const Val* operand : expr->inputs()) {
        const auto side = std::find_if(plan.sides.begin(), plan.sides.end(),
                                       [&](const SideTensor& each) { return each.isReadBy(expr, operand); });
        if (side != plan.sides.end()) {
          own.insert(static_cast<size_t>(side - plan.sides.begin()));
        } else {
          own.insert(tiles[operand].begin(), tiles[operand].end());
        }
      }
      if (!isReduction(expr->op())) continue;
      for (const bool rows : {true, false}) {
        const bool has = std::any_of(own.begin(), own.end(), [&](size_t i) { return plan.sides[i].ofRows == rows; });
        if (!has) return concat("%", expr->output()->name(), " has no tile of ", rows ? "rows" : "columns");
      }
      for (size_t each : own) shared.unite(each, *own.begin());
      used.insert(own.begin(), own.end());
      own.clear();
    }
    plan.isOne = std::all_of(used.begin(), used.end(),
                             [&](size_t each) { return shared.find(each) == shared.find(*used.begin()); });
    return "";
  }

  const std::vector<Expr*>& exprs_;
  const PartLoops& loops_;
  const ReferenceMap& map_;
  const std::vector<bool> reduced_;
  std::vector<Read> read_;         // what has terms
  std::vector<Reading> readings_;  // of all inputs that are read in place
  Positions rows_, columns_;
};

int64_t bytesOf(const ProductPlan& plan) {
  int64_t bytes = 0;
  for (const SideTensor& each : plan.sides) {
    bytes += bytesOfTile(plan.lengthOf(each) * plan.terms, paddingOf(each, plan), bytesOf(each.tensor->dtype()));
  }
  return bytes;
}

// The sums of a thread.
int64_t sumsOf(const ProductPlan& plan) {
  return plan.byMma ? plan.columns * MmaShape::kRows * plan.threads / MmaShape::kLanes : plan.rows * plan.columns;
}

// The tile that an operand of an expression is read from, by way of casts and of views that keep elements at their
// coordinates; null if something else is computed.
const SideTensor* tileOf(const Expr* reader, const Val* operand, const ProductPlan& plan) {
  while (operand->isTensor()) {
    const auto* tensor = operand->as<TensorView>();
    const auto side = std::find_if(plan.sides.begin(), plan.sides.end(),
                                   [&](const SideTensor& each) { return each.isReadBy(reader, tensor); });
    if (side != plan.sides.end()) return &*side;
    const Expr* maker = tensor->definition();
    if (!maker || maker->inputs().size() != 1) return nullptr;
    const FamilyInfo& family = familyInfo(maker->family());
    const bool widens = maker->op() == OpKind::Cast && tensor->dtype() == DataType::Float;
    const bool views = family.copies == Copies::Cheap && family.elements == Elements::Stay;
    if (!widens && !(views && maker->op() != OpKind::Cast)) return nullptr;
    reader = maker;
    operand = maker->input(0);
  }
  return nullptr;
}

// Whether warps may make all of the part's reductions.
bool areOfMma(const std::vector<Expr*>& exprs, const ProductPlan& plan, const DeviceProperties& device) {
  if (device.architecture < kMmaArchitecture || device.warp != MmaShape::kLanes) return false;
  return std::all_of(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    if (!isReduction(expr->op())) return true;
    const Expr* terms = expr->input(0)->definition();
    if (expr->op() != OpKind::Sum || !terms || terms->op() != OpKind::Mul || expr->output()->dtype() != DataType::Float)
      return false;
    const SideTensor *a = tileOf(terms, terms->input(0), plan), *b = tileOf(terms, terms->input(1), plan);
    if (!a || !b || a->ofRows == b->ofRows) return false;
    const DataType dtype = a->tensor->dtype();
    return (dtype == DataType::Half || dtype == DataType::BFloat16) && b->tensor->dtype() == dtype;
  });
}

// Chooses the largest tile that the device has room for and enough of; false if there is none.
bool chooseTile(ProductPlan& plan, const std::vector<Expr*>& exprs, const ReferenceMap& map, SizeFacts* sizes,
                const DeviceProperties& device) {
  const auto reductions =
      std::count_if(exprs.begin(), exprs.end(), [](const Expr* expr) { return isReduction(expr->op()); });
  plan.rows = plan.columns = kMostSums;
  plan.threads = kThreadsOfSide;
  plan.byMma = areOfMma(exprs, plan, device);
  // Warps lie along z.
  const auto hasRoom = [&](int64_t warps) {
    return warps * MmaShape::kLanes <= mostThreads(device) && warps <= device.threadsAlongZ;
  };
  while (plan.byMma && plan.rows > 1 && !hasRoom(plan.rows)) plan.rows /= 2;
  while (!plan.byMma && plan.threadsOfBlock() > mostThreads(device)) plan.threads /= 2;
  const IntExpr m = extentAlong(plan.m, map), n = extentAlong(plan.n, map);
  const auto shrink = [&](int64_t& sums, IntExpr extent) {
    while (sums > 1 && sizes->atMost(extent, sums / 2 * plan.threads, SizeLimit::Tile)) sums /= 2;
  };
  shrink(plan.rows, m);
  shrink(plan.columns, n);
  const auto halve = [&] { (plan.rows > plan.columns ? plan.rows : plan.columns) /= 2; };
  const auto halveSums = [&] {
    if (!plan.byMma) return halve();
    plan.columns /= 2;
  };
  const int64_t number = bytesOf(computeType(map.reference()->dtype()));
  const auto registers = [&] { return (sumsOf(plan) * reductions + plan.rows + plan.columns) * number / 4; };
  while (sumsOf(plan) * reductions * number > kBytesOfSums || registers() > device.registersPerThread / 2) {
    if (plan.columns == 1 && (plan.byMma || plan.rows == 1)) return false;
    halveSums();
  }
  std::vector<int> kept = plan.batch;
  kept.insert(kept.end(), plan.m.begin(), plan.m.end());
  kept.insert(kept.end(), plan.n.begin(), plan.n.end());
  const IntExpr results = extentAlong(kept, map);
  const auto blocks = [&] { return device.multiprocessors * plan.rows * plan.columns * plan.threads * plan.threads; };
  while (plan.rows * plan.columns > kLeastSums * kLeastSums && sizes->atMost(results, blocks(), SizeLimit::Grid))
    halve();
  // Each warp loads as much of either side's tile: registers hold no more on their way.
  while (plan.byMma && plan.rows < plan.columns) {
    if (hasRoom(2 * plan.rows)) {
      plan.rows *= 2;
    } else {
      plan.columns /= 2;
    }
  }
  int64_t element = 1;
  for (const SideTensor& each : plan.sides) element = std::max(element, bytesOf(each.tensor->dtype()));
  const int64_t leastTerms = plan.byMma ? kTermsOfMmaTurn : kLeastAlongK;
  plan.terms = std::clamp(kBytesAlongK / element, leastTerms, kMostAlongK);
  while (plan.terms > leastTerms && bytesOf(plan) > device.optInShared) plan.terms /= 2;
  return bytesOf(plan) <= device.optInShared;
}

// Blocks along K, a power of two: 1 where those along M and N are not few, or each would have few turns. All wait for
// each other.
int64_t chooseParts(const ProductPlan& plan, const ReferenceMap& map, SizeFacts* sizes,
                    const DeviceProperties& device) {
  const IntExpr k = extentAlong(plan.k, map);
  const auto hasTurns = [&](int64_t parts) {
    return !sizes->atMost(k, parts * kTurnsOfPart * plan.terms, SizeLimit::Grid);
  };
  const int64_t most = blocksAtOnce(device, plan.threadsOfBlock(), bytesOf(plan));
  if (!plan.batch.empty() || most < 2 || !hasTurns(2)) return 1;
  IntExprArena& ints = const_cast<Fusion&>(map.reference()->fusion()).ints();  // only interns the number of blocks
  const auto blocksAlong = [&](const std::vector<int>& side, int64_t sums) {
    return ints.ceilDiv(extentAlong(side, map), ints.constant(sums * plan.threads));
  };
  const IntExpr blocks = ints.mul(blocksAlong(plan.m, plan.rows), blocksAlong(plan.n, plan.columns));
  int64_t sides = 1;  // blocks along M and N, at most
  while (sides * 2 <= most && !sizes->atMost(blocks, sides, SizeLimit::Grid)) sides *= 2;
  if (sides * 2 > device.multiprocessors) return 1;
  int64_t parts = 1;
  const int64_t mostParts = std::min(kMostParts, device.gridZ);
  while (parts * 2 * sides <= most && parts * 2 <= mostParts && hasTurns(parts * 2)) parts *= 2;
  return parts;
}

}  // namespace

bool SideTensor::isReadBy(const Expr* reader, const Val* operand) const {
  return operand == tensor && std::find(readers.begin(), readers.end(), reader) != readers.end();
}

RowPadding paddingOf(const SideTensor& side, const ProductPlan& plan) {
  const int64_t length = plan.lengthOf(side);
  const int64_t row = side.fastestIsTerms ? plan.terms : length, rows = side.fastestIsTerms ? length : plan.terms;
  // A warp loads two neighbours along K of each of 8 rows, or elements of 8 columns: 16 bytes more put them apart.
  return plan.byMma ? RowPadding{row, kPaddingOfMma} : paddingOf(row, rows, bytesOf(side.tensor->dtype()));
}

bool isPaired(const TensorView* tensor, const ReferenceMap& map, const ProductPlan& plan) {
  const Positions along = alongOf(tensor, map);
  return !isDisjoint(along, plan.m) && !isDisjoint(along, plan.n);
}

std::variant<ProductPlan, std::string> planProduct(const PartLoops& loops, const ReferenceMap& map, SizeFacts* sizes,
                                                   const DeviceProperties& device) {
  if (!sizes) return "nothing is known of the sizes of a tile";
  ProductPlan plan;
  const std::vector<Expr*>& exprs = loops.view.exprs;
  if (std::string reason = SideFinder(loops, map).find(plan); !reason.empty()) return reason;
  for (const std::vector<int>& side : {plan.m, plan.n}) {
    if (sizes->atMost(extentAlong(side, map), kFewElements, SizeLimit::Tile)) return "a side has few elements";
  }
  if (sizes->atMost(extentAlong(plan.k, map), kFewTerms, SizeLimit::Tile)) return "a sum has few terms";
  if (!chooseTile(plan, exprs, map, sizes, device)) return "the device has no room for a tile";
  const bool fits =
      sizes->atMost(extentAlong(plan.batch, map), device.gridZ, SizeLimit::Grid) &&
      sizes->atMost(extentAlong(plan.n, map), device.gridY * plan.columns * plan.threads, SizeLimit::Grid);
  if (!fits) return "the device has no grid for so many tiles";
  plan.parts = chooseParts(plan, map, sizes, device);
  return plan;
}

std::string whyPairsReduced(const FusionView& view) {
  IntExprArena& ints = const_cast<Fusion&>(*view.fusion).ints();  // only interns the products of extents
  const auto isRepeated = [&](const Val* operand, const TensorView* result) {
    const std::vector<IterDomain*> mine = operand->as<TensorView>()->axes(), all = result->axes();
    IntExpr repeats = ints.constant(1);
    for (size_t i = 0; i < all.size(); ++i) {
      if (i >= mine.size() || (mine[i]->isBroadcast() && !all[i]->isBroadcast()))
        repeats = ints.mul(repeats, all[i]->extent());
    }
    return !repeats->isConstant(1) && !view.sizes->atMost(repeats, kFewElements, SizeLimit::Tile);
  };
  for (const Expr* expr : view.exprs) {
    const Expr* terms = isReduction(expr->op()) ? expr->input(0)->definition() : nullptr;
    if (!terms || familyInfo(terms->family()).coordinates != Coordinates::Elementwise) continue;
    const auto isOf = [&](const Val* operand) {
      return operand->isTensor() && isRepeated(operand, terms->output()->as<TensorView>());
    };
    if (std::count_if(terms->inputs().begin(), terms->inputs().end(), isOf) > 1)
      return concat("%", expr->output()->name(), " reduces pairs of two sides");
  }
  return "";
}

std::string whySeveralProducts(const PartLoops& loops, const ReferenceMap& map) {
  const FusionView& view = loops.view;
  const auto isSum = [](const Expr* expr) { return isReduction(expr->op()) && !hasParts(expr->op()); };
  if (std::count_if(view.exprs.begin(), view.exprs.end(), isSum) < 2) return "";
  const bool areProducts = std::holds_alternative<ProductPlan>(planProduct(loops, map, view.sizes, view.device));
  return areProducts ? "it has several products, each of which is better off with tiles of its own" : "";
}

}  // namespace fuser
