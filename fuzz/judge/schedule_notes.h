#pragma once
// ScheduleNotes: what a compilation's schedules say that another build of the same case is compared by, or repeats: the
// list of transforms of each segment, and the order in which each reduction, and each scan, adds its terms.
// ScheduleReplay gives the segments of another build these lists.
//
// Builds of one case have the same names for the values of the original fusion, so that a segment is known by those
// that it stores.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuser/analysis/compile_observer.h"

namespace fuser::fuzz {

class ScheduleNotes final : public CompileObserver {
 public:
  explicit ScheduleNotes(const Fusion& original);

  struct Segment {
    Schedule schedule;
    std::set<int64_t> vectorWidths;                            // in elements
    std::map<std::string, std::string> layouts;                // of what it loads and stores
    std::map<std::string, std::vector<std::string>> operands;  // of what it computes and stores
  };
  // The segments that store some of these values, those that share most with them first.
  std::vector<const Segment*> like(const std::set<std::string>& stored) const;

  // Whether both builds add the terms of every reduction in one and the same order: the same loops over the reduced
  // axes, or along the scanned one, on blocks of the same size, and no atomics. Then all that they compute has the same
  // bits, contraction aside. The other one may be of a program whose reductions are the same ones, in the order of
  // their ids.
  bool hasSameOrders(const ScheduleNotes& other) const;

  void beforeSegmentCache(const Fusion& part, CacheSettings& inner) override;
  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override;
  void afterApplySchedule(int segment, Fusion& part) override;
  void afterLower(int segment, Kernel& kernel) override;

 private:
  std::string reductionOf(const Val* val) const;

  const Fusion& original_;
  std::map<uint32_t, size_t> reductions_;                  // and scans: the results of the original's, by id, numbered
  std::map<std::set<std::string>, Segment> segments_;      // by the values that each stores
  std::map<std::string, std::set<std::string>> orders_;    // of each reduction, by its number
  std::vector<std::pair<std::string, std::string>> open_;  // of the segment that is not lowered yet
  bool addsByAtomics_ = false;                             // some kernel adds floats in any order
  bool hasOwnCaches_ = false;  // some segments compile in caches of their own, which are not observed
};

// Replaces the schedules of another build's segments by the noted ones, where the segment computes the same tensors
// from the same operands, and what is loaded and stored has the layout for which they were made: vectors lie along the
// axis that is contiguous. Where its elements are larger than those of the build that was noted, vectors keep to 16
// bytes.
class ScheduleReplay final : public CompileObserver {
 public:
  // `notes` must outlive this; `original` is the fusion of the build that replays.
  ScheduleReplay(const ScheduleNotes& notes, const Fusion& original) : notes_(notes), original_(original) {}

  // Whether some segment has no noted counterpart, and keeps its own schedule.
  bool hasOthers() const { return others_; }

  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override;

 private:
  const ScheduleNotes& notes_;
  const Fusion& original_;
  bool others_ = false;
};

}  // namespace fuser::fuzz
