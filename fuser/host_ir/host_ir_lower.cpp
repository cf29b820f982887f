// Lowers groups to a host program.

#include "fuser/host_ir/host_ir_lower.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/analysis/body_slices.h"
#include "fuser/analysis/resharding.h"
#include "fuser/analysis/standalone_op.h"

namespace fuser {
namespace {

// Whether the output is a view in its source's memory, not computed by a kernel or cache.
bool isOnlySeen(const HostGroup& group, const TensorView* output) {
  return output->domain().view && !group.kernel && group.cache < 0;
}

// Whether a device computes a part of the results, or not every device computes them.
bool isParted(const Expr* expr) {
  const Fusion& fusion = expr->fusion();
  if (!fusion.hasDevices() || expr->isScalarExpr()) return false;
  return shardingOf(expr->output()->as<TensorView>()) != Sharding{fusion.mesh(), std::nullopt};
}

// Why no device can compute its part of the results in one go; "" if each can.
std::string whyNotOnDevices(const std::vector<const Expr*>& exprs, const std::vector<const Val*>& results) {
  const auto isSharded = [](const Expr* expr) { return placedAxis(expr, ParallelType::DIDx).has_value(); };
  const bool sharded = std::any_of(exprs.begin(), exprs.end(), isSharded);
  const DeviceMesh* mesh = nullptr;
  for (const Expr* expr : exprs) {
    if (isResharding(expr) || reducedShardAxis(expr)) {
      return concat("%", expr->output()->name(), " needs what other devices hold");
    }
    if (sharded && !isSharded(expr)) continue;
    const DeviceMesh& own = expr->output()->as<TensorView>()->mesh();
    if (mesh && own != *mesh) return concat("%", expr->output()->name(), " is on other devices");
    mesh = &own;
  }
  if (!sharded) return "";
  for (const Expr* expr : exprs) {
    if (!expr->output()->as<TensorView>()->mesh().containsAll(*mesh)) {
      return concat("%", expr->output()->name(), " is on other devices");
    }
  }
  return bodySlices(exprs, results, ParallelType::DIDx).reason;
}

bool isOnStreams(const Expr* expr) { return placedAxis(expr, ParallelType::Stream).has_value(); }

std::string whyNotTogether(const std::vector<const Expr*>& exprs, const std::vector<const Val*>& results) {
  if (exprs.front()->fusion().hasDevices()) {
    const std::string reason = whyNotOnDevices(exprs, results);
    if (!reason.empty()) return reason;
  }
  if (std::none_of(exprs.begin(), exprs.end(), isOnStreams)) return "";
  return bodySlices(exprs, results, ParallelType::Stream).reason;
}

bool isCopyOnStreams(const Expr* expr) { return expr->op() == OpKind::Set && isOnStreams(expr); }

}  // namespace

PartExtents::PartExtents(Fusion& fusion, const ClonedPart& part) : fusion_(fusion), part_(part) {}

Val* PartExtents::input(const Val* inputOfPart) const {
  const std::vector<Val*>& inputs = part_.fusion->inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == inputOfPart) return part_.inputs.at(i);
  }
  return nullptr;
}

IntExpr PartExtents::operator()(IntExpr extentOfPart) {
  return fusion_.ints().import(extentOfPart, [&](IntExpr symbol) {
    const Val* scalar = part_.fusion->scalarOf(symbol);
    if (!scalar) return fusion_.extentSymbol(part_.fusion->ints().symbolOf(symbol).name);
    Val* source = input(scalar);
    FUSER_CHECK(source, "extent %", scalar->name(), " is not an input of its part");
    return fusion_.scalarSymbol(source);
  });
}

bool isStandalone(const std::vector<Expr*>& exprs) {
  if (exprs.size() == 1) return isLowerableAsStandaloneHostOp(exprs.front());
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return isOnStreams(expr) || isParted(expr); });
}

