// Faults of the segmenter: its text, edited, and read back unverified.

#include <algorithm>
#include <unordered_map>

#include "fuser/segment/segmented_text.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz {

SegmentsText segmentsText(const SegmentedFusion& segmented) {
  const std::vector<std::string> labels = valueLabels(segmented.completeFusion());
  const auto labelsOf = [&](const VectorOfUniqueEntries<Val*>& vals) {
    std::vector<std::string> texts;
    for (const Val* val : vals) texts.push_back(labels.at(val->id()));
    return texts;
  };
  SegmentsText text;
  std::unordered_map<const SegmentedGroup*, size_t> index;  // look-ups only
  for (const SegmentedGroup* group : segmented.groups()) {
    index.emplace(group, text.groups.size());
    SegmentsText::Group& told = text.groups.emplace_back();
    told.scheduler = schedulerTypeName(group->schedulerType());
    for (const Expr* expr : group->exprs()) {
      told.exprs.push_back(labels.at(expr->output()->id()));
      if (segmented.groupOf(expr) != group) told.copies.push_back(told.exprs.back());
    }
    told.inputs = labelsOf(group->inputs());
    told.outputs = labelsOf(group->outputs());
  }
  for (const SegmentedEdgePtr& edge : segmented.edges()) {
    text.edges.push_back({index.at(edge->from()), index.at(edge->to()), labels.at(edge->val()->id())});
  }
  return text;
}

std::string toString(const SegmentsText& text) {
  const auto list = [](const std::vector<std::string>& entries) {
    std::string out;
    for (const std::string& entry : entries) out += (out.empty() ? "" : ", ") + entry;
    return "{" + out + "}";
  };
  std::string out = "segmented {\n";
  for (size_t i = 0; i < text.groups.size(); ++i) {
    const SegmentsText::Group& group = text.groups[i];
    out += concat("  group ", i, " ", group.scheduler, " ", list(group.exprs));
    if (!group.copies.empty()) out += " copies " + list(group.copies);
    out += concat(" inputs ", list(group.inputs), " outputs ", list(group.outputs), "\n");
  }
  for (const SegmentsText::Edge& edge : text.edges) {
    out += concat("  edge ", edge.from, " -> ", edge.to, " ", edge.val, "\n");
  }
  return out + "}\n";
}

