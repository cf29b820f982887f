// Prints the text form of a segmentation.
#include "fuser/segment/segmented_text.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace fuser {

std::vector<std::string> valueLabels(const Fusion& fusion) {
  const std::vector<Val*> vals = fusion.usedVals();
  std::unordered_map<std::string, int> count;  // look-ups only
  for (const Val* val : vals) ++count[val->name()];
  std::vector<std::string> labels(fusion.valCount());
  for (const Val* val : vals) {
    const bool plain = !val->name().empty() && count[val->name()] == 1;
    labels[val->id()] = plain ? "%" + val->name() : concat("%", val->name(), "@", val->id());
  }
  return labels;
}

namespace {

template <class Range, class Text>
std::string list(const Range& range, const Text& text) {
  std::string out = "{";
  for (const auto& item : range) out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "}";
}

}  // namespace

std::string toString(const SegmentGraph& graph) {
  const std::vector<std::string> labels = valueLabels(graph.completeFusion());
  const auto label = [&](const Val* val) { return labels.at(val->id()); };
  const auto exprLabel = [&](const Expr* expr) { return label(expr->output()); };
  const auto copiesText = [&](const SegmentedGroup* group) {
    std::vector<const Expr*> copies;
    for (const Expr* expr : group->exprs()) {
      if (graph.groupOf(expr) != group) copies.push_back(expr);
    }
    return copies.empty() ? "" : " copies " + list(copies, exprLabel);
  };
  // The sort key of a value: the position of its definition.
  const auto labelIndexOf = [&](const Val* val) {
    const Expr* definition = val->definition();
    const auto output = std::find(definition->outputs().begin(), definition->outputs().end(), val);
    return std::pair(graph.position(definition), output - definition->outputs().begin());
  };
  std::unordered_map<const SegmentedGroup*, size_t> index;  // look-ups only
  std::string out = "segmented {\n";
  for (const SegmentedGroup* group : graph.groups()) {
    const size_t place = index.size();
    index[group] = place;
    out += concat("  group ", place, " ", schedulerTypeName(group->schedulerType()), " ",
                  list(group->exprs(), exprLabel), copiesText(group), " inputs ", list(group->inputs(), label),
                  " outputs ", list(group->outputs(), label), "\n");
  }
  std::vector<SegmentedEdgePtr> edges = graph.edges();
  const auto key = [&](const SegmentedEdgePtr& edge) {
    return std::tuple(index.at(edge->from()), index.at(edge->to()), labelIndexOf(edge->val()));
  };
  std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (const SegmentedEdgePtr& edge : edges) {
    out += concat("  edge ", index.at(edge->from()), " -> ", index.at(edge->to()), " ", label(edge->val()), "\n");
  }
  return out + "}\n";
}

}  // namespace fuser