bool HostIrLower::shouldMergeSegmentedGroups(const SegmentedGroup* a, const SegmentedGroup* b) {
  const auto isCopyAlone = [](const SegmentedGroup* group) {
    return group->exprs().size() == 1 && isCopyOnStreams(group->exprs().front());
  };
  if (isCopyAlone(a) || isCopyAlone(b)) return false;
  std::vector<Expr*> both = a->exprs();
  both.insert(both.end(), b->exprs().begin(), b->exprs().end());
  return whyNotOneBody(both, {}).empty();
}

std::string HostIrLower::whyNotOneBody(const std::vector<Expr*>& exprs, const std::vector<Val*>& results) {
  if (exprs.size() < 2) return "";
  if (std::all_of(exprs.begin(), exprs.end(), isCopyOnStreams)) return "plain copies run alone on streams";
  return whyNotTogether({exprs.begin(), exprs.end()}, {results.begin(), results.end()});
}

bool HostIrLower::areApart(const Expr* maker, const Expr* reader) {
  return !whyNotTogether({maker, reader}, {}).empty();
}

std::unique_ptr<HostIrContainer> HostIrLower::lower(std::span<const HostGroup> groups,
                                                    std::span<const TensorView* const> inPlace,
                                                    std::span<const BufferedOutput> preallocated) {
  inPlace_ = inPlace;
  preallocated_ = preallocated;
  findSlices();
  auto program = std::make_unique<HostIrContainer>(fusion_);
  for (const HostGroup& group : groups) lowerGroup(group, *program);
  for (const auto& [number, input] : fusion_.aliases()) {
    const Val* output = fusion_.outputs().at(number);
    if (!isInPlace(output)) program->append(hir::Copy{output->as<TensorView>(), input->as<TensorView>()});
  }
  for (const BufferedOutput& output : preallocated) {
    if (!output.direct) program->append(hir::CopyToOutput{output.tensor, output.output});
  }
  verifyHostIr(*program, HostLeaks::Allowed);
  return program;
}

void HostIrLower::lowerGroup(const HostGroup& group, HostIrContainer& program) {
  if (group.standalone) {
    std::vector<const TensorView*> results;
    for (const Val* output : group.outputs) results.push_back(output->as<TensorView>());
    hir::StandaloneOp op =
        standaloneOp({group.exprs.begin(), group.exprs.end()}, {group.inputs.begin(), group.inputs.end()}, results);
    // The node's `preallocated` flag covers all of its results or none.
    const auto isGiven = [&](const TensorView* output) { return writtenToCaller(output) != nullptr; };
    op.preallocated = std::any_of(op.outputs.begin(), op.outputs.end(), isGiven);
    for (const TensorView* output : op.preallocated ? op.outputs : std::vector<const TensorView*>{}) {
      program.append(makeRoom(group, output));
    }
    program.append(std::move(op));
    return;
  }
  hir::Segment segment;
  segment.index = group.index;
  segment.scheduler = group.scheduler;
  segment.inputs.assign(group.inputs.begin(), group.inputs.end());
  segment.outputs.assign(group.outputs.begin(), group.outputs.end());
  segment.kernel = group.kernel ? static_cast<int>(program.kernels.size()) : -1;
  segment.cache = group.cache;
  hir::HostExpr* block = program.append(segment);
  if (group.scheduler == SchedulerType::ExprEval) {
    program.append(hir::EvaluateScalars{{group.exprs.begin(), group.exprs.end()}}, block);
  } else {
    for (const Val* output : group.outputs) appendRoom(group, output->as<TensorView>(), program, block);
  }
  if (group.kernel) {
    program.kernels.push_back(group.kernel);
    const std::vector<const Val*> outputs(group.outputs.begin(), group.outputs.end());
    program.append(launchOf(fusion_, *group.part, outputs, *group.kernel, segment.kernel), block);
  }
  if (group.cache >= 0) {
    hir::RunSegment node{group.cache, {group.part->inputs.begin(), group.part->inputs.end()}, {}};
    for (const Val* output : group.outputs) node.outputs.push_back(output->as<TensorView>());
    program.append(std::move(node), block);
  }
}

