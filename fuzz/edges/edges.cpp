// Reads the answers of a compilation, and its schedules.

#include "fuzz/edges/edges.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "fuser/case/functional_updates.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"

namespace fuser::fuzz {
namespace {

constexpr EdgeKindInfo kEdgeKinds[] = {
    {EdgeKind::Warp, "warp"}, {EdgeKind::Block, "block"},          {EdgeKind::Vector, "vector"},
    {EdgeKind::Tile, "tile"}, {EdgeKind::Row, "persistent limit"}, {EdgeKind::Grid, "grid limit"}};

std::optional<EdgeKind> kindOf(SizeLimit limit) {
  switch (limit) {
    case SizeLimit::None: return std::nullopt;
    case SizeLimit::Block: return EdgeKind::Block;
    case SizeLimit::Vector: return EdgeKind::Vector;
    case SizeLimit::Tile: return EdgeKind::Tile;
    case SizeLimit::Row: return EdgeKind::Row;
    case SizeLimit::Grid: return EdgeKind::Grid;
  }
  FUSER_CHECK(false, "bad limit");
}

// How many elements of which size one step along an axis of a loop nest is.
struct Stride {
  IntExpr size;  // over the program's fusion
  int64_t unit;
  bool whole;  // the axis goes over all of them
};

// The edges of one program, with sizes over its fusion.
class EdgeReader {
 public:
  explicit EdgeReader(CompiledProgram& program) : program_(program) {}

  std::vector<Edge> read() {
    for (const auto& [question, answer] : program_.sizesAsked) {
      const std::optional<EdgeKind> kind = kindOf(question.limit);
      if (!kind) continue;
      add(*kind, question.size, question.operand, question.kind == SizeFacts::Question::Kind::DivisibleBy);
    }
    for (size_t i = 0; i < program_.kernels.size(); ++i) readKernel(*program_.kernels[i], *program_.parts.at(i));
    return std::move(edges_);
  }

 private:
  void add(EdgeKind kind, IntExpr size, int64_t at, bool repeats) {
    // At 1, one below is an empty axis: no kernel's edge.
    if (at > 1 && !size->isConstant()) edges_.push_back({kind, size, at, repeats});
  }

  void readKernel(const Kernel& kernel, const ClonedPart& part) {
    PartExtents toProgram(*program_.fusion, part);
    for (const Val* val : part.fusion->usedVals()) {
      if (val->isTensor()) readLoops(val->as<TensorView>()->domain(), kernel, toProgram);
    }
  }

  void readLoops(const TensorDomain& domain, const Kernel& kernel, PartExtents& toProgram) {
    std::map<const IterDomain*, Stride> strides;  // look-ups only
    for (const IterDomain* axis : domain.loopRoot) {
      if (!axis->isBroadcast()) strides[axis] = {toProgram(axis->extent()), 1, true};
    }
    for (const LoopTransform& step : domain.transforms) {
      if (step.merge) {
        const auto outer = strides.find(step.merge->outer), inner = strides.find(step.merge->inner);
        if (outer == strides.end() || inner == strides.end()) continue;
        const Stride a = outer->second, b = inner->second;
        if (!a.whole || !b.whole) continue;
        strides[step.merge->out] = {program_.fusion->ints().mul(a.size, b.size), 1, true};
        continue;
      }
      const auto in = strides.find(step.split->in);
      if (in == strides.end()) continue;
      const auto [size, unit, whole] = in->second;
      strides[step.split->inner] = {size, unit, false};
      if (step.split->whole) {
        add(EdgeKind::Row, size, step.split->factor, false);
        continue;
      }
      strides[step.split->outer] = {size, unit * step.split->factor, false};
      readSplit(*step.split, size, unit, domain, kernel);
    }
  }

  // Where the inner axis is full.
  void readSplit(const Split& split, IntExpr size, int64_t unit, const TensorDomain& domain, const Kernel& kernel) {
    const IterDomain* loop = split.inner;
    const bool isLoop = std::find(domain.loop.begin(), domain.loop.end(), loop) != domain.loop.end();
    const ParallelType type = loop->parallelType();
    if (isLoop && isThreadDim(type)) {
      add(EdgeKind::Block, size, unit * split.factor, true);
      int64_t before = 1;  // threads of the block between two along this axis
      for (int d = 0; d < static_cast<int>(type) - static_cast<int>(ParallelType::TIDx); ++d) {
        before *= kernel.blockDim[static_cast<size_t>(d)];
      }
      const int64_t warp = kernel.device.warp;
      const bool isAlong = before < warp && warp % before == 0 && warp / before <= split.factor;
      if (isAlong) add(EdgeKind::Warp, size, unit * (warp / before), true);
    } else if (isLoop && isBlockDim(type)) {
      add(EdgeKind::Grid, size, unit * split.factor, true);
    } else {
      const bool isVector = isLoop && (type == ParallelType::Vectorize || loop->isFactored());
      add(isVector ? EdgeKind::Vector : EdgeKind::Tile, size, unit * split.factor, true);
    }
  }

