#include "fuser/lower/indexing.h"

#include <algorithm>
#include <optional>
#include <set>

#include "fuser/analysis/loop_map.h"
#include "fuser/lower/predicate.h"

namespace fuser {
namespace {

bool isParallel(const IterDomain* axis) {
  return isThreadDim(axis->parallelType()) || isBlockDim(axis->parallelType());
}

// Whether a buffer has a dimension for this loop axis. In registers: it is not shared, parallelized or reduced. In
// shared memory, which is the block's: also an axis on threads.
bool isStored(const TensorView* tensor, size_t axis) {
  const IterDomain* loop = tensor->domain().loop[axis];
  if (loop->isReduction() || isBlockDim(loop->parallelType())) return false;
  if (isThreadDim(loop->parallelType())) return tensor->memoryType() == MemoryType::Shared;
  return axis >= tensor->computeAtPosition();
}

}  // namespace

IntExpr Indexing::globalIndex(const TensorView* tensor, const std::vector<IntExpr>& coordinates) const {
  if (isWorkspace(tensor)) return workspaceIndex(tensor, coordinates);
  const std::vector<IterDomain*> axes = tensor->axes();
  IntExpr index = ints_.constant(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->isBroadcast() || coordinates[i]->isConstant(0)) continue;
    index = ints_.add(index, ints_.mul(coordinates[i], stride_(tensor, static_cast<int>(i))));
  }
  return index;
}

// A workspace is dense in the order of its axes.
IntExpr Indexing::workspaceIndex(const TensorView* tensor, const std::vector<IntExpr>& coordinates) const {
  const std::vector<IterDomain*> axes = tensor->axes();
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i]->isBroadcast()) dimensions.push_back({coordinates[i], nest_.extent(axes[i])});
  }
  return denseIndex(dimensions);
}

// Row-major. Coordinates that take one number apart, x // n and x % n, are that number: only elements that exist are
// accessed, so that n is not 0.
IntExpr Indexing::denseIndex(const std::vector<Dimension>& dimensions) const {
  std::vector<Dimension> parts;
  for (const Dimension& dimension : dimensions) {
    parts.push_back(dimension);
    while (parts.size() > 1) {
      const auto [inner, extent] = parts.back();
      Dimension& outer = parts[parts.size() - 2];
      const bool together =
          inner->op == IntOp::Mod && outer.coordinate == ints_.floorDiv(inner->a, inner->b) && inner->b == extent;
      if (!together) break;
      outer = {inner->a, ints_.mul(outer.extent, extent)};
      parts.pop_back();
    }
  }
  IntExpr index = ints_.constant(0);
  IntExpr stride = ints_.constant(1);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    index = ints_.add(index, ints_.mul(part->coordinate, stride));
    stride = ints_.mul(stride, part->extent);
  }
  return index;
}

// Row-major over the loops that the buffer has a dimension for, but where the schedule pads rows or shifts them.
IntExpr Indexing::bufferIndex(const TensorView* tensor, const std::vector<IntExpr>& loopCoordinates) const {
  const std::vector<IterDomain*>& loop = tensor->domain().loop;
  IntExpr shift = ints_.constant(0);
  std::vector<Dimension> dimensions;
  bool shifts = false;  // the last one, unless it says the shift itself
  for (size_t i = 0; i < loop.size(); ++i) {
    if (!isStored(tensor, i)) continue;
    dimensions.push_back({loopCoordinates[i], nest_.extent(loop[i])});
    shifts = !loop[i]->isSwizzled();
    if (loop[i]->isSwizzled()) shift = ints_.add(shift, loopCoordinates[i]);
  }
  if (shifts && !shift->isConstant(0)) {
    Dimension& last = dimensions.back();
    last.coordinate = ints_.mod(ints_.add(last.coordinate, shift), last.extent);
  }
  const IntExpr index = denseIndex(dimensions);
  const auto [row, elements] = tensor->padding();
  if (elements == 0) return index;
  return ints_.add(index, ints_.mul(ints_.floorDiv(index, ints_.constant(row)), ints_.constant(elements)));
}

int64_t Indexing::bufferSize(const TensorView* tensor) const {
  const bool shared = tensor->memoryType() == MemoryType::Shared;
  const int64_t most = shared ? kernel_.device.optInShared : 1024;
  int64_t size = 1;
  for (size_t i = 0; i < tensor->domain().loop.size(); ++i) {
    if (!isStored(tensor, i)) continue;
    const IntExpr extent = nest_.extent(tensor->domain().loop[i]);
    FUSER_USER_CHECK(extent->isConstant() && extent->value <= most && size * extent->value <= most, "the ",
                     shared ? "shared" : "register", " buffer %", tensor->name(), " has no constant size of at most ",
                     most, " elements");
    size *= extent->value;
  }
  // Of a tensor without elements no loop stores one, but C++ has no array of none.
  size = std::max<int64_t>(size, 1);
  const auto [row, elements] = tensor->padding();
  return elements == 0 ? size : size + (size - 1) / row * elements;
}

