#pragma once
// KernelPool: the compiled kernels of a cache's programs. A program for other sizes shares the kernels whose text an
// earlier one had already: only what depends on the sizes is compiled anew.

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
  // One for each kernel, in order; those without an equal are compiled in one call of the engine. The kernels outlive
  // what is returned and the pool. Not from several threads at once, but what is returned may be launched by several.
  std::vector<std::unique_ptr<CompiledKernel>> compile(Engine& engine, std::span<const Kernel* const> kernels);

  // Kernels that an engine has compiled so far.
  size_t compilations() const { return entries_.size(); }

 private:
  struct Entry {
    const Kernel* kernel = nullptr;
    std::unique_ptr<CompiledKernel> compiled;
    std::mutex running;  // held while it is launched: it may keep scratch memory
  };
  class Shared;

  void learnTexts();

  std::vector<std::shared_ptr<Entry>> entries_;
  size_t known_ = 0;                      // entries whose text is in byText_
  std::map<std::string, size_t> byText_;  // the text but for the kernel's name -> index in entries_
};

}  // namespace fuser
