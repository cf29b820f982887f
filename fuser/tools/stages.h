#pragma once
// The stages of compilation that fuser-opt prints.

#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/analysis/compile_observer.h"

namespace fuser {

enum class Stage : uint8_t {
  Fusion,
  Functional,
  Presegmented,
  Segments,
  Schedule,
  Kernel,
  Cuda,
  Runtime,
  Ptx,
  Host,
  HostSummary,
  Instructions,
  Estimate,
  Cost
};

struct StageInfo {
  Stage stage;
  std::string_view name;
  std::string_view help;
};
const std::vector<StageInfo>& stageTable();

struct PrintRequest {
  std::set<Stage> stages;
  std::set<std::string> after;  // names of passes and of steps of lowering
};

// Prints each requested stage when it is reached.
class StagePrinter final : public CompileObserver {
 public:
  // The request and the stream must outlive this object.
  StagePrinter(const PrintRequest& request, std::ostream& out) : request_(request), out_(out) {}

  // The passes and steps of lowering that ran, in order of first run.
  const std::vector<std::string>& stepsSeen() const { return stepsSeen_; }

  void afterPass(std::string_view pass, const Fusion& fusion, bool modified) override;
  void afterPasses(Fusion& fusion) override;
  void afterSegment(std::unique_ptr<SegmentedFusion>& segmented) override;
  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override;
  void afterLowerStep(int segment, std::string_view step, const Kernel& kernel) override;
  void afterLower(int segment, Kernel& kernel) override;
  void afterHost(HostIrContainer& program) override;

 private:
  bool wants(Stage stage) const { return request_.stages.count(stage) != 0; }
  // Records the step; whether its result is printed.
  bool reached(std::string_view step);

  const PrintRequest& request_;
  std::ostream& out_;
  std::vector<std::string> stepsSeen_;
  std::vector<const Kernel*> kernels_;  // of the program, for Stage::Runtime
};

}  // namespace fuser
