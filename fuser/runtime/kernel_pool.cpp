// Finds compiled kernels by their text.

#include "fuser/runtime/kernel_pool.h"

#include "fuser/kernel/text.h"

namespace fuser {
namespace {

// A kernel's name only numbers the kernels of one program, so equal kernels of two programs differ in it.
std::string textWithoutName(const Kernel& kernel) {
  std::string text = printKernel(kernel);
  text.erase(0, text.find(kernel.name) + kernel.name.size());
  return text;
}

}  // namespace

class KernelPool::Shared : public CompiledKernel {
 public:
  explicit Shared(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}
  void launch(const KernelArguments& arguments) override {
    const std::lock_guard lock(entry_->running);
    entry_->compiled->launch(arguments);
  }
  void enqueue(const KernelArguments& arguments, void* stream) override {
    const std::lock_guard lock(entry_->running);
    entry_->compiled->enqueue(arguments, stream);
  }

 private:
  std::shared_ptr<Entry> entry_;
};

// Prints the texts of earlier kernels lazily: most caches compile only one program and never need them.
void KernelPool::learnTexts() {
  for (; known_ < entries_.size(); ++known_) byText_.emplace(textWithoutName(*entries_[known_]->kernel), known_);
}

std::vector<std::unique_ptr<CompiledKernel>> KernelPool::compile(Engine& engine,
                                                                 std::span<const Kernel* const> kernels) {
  const bool first = entries_.empty();
  learnTexts();
  std::vector<std::shared_ptr<Entry>> found(kernels.size());
  std::vector<const Kernel*> missing;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto equal = first ? byText_.end() : byText_.find(textWithoutName(*kernels[i]));
    if (equal != byText_.end()) {
      found[i] = entries_[equal->second];
    } else {
      missing.push_back(kernels[i]);
    }
  }
  std::vector<std::unique_ptr<CompiledKernel>> newKernels = engine.compile(missing);
  size_t next = 0;
  std::vector<std::unique_ptr<CompiledKernel>> compiled;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!found[i]) {
      found[i] = std::make_shared<Entry>();
      found[i]->kernel = kernels[i];
      found[i]->compiled = std::move(newKernels.at(next++));
      entries_.push_back(found[i]);
    }
    compiled.push_back(std::make_unique<Shared>(found[i]));
  }
  return compiled;
}

}  // namespace fuser
