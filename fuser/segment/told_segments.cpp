#include "fuser/segment/told_segments.h"

#include "fuser/segment/group_edits.h"

namespace fuser {
namespace {

void tellRest(SegmentData& data, OwnedGroup* group, const ToldSegments::Group& told) {
  for (Expr* expr : told.copies) {
    SegmentData::OfExpr& known = data.exprs.at(expr->id());
    FUSER_CHECK(known.group, "%", expr->output()->name(), " is copied and in no group of its own");
    group->exprs_.push_back(expr);
    known.copies.push_back(group);
  }
  group->exprs_ = SegmentGraph(data).inTopologicalOrder(std::move(group->exprs_));
  group->index_ = static_cast<int>(group->place);
  group->schedulerType_ = told.type;
  group->inputs_.pushBackAll(told.inputs);
  group->outputs_.pushBackAll(told.outputs);
}

}  // namespace

std::unique_ptr<SegmentedFusion> segmentAsTold(const Fusion& fusion, const ToldSegments& told, bool checkEdits) {
  auto data = std::make_unique<SegmentData>(fusion);
  for (const ToldSegments::Group& group : told.groups) makeGroup(*data, group.exprs);
  for (size_t i = 0; i < told.groups.size(); ++i) tellRest(*data, &data->groups[i], told.groups[i]);
  for (const ToldSegments::Edge& edge : told.edges) {
    data->edges.addUnchecked(data->live.at(edge.from), data->live.at(edge.to), edge.val);
  }
  return std::make_unique<SegmentedFusion>(std::move(data), checkEdits);
}

}  // namespace fuser
