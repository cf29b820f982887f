// Runs a case on the counting interpreter.
#include "fuser/runtime/case_cost.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "fuser/analysis/scheduler.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/interp_engine.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/execute/sectors.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/runtime/counted_run.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

std::vector<TensorRef> tensorsOf(const std::vector<HostValue>& inputs, const std::vector<HostValue>& outputs) {
  std::vector<TensorRef> tensors;
  for (const std::vector<HostValue>* values : {&inputs, &outputs}) {
    for (const HostValue& value : *values) {
      if (const auto* tensor = std::get_if<TensorRef>(&value)) tensors.push_back(*tensor);
    }
  }
  return tensors;
}

std::optional<Nvrtc> openNvrtc() {
  try {
    return Nvrtc();
  } catch (const SetUpError&) {
    return std::nullopt;
  }
}

// What each kernel takes; none where there is no NVRTC, or one that does not know the architecture.
std::vector<std::optional<KernelResources>> resourcesOf(const std::vector<const Kernel*>& kernels) {
  std::vector<std::optional<KernelResources>> resources(kernels.size());
  const std::optional<Nvrtc> nvrtc = openNvrtc();
  if (kernels.empty() || !nvrtc) return resources;
  std::vector<KernelResources> found;
  try {
    found = nvrtc->examine(printModule(kernels), std::to_string(kernels.front()->device.architecture)).kernels;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::string entry = entryName(*kernels[i], i);
    for (const KernelResources& each : found) {
      if (each.entry == entry) resources[i] = each;
    }
  }
  return resources;
}

// "PointWise" of "k0_pointwise".
std::string schedulerOf(const std::string& kernel) {
  const std::string_view last = std::string_view(kernel).substr(kernel.rfind('_') + 1);
  const auto sameLetters = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (const SchedulerInfo& each : allSchedulers()) {
    if (std::equal(each.name.begin(), each.name.end(), last.begin(), last.end(), sameLetters)) {
      return std::string(each.name);
    }
  }
  return std::string(schedulerTypeName(SchedulerType::None));
}

std::vector<KernelRow> rowsOf(const KernelCosts& costs, bool withRegisters) {
  std::vector<const Kernel*> kernels;
  std::vector<KernelRow> rows;
  for (const KernelCost& each : costs.rows()) {
    if (each.cost.launches == 0) continue;
    const Kernel& kernel = *each.kernel;
    KernelRow row;
    row.name = kernel.name;
    row.scheduler = schedulerOf(kernel.name);
    row.threads = kernel.blockDim[0] * kernel.blockDim[1] * kernel.blockDim[2];
    row.sharedBytes = static_cast<int64_t>(sharedMemoryBytes(kernel));
    row.cost = each.cost;
    rows.push_back(std::move(row));
    kernels.push_back(&kernel);
  }
  if (!withRegisters) return rows;
  const std::vector<std::optional<KernelResources>> resources = resourcesOf(kernels);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!resources[i]) continue;
    rows[i].registers = resources[i]->registers;
    rows[i].spilledBytes = resources[i]->spilledBytes;
  }
  return rows;
}

// Whether the terms of a sum are more than the elements of any tensor in memory.
bool hasLongSums(const Fusion& fusion, ExpressionEvaluator& sizes) {
  const std::vector<Expr*> exprs = fusion.exprs();
  return std::any_of(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    return expr->family() == Family::Reduction && !checkedNumel(sizes.sizes(expr->input(0)->as<TensorView>()));
  });
}

std::string line(const char* name, const std::vector<std::string>& columns) {
  constexpr int kWidths[] = {8, 10, 8, 8, 12, 12, 12, 12, 12, 12, 10, 14};
  char text[96];
  std::snprintf(text, sizeof text, "  %-22s", name);
  std::string result = text;
  for (size_t i = 0; i < columns.size(); ++i) {
    std::snprintf(text, sizeof text, " %*s", kWidths[i], columns[i].c_str());
    result += text;
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result + "\n";
}

}  // namespace

std::optional<double> CaseCost::traffic() const {
  if (ownSectors == 0) return std::nullopt;
  return static_cast<double>(total.compulsory) / static_cast<double>(ownSectors);
}

CaseCost costOf(const Case& statements, const CostSettings& costSettings) {
  CountedRun counted(statements, costSettings.maxBytes, costSettings.device);
  counted.sizes().allowLongSums();
  const int64_t mostBlocks = hasLongSums(counted.fusion(), counted.sizes()) ? costSettings.blocksOfLongSums : 0;
  const auto costs = std::make_shared<KernelCosts>();
  const RunRecord record = counted.run(makeCountingInterpEngine(costs, mostBlocks));
  CaseCost result;
  result.run = counted.number();
  result.ownSectors = sectorsOf(tensorsOf(counted.inputs(), record.outputs));
  result.copiedBytes = record.copiedBytes;
  result.kernels = rowsOf(*costs, costSettings.registers);
  for (const KernelRow& row : result.kernels) result.total += row.cost;
  return result;
}

std::string toTable(const CaseCost& cost, const std::string& name) {
  const auto number = [](int64_t value) { return std::to_string(value); };
  std::string text =
      concat("cost of ", name, ", run ", cost.run, ": ", cost.ownSectors, " sectors of inputs and outputs",
             cost.total.sampled ? concat("; counted on ", cost.total.sampled, " of ", cost.total.blocks, " blocks")
                                : "",
             "\n");
  text += line("kernel", {"launches", "blocks", "threads", "shared", "requested", "per block", "compulsory",
                          "conflicts", "barriers", "weights", "once", "registers"});
  const auto counts = [&](const LaunchCost& of, const std::string& threads, const std::string& shared,
                          const std::string& last) -> std::vector<std::string> {
    return {number(of.launches),
            number(of.blocks),
            threads,
            shared,
            number(of.requested),
            number(of.perBlock),
            number(of.compulsory),
            number(of.bankConflicts),
            number(of.barriers),
            number(of.perBlockOfWeights),
            number(of.compulsoryOfWeights),
            last};
  };
  for (const KernelRow& row : cost.kernels) {
    text += line(row.name.c_str(), counts(row.cost, number(row.threads), number(row.sharedBytes),
                                          row.registers ? number(*row.registers) : "-"));
  }
  char traffic[64] = "traffic -";
  if (cost.traffic()) std::snprintf(traffic, sizeof traffic, "traffic %.2f", *cost.traffic());
  std::string last = traffic;
  if (cost.copiedBytes != 0) last += concat(", ", cost.copiedBytes, " bytes of copies");
  return text + line("total", counts(cost.total, "", "", last));
}

}  // namespace fuser
