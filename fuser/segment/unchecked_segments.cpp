#include "fuser/segment/unchecked_segments.h"

#include "fuser/segment/group_edits.h"

namespace fuser {
namespace {

void fillGroup(SegmentData& data, OwnedGroup* group, const SegmentsDescription::Group& description) {
  for (Expr* expr : description.copies) {
    SegmentData::OfExpr& known = data.exprs.at(expr->id());
    FUSER_CHECK(known.group, "%", expr->output()->name(), " is copied and in no group of its own");
    group->exprs_.push_back(expr);
    known.copies.push_back(group);
  }
  group->exprs_ = SegmentGraph(data).inTopologicalOrder(std::move(group->exprs_));
  group->index_ = static_cast<int>(group->place);
  group->schedulerType_ = description.type;
  group->inputs_.pushBackAll(description.inputs);
  group->outputs_.pushBackAll(description.outputs);
}

}  // namespace

std::unique_ptr<SegmentedFusion> buildUnchecked(const Fusion& fusion, const SegmentsDescription& description,
                                                bool checkEdits) {
  auto data = std::make_unique<SegmentData>(fusion);
  for (const SegmentsDescription::Group& group : description.groups) makeGroup(*data, group.exprs);
  for (size_t i = 0; i < description.groups.size(); ++i) fillGroup(*data, &data->groups[i], description.groups[i]);
  for (const SegmentsDescription::Edge& edge : description.edges) {
    data->edges.addUnchecked(data->live.at(edge.from), data->live.at(edge.to), edge.val);
  }
  return std::make_unique<SegmentedFusion>(std::move(data), checkEdits);
}

}  // namespace fuser
