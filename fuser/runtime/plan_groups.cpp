// Converts segments to groups of the host program.

#include "fuser/runtime/plan_groups.h"

#include <algorithm>

namespace fuser {
namespace {

// The scalar, or the tensor, expressions on which outputs depend, in topological order.
std::vector<Expr*> liveExprs(const Fusion& fusion, const SegmentedFusion& reads, bool scalars) {
  std::vector<bool> live(fusion.exprIdCount(), false);
  std::vector<Expr*> stack;
  const auto need = [&](const Val* val) {
    Expr* expr = val->definition();
    if (!expr || live[expr->id()]) return;
    live[expr->id()] = true;
    stack.push_back(expr);
  };
  for (const Val* output : fusion.outputs()) need(output);
  while (!stack.empty()) {
    const Expr* expr = stack.back();
    stack.pop_back();
    for (const Val* val : reads.reads(expr)) need(val);
  }
  std::vector<Expr*> exprs;
  for (Expr* expr : fusion.exprs()) {
    if (live[expr->id()] && expr->isScalarExpr() == scalars) exprs.push_back(expr);
  }
  return exprs;
}

HostGroup wholeGroup(const SegmentedGroup& group) {
  HostGroup result;
  result.index = group.index();
  result.scheduler = group.schedulerType();
  result.map = group.referenceMap();
  result.exprs = group.exprs();
  result.inputs = group.inputs().vector();
  result.outputs = group.outputs().vector();
  return result;
}

// A group of one expression and the private copies that it reads.
std::vector<Expr*> withCopies(const SegmentedFusion& segmented, const SegmentedGroup& group, Expr* expr) {
  std::vector<Expr*> exprs = {expr};
  for (size_t i = 0; i < exprs.size(); ++i) {
    for (const Val* val : segmented.reads(exprs[i])) {
      Expr* definition = val->definition();
      const bool copy = definition && segmented.groupOf(definition) != &group && segmented.computes(&group, definition);
      if (copy && std::find(exprs.begin(), exprs.end(), definition) == exprs.end()) exprs.push_back(definition);
    }
  }
  return segmented.inTopologicalOrder(std::move(exprs));
}

// Results of private copies are not outputs here; the group that owns the expression stores them.
void addProbed(const SegmentedFusion& segmented, const SegmentedGroup& group, const CompileContext& context,
               bool hasSchedule, std::vector<HostGroup>& groups) {
  HostGroup probed = wholeGroup(group);
  for (const Expr* expr : group.exprs()) {
    if (segmented.groupOf(expr) != &group) continue;
    for (Val* output : expr->outputs()) {
      if (std::find(probed.outputs.begin(), probed.outputs.end(), output) == probed.outputs.end()) {
        probed.outputs.push_back(output);
      }
    }
  }
  // A slice of a body with more results may be no kernel.
  const bool isBody = group.exprs().size() > 1 && isStandalone(group.exprs());
  if (!hasSchedule && !isBody && accept(probed, segmented.completeFusion(), context)) {
    groups.push_back(std::move(probed));
    return;
  }
  for (Expr* expr : group.exprs()) {
    if (segmented.groupOf(expr) != &group) continue;
    HostGroup single;
    single.index = group.index();
    single.exprs = withCopies(segmented, group, expr);
    single.inputs = segmented.inputsOf(single.exprs);
    single.outputs = expr->outputs();
    FUSER_CHECK(accept(single, segmented.completeFusion(), context), "no scheduler takes %", expr->output()->name(),
                " alone, with its result as output");
    groups.push_back(std::move(single));
  }
}

}  // namespace

bool accept(HostGroup& group, const Fusion& fusion, const CompileContext& context) {
  const FusionView view{&fusion, group.exprs, group.inputs, group.outputs, context.sizes, context.device()};
  SchedulerAnswer answer = context.schedulers->accepts(view);
  group.scheduler = answer.type;
  group.map = std::move(answer.map);
  return group.scheduler != SchedulerType::None;
}

std::unique_ptr<SegmentedFusion> segmentAsOne(const Fusion& fusion) {
  auto segmented = std::make_unique<SegmentedFusion>(fusion);
  const std::vector<Expr*> scalars = liveExprs(fusion, *segmented, true);
  const std::vector<Expr*> tensors = liveExprs(fusion, *segmented, false);
  SegmentedGroup* host = scalars.empty() ? nullptr : segmented->newGroup(scalars);
  SegmentedGroup* kernel = tensors.empty() ? nullptr : segmented->newGroup(tensors);
  if (host) segmented->setSchedulerType(host, SchedulerType::ExprEval);
  if (host && kernel) {
    for (Val* val : segmented->inputsOf(tensors)) {
      if (segmented->producerOf(val) == host) segmented->connectGroups(host, kernel, val);
    }
  }
  segmented->finalize();
  return segmented;
}

std::vector<HostGroup> planGroups(const SegmentedFusion& segmented, const CompileContext& context, bool hasSchedule) {
  std::vector<HostGroup> groups;
  for (const SegmentedGroup* group : segmented.groups()) {
    const bool computes = !group->isScalarGroup() && group->schedulerType() != SchedulerType::NoOp;
    if (context.options.probes && computes) {
      addProbed(segmented, *group, context, hasSchedule, groups);
    } else {
      groups.push_back(wholeGroup(*group));
    }
  }
  return groups;
}

}  // namespace fuser
