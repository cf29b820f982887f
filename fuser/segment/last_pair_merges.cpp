// LastPairMerges: merges any two groups along an edge if no other path connects them, whatever their levels:
//   a -> b -> c, a -> c (b stays alone)    =>    a and c stay apart: b lies between
//   a -> d, x -> y -> d                    =>    ad, although d is two levels below a

#include "fuser/segment/merging.h"

namespace fuser {

void runLastPairMerges(Merger& merger) {
  for (SegmentedGroup* group : merger.openGroups()) {
    if (!group->isLive() || !merger.isOpen(group)) continue;
    VectorOfUniqueEntries<SegmentedGroup*> consumers;
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) consumers.pushBack(edge->to());
    for (SegmentedGroup* consumer : merger.order().sorted(consumers.vector())) {
      if (consumer->isLive() && merger.isOpen(consumer) && merger.tryMerge(group, consumer)) break;
    }
  }
}

}  // namespace fuser
