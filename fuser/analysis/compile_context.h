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

enum class DebugDumpOption : uint8_t { PreSegmenterLogging };  // --dump=preseg

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

struct Applications;  // fuser/passes

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
  // Called after each single run of a pass (by the name of its line in the list) and before it is checked: the seam for
  // planted faults, which may edit the fusion and what the pass says; may be empty.
  std::function<void(const std::string& pass, Fusion& fusion, bool& modified)> afterApplication;
  Applications* applications = nullptr;  // counted over all passes of a pipeline; null: each pass counts its own
};

}  // namespace fuser
