#pragma once
// CompileContext: the state that a compilation passes from stage to stage: options, schedulers, observers, logger.

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

// Wall-clock time per stage or pass, in order of first use. For reports and benchmarks only; no result depends on it.
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
  DeviceProperties nativeDevice = defaultDevice();  // the engine's
  const SchedulerInterface* schedulers = nullptr;
  SizeFacts* sizes = nullptr;
  std::set<DebugDumpOption> dumps;
  spdlog::logger* log = nullptr;  // dumps (Info), what each pass did (Trace); null: silent (fuser/log/log.h)
  Trace* trace = nullptr;
  bool checkInvariants = false;  // verify after every pass and every edit of a segmented fusion
  // Each stage calls all observers in this order. They must outlive the compilation and any cache with this context.
  std::vector<CompileObserver*> observers;
  PipelineState* pipeline = nullptr;  // shared by the passes of a pipeline; null: each pass has its own

  // The device whose limits schedules and kernels keep.
  DeviceProperties device() const { return deviceOf(options, nativeDevice); }
};

}  // namespace fuser
