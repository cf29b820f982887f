#pragma once
// SegmentDecisions: statistics and explanations of one run of the segmenter, for observers.

#include <string>
#include <utility>
#include <vector>

namespace fuser {

struct SegmentCounters {
  size_t exprs = 0;      // live expressions
  size_t groups = 0;     // all groups
  size_t kernels = 0;    // groups that become kernels: tensor groups other than NoOp
  size_t questions = 0;  // distinct parts that the schedulers were asked about
  size_t pieces = 0;     // parts tried as a whole, top-down
  size_t accepted = 0;   // pieces that a scheduler accepted; they are settled
  size_t questionsAboutSettled = 0;  // later questions about parts with an expression of a settled piece: always 0
  size_t cutSegmentSets = 0;         // segment_sets that separate two groups
  size_t uncutSegmentSets = 0;       // segment_sets inside one group, where they are plain sets
  size_t forwarded = 0;              // expressions in unary chains on inputs that every reader's group computes
  size_t privatized = 0;             // other cheap expressions that were duplicated into several groups
  size_t privatizationsUndone = 0;   // privatized expressions computed once again, because copies cost more
  size_t privatizationsMerged = 0;   // privatized expressions whose readers became one group
  size_t narrowed = 0;               // values that cross between groups in a narrower type
  std::vector<std::pair<std::string, size_t>> merges;  // (merge rule, number of merges)
};

class SegmentDecisions {
 public:
  SegmentDecisions() = default;
  SegmentDecisions(const SegmentDecisions&) = delete;
  SegmentDecisions& operator=(const SegmentDecisions&) = delete;

  virtual const SegmentCounters& counters() const = 0;
  // The text of explainSegments (fuser/segment/explain.h): each group's scheduler, and why neighbours were not merged.
  // Computed on demand, because it asks the schedulers about every pair of neighbours.
  virtual std::string explanation() const = 0;

 protected:
  ~SegmentDecisions() = default;
};

}  // namespace fuser
