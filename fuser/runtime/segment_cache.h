#pragma once
// SegmentCache: runs a segment that no scheduler accepts (a custom merge predicate made it) through its own
// FusionExecutorCache, which segments it again.

#include <memory>

#include "fuser/host_run/host_ir_evaluator.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

class SegmentCache : public SegmentRunner {
 public:
  // `outer` are the settings of the enclosing cache. The inner cache has the same options without the merge predicate,
  // and only the observers that outer ones add (CompileObserver::beforeSegmentCache).
  SegmentCache(ClonedPart part, const FusionExecutorCache::Settings& outer);
  ~SegmentCache() override;

  // The part; ClonedPart::inputs are values of the outer fusion.
  const ClonedPart& part() const { return *part_; }
  RunRecord run(std::span<const HostValue> inputs) override;
  void setRecord(bool on) { cache_->setRecord(on); }
  CacheCounters counters() const { return cache_->counters(); }

 private:
  std::shared_ptr<const ClonedPart> part_;
  std::unique_ptr<FusionExecutorCache> cache_;
};

}  // namespace fuser
