#pragma once
// KernelPool: the compiled kernels of all programs of a cache, by their text. A program for other sizes reuses equal
// kernels of earlier programs, so that only kernels that depend on the sizes are compiled again.

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fuser/execute/engine.h"

namespace fuser {

class KernelPool {
 public:
  // Returns one per kernel, in order; kernels that are not in the pool are compiled in one call of the engine.
  // `kernels` must outlive results and pool. Not thread-safe, but results may be launched by several threads (locked).
  std::vector<std::unique_ptr<CompiledKernel>> compile(Engine& engine, std::span<const Kernel* const> kernels);

  // The number of kernels that the engine has compiled so far.
  size_t compilations() const { return entries_.size(); }

 private:
  struct Entry {
    const Kernel* kernel = nullptr;
    std::unique_ptr<CompiledKernel> compiled;
    std::mutex running;  // held during a launch, because a kernel may have scratch memory
  };
  class Shared;

  void learnTexts();

  std::vector<std::shared_ptr<Entry>> entries_;
  size_t known_ = 0;                      // the number of entries whose text is in byText_
  std::map<std::string, size_t> byText_;  // the text without the kernel's name -> index in entries_
};

}  // namespace fuser
