// What a terminal shows of a dead worker.

#include "fuzz/isolate/short_stack.h"

#include <gtest/gtest.h>

namespace fuser::fuzz {
namespace {

TEST(ShortStackTest, HasNoHandlerAndARunOfFramesOnce) {
  const std::string first = "signal Segmentation fault", twice = "\nmain at m.cpp:3\nmain at m.cpp:3";
  const std::string handler = "\nfuser::fuzz::writeStack(int) at x.cpp:31\n/lib/libc.so.6(+0x3c050) [0x7f]";
  const std::string frames = "\nfuser::f(int) at a.cpp:1\n (inlined by) fuser::g(int) at a.cpp:2";
  std::string recursion;
  for (int i = 0; i < 30; ++i) recursion += frames;
  const std::string once = first + frames + "\n… the 2 lines above, 30 times" + twice;
  EXPECT_EQ(shortStack(first + handler + recursion + twice), once);
  EXPECT_EQ(shortStack("killed"), "killed");
}

TEST(ShortStackTest, HasALimit) {
  std::string frames, first;
  for (int i = 0; i < 100; ++i) {
    frames += "\nf" + std::to_string(i);
    if (i < 40) first += "\nf" + std::to_string(i);
  }
  EXPECT_EQ(shortStack("took more than 10 s" + frames), "took more than 10 s" + first + "\n… 60 more lines");
}

}  // namespace
}  // namespace fuser::fuzz
