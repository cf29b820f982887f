// Faults of the cache of compiled programs, and of what it hands to a run. Some see a program when it is kept, and then
// each run of it.

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fuser/runtime/compiled_program.h"
#include "fuser/runtime/run_request.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

class PlantedInCache : public PlantedFault {
 public:
  PlantedInCache() : PlantedFault(FaultStage::Cache) {}
};

// Of the host's scalars alone, not of the fusion's inputs: known once, and kept when the inputs change.
class KeepHostScalars final : public PlantedInCache {
 public:
  void afterHost(HostIrContainer& program) override {
    for (const hir::HostExpr* node : hostExprsOf<hir::LaunchKernel>(program)) {
      const hir::LaunchKernel& launch = std::get<hir::LaunchKernel>(node->node);
      std::vector<bool>& computed = computed_[program.kernels.at(static_cast<size_t>(launch.kernel))];
      for (const Val* scalar : launch.scalars) computed.push_back(scalar->definition() != nullptr);
    }
  }
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override {
    const std::vector<ScalarValue>& first = first_.emplace(&kernel, arguments.scalars).first->second;
    const std::vector<bool>& computed = computed_[&kernel];
    for (size_t i = 0; i < arguments.scalars.size() && i < computed.size(); ++i) {
      if (!computed[i]) continue;
      note(first[i] != arguments.scalars[i]);
      arguments.scalars[i] = first[i];
    }
  }

 private:
  std::map<const Kernel*, std::vector<bool>> computed_;  // look-ups only: which scalar arguments the host computes
  std::map<const Kernel*, std::vector<ScalarValue>> first_;
};

class LoseOutputOffset final : public PlantedInCache {
 public:
  void beforeRun(RunRequest& request) override {
    for (std::optional<TensorRef>& output : request.outputs) {
      if (!output || numel(output->sizes) == 0) continue;
      output->data = static_cast<std::byte*>(output->data) - dtypeSize(output->dtype);
      note(true);
    }
  }
};

class IgnoreOutputStrides final : public PlantedInCache {
 public:
  void beforeRun(RunRequest& request) override {
    for (std::optional<TensorRef>& output : request.outputs) {
      if (!output || numel(output->sizes) == 0) continue;
      const Dims dense = contiguousStrides(output->sizes);
      // Row-major memory with gaps, or another order: what is dense lies inside it.
      note(dense != output->strides);
      output->strides = dense;
    }
  }
};

// Programs forget what their compilation asked of sizes. It finds a place where a run takes one with other answers.
class IgnoreSizes final : public PlantedInCache {
 public:
  void beforeRun(RunRequest& request) override {
    current_ = {&request.fusion, request.device, request.key};
    const auto found = forgotten_.find(current_);
    if (found == forgotten_.end()) return;
    ExpressionEvaluator evaluator(*found->second.fusion);
    evaluator.bindInputs(request.inputs);
    note(!answersHold(found->second.answers, evaluator));
  }
  void afterCompile(CompiledProgram& program) override {
    forgotten_[current_] = {program.fusion.get(), std::exchange(program.sizesAsked, {})};
  }

 private:
  // Of one cache: its fusion, its device, and what it keeps the program under. Look-ups only.
  using Place = std::tuple<const Fusion*, std::optional<int>, std::string>;
  struct Forgotten {
    const Fusion* fusion = nullptr;
    SizeAnswers answers;
  };
  Place current_;  // of the run that is being prepared
  std::map<Place, Forgotten> forgotten_;
};

class IgnoreLayout final : public PlantedInCache {
 public:
  void beforeRun(RunRequest& request) override {
    if (first_.empty()) first_ = request.key;
    note(first_ != request.key);
    request.key = first_;
  }

 private:
  std::string first_;
};

}  // namespace

std::unique_ptr<PlantedFault> keepHostScalars() { return std::make_unique<KeepHostScalars>(); }
std::unique_ptr<PlantedFault> loseOutputOffset() { return std::make_unique<LoseOutputOffset>(); }
std::unique_ptr<PlantedFault> ignoreOutputStrides() { return std::make_unique<IgnoreOutputStrides>(); }
std::unique_ptr<PlantedFault> ignoreSizes() { return std::make_unique<IgnoreSizes>(); }
std::unique_ptr<PlantedFault> ignoreLayout() { return std::make_unique<IgnoreLayout>(); }

}  // namespace fuser::fuzz::faults
