// Bottom-up merging: pairs of groups, in rounds. In a round each group merges at most once, so that groups grow evenly
// and a long chain costs n log n.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// Of the readers of one tensor, each is tried with this many next ones: all pairs would be quadratic.
constexpr size_t kSiblingWindow = 8;

class PairMerger {
 public:
  PairMerger(SegmentedFusion& segmented, const MayMerge& mayMerge,
             const std::function<void(SegmentedGroup*)>& afterMerge)
      : segmented_(segmented), mayMerge_(mayMerge), afterMerge_(afterMerge), order_(segmented) {
    uint32_t ids = 0;
    for (const SegmentedGroup* group : segmented_.groups()) ids = std::max(ids, group->id() + 1);
    grown_.resize(ids, 0);
    merged_.resize(ids, -1);
    sharedInputs_ = findSharedInputs();
  }

  void run() {
    // A phase looks at what has grown since that phase last looked.
    int lastNeighbours = -1;
    int lastSiblings = -1;
    do {
      lastNeighbours = runRounds(&PairMerger::mergeNeighbours, lastNeighbours);
      lastSiblings = runRounds(&PairMerger::mergeSiblings, lastSiblings);
    } while (grewSince(lastNeighbours));
  }

 private:
  using Round = bool (PairMerger::*)(int since);

  // Rounds until one merges nothing; the number of that last round.
  int runRounds(Round round, int since) {
    for (;;) {
      ++round_;
      const bool merged = (this->*round)(since);
      since = round_ - 1;
      if (!merged) return round_;
    }
  }

  bool grewSince(int round) const {
    return std::any_of(segmented_.groups().begin(), segmented_.groups().end(),
                       [&](const SegmentedGroup* group) { return grown_[group->id()] > round; });
  }

  std::vector<SegmentedGroup*> tensorGroups() const {
    std::vector<SegmentedGroup*> groups;
    for (SegmentedGroup* group : segmented_.groups()) {
      if (!group->isScalarGroup()) groups.push_back(group);
    }
    return order_.sorted(std::move(groups));
  }

  bool isFree(const SegmentedGroup* group) const { return group->isLive() && merged_[group->id()] != round_; }

  // Merges the two where the graph and the rules allow it.
  bool tryMerge(SegmentedGroup* a, SegmentedGroup* b, int since) {
    if (grown_[a->id()] <= since && grown_[b->id()] <= since) return false;  // tried before
    const std::optional<GroupOrder::Merge> merge = order_.tryMerge(a, b);
    if (!merge || !mayMerge_(merge->earlier, merge->later)) return false;
    SegmentedGroup* merged = segmented_.mergeGroups(merge->earlier, merge->later);
    order_.merged(*merge, merged);
    grown_[merged->id()] = round_;
    merged_[merged->id()] = round_;
    if (afterMerge_) afterMerge_(merged);
    return true;
  }

  bool mergeNeighbours(int since) {
    bool any = false;
    for (SegmentedGroup* group : tensorGroups()) {
      if (!isFree(group)) continue;
      VectorOfUniqueEntries<SegmentedGroup*> consumers;
      for (const SegmentedEdgePtr& edge : group->consumerEdges()) consumers.pushBack(edge->to());
      for (SegmentedGroup* consumer : order_.sorted(consumers.vector())) {
        if (!isFree(consumer) || !tryMerge(group, consumer, since)) continue;
        any = true;
        break;
      }
    }
    return any;
  }

  std::vector<Val*> findSharedInputs() const {
    std::vector<Val*> shared;
    for (Val* val : segmented_.completeFusion().usedVals()) {
      if (val->isTensor() && segmented_.readers(val).size() > 1) shared.push_back(val);
    }
    return shared;
  }

  bool mergeSiblings(int since) {
    bool any = false;
    for (const Val* val : sharedInputs_) {
      std::vector<SegmentedGroup*> readers = segmented_.consumersOf(val);
      std::erase_if(readers, [](const SegmentedGroup* group) { return group->isScalarGroup(); });
      readers = order_.sorted(std::move(readers));
      for (size_t i = 0; i < readers.size(); ++i) {
        for (size_t j = i + 1; j < std::min(readers.size(), i + 1 + kSiblingWindow); ++j) {
          if (isFree(readers[i]) && isFree(readers[j])) any |= tryMerge(readers[i], readers[j], since);
        }
      }
    }
    return any;
  }

  SegmentedFusion& segmented_;
  const MayMerge& mayMerge_;
  const std::function<void(SegmentedGroup*)>& afterMerge_;
  GroupOrder order_;
  std::vector<Val*> sharedInputs_;  // tensors with several readers, by id
  int round_ = 0;
  std::vector<int> grown_;   // by group id: the round of the last growth; 0: as it was at first
  std::vector<int> merged_;  // by group id: the round of the last merge
};

}  // namespace

void mergePairs(SegmentedFusion& segmented, const MayMerge& mayMerge,
                const std::function<void(SegmentedGroup*)>& afterMerge) {
  PairMerger(segmented, mayMerge, afterMerge).run();
}

}  // namespace fuser
