// Groups -> host program.

#include "fuser/host_ir/host_ir_lower.h"

#include <algorithm>
#include <map>
#include <set>

namespace fuser {
namespace {

// A view that no kernel and no cache makes is its source's memory.
bool isOnlySeen(const HostGroup& group, const TensorView* output) {
  return output->domain().view && !group.kernel && group.cache < 0;
}

// For each group, the tensors that nobody reads after it, in the order in which the program mentions them first.
std::vector<std::vector<const TensorView*>> lastUses(std::span<const HostGroup> groups) {
  std::set<uint32_t> seen;           // ids; look-ups only
  std::map<uint32_t, size_t> last;   // the last group that mentions it, by id; look-ups only
  std::vector<const TensorView*> mentioned;
  for (size_t i = 0; i < groups.size(); ++i) {
    // A tensor that only a host scalar reads (its size) needs no memory for that.
    if (groups[i].scheduler == SchedulerType::ExprEval) continue;
    for (const std::vector<Val*>* vals : {&groups[i].inputs, &groups[i].outputs}) {
      for (const Val* val : *vals) {
        if (!val->isTensor()) continue;
        if (last.insert_or_assign(val->id(), i).second) mentioned.push_back(val->as<TensorView>());
      }
    }
    for (const Val* output : groups[i].outputs) {
      if (isOnlySeen(groups[i], output->as<TensorView>())) seen.insert(output->id());
    }
  }
  std::vector<std::vector<const TensorView*>> result(groups.size());
  for (const TensorView* tensor : mentioned) {
    const bool callers = tensor->isFusionInput() || tensor->isFusionOutput();
    if (!callers && seen.count(tensor->id()) == 0) result[last.at(tensor->id())].push_back(tensor);
  }
  return result;
}

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
    FUSER_CHECK(source, "extent %", scalar->name(), " is no input of its part");
    return fusion_.scalarSymbol(source);
  });
}

std::unique_ptr<HostProgram> HostIrLower::lower(std::span<const HostGroup> groups,
                                                std::span<const OutputAlias> aliases) {
  aliases_ = aliases;
  auto program = std::make_unique<HostProgram>();
  program->fusion = &fusion_;
  const std::vector<std::vector<const TensorView*>> freed = lastUses(groups);
  for (size_t i = 0; i < groups.size(); ++i) {
    lowerGroup(groups[i], *program);
    for (const TensorView* tensor : freed[i]) program->nodes.push_back(hir::Deallocate{tensor});
  }
  for (const OutputAlias& alias : aliases) {
    if (!alias.inPlace) program->nodes.push_back(hir::Copy{alias.output, alias.input});
  }
  verifyHostProgram(*program);
  return program;
}

void HostIrLower::lowerGroup(const HostGroup& group, HostProgram& program) {
  hir::Segment segment;
  segment.index = group.index;
  segment.scheduler = group.scheduler;
  segment.inputs.assign(group.inputs.begin(), group.inputs.end());
  segment.outputs.assign(group.outputs.begin(), group.outputs.end());
  segment.firstNode = program.nodes.size();
  if (group.scheduler == SchedulerType::ExprEval) {
    program.nodes.push_back(hir::EvaluateScalars{{group.exprs.begin(), group.exprs.end()}});
  } else {
    for (const Val* output : group.outputs) program.nodes.push_back(makeRoom(group, output->as<TensorView>()));
  }
  if (group.kernel) {
    segment.kernel = static_cast<int>(program.kernels.size());
    program.kernels.push_back(group.kernel);
    program.nodes.push_back(launch(group, segment.kernel));
  }
  if (group.cache >= 0) {
    segment.cache = group.cache;
    hir::RunSegment node{group.cache, {group.part->inputs.begin(), group.part->inputs.end()}, {}};
    for (const Val* output : group.outputs) node.outputs.push_back(output->as<TensorView>());
    program.nodes.push_back(std::move(node));
  }
  segment.lastNode = program.nodes.size();
  program.segments.push_back(std::move(segment));
}

hir::Node HostIrLower::makeRoom(const HostGroup& group, const TensorView* output) const {
  if (isOnlySeen(group, output)) {
    // Back to what the group did not make.
    const auto isMade = [&](const TensorView* tensor) {
      return std::find(group.exprs.begin(), group.exprs.end(), tensor->definition()) != group.exprs.end();
    };
    const TensorView* source = output;
    while (isMade(source)) source = source->definition()->input(0)->as<TensorView>();
    return hir::View{output, source};
  }
  for (const OutputAlias& alias : aliases_) {
    if (alias.output == output && alias.inPlace) return hir::Reuse{output, alias.input};
  }
  return hir::Allocate{output};
}

hir::LaunchKernel HostIrLower::launch(const HostGroup& group, int kernel) {
  PartExtents extents(fusion_, *group.part);
  hir::LaunchKernel node{kernel, {}, {}, {}};
  for (const TensorParam& param : group.kernel->tensors) {
    const Val* tensor = extents.input(param.source);
    for (const Val* output : group.outputs) {
      if (!tensor && group.part->vals.at(output) == param.source) tensor = output;
    }
    FUSER_CHECK(tensor, "argument %", param.source->name(), " of ", group.kernel->name,
                " is no input or output of its part");
    node.tensors.push_back(tensor->as<TensorView>());
  }
  for (const IntParam& param : group.kernel->intParams) {
    node.ints.push_back(param.extent ? extents(param.extent) : nullptr);
    FUSER_CHECK(!param.extent || node.ints.back()->isSymbol(), group.kernel->name,
                " takes an extent that is no symbol");
  }
  for (const ScalarParam& param : group.kernel->scalars) {
    const Val* scalar = extents.input(param.source);
    FUSER_CHECK(scalar, "scalar %", param.name, " of ", group.kernel->name, " is no input of its part");
    node.scalars.push_back(scalar);
  }
  return node;
}

}  // namespace fuser
