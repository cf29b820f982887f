#pragma once
// The stages of compilation that fuser-opt prints.

#include <functional>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

enum class Stage : uint8_t { Fusion, Presegmented, Segments, Schedule, Kernel, Cuda, Host, HostSummary };

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

// Adds hooks that print each stage asked for as it is reached. out must outlive the compilation. stepsSeen: the
// passes and steps that ran, in order of first run.
void printStages(const PrintRequest& request, FusionExecutorCache::Settings& settings, std::ostream& out,
                 std::vector<std::string>& stepsSeen);

}  // namespace fuser
