#include "fuzz/import/import.h"

#include <algorithm>
#include <tuple>

#include "fuzz/import/node_writer.h"

namespace fuser::fuzz {

void Import::add(const Graph& graph) {
  ImportedGraph imported;
  imported.name = graph.name;
  std::vector<bool> isTaken(graph.nodes.size(), false);
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].isInput()) continue;
    ++imported.nodes;
    const std::string why = whyOutside(graph, node);
    isTaken[node] = why.empty();
    if (!isTaken[node]) ++imported.outside[{graph.nodes[node].op, why}];
  }
  for (const Region& region : regionsOf(graph, isTaken)) {
    Subgraph subgraph;
    try {
      subgraph = subgraphOf(graph, region);
    } catch (const OutsideTheLanguage& error) {
      imported.lost[error.what()] += region.size();
      continue;
    }
    ++imported.subgraphs;
    imported.taken += region.size();
    imported.largest = std::max(imported.largest, region.size());
    const auto [place, isNew] = byKey_.emplace(subgraph.key, subgraphs_.size());
    if (isNew) {
      subgraphs_.push_back({std::move(subgraph), graph.name, imported.distinct++});
    } else {
      ++subgraphs_[place->second].times;
    }
  }
  graphs_.push_back(std::move(imported));
}

std::vector<size_t> Import::chosen(size_t count, const std::function<bool(const Subgraph&)>& accepts) const {
  std::vector<size_t> left, chosen;
  for (size_t i = 0; i < subgraphs_.size(); ++i) left.push_back(i);
  std::set<std::string> known;
  std::set<std::set<std::string>> sets;
  while (chosen.size() < count && !left.empty()) {
    const auto worth = [&](size_t i) {
      const Subgraph& subgraph = subgraphs_[i].subgraph;
      const auto isNew = [&](const std::string& feature) { return known.count(feature) == 0; };
      const auto fresh = std::count_if(subgraph.features.begin(), subgraph.features.end(), isNew);
      return std::tuple(fresh, sets.count(subgraph.features) == 0, subgraph.expressions, -static_cast<int64_t>(i));
    };
    const auto best =
        std::max_element(left.begin(), left.end(), [&](size_t a, size_t b) { return worth(a) < worth(b); });
    const size_t index = *best;
    left.erase(best);
    if (!accepts(subgraphs_[index].subgraph)) continue;
    const std::set<std::string>& features = subgraphs_[index].subgraph.features;
    known.insert(features.begin(), features.end());
    sets.insert(features);
    chosen.push_back(index);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace fuser::fuzz