namespace faults {
namespace {

using Labels = std::vector<std::string>;

bool holds(const Labels& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

void addNew(Labels& labels, const Labels& more) {
  for (const std::string& label : more) {
    if (!holds(labels, label)) labels.push_back(label);
  }
}

bool isHost(const SegmentsText::Group& group) { return group.scheduler == schedulerTypeName(SchedulerType::ExprEval); }

// Edges between tensor segments, by place.
std::vector<size_t> tensorEdges(const SegmentsText& text) {
  std::vector<size_t> places;
  for (size_t i = 0; i < text.edges.size(); ++i) {
    if (!isHost(text.groups[text.edges[i].from])) places.push_back(i);
  }
  return places;
}

// Group `second` becomes part of `first`, which comes before it; what only the other read or made is none of its
// boundary any more.
void mergeInto(SegmentsText& text, size_t first, size_t second) {
  SegmentsText::Group& keep = text.groups[first];
  const SegmentsText::Group source = text.groups[second];
  // A copy of what neither has as its own stays a copy.
  Labels copies;
  using Pair = std::pair<const SegmentsText::Group*, const SegmentsText::Group*>;
  for (const auto& [one, other] : {Pair(&keep, &source), Pair(&source, &keep)}) {
    for (const std::string& copy : one->copies) {
      const bool computes = holds(other->exprs, copy) && !holds(other->copies, copy);
      if (!computes) addNew(copies, {copy});
    }
  }
  addNew(keep.exprs, source.exprs);
  keep.copies = copies;
  addNew(keep.inputs, source.inputs);
  std::erase_if(keep.inputs, [&](const std::string& input) { return holds(keep.exprs, input); });
  addNew(keep.outputs, source.outputs);
  text.groups.erase(text.groups.begin() + static_cast<std::ptrdiff_t>(second));
  std::vector<SegmentsText::Edge> edges;
  for (SegmentsText::Edge edge : text.edges) {
    for (size_t* end : {&edge.from, &edge.to}) {
      if (*end == second) *end = first;
      if (*end > second) --*end;
    }
    const bool known = std::any_of(edges.begin(), edges.end(), [&](const SegmentsText::Edge& other) {
      return other.from == edge.from && other.to == edge.to && other.val == edge.val;
    });
    if (edge.from != edge.to && !known) edges.push_back(edge);
  }
  text.edges = std::move(edges);
}

}  // namespace

bool loseEdge(const SegmentedFusion&, SegmentsText& text) {
  if (text.edges.empty()) return false;
  text.edges.pop_back();
  return true;
}

bool doubleEdge(const SegmentedFusion&, SegmentsText& text) {
  if (text.edges.empty()) return false;
  text.edges.push_back(text.edges.front());
  return true;
}

bool retargetEdge(const SegmentedFusion&, SegmentsText& text) {
  for (SegmentsText::Edge& edge : text.edges) {
    for (size_t other = edge.from + 1; other < text.groups.size(); ++other) {
      if (holds(text.groups[other].inputs, edge.val)) continue;
      edge.to = other;
      return true;
    }
  }
  return false;
}

bool resourceEdge(const SegmentedFusion&, SegmentsText& text) {
  for (SegmentsText::Edge& edge : text.edges) {
    for (size_t other = 0; other < edge.to; ++other) {
      if (holds(text.groups[other].exprs, edge.val)) continue;
      edge.from = other;
      return true;
    }
  }
  return false;
}

bool swapSegments(const SegmentedFusion&, SegmentsText& text) {
  const std::vector<size_t> places = tensorEdges(text);
  if (places.empty()) return false;
  const size_t a = text.edges[places.back()].from, b = text.edges[places.back()].to;
  std::swap(text.groups[a], text.groups[b]);
  for (SegmentsText::Edge& edge : text.edges) {
    for (size_t* end : {&edge.from, &edge.to}) *end = *end == a ? b : *end == b ? a : *end;
  }
  return true;
}

bool closeCircle(const SegmentedFusion&, SegmentsText& text) {
  // a -> b -> c becomes b <-> c: what a made for b is now made in c.
  for (size_t first : tensorEdges(text)) {
    for (size_t second : tensorEdges(text)) {
      const SegmentsText::Edge producerEdge = text.edges[first], read = text.edges[second];
      SegmentsText::Group& a = text.groups[producerEdge.from];
      SegmentsText::Group& c = text.groups[read.to];
      if (read.from != producerEdge.to || a.exprs.size() < 2 || !holds(a.exprs, producerEdge.val) ||
          holds(a.copies, producerEdge.val)) {
        continue;
      }
      if (holds(c.exprs, producerEdge.val)) continue;
      std::erase(a.exprs, producerEdge.val);
      std::erase(a.outputs, producerEdge.val);
      c.exprs.push_back(producerEdge.val);
      c.outputs.push_back(producerEdge.val);
      text.edges[first].from = read.to;
      return true;
    }
  }
  return false;
}

bool mergeAcrossCut(const SegmentedFusion& segmented, SegmentsText& text) {
  const std::vector<std::string> labels = valueLabels(segmented.completeFusion());
  for (const SegmentedEdgePtr& edge : segmented.edges()) {
    if (edge->val()->definition()->op() != OpKind::SegmentSet || edge->to()->index() != edge->from()->index() + 1) {
      continue;
    }
    mergeInto(text, static_cast<size_t>(edge->from()->index()), static_cast<size_t>(edge->to()->index()));
    return true;
  }
  return false;
}

// (Not the two sides of a segment_set: that is mergeAcrossCut.)
bool mergeUnasked(const SegmentedFusion& segmented, SegmentsText& text) {
  for (size_t place : tensorEdges(text)) {
    const SegmentsText::Edge edge = text.edges[place];
    const Expr* maker = segmented.edges()[place]->val()->definition();
    if (edge.to != edge.from + 1 || maker->op() == OpKind::SegmentSet) continue;
    // Both as what takes pointwise ops and no reductions, which some of them are.
    text.groups[edge.from].scheduler = schedulerTypeName(SchedulerType::PointWise);
    mergeInto(text, edge.from, edge.to);
    return true;
  }
  return false;
}

bool loseSegmentInput(const SegmentedFusion&, SegmentsText& text) {
  for (size_t place : tensorEdges(text)) {
    std::erase(text.groups[text.edges[place].to].inputs, text.edges[place].val);
    return true;
  }
  return false;
}

bool loseSegmentOutput(const SegmentedFusion&, SegmentsText& text) {
  for (size_t place : tensorEdges(text)) {
    Labels& outputs = text.groups[text.edges[place].from].outputs;
    if (outputs.size() < 2) continue;
    std::erase(outputs, text.edges[place].val);
    return true;
  }
  return false;
}

bool takeForNoOp(const SegmentedFusion&, SegmentsText& text) {
  for (auto group = text.groups.rbegin(); group != text.groups.rend(); ++group) {
    const std::string idle(schedulerTypeName(SchedulerType::NoOp));
    if (isHost(*group) || group->scheduler == idle) continue;
    group->scheduler = idle;
    return true;
  }
  return false;
}

bool loseExpr(const SegmentedFusion&, SegmentsText& text) {
  for (SegmentsText::Group& group : text.groups) {
    for (const std::string& expr : Labels(group.exprs)) {
      // Where others hold copies, one of them would be left as its own.
      const bool copied = std::any_of(text.groups.begin(), text.groups.end(),
                                      [&](const SegmentsText::Group& other) { return holds(other.copies, expr); });
      if (group.exprs.size() < 2 || holds(group.outputs, expr) || copied) continue;
      std::erase(group.exprs, expr);
      return true;
    }
  }
  return false;
}

bool loseCopy(const SegmentedFusion&, SegmentsText& text) {
  for (SegmentsText::Group& group : text.groups) {
    if (group.copies.empty()) continue;
    std::erase(group.exprs, group.copies.back());
    group.copies.pop_back();
    return true;
  }
  return false;
}

bool copyOutput(const SegmentedFusion& segmented, SegmentsText& text) {
  const std::vector<std::string> labels = valueLabels(segmented.completeFusion());
  for (const SegmentedEdgePtr& edge : segmented.edges()) {
    const Expr* expr = edge->val()->definition();
    if (expr->isScalarExpr() || !edge->val()->isFusionOutput()) continue;
    SegmentsText::Group& to = text.groups[static_cast<size_t>(edge->to()->index())];
    const std::string label = labels.at(expr->output()->id());
    if (holds(to.exprs, label)) continue;
    std::erase(to.inputs, label);
    to.exprs.push_back(label);
    to.copies.push_back(label);
    for (const Val* operand : segmented.reads(expr)) addNew(to.inputs, {labels.at(operand->id())});
    return true;
  }
  return false;
}

// Into the segment that reads it, which is then given what the expression reads, and waits for the host no more for it.
bool copyScalar(const SegmentedFusion& segmented, SegmentsText& text) {
  const std::vector<std::string> labels = valueLabels(segmented.completeFusion());
  for (const SegmentedEdgePtr& edge : segmented.edges()) {
    const Expr* expr = edge->val()->definition();
    if (!expr->isScalarExpr() || edge->to()->isScalarGroup()) continue;
    const auto from = static_cast<size_t>(edge->from()->index()), to = static_cast<size_t>(edge->to()->index());
    SegmentsText::Group& reader = text.groups[to];
    const std::string label = labels.at(expr->output()->id());
    std::erase(reader.inputs, label);
    std::erase_if(text.edges, [&](const SegmentsText::Edge& it) { return it.to == to && it.val == label; });
    reader.exprs.push_back(label);
    reader.copies.push_back(label);
    for (const Val* operand : segmented.reads(expr)) {
      const std::string read = labels.at(operand->id());
      if (holds(reader.inputs, read)) continue;
      reader.inputs.push_back(read);
      if (operand->definition()) text.edges.push_back({from, to, read});
    }
    return true;
  }
  return false;
}

}  // namespace faults
}  // namespace fuser::fuzz
