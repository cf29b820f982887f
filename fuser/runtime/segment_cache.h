#pragma once
// SegmentCache: a segment that no scheduler takes as one kernel (a custom merge predicate made it), run through a
// FusionExecutorCache of its own, which segments it again.

#include <memory>

#include "fuser/host_run/host_ir_evaluator.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

class SegmentCache : public SegmentRunner {
 public:
  // outer: the settings of the cache that the segment is part of. The inner one has its options, but for the merge
  // predicate; and those observers alone that the outer ones add (CompileObserver::beforeSegmentCache).
  SegmentCache(ClonedPart part, const FusionExecutorCache::Settings& outer);
  ~SegmentCache() override;

  // Its inputs are values of the outer fusion.
  const ClonedPart& part() const { return *part_; }
  RunRecord run(std::span<const HostValue> inputs) override;
  CacheCounters counters() const { return cache_->counters(); }

 private:
  std::shared_ptr<const ClonedPart> part_;
  std::unique_ptr<FusionExecutorCache> cache_;
};

}  // namespace fuser
