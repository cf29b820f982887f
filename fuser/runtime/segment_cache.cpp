// Runs a segment through its own cache.

#include "fuser/runtime/segment_cache.h"

#include "fuser/analysis/compile_observer.h"
#include "fuser/passes/passes.h"

namespace fuser {
namespace {

FusionExecutorCache::Settings innerSettings(const FusionExecutorCache::Settings& outer) {
  FusionExecutorCache::Settings settings;
  settings.context.options = outer.context.options;
  settings.context.options.mergePredicate = MergePredicate::Schedulers;
  settings.context.options.ioToLowerPrecision = false;  // the whole is rewritten already
  // Disables views: results go to memory of the outer program, so a view saves no copy, and only the outer program
  // knows whether it overwrites the view's base later.
  settings.context.options.disabledPasses.emplace(MarkAliasesPreparePass::name());
  settings.context.checkInvariants = outer.context.checkInvariants;
  settings.record = outer.record;
  settings.maxBytes = outer.maxBytes;
  settings.engine = outer.engine;
  settings.verifyKernels = outer.verifyKernels;
  settings.launchLock = outer.launchLock;
  return settings;
}

}  // namespace

SegmentCache::SegmentCache(ClonedPart part, const FusionExecutorCache::Settings& outer)
    : part_(std::make_shared<const ClonedPart>(std::move(part))) {
  const std::shared_ptr<const Fusion> fusion(part_, part_->fusion.get());
  FusionExecutorCache::Settings inner = innerSettings(outer);
  for (CompileObserver* observer : outer.context.observers) observer->beforeSegmentCache(*fusion, inner);
  cache_ = std::make_unique<FusionExecutorCache>(fusion, std::move(inner));
}

SegmentCache::~SegmentCache() = default;

RunRecord SegmentCache::run(std::span<const HostValue> inputs) {
  RunRecord record = cache_->run(inputs);
  // The inner cache treats the part as an original; this maps its origins to the origins of the part's values.
  const auto outerOrigin = [&](uint32_t id) { return part_->fusion->allVals().at(id)->origin(); };
  for (SegmentRecord& segment : record.segments) {
    for (std::vector<BoundaryValue>* values : {&segment.inputs, &segment.outputs}) {
      for (BoundaryValue& value : *values) {
        if (value.origin) value.origin = outerOrigin(*value.origin);
      }
    }
    const auto mapOrigins = [&](auto& figures) {
      std::remove_reference_t<decltype(figures)> mapped;
      for (const auto& [result, figure] : figures) {
        if (const std::optional<uint32_t> origin = outerOrigin(result)) mapped.emplace_back(*origin, figure);
      }
      figures = std::move(mapped);
    };
    mapOrigins(segment.reductionDepths);
    mapOrigins(segment.sums);
  }
  return record;
}

}  // namespace fuser
