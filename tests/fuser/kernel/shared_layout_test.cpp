// The layout of shared memory: buffers share bytes only across a barrier that ends one's use before the other's begins.
#include "fuser/kernel/shared_layout.h"

#include <gtest/gtest.h>

#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"

namespace fuser {
namespace {

std::unique_ptr<Kernel> kernelOf(const std::string& body, const std::string& declarations = "") {
  return parseKernel(
      "kernel k {\n tensor x : f32 rank 1 argument 0\n tensor y : f32 rank 1 argument 1 written\n" +
      (declarations.empty() ? "shared a : f32 [32]\n shared b : f32 [32]\n shared c : f32 [8]\n" : declarations) +
      " int n in [0, 1000]\n block 32, 1, 1\n grid 1, 1, 1\n" + body + "}\n");
}

std::vector<size_t> offsets(const std::string& body, const std::string& declarations = "") {
  const std::unique_ptr<Kernel> kernel = kernelOf(body, declarations);
  const SharedLayout layout = sharedLayout(*kernel);
  std::vector<size_t> result;
  for (const Buffer& buffer : kernel->buffers) {
    if (buffer.memory == MemoryType::Shared) result.push_back(layout.offsets[static_cast<size_t>(buffer.id)]);
  }
  result.push_back(layout.end);
  return result;
}

const std::string kAllocs = "alloc a\n alloc b\n alloc c\n";
std::string use(const std::string& buffer) { return buffer + "[0] = move x[0]\n y[0] = move " + buffer + "[0]\n"; }
using Offsets = std::vector<size_t>;

TEST(SharedLayoutTest, ABufferTakesMemoryAcrossABarrier) {
  EXPECT_EQ(offsets(kAllocs + use("a") + "barrier\n" + use("b") + "barrier\n" + use("c")), Offsets({0, 0, 0, 128}));
}

TEST(SharedLayoutTest, WithoutABarrierBetweenBuffersLieApart) {
  EXPECT_EQ(offsets(kAllocs + use("a") + use("b") + use("c")), Offsets({0, 128, 256, 288}));
  EXPECT_EQ(offsets(kAllocs + use("a") + use("b") + "barrier\n" + use("c")), Offsets({0, 128, 0, 256}));
}

TEST(SharedLayoutTest, ABarrierThatMayNotRunEndsNoLife) {
  EXPECT_EQ(offsets(kAllocs + use("a") + "for i < n {\n barrier\n}\n" + use("b")), Offsets({0, 128, 0, 256}));
  EXPECT_EQ(offsets(kAllocs + use("a") + "if (n < 4) {\n barrier\n}\n" + use("b")), Offsets({0, 128, 0, 256}));
  EXPECT_EQ(offsets(kAllocs + use("a") + "for i < 3 {\n barrier\n}\n" + use("b")), Offsets({0, 0, 0, 128}));
}

TEST(SharedLayoutTest, WhatALoopTouchesLivesInAllOfIt) {
  EXPECT_EQ(offsets(kAllocs + "for i < 3 {\n" + use("a") + "barrier\n" + use("b") + "barrier\n}\n"),
            Offsets({0, 128, 0, 256}));
}

TEST(SharedLayoutTest, InALoopThatAllocatesATurnMayEndALife) {
  const auto turn = [](const std::string& last) {
    return "for i < 3 {\n alloc a\n alloc b\n" + use("a") + "barrier\n" + use("b") + last + "}\n";
  };
  const std::string two = "shared a : f32 [32]\n shared b : f32 [32]\n";
  EXPECT_EQ(offsets(turn("barrier\n"), two), Offsets({0, 0, 128}));
  EXPECT_EQ(offsets(turn(""), two), Offsets({0, 128, 256})) << "the next turn's a meets b";
}

TEST(SharedLayoutTest, LargerBuffersLieFirst) {
  EXPECT_EQ(offsets("alloc a\n alloc b\n" + use("a") + use("b"), "shared a : bf16 [3]\n shared b : f64 [5]\n"),
            Offsets({48, 0, 64}));
}

TEST(SharedLayoutTest, GivenPlacesAreTakenAndHeldToLives) {
  const std::string given = "shared a : f32 [32] at 16\n shared b : f32 [32] at 16\n shared c : f32 [8] at 160\n";
  const std::string barriers = kAllocs + use("a") + "barrier\n" + use("b") + "barrier\n" + use("c");
  EXPECT_EQ(offsets(barriers, given), Offsets({16, 16, 160, 192}));
  EXPECT_TRUE(findKernelViolations(*kernelOf(barriers, given)).empty());
  const auto broken = [&](const std::string& body, const std::string& declarations) {
    const std::vector<KernelViolation> found = findKernelViolations(*kernelOf(body, declarations));
    return found.empty() ? 0 : found.front().constraint;
  };
  EXPECT_EQ(broken(kAllocs + use("a") + use("b"), given), 27) << "in use at once";
  EXPECT_EQ(broken(barriers, "shared a : f32 [32] at 8\n shared b : f32 [32] at 256\n shared c : f32 [8] at 512\n"),
            27);
  EXPECT_EQ(broken(barriers, "shared a : f32 [32] at 0\n shared b : f32 [32]\n shared c : f32 [8]\n"), 27);
}

}  // namespace
}  // namespace fuser