  CompiledProgram& program_;
  std::vector<Edge> edges_;
};

// Symbols of the program's fusion -> numbers of the case's free sizes.
std::map<IntExpr, size_t> numbersIn(const Fusion& fusion, const FreeSizes& sizes) {
  std::map<IntExpr, size_t> numbers;  // look-ups only
  for (size_t i = 0; i < fusion.inputs().size(); ++i) {
    const Val* input = fusion.inputs()[i];
    if (input->isTensor()) {
      const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        const std::optional<size_t> number = sizes.ofAxis(i, axis);
        if (number && axes[axis]->size()->isSymbol()) numbers[axes[axis]->size()] = *number;
      }
      continue;
    }
    for (const IntSymbol& symbol : fusion.ints().symbols()) {
      const std::optional<size_t> number = sizes.ofScalar(i);
      if (number && fusion.scalarOf(symbol.expr) == input) numbers[symbol.expr] = *number;
    }
  }
  return numbers;
}

// Each once; what threads or schedules say is a tile in one tensor and a vector in another is a vector.
void sortEdges(std::vector<Edge>& edges, const FreeSizes& sizes) {
  const auto isVectorToo = [&](const Edge& edge) {
    return edge.kind == EdgeKind::Tile && std::any_of(edges.begin(), edges.end(), [&](const Edge& other) {
             return other.kind == EdgeKind::Vector && other.size == edge.size && other.at == edge.at;
           });
  };
  std::vector<Edge> kept;
  std::copy_if(edges.begin(), edges.end(), std::back_inserter(kept), [&](const Edge& e) { return !isVectorToo(e); });
  const auto key = [&](const Edge& e) { return std::tuple(e.kind, sizeText(e, sizes), e.size->id, e.at, !e.repeats); };
  std::sort(kept.begin(), kept.end(), [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
  const auto last = std::unique(kept.begin(), kept.end(), [](const Edge& a, const Edge& b) {
    return a.kind == b.kind && a.size == b.size && a.at == b.at;
  });
  kept.erase(last, kept.end());
  edges = std::move(kept);
}

}  // namespace

std::span<const EdgeKindInfo> allEdgeKinds() { return kEdgeKinds; }

std::string_view edgeKindName(EdgeKind kind) { return kEdgeKinds[static_cast<size_t>(kind)].name; }

Edges askEdges(const Case& statements, const Run& run, const FreeSizes& sizes) {
  const Case testCase = functionalCase(statements);
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.verifyKernels = false;  // whoever judges the case verifies them
  const RunData data = materialize(testCase, run);
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  const std::unique_ptr<CompiledProgram> program = buildProgram(*testCase.fusion, settings, layouts, inputs);
  const std::map<IntExpr, size_t> numbers = numbersIn(*program->fusion, sizes);
  Edges result;
  result.ints = std::make_shared<IntExprArena>();
  std::vector<IntExpr> symbols;
  for (size_t number = 0; number < sizes.count(); ++number)
    symbols.push_back(result.ints->symbol(sizes.nameOf(number)));
  for (Edge& edge : EdgeReader(*program).read()) {
    bool known = true;
    forEachSymbol(edge.size, [&](IntExpr symbol) { known &= numbers.count(symbol) != 0; });
    if (!known) continue;
    edge.size = result.ints->import(edge.size, [&](IntExpr symbol) { return symbols[numbers.at(symbol)]; });
    if (!edge.size->isConstant()) result.edges.push_back(edge);
  }
  sortEdges(result.edges, sizes);
  return result;
}

std::string sizeText(const Edge& edge, const FreeSizes& sizes) {
  return toString(edge.size, [&](IntExpr symbol) { return sizes.nameOf(static_cast<size_t>(symbol->value)); });
}

std::string toString(const Edge& edge, const FreeSizes& sizes) {
  const char* at = edge.repeats ? " at multiples of " : " at ";
  return concat(edgeKindName(edge.kind), ": ", sizeText(edge, sizes), at, edge.at);
}

}  // namespace fuser::fuzz