IntExpr Indexing::resultIndex(const Expr* expr) const {
  const TensorView* tensor = expr->output()->as<TensorView>();
  std::vector<IntExpr> coordinates;
  if (tensor->memoryType() == MemoryType::Global) {
    for (const IterDomain* axis : tensor->axes()) coordinates.push_back(nest_.coordinate(axis));
    return globalIndex(tensor, coordinates);
  }
  for (const IterDomain* axis : tensor->domain().loop) coordinates.push_back(nest_.coordinate(axis));
  return bufferIndex(tensor, coordinates);
}

std::vector<IntExpr> Indexing::coordinatesOf(const TensorView* tensor) const {
  std::vector<IntExpr> coordinates;
  for (const IterDomain* axis : tensor->domain().logical) coordinates.push_back(nest_.coordinate(axis));
  return coordinates;
}

OperandElement Indexing::elementAt(const Expr* expr, size_t operand, const std::vector<IntExpr>& coordinates) const {
  return operandElement(expr, operand, coordinates, ints_, importExtent_);
}

IntExpr Indexing::storedIndex(const Expr* reader, const TensorView* tensor,
                              const std::vector<IntExpr>& coordinates) const {
  if (tensor->memoryType() == MemoryType::Global) return globalIndex(tensor, coordinates);
  rules_.require(!tensor->domain().trails, 16, "%", reader->output()->name(), " reads %", tensor->name(),
                 " at other coordinates, and it lies in shared memory as the operand of %",
                 tensor->domain().trails->name(), " does");
  const std::vector<IntExpr> loops = loopCoordinatesOf(tensor, coordinates);
  checkInBlock(reader, tensor, loops);
  return bufferIndex(tensor, loops);
}

IntExpr Indexing::operandIndex(const Expr* expr, size_t place) const {
  const TensorView* operand = expr->input(place)->as<TensorView>();
  if (operand->memoryType() == MemoryType::Global) {
    if (operand->definition() && !isWorkspace(operand)) checkReadsOwn(expr, operand);
    return globalIndex(operand, elementOf(expr, place).coordinates);
  }
  if (operand->memoryType() == MemoryType::Shared) {
    if (!readsInPlace(expr, operand)) return storedIndex(expr, operand, elementOf(expr, place).coordinates);
    const std::vector<IntExpr> coordinates = loopCoordinatesFrom(expr, operand);
    checkInBlock(expr, operand, coordinates);
    return bufferIndex(operand, coordinates);
  }
  const std::vector<IntExpr> coordinates = loopCoordinatesFrom(expr, operand);
  const std::vector<IterDomain*>& loop = operand->domain().loop;
  for (size_t i = operand->computeAtPosition(); i < loop.size(); ++i) {
    if (!isParallel(loop[i]) || loop[i]->isReduction()) continue;
    rules_.require(coordinates[i] == nest_.coordinate(loop[i]), 22, "%", operand->name(), " is in registers, but %",
                   expr->output()->name(), " reads it in another thread than the one that computes it");
  }
  rules_.require(!isComputedElsewhere(expr, operand), 22, "%", operand->name(), " is in registers, and %",
                 expr->output()->name(), ", with one turn of a loop of which %", operand->name(),
                 " has all, reads it where it is not computed");
  return registerIndex(expr, operand, bufferIndex(operand, coordinates));
}

// Whether the reader is computed wherever along a root that the operand has a condition on.
bool Indexing::isComputedElsewhere(const Expr* reader, const TensorView* operand) const {
  const std::set<size_t> wherever = rootsWithoutTurns(reader->output()->as<TensorView>(), nest_);
  if (wherever.empty()) return false;
  const std::set<size_t> own = rootsWithoutTurns(operand, nest_);
  const std::vector<int> match = matchLoopRoots(operand, reader);
  for (size_t root = 0; root < match.size(); ++root) {
    const bool isWherever = match[root] >= 0 && wherever.count(static_cast<size_t>(match[root])) != 0;
    if (isWherever && own.count(root) == 0 && !nest_.extent(operand->domain().loopRoot[root])->isConstant(1))
      return true;
  }
  return false;
}

