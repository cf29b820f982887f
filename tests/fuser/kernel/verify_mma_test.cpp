// The constraints of an Mma.
#include <gtest/gtest.h>

#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"

namespace fuser {
namespace {

constexpr const char* kMma = R"(
kernel k {
  local l : f16 [8]
  local r : f16 [4]
  local s : f32 [4]
  local h : f64 [4]
  local w : f16 [5]
  block 4, 8, 2
  grid 1, 1, 1

  alloc l
  alloc r
  alloc s
  alloc h
  alloc w
  if (blockIdx.x < 1) {
    mma (s[0], s[1], s[2], s[3]) (l, r)
  }
}
)";

int constraintOfMma(const std::string& piece, const std::string& with, int64_t warp = 32) {
  std::string text = kMma;
  text.replace(text.find(piece), piece.size(), with);
  const std::unique_ptr<Kernel> kernel = parseKernel(text);
  kernel->device.warp = warp;
  const std::vector<KernelViolation> found = findKernelViolations(*kernel);
  return found.size() == 1 ? found.front().constraint : -static_cast<int>(found.size());
}

TEST(KernelVerifierTest, Constraint30AnMmaIsOfWholeWarpsAndRegisters) {
  EXPECT_EQ(constraintOfMma("grid 1", "grid 2"), 0);
  EXPECT_EQ(constraintOfMma("blockIdx.x < 1", "threadIdx.x < 1"), 30);
  EXPECT_EQ(constraintOfMma("block 4, 8, 2", "block 4, 4, 3"), 30);
  EXPECT_EQ(constraintOfMma("grid 1", "grid 2", 64), 30);
  EXPECT_EQ(constraintOfMma("(l, r)", "(r, l)"), 30);
  EXPECT_EQ(constraintOfMma("(l, r)", "(l, w)"), 30);
  EXPECT_EQ(constraintOfMma("local r : f16", "local r : bf16"), 30);
  EXPECT_EQ(constraintOfMma("local r : f16 [4]", "shared r : f16 [4]"), 30);
  EXPECT_EQ(constraintOfMma("s[3])", "h[3])"), 30);
}

}  // namespace
}  // namespace fuser
