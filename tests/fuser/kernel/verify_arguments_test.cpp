// Constraints of what a kernel's caller makes for it beside its tensors: error words, and what outputs start as.
#include <gtest/gtest.h>

#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"

namespace fuser {
namespace {

// A kernel with one piece of its text replaced.
struct BrokenText {
  std::unique_ptr<Kernel> kernel;

  BrokenText(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    kernel = parseKernel(text.replace(at, from.size(), to));
  }

  // Exactly one constraint is broken.
  void expect(int constraint) {
    const std::vector<KernelViolation> found = findKernelViolations(*kernel);
    ASSERT_FALSE(found.empty()) << "constraint " << constraint << " is not checked";
    for (const KernelViolation& violation : found) EXPECT_EQ(violation.constraint, constraint) << violation.message;
    EXPECT_THROW(verifyKernel(*kernel), CheckError);
  }
};

// Checks an index before it reads at it.
constexpr const char* kCheck = R"(
kernel good {
  tensor idx : i32 rank 1 argument 0
  tensor f : f32 rank 1 argument 1
  int n in [1, 1000]
  error_word e [1]
  workspace w : i64 [4]
  block 32, 1, 1
  grid n, 1, 1

  if (threadIdx.x < n) {
    report e check 0 at threadIdx.x: idx[threadIdx.x] of n
  }
}
)";

struct BrokenCheck : BrokenText {
  explicit BrokenCheck(const std::string& from = "", const std::string& to = "") : BrokenText(kCheck, from, to) {}
};

TEST(KernelVerifierTest, AcceptsReports) { EXPECT_NO_THROW(verifyKernel(*BrokenCheck().kernel)); }

TEST(KernelVerifierTest, Constraint28ErrorWordsAreForReportsAlone) {
  BrokenCheck("report e", "report w").expect(28);
  BrokenCheck(": idx[threadIdx.x]", ": f[threadIdx.x]").expect(28);
  BrokenCheck("report e check 0 at threadIdx.x: idx[threadIdx.x] of n", "w[0] = move e[0]").expect(28);
  BrokenCheck longer;
  longer.kernel->buffers.at(2).size = longer.kernel->ints->constant(0);
  longer.expect(28);
  BrokenCheck("check 0", "check 1").expect(28);
  BrokenCheck("of n", "of threadIdx.x").expect(28);
}

// Adds u to y by atomics.
constexpr const char* kAtomic = R"(
kernel good {
  tensor x : f32 rank 1 argument 0
  tensor u : f32 rank 1 argument 1
  tensor h : f16 rank 1 argument 2
  tensor y : f32 rank 1 argument 3 written starts_as x
  int n in [1, 1000]
  block 32, 1, 1
  grid n, 1, 1

  if (threadIdx.x < n) {
    atomic y[threadIdx.x] += u[threadIdx.x]
  }
}
)";

struct BrokenAtomic : BrokenText {
  explicit BrokenAtomic(const std::string& from = "", const std::string& to = "") : BrokenText(kAtomic, from, to) {}
};

TEST(KernelVerifierTest, AcceptsAtomicAdds) { EXPECT_NO_THROW(verifyKernel(*BrokenAtomic().kernel)); }

TEST(KernelVerifierTest, Constraint29AtomicsAddToWhatStartsAsAnInput) {
  BrokenAtomic("atomic y[threadIdx.x] += u[threadIdx.x]", "y[threadIdx.x] = move u[threadIdx.x]").expect(29);
  BrokenAtomic(" starts_as x", "").expect(29);
  BrokenAtomic("starts_as x", "starts_as h").expect(29);
  BrokenAtomic("starts_as x", "starts_as y").expect(29);
  BrokenAtomic("+= u", "+= h").expect(29);
  BrokenAtomic("+= u", "+= y").expect(29);
  BrokenAtomic("y : f32 rank 1", "y : f32 rank 2").expect(29);
}

}  // namespace
}  // namespace fuser
