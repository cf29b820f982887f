#pragma once
// LimitWork: a schedule may repeat all work in each thread of each block. One that makes interp run a statement more
// often than four million times, some tenths of a second, is as good as illegal: a UserError before the launch.

#include "fuser/analysis/compile_observer.h"

namespace fuser::fuzz {

class LimitWork final : public CompileObserver {
 public:
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override;
  // Whether it refused a launch.
  bool refused() const { return refused_; }

 private:
  bool refused_ = false;
};

}  // namespace fuser::fuzz
