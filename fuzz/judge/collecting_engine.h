#pragma once
// CollectingEngine: batches the compilation of engines with a slow compiler. At first it interprets the kernels of many
// caches and collects them; after one compiler call for all of them, switchTo() makes the caches run the compiled ones.
// Programs with streams use the other engine's device from the start; interpreted kernels then run when enqueued.

#include <memory>
#include <string>
#include <vector>

#include "fuser/execute/engine.h"

namespace fuser::fuzz {

// Interprets a kernel until become() replaces it by a compiled one.
class SwitchedKernel : public CompiledKernel {
 public:
  explicit SwitchedKernel(std::shared_ptr<CompiledKernel> kernel) : current_(std::move(kernel)) {}
  void launch(const KernelArguments& arguments) override { current_->launch(arguments); }
  void enqueue(const KernelArguments& arguments, void* stream) override {
    if (interpreted_) {
      current_->launch(arguments);
    } else {
      current_->enqueue(arguments, stream);
    }
  }
  void become(std::shared_ptr<CompiledKernel> kernel) {
    current_ = std::move(kernel);
    interpreted_ = false;
  }

 private:
  std::shared_ptr<CompiledKernel> current_;
  bool interpreted_ = true;
};

// The cache's handle of a kernel, which the engine shares.
class SharedKernel : public CompiledKernel {
 public:
  explicit SharedKernel(std::shared_ptr<SwitchedKernel> kernel) : kernel_(std::move(kernel)) {}
  void launch(const KernelArguments& arguments) override { kernel_->launch(arguments); }
  void enqueue(const KernelArguments& arguments, void* stream) override { kernel_->enqueue(arguments, stream); }

 private:
  std::shared_ptr<SwitchedKernel> kernel_;
};

class CollectingEngine : public Engine {
 public:
  // `device` is the other engine's; null if it has none.
  explicit CollectingEngine(std::shared_ptr<StreamDevice> device = nullptr) : device_(std::move(device)) {}

  std::shared_ptr<StreamDevice> device() override { return device_; }
  std::string name() const override { return "interp, then cpu"; }

  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    std::vector<std::unique_ptr<CompiledKernel>> compiled = interp_->compile(kernels);
    for (size_t i = 0; i < kernels.size(); ++i) {
      auto switched = std::make_shared<SwitchedKernel>(std::move(compiled[i]));
      kernels_.push_back(kernels[i]);
      switched_.push_back(switched);
      compiled[i] = std::make_unique<SharedKernel>(std::move(switched));
    }
    return compiled;
  }

  const std::vector<const Kernel*>& kernels() const { return kernels_; }
  void switchTo(std::vector<std::unique_ptr<CompiledKernel>> compiled) {
    for (size_t i = 0; i < switched_.size(); ++i) switched_[i]->become(std::move(compiled.at(i)));
  }

 private:
  std::shared_ptr<StreamDevice> device_;
  std::unique_ptr<Engine> interp_ = makeEngine(EngineKind::Interp);
  std::vector<const Kernel*> kernels_;
  std::vector<std::shared_ptr<SwitchedKernel>> switched_;
};

}  // namespace fuser::fuzz