void HostIrLower::findSlices() {
  for (const TensorView* whole : inPlace_) {
    if (!whole->domain().inPlace) continue;
    const std::optional<StoredInto> into = slicesStoredInto(whole);
    FUSER_CHECK(into, "%", whole->name(), " is in place and holds no slices");
    bases_[whole] = into->base;
    for (const StoredSlice& slice : into->slices) {
      slices_.emplace(slice.value, hir::Place{slice.value, whole, slice.steps});
    }
  }
}

// What is in place has its memory before the first slice is stored there.
void HostIrLower::appendRoom(const HostGroup& group, const TensorView* output, HostIrContainer& program,
                             hir::HostExpr* block) {
  const auto slice = slices_.find(output);
  if (slice != slices_.end()) {
    appendReuse(slice->second.whole, program, block);
    program.append(slice->second, block);
  } else if (output->domain().inPlace) {
    appendReuse(output, program, block);
  } else {
    program.append(makeRoom(group, output), block);
  }
}

void HostIrLower::appendReuse(const TensorView* whole, HostIrContainer& program, hir::HostExpr* block) {
  const auto base = bases_.find(whole);
  if (base == bases_.end()) return;
  program.append(hir::Reuse{whole, base->second}, block);
  bases_.erase(base);
}

hir::Node HostIrLower::makeRoom(const HostGroup& group, const TensorView* output) const {
  if (isOnlySeen(group, output)) {
    // Follows the chain of views back to a tensor that the group does not compute.
    const auto isMade = [&](const TensorView* tensor) {
      return std::find(group.exprs.begin(), group.exprs.end(), tensor->definition()) != group.exprs.end();
    };
    const TensorView* source = output;
    while (isMade(source)) source = source->definition()->input(0)->as<TensorView>();
    return hir::View{output, source};
  }
  if (const BufferedOutput* buffer = writtenToCaller(output)) return hir::TakeOutput{output, buffer->output};
  for (const auto& [number, input] : fusion_.aliases()) {
    if (fusion_.outputs().at(number) == output && isInPlace(output)) return hir::Reuse{output, input->as<TensorView>()};
  }
  return hir::Allocate{output};
}

bool HostIrLower::isInPlace(const Val* output) const {
  return std::find(inPlace_.begin(), inPlace_.end(), output) != inPlace_.end();
}

const BufferedOutput* HostIrLower::writtenToCaller(const TensorView* output) const {
  const auto found = std::find_if(preallocated_.begin(), preallocated_.end(), [&](const BufferedOutput& buffer) {
    return buffer.direct && buffer.tensor == output;
  });
  return found == preallocated_.end() ? nullptr : &*found;
}

hir::LaunchKernel launchOf(Fusion& fusion, const ClonedPart& part, std::span<const Val* const> outputs,
                           const Kernel& kernel, int number) {
  PartExtents extents(fusion, part);
  hir::LaunchKernel node{number, {}, {}, {}};
  std::unordered_map<const Val*, const Val*> outputOf;  // of the part -> of the fusion; look-ups only
  for (const Val* output : outputs) outputOf.emplace(part.vals.at(output), output);
  for (const TensorParam& param : kernel.tensors) {
    const Val* tensor = extents.input(param.source);
    const auto output = outputOf.find(param.source);
    if (!tensor && output != outputOf.end()) tensor = output->second;
    FUSER_CHECK(tensor, "argument %", param.source->name(), " of ", kernel.name,
                " is not an input or output of its part");
    node.tensors.push_back(tensor->as<TensorView>());
  }
  for (const IntParam& param : kernel.intParams) {
    node.ints.push_back(param.extent ? extents(param.extent) : nullptr);
    FUSER_CHECK(!param.extent || node.ints.back()->isSymbol(), kernel.name, " takes an extent that is not a symbol");
  }
  for (const ScalarParam& param : kernel.scalars) {
    const Val* scalar = extents.input(param.source);
    FUSER_CHECK(scalar, "scalar %", param.name, " of ", kernel.name, " is not an input of its part");
    node.scalars.push_back(scalar);
  }
  return node;
}

}  // namespace fuser
