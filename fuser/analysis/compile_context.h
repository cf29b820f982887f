#pragma once
// CompileContext: what a compilation carries from stage to stage.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/case/options.h"

namespace spdlog {
class logger;
}

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

class CompileObserver;  // compile_observer.h
struct PipelineState;   // fuser/passes

struct CompileContext {
  CompileOptions options;
  const SchedulerInterface* schedulers = nullptr;
  SizeFacts* sizes = nullptr;
  std::set<DebugDumpOption> dumps;
  spdlog::logger* log = nullptr;  // dumps (Info), what each pass did (Trace); null: silent (fuser/log/log.h)
  Trace* trace = nullptr;
  bool checkInvariants = false;  // verify after every pass and every edit of a segmented fusion
  // Each stage calls all of them, in this order. They outlive the compilation, and the cache that gets the context.
  std::vector<CompileObserver*> observers;
  PipelineState* pipeline = nullptr;  // of all passes of a pipeline; null: each pass has its own
};

}  // namespace fuser
