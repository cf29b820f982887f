// ProducerConsumerMerges: merges many pairs along edges per round without searching for cycles:
//   a -> b -> c -> d -> e -> f    =>    ab -> c -> de -> f    =>    abc -> def …
// Herrmann, Özkaya, Uçar, Kaya, Çatalyürek, "Multilevel algorithms for acyclic partitioning of directed acyclic graphs"
// (2019), theorem 4.2: with top(v) the longest path from a source to v, contracting clusters keeps the graph acyclic
// when the levels inside a cluster differ by 1 at most, and no edge joins two clusters whose ends' levels differ by 1.
// So a pair is a producer and a consumer one level below it, and their neighbours across such edges wait for the next
// round. Groups grow evenly that way: a long chain costs n log n.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// The loop over rounds ends when a round merges less than one in this many groups.
constexpr size_t kWorthwhile = 64;

class Round {
 public:
  explicit Round(Merger& merger) : merger_(merger) {
    uint32_t ids = 0;
    for (const SegmentedGroup* group : merger.segmented().groups()) ids = std::max(ids, group->id() + 1);
    level_.resize(ids, 0);
    busy_.resize(ids, false);
  }

  // Runs one round; returns the number of pairs merged and of groups before.
  std::pair<size_t, size_t> run() {
    const std::vector<SegmentedGroup*> groups = merger_.order().sorted(merger_.segmented().groups());
    for (const SegmentedGroup* group : groups) {
      for (const SegmentedEdgePtr& edge : group->producerEdges()) {
        level_[group->id()] = std::max(level_[group->id()], level_[edge->from()->id()] + 1);
      }
    }
    for (SegmentedGroup* group : groups) {
      if (merger_.isOpen(group) && !busy_[group->id()]) findConsumer(group);
    }
    for (const auto& [producer, consumer] : pairs_) merger_.mergeAcyclic(producer, consumer);
    return {pairs_.size(), groups.size()};
  }

 private:
  void findConsumer(SegmentedGroup* producer) {
    VectorOfUniqueEntries<SegmentedGroup*> tried;
    for (const SegmentedEdgePtr& edge : producer->consumerEdges()) {
      SegmentedGroup* consumer = edge->to();
      if (level_[consumer->id()] != level_[producer->id()] + 1 || busy_[consumer->id()]) continue;
      if (!merger_.isOpen(consumer) || !tried.pushBack(consumer)) continue;
      if (!merger_.mayMergeAcyclic(producer, consumer)) continue;
      pairs_.emplace_back(producer, consumer);
      occupy(producer);
      occupy(consumer);
      return;
    }
  }

  // Excludes the group and its neighbors one level away from further merges in this round.
  void occupy(const SegmentedGroup* group) {
    busy_[group->id()] = true;
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (level_[edge->to()->id()] == level_[group->id()] + 1) busy_[edge->to()->id()] = true;
    }
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      if (level_[edge->from()->id()] + 1 == level_[group->id()]) busy_[edge->from()->id()] = true;
    }
  }

  Merger& merger_;
  std::vector<size_t> level_;  // by group id: the longest path from a group that reads no other
  std::vector<bool> busy_;     // by group id
  std::vector<std::pair<SegmentedGroup*, SegmentedGroup*>> pairs_;
};

}  // namespace

void runProducerConsumerMerges(Merger& merger) {
  for (;;) {
    const auto [merged, groups] = Round(merger).run();
    if (merged * kWorthwhile < std::max(groups, kWorthwhile)) return;
  }
}

}  // namespace fuser
