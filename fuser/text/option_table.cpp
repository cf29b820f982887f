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
      {"engine", "what runs the kernels", {"interp", "cpu", "cuda"},
       [](const CompileOptions& options) { return static_cast<size_t>(options.engine); },
       [](CompileOptions& options, size_t value) { options.engine = static_cast<EngineKind>(value); }},
      {"contraction", "a * b + c may become one rounding", {},
       [](const CompileOptions& options) { return size_t{options.contraction}; },
       [](CompileOptions& options, size_t on) { options.contraction = on != 0; }},
      {"probes", "every tensor of a segment is stored and judged alone", {},
       [](const CompileOptions& options) { return size_t{options.probes}; },
       [](CompileOptions& options, size_t on) { options.probes = on != 0; }},
      {"resize_scheduler", "slices, pads and concatenations get a scheduler of their own", {},
       [](const CompileOptions& options) { return getDisabled(options, DisableOption::ResizeScheduler); },
       [](CompileOptions& options, size_t on) { setDisabled(options, DisableOption::ResizeScheduler, on); }},
      {"top_down", "whole parts of the fusion are tried as one segment before single ops", {},
       [](const CompileOptions& options) { return getDisabled(options, DisableOption::TopDown); },
       [](CompileOptions& options, size_t on) { setDisabled(options, DisableOption::TopDown, on); }},
      {"boundary_precision", "a value crosses between segments in the narrowest type that is exact", {},
       [](const CompileOptions& options) { return size_t{options.boundaryPrecision}; },
       [](CompileOptions& options, size_t on) { options.boundaryPrecision = on != 0; }},
      {"merge_predicate", "who decides which groups become one segment", {"schedulers", "random", "never", "always"},
       [](const CompileOptions& options) { return static_cast<size_t>(options.mergePredicate); },
       [](CompileOptions& options, size_t value) { options.mergePredicate = static_cast<MergePredicate>(value); }},
      {"merge_seed", "what a random merge_predicate draws from", {},
       [](const CompileOptions& options) { return size_t{options.mergeSeed} + 1; },
       [](CompileOptions& options, size_t value) { options.mergeSeed = value ? static_cast<uint32_t>(value - 1) : 0; },
       true},
      {"pass_limit", "the passes make so many rewrites and no more", {},
       [](const CompileOptions& options) {
         return options.passLimit ? static_cast<size_t>(*options.passLimit) + 1 : 0;
       },
       [](CompileOptions& options, size_t value) {
         options.passLimit = value ? std::optional<int64_t>(static_cast<int64_t>(value) - 1) : std::nullopt;
       },
       true},
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
