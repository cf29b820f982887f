#pragma once
// FiberStack: tells ThreadSanitizer, which tracks the calls on each stack, when a CPU thread switches to a fiber's
// stack and back. It does nothing in other builds.

#ifdef __has_feature  // clang
#if __has_feature(thread_sanitizer)
#define FUSER_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)  // g++
#define FUSER_THREAD_SANITIZER 1
#endif

#ifdef FUSER_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace fuser {

class FiberStack {
 public:
  FiberStack() = default;
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

#ifdef FUSER_THREAD_SANITIZER
  ~FiberStack() { __tsan_destroy_fiber(fiber_); }

  // Calls step, which resumes the fiber and returns when the fiber gives up control; step does not throw.
  template <class Step>
  void enter(Step step) {
    void* const caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, 0);
    step();
    __tsan_switch_to_fiber(caller, 0);
  }

 private:
  void* const fiber_ = __tsan_create_fiber(0);
#else
  template <class Step>
  void enter(Step step) {
    step();
  }
#endif
};

}  // namespace fuser
