// Joins the regions at the ends of each edge, unless a path through a third place would then begin and end in them.

#include "fuzz/import/regions.h"

#include <algorithm>
#include <map>

namespace fuser::fuzz {
namespace {

class Joining {
 public:
  Joining(const Graph& graph, const std::vector<bool>& isTaken)
      : graph_(graph), regionOf_(graph.nodes.size()), members_(graph.nodes.size()), users_(graph.nodes.size()) {
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      regionOf_[node] = node;
      members_[node] = {node};
      for (size_t value : graph.nodes[node].operands) users_[graph.values[value].node].push_back(node);
    }
    bool changed = true;
    while (changed) {  // what is joined may close the path that kept others apart
      changed = false;
      for (size_t from = 0; from < users_.size(); ++from) {
        for (size_t to : users_[from]) {
          if (isTaken[from] && isTaken[to]) changed |= join(regionOf_[from], regionOf_[to]);
        }
      }
    }
  }

  std::vector<Region> regions(const std::vector<bool>& isTaken) const {
    std::map<size_t, Region> byFirst;
    for (size_t node = 0; node < regionOf_.size(); ++node) {
      if (isTaken[node]) byFirst[members_[regionOf_[node]].front()].push_back(node);
    }
    std::vector<Region> regions;
    for (auto& [first, region] : byFirst) regions.push_back(std::move(region));
    return regions;
  }

 private:
  bool join(size_t from, size_t to) {
    if (from == to || hasDetour(from, to)) return false;
    for (size_t node : members_[to]) regionOf_[node] = from;
    Region joined;
    std::merge(members_[from].begin(), members_[from].end(), members_[to].begin(), members_[to].end(),
               std::back_inserter(joined));
    members_[from] = std::move(joined);
    members_[to].clear();
    return true;
  }

  // Whether a path leads from one region to the other through a third place. There is none back: the graph of the
  // regions has no cycle.
  bool hasDetour(size_t from, size_t to) const {
    std::vector<bool> isSeen(users_.size(), false);
    std::vector<size_t> pending;
    const auto follow = [&](size_t region) {
      for (size_t node : members_[region]) {
        for (size_t user : users_[node]) {
          const size_t next = regionOf_[user];
          if (next == from || isSeen[next] || (region == from && next == to)) continue;
          isSeen[next] = true;
          pending.push_back(next);
        }
      }
    };
    follow(from);
    while (!pending.empty()) {
      const size_t region = pending.back();
      pending.pop_back();
      if (region == to) return true;
      follow(region);
    }
    return false;
  }

  const Graph& graph_;
  std::vector<size_t> regionOf_;  // by node
  std::vector<Region> members_;   // by region
  std::vector<std::vector<size_t>> users_;
};

}  // namespace

std::vector<Region> regionsOf(const Graph& graph, const std::vector<bool>& isTaken) {
  return Joining(graph, isTaken).regions(isTaken);
}

}  // namespace fuser::fuzz