// Registers have no addresses: which of them is read is known once loops of constant extents are unrolled.
IntExpr Indexing::registerIndex(const Expr* expr, const TensorView* operand, IntExpr index) const {
  forEachSymbol(index, [&](IntExpr symbol) {
    const IntExpr extent = ints_.symbolOf(symbol).extent;
    const auto isOneOf = [&](const std::array<IntExpr, 3>& indices) {
      return std::find(indices.begin(), indices.end(), symbol) != indices.end();
    };
    const bool loop = extent && extent->isConstant() && !isOneOf(kernel_.threadIdx) && !isOneOf(kernel_.blockIdx);
    rules_.require(loop, 12, "which register of %", operand->name(), " %", expr->output()->name(),
                   " reads depends on the thread, or on a loop without a constant extent");
  });
  return index;
}

// The threads of a block read each other's elements. So the element must be one of this block, and of this turn of the
// loops around the buffer; along all other loops, any.
void Indexing::checkInBlock(const Expr* expr, const TensorView* operand,
                            const std::vector<IntExpr>& coordinates) const {
  const std::vector<IterDomain*>& loop = operand->domain().loop;
  for (size_t i = 0; i < loop.size(); ++i) {
    if (isStored(operand, i) || loop[i]->isReduction()) continue;
    rules_.require(coordinates[i] == nest_.coordinate(loop[i]), 8, "%", operand->name(), " is in shared memory, but %",
                   expr->output()->name(), " reads it in another ",
                   isBlockDim(loop[i]->parallelType()) ? "block" : "turn of a loop", " than the one that stores it");
  }
}

// Whether the reader has an element for each thread along the loop, where the operand, in global memory, has one alone,
// which the first thread stores.
bool Indexing::isRepeated(const Expr* reader, const TensorView* operand, const IterDomain* loop) const {
  const TensorDomain &domain = operand->domain(), &theirs = reader->output()->as<TensorView>()->domain();
  const std::vector<int> match = matchLoopRoots(operand, reader);
  const std::vector<size_t> roots = rootsOf(operand, loop);
  return std::any_of(roots.begin(), roots.end(), [&](size_t root) {
    return domain.loopRoot[root]->isBroadcast() && match[root] >= 0 &&
           !nest_.extent(theirs.loopRoot[static_cast<size_t>(match[root])])->isConstant(1);
  });
}

// What a kernel stores is read back by the thread that stored it alone: nothing orders the others. A result in global
// memory without a loop on threads (or blocks) is stored by the first, one in registers is computed by all.
void Indexing::checkReadsOwn(const Expr* expr, const TensorView* operand) const {
  bool own = readsInPlace(expr, operand);
  const std::vector<IntExpr> coordinates = own ? loopCoordinatesFrom(expr, operand) : std::vector<IntExpr>();
  const auto* result = expr->output()->as<TensorView>();
  // Of one turn is none: the first of the threads stores then, as without such a loop.
  const auto loopOn = [&](const TensorView* tensor, ParallelType type) -> std::optional<size_t> {
    const std::vector<IterDomain*>& loop = tensor->domain().loop;
    for (size_t i = 0; i < loop.size(); ++i) {
      if (loop[i]->parallelType() == type && !nest_.extent(loop[i])->isConstant(1)) return i;
    }
    return std::nullopt;
  };
  for (size_t d = 0; d < 6; ++d) {
    const IntExpr index = d < 3 ? kernel_.threadIdx[d] : kernel_.blockIdx[d - 3];
    if (index->isConstant(0)) continue;
    const auto first = static_cast<size_t>(d < 3 ? ParallelType::TIDx : ParallelType::BIDx);
    const auto type = static_cast<ParallelType>(first + d % 3);
    const std::optional<size_t> stored = loopOn(operand, type);
    const bool once = !stored && result->memoryType() == MemoryType::Global && !loopOn(result, type);
    const IterDomain* loop = stored ? operand->domain().loop[*stored] : nullptr;
    const bool same = own && loop && coordinates[*stored] == nest_.coordinate(loop) && !isRepeated(expr, operand, loop);
    own = own && (once || same);
  }
  rules_.require(own, 23, "%", result->name(), " reads %", operand->name(),
                 " in global memory, where another thread stores it: cacheBefore %", operand->name(),
                 " keeps a copy in registers");
}

