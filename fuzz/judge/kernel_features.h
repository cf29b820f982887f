#pragma once
// KernelFeatures: which features of the back end the kernels of a case have, read from kernel IR and schedules, never
// from the names of ops. A campaign counts them, so that it says what its cases could have shown.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/analysis/compile_observer.h"
#include "fuser/case/case.h"

namespace fuser::fuzz {

// By feature: number of tensor expressions of a segment, before its schedule adds copies -> segments with the feature.
using FeatureCounts = std::map<std::string, std::map<int64_t, int64_t>>;

// All names, in alphabetical order.
const std::vector<std::string>& allKernelFeatures();

// The features of a kernel's statements. A row is kept between two passes if a buffer of several elements is stored
// before a reduction ends and read after it, by the loop that follows.
std::set<std::string> featuresOf(const Kernel& kernel);
// Those that a schedule tells, of a part that has its loops, in blocks of so many threads.
std::set<std::string> featuresOf(const Schedule& schedule, const Fusion& scheduledPart,
                                 const std::array<int64_t, 3>& block);

// Watches a case's compilations, those of segments with caches of their own included.
class KernelFeatures final : public CompileObserver {
 public:
  // Both must outlive the observer.
  KernelFeatures(const Case& testCase, FeatureCounts& counts) : case_(&testCase), counts_(counts) {}
  // Of a segment's own cache, to which the case gives no schedules.
  explicit KernelFeatures(FeatureCounts& counts) : counts_(counts) {}

  void beforeSegmentCache(const Fusion& part, CacheSettings& inner) override;
  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override;
  void afterApplySchedule(int segment, Fusion& part) override;
  void afterLower(int segment, Kernel& kernel) override;

 private:
  const Case* case_ = nullptr;
  FeatureCounts& counts_;
  std::vector<std::unique_ptr<KernelFeatures>> inner_;
  // Of the segment that is compiled.
  int64_t exprs_ = 0;
  Schedule schedule_;
  const Fusion* part_ = nullptr;
  std::set<std::string> found_;
};

}  // namespace fuser::fuzz
