#include "fuser/text/option_table.h"

namespace fuser {
namespace {

size_t getDisabled(const CompileOptions& options, DisableOption option) {
  return isOptionDisabled(options, option) ? 0 : 1;
}

void setDisabled(CompileOptions& options, DisableOption option, size_t on) {
  if (on) {
    options.disabled.erase(option);
  } else {
    options.disabled.insert(option);
  }
}

}  // namespace

const std::vector<OptionInfo>& optionTable() {
  static const std::vector<OptionInfo> table = {
      {"engine",
       "the engine that runs kernels",
       {"interp", "cpu", "cuda"},
       [](const CompileOptions& options) { return static_cast<size_t>(options.engine); },
       [](CompileOptions& options, size_t value) { options.engine = static_cast<EngineKind>(value); }},
      {"contraction",
       "a * b + c may be contracted to an FMA",
       {},
       [](const CompileOptions& options) { return size_t{options.contraction}; },
       [](CompileOptions& options, size_t on) { options.contraction = on != 0; }},
      {"probes",
       "store every tensor of a segment and judge it separately",
       {},
       [](const CompileOptions& options) { return size_t{options.probes}; },
       [](CompileOptions& options, size_t on) { options.probes = on != 0; }},
      {"resize_scheduler",
       "leave pads where they are; without it MovePadPass moves them",
       {},
       [](const CompileOptions& options) { return getDisabled(options, DisableOption::ResizeScheduler); },
       [](CompileOptions& options, size_t on) { setDisabled(options, DisableOption::ResizeScheduler, on); }},
      {"top_down",
       "try whole parts of the fusion as one segment before single ops",
       {},
       [](const CompileOptions& options) { return getDisabled(options, DisableOption::TopDown); },
       [](CompileOptions& options, size_t on) { setDisabled(options, DisableOption::TopDown, on); }},
      {"boundary_precision",
       "pass values between segments in the narrowest dtype that is exact",
       {},
       [](const CompileOptions& options) { return size_t{options.boundaryPrecision}; },
       [](CompileOptions& options, size_t on) { options.boundaryPrecision = on != 0; }},
      {"merge_predicate",
       "the predicate that decides which groups merge",
       {"schedulers", "random", "never", "always"},
       [](const CompileOptions& options) { return static_cast<size_t>(options.mergePredicate); },
       [](CompileOptions& options, size_t value) { options.mergePredicate = static_cast<MergePredicate>(value); }},
      {"merge_seed",
       "the seed of a random merge_predicate",
       {},
       [](const CompileOptions& options) { return size_t{options.mergeSeed} + 1; },
       [](CompileOptions& options, size_t value) { options.mergeSeed = value ? static_cast<uint32_t>(value - 1) : 0; },
       true},
      {"pass_limit",
       "the maximum number of rewrites that the passes make",
       {},
       [](const CompileOptions& options) {
         return options.passLimit ? static_cast<size_t>(*options.passLimit) + 1 : 0;
       },
       [](CompileOptions& options, size_t value) {
         options.passLimit = value ? std::optional<int64_t>(static_cast<int64_t>(value) - 1) : std::nullopt;
       },
       true},
      {"streams",
       "the number of streams on which loops over streams run",
       {},
       [](const CompileOptions& options) { return options.streams ? static_cast<size_t>(*options.streams) + 1 : 0; },
       [](CompileOptions& options, size_t value) {
         options.streams = value ? std::optional<int64_t>(static_cast<int64_t>(value) - 1) : std::nullopt;
       },
       true,
       1,
       64},
  };
  return table;
}

const OptionInfo* findOption(std::string_view name) {
  for (const OptionInfo& option : optionTable()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

}  // namespace fuser
