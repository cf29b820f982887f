// The interp engine: implements Engine with compileKernel and runLaunch.
#include "fuser/execute/interp_engine.h"

#include <mutex>

#include "fuser/execute/interp_machine.h"

namespace fuser {
namespace {

// A pool of scratch memory for concurrent launches; idle memory is reused by later launches of any kernel.
class ScratchPool {
 public:
  std::unique_ptr<interp::Scratch> acquire() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<interp::Scratch>();
    std::unique_ptr<interp::Scratch> scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
  }
  void giveBack(std::unique_ptr<interp::Scratch> scratch) {
    if (scratch->size() > kKept) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
  }

 private:
  static constexpr size_t kKept = size_t{64} << 20;  // bytes; larger ones go back to the system

  std::mutex mutex_;
  std::vector<std::unique_ptr<interp::Scratch>> idle_;
};

class InterpKernel : public CompiledKernel {
 public:
  InterpKernel(const Kernel& kernel, std::shared_ptr<ScratchPool> pool, std::shared_ptr<KernelCosts> costs,
               int64_t mostBlocks)
      : program_(interp::compileKernel(kernel)),
        pool_(std::move(pool)),
        costs_(std::move(costs)),
        mostBlocks_(mostBlocks),
        number_(costs_ ? costs_->addKernel(kernel) : 0) {}

  void launch(const KernelArguments& arguments) override {
    std::unique_ptr<interp::Scratch> scratch = pool_->acquire();
    LaunchCost cost;
    interp::runLaunch(program_, arguments, *scratch, costs_ ? &cost : nullptr, mostBlocks_);
    if (costs_) costs_->add(number_, cost);
    pool_->giveBack(std::move(scratch));
  }

 private:
  const interp::Program program_;
  const std::shared_ptr<ScratchPool> pool_;
  const std::shared_ptr<KernelCosts> costs_;
  const int64_t mostBlocks_;
  const size_t number_;  // in costs_
};

class InterpEngine : public Engine {
 public:
  InterpEngine(std::shared_ptr<KernelCosts> costs, int64_t mostBlocks)
      : costs_(std::move(costs)), mostBlocks_(mostBlocks) {}
  std::string name() const override { return "interp"; }
  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    std::vector<std::unique_ptr<CompiledKernel>> compiled;
    for (const Kernel* kernel : kernels) {
      compiled.push_back(std::make_unique<InterpKernel>(*kernel, pool_, costs_, mostBlocks_));
    }
    return compiled;
  }

 private:
  const std::shared_ptr<ScratchPool> pool_ = std::make_shared<ScratchPool>();
  const std::shared_ptr<KernelCosts> costs_;
  const int64_t mostBlocks_;
};

}  // namespace

std::unique_ptr<Engine> makeInterpEngine() { return std::make_unique<InterpEngine>(nullptr, 0); }

std::unique_ptr<Engine> makeCountingInterpEngine(std::shared_ptr<KernelCosts> costs, int64_t mostBlocks) {
  return std::make_unique<InterpEngine>(std::move(costs), mostBlocks);
}

}  // namespace fuser
