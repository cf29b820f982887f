#pragma once
// What the segmenter did, in one fusion: for observers.

#include <string>
#include <utility>
#include <vector>

namespace fuser {

struct SegmentCounters {
  size_t exprs = 0;      // live ones
  size_t groups = 0;     // of any kind
  size_t kernels = 0;    // groups of tensor expressions but for NoOp
  size_t questions = 0;  // parts that the schedulers were asked about
  size_t pieces = 0;     // tried whole, top-down
  size_t accepted = 0;   // of these, taken and settled
  size_t questionsAboutSettled = 0;  // asked later about parts that hold an expression of a settled piece: always 0
  size_t cutSegmentSets = 0;         // segment_sets that separate two groups
  size_t uncutSegmentSets = 0;       // those that lie inside one as a plain set
  size_t forwarded = 0;              // expressions of chains on inputs, computed by every group that reads their end
  size_t privatized = 0;             // other cheap expressions that several groups computed for themselves
  size_t privatizationsUndone = 0;   // of these, computed once again: it did not pay
  size_t privatizationsMerged = 0;   // of these, those whose readers became one group
  size_t narrowed = 0;               // boundary values that cross in a narrower type
  std::vector<std::pair<std::string, size_t>> merges;  // by rule
};

class SegmentDecisions {
 public:
  SegmentDecisions() = default;
  SegmentDecisions(const SegmentDecisions&) = delete;
  SegmentDecisions& operator=(const SegmentDecisions&) = delete;

  virtual const SegmentCounters& counters() const = 0;
  // Of each group, which scheduler takes it, and of each neighbour why the two are not one. Made when it is asked for:
  // it asks the schedulers about every pair of neighbours.
  virtual std::string explanation() const = 0;

 protected:
  ~SegmentDecisions() = default;
};

}  // namespace fuser
