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

std::vector<std::string_view> deviceNames() {
  std::vector<std::string_view> names = {"native"};
  for (const NamedDevice& device : namedDevices()) names.push_back(device.name);
  return names;
}

enum class DeviceFigureNumber : size_t {
#define FIGURE(field, ...) field,
#define DEVICE(...)
#include "fuser/types/device_figures.def"
#undef FIGURE
#undef DEVICE
};

template <DeviceFigureNumber figure>
size_t getFigure(const CompileOptions& options) {
  const auto found = options.deviceFigures.find(deviceFigures()[static_cast<size_t>(figure)].name);
  return found == options.deviceFigures.end() ? 0 : static_cast<size_t>(found->second) + 1;
}

template <DeviceFigureNumber figure>
void setFigure(CompileOptions& options, size_t value) {
  const std::string_view name = deviceFigures()[static_cast<size_t>(figure)].name;
  if (value == 0) {
    options.deviceFigures.erase(name);
  } else {
    options.deviceFigures[name] = static_cast<int64_t>(value) - 1;
  }
}

}  // namespace

const std::vector<OptionInfo>& optionTable() {
  static const std::vector<OptionInfo> table = {
      {"engine",
       "the engine that runs kernels",
       {"interp", "cpu", "cuda", "ptx"},
       [](const CompileOptions& options) { return static_cast<size_t>(options.engine); },
       [](CompileOptions& options, size_t value) { options.engine = static_cast<EngineKind>(value); }},
      {"ptx_architecture",
       "the compute capability, without the point, for which engine ptx compiles",
       {std::begin(kPtxArchitectures), std::end(kPtxArchitectures)},
       [](const CompileOptions& options) { return options.ptxArchitecture; },
       [](CompileOptions& options, size_t value) { options.ptxArchitecture = value; }},
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
       "compute in the kernel what slice, pad, cat, reshape, repeat and flip read; without it, they read memory, and "
       "MovePadPass moves pads",
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
      {"io_to_lower_precision",
       "store f32 values between segments in the 16-bit dtype of the outputs, which rounds them",
       {},
       [](const CompileOptions& options) { return size_t{options.ioToLowerPrecision}; },
       [](CompileOptions& options, size_t on) { options.ioToLowerPrecision = on != 0; }},
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
      {"rng_seed",
       "the seed of random ops that name none",
       {},
       [](const CompileOptions& options) { return size_t{options.rngSeed}; },
       [](CompileOptions& options, size_t value) { options.rngSeed = static_cast<uint32_t>(value); },
       true},
      {"deterministic",
       "no kernel adds by atomics, so that scatter_add gives the same bits again",
       {},
       [](const CompileOptions& options) { return size_t{options.deterministic}; },
       [](CompileOptions& options, size_t on) { options.deterministic = on != 0; }},
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
      {"device", "the device for which kernels are made; native: the GPU of engine cuda, else an h200", deviceNames(),
       [](const CompileOptions& options) { return options.device ? *options.device + 1 : 0; },
       [](CompileOptions& options, size_t value) {
         options.device = value ? std::optional<size_t>(value - 1) : std::nullopt;
       }},
#define FIGURE(field, name, least, most, attribute, summary)                                                   \
  {"device_" name, summary, {},  &getFigure<DeviceFigureNumber::field>, &setFigure<DeviceFigureNumber::field>, \
   true,           least,   most},
#define DEVICE(...)
#include "fuser/types/device_figures.def"
#undef FIGURE
#undef DEVICE
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