// Maps the consumer's coordinates through the op to the producer's loop roots, then through the producer's transforms.
std::vector<IntExpr> Indexing::loopCoordinatesFrom(const Expr* use, const TensorView* producer) const {
  const TensorView* consumer = use->output()->as<TensorView>();
  const TensorDomain& domain = producer->domain();
  const std::vector<int> match = matchLoopRoots(producer, use);
  const std::vector<int> map = producerAxes(use, producer);
  const std::vector<IterDomain*> visible = producer->axes();
  std::unordered_map<const IterDomain*, IntExpr> at;
  for (size_t i = 0; i < domain.loopRoot.size(); ++i) {
    const IterDomain* root = domain.loopRoot[i];
    at[root] = ints_.constant(0);
    if (nest_.extent(root)->isConstant(1) || root->isReduction()) continue;
    if (match[i] >= 0) {
      at[root] = nest_.coordinate(consumer->domain().loopRoot[match[i]]);
      continue;
    }
    for (size_t j = 0; j < map.size(); ++j) {
      if (map[j] >= 0 && visible[map[j]] == root) at[root] = nest_.coordinate(consumer->domain().logical[j]);
    }
  }
  return throughTransforms(producer, std::move(at), imagesIn(consumer, producer, match));
}

// The axes of the consumer that are made as the producer's are, of corresponding axes of the same size. Their
// coordinates need no detour through the roots, which only the simplest sizes let an expression simplify again.
std::unordered_map<const IterDomain*, const IterDomain*> Indexing::imagesIn(const TensorView* consumer,
                                                                            const TensorView* producer,
                                                                            const std::vector<int>& match) const {
  std::unordered_map<const IterDomain*, const IterDomain*> images;
  const auto imageOf = [&](const IterDomain* axis) {
    const auto found = images.find(axis);
    return found == images.end() ? nullptr : found->second;
  };
  for (size_t i = 0; i < match.size(); ++i) {
    const IterDomain* root = producer->domain().loopRoot[i];
    if (match[i] < 0 || root->isReduction()) continue;
    const IterDomain* image = consumer->domain().loopRoot[static_cast<size_t>(match[i])];
    if (nest_.extent(root) == nest_.extent(image)) images[root] = image;
  }
  for (const LoopTransform& step : producer->domain().transforms) {
    for (const LoopTransform& like : consumer->domain().transforms) {
      if (step.split && like.split && imageOf(step.split->in) == like.split->in &&
          step.split->factor == like.split->factor && step.split->whole == like.split->whole) {
        images[step.split->outer] = like.split->outer;
        images[step.split->inner] = like.split->inner;
      } else if (step.merge && like.merge && imageOf(step.merge->outer) == like.merge->outer &&
                 imageOf(step.merge->inner) == like.merge->inner) {
        images[step.merge->out] = like.merge->out;
      }
    }
  }
  return images;
}

// The same for an element that is given by its coordinates along the producer's axes.
std::vector<IntExpr> Indexing::loopCoordinatesOf(const TensorView* producer,
                                                 const std::vector<IntExpr>& coordinates) const {
  std::unordered_map<const IterDomain*, IntExpr> at;
  for (const IterDomain* root : producer->domain().loopRoot) at[root] = ints_.constant(0);
  const std::vector<IterDomain*> axes = producer->axes();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!nest_.extent(axes[i])->isConstant(1)) at[axes[i]] = coordinates[i];
  }
  return throughTransforms(producer, std::move(at), {});
}

// An axis with an image in the reader's loops has the coordinate of that one.
std::vector<IntExpr> Indexing::throughTransforms(
    const TensorView* producer, std::unordered_map<const IterDomain*, IntExpr> at,
    const std::unordered_map<const IterDomain*, const IterDomain*>& images) const {
  const auto put = [&](const IterDomain* axis, const auto& coordinate) {
    const auto image = images.find(axis);
    at[axis] = image == images.end() ? shortIndex(coordinate(), producer) : nest_.coordinate(image->second);
  };
  const TensorDomain& domain = producer->domain();
  for (const LoopTransform& step : domain.transforms) {
    if (step.split) {
      const IntExpr in = at.at(step.split->in), factor = ints_.constant(step.split->factor);
      const bool whole = step.split->whole;
      if (whole) at[step.split->outer] = ints_.constant(0);  // no loop has it
      if (!whole) put(step.split->outer, [&] { return ints_.floorDiv(in, factor); });
      put(step.split->inner, [&] { return whole ? in : ints_.mod(in, factor); });
    } else {
      const IntExpr outer = at.at(step.merge->outer), inner = at.at(step.merge->inner);
      put(step.merge->out, [&] { return ints_.add(ints_.mul(outer, nest_.extent(step.merge->inner)), inner); });
    }
  }
  std::vector<IntExpr> coordinates;
  for (const IterDomain* axis : domain.loop) {
    const auto image = images.find(axis);
    const bool one = nest_.extent(axis)->isConstant(1);
    coordinates.push_back(one                     ? ints_.constant(0)
                          : image == images.end() ? at.at(axis)
                                                  : nest_.coordinate(image->second));
  }
  return coordinates;
}

}  // namespace fuser
