#pragma once
// CompileContext: what a compilation carries from stage to stage.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/case/options.h"

namespace fuser {

enum class DebugDumpOption : uint8_t { PreSegmenterLogging, HostIr };  // --dump=preseg, --dump=host_ir

// Time by stage or pass, in order of first use. For people and benchmarks; no result depends on it.
class Trace {
 public:
  void add(const std::string& name, std::chrono::nanoseconds time);
  struct Row {
    std::string name;
    std::chrono::nanoseconds total{};
    size_t count = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

// What the segmenter did, in one fusion.
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

struct PipelineState;  // fuser/passes

struct CompileContext {
  CompileOptions options;
  const SchedulerInterface* schedulers = nullptr;
  SizeFacts* sizes = nullptr;
  std::set<DebugDumpOption> dumps;
  std::function<void(const std::string&)> log;  // where dumps go; may be empty
  Trace* trace = nullptr;
  bool checkInvariants = false;  // verify after every pass and every edit of a segmented fusion
  // Called after each pass with its name and whether it modified the fusion; may be empty.
  std::function<void(const std::string& pass, bool modified)> onPass;
  // Called by the segmenter at its end; may be empty. The text says, of each group, which scheduler takes it, and of
  // each neighbour why the two are not one.
  std::function<void(const SegmentCounters& counters)> onSegments;
  std::function<void(const std::string& text)> onSegmentsExplained;
  // Called after each single run of a pass (by the name of its line in the list) and before it is checked: the seam for
  // planted faults, which may edit the fusion and what the pass says; may be empty.
  std::function<void(const std::string& pass, Fusion& fusion, bool& modified)> afterApplication;
  PipelineState* pipeline = nullptr;  // of all passes of a pipeline; null: each pass has its own
};

}  // namespace fuser
