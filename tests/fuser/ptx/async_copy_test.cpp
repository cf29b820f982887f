// cp.async: when its bytes are there, for whom, and what is undefined or a race until then.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

const std::string kShared = ".shared .align 16 .b8 s[4096];\n";
// Each thread's own cell of shared memory in [%r3], and the next thread's in [%r4].
constexpr const char* kCell =
    "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 4, %r2;\nxor.b32 %r4, %t, 1;\nmad.lo.u32 %r4, %r4, 4, %r2;\n";
constexpr const char* kCopy = "cp.async.ca.shared.global [%r3], [%i], 4;\n";

Kernel kernelOf(const std::string& body, int64_t threads = 32) {
  return {concat(kCell, body, "\nst.global.u32 [%o], %r1;"), kShared, 1, threads};
}

TEST(AsyncCopyTest, BytesAreThereAfterTheWait) {
  for (const char* wait : {"cp.async.commit_group;\ncp.async.wait_group 0;\n", "cp.async.wait_all;\n"}) {
    const std::vector<uint32_t> out = run(kernelOf(concat(kCopy, wait, "ld.shared.u32 %r1, [%r3];"), 64));
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i);
    const std::vector<uint32_t> others =
        run(kernelOf(concat(kCopy, wait, "bar.sync 0;\nld.shared.u32 %r1, [%r4];"), 64));
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(others[i], i ^ 1);
  }
}

TEST(AsyncCopyTest, DestinationIsUndefinedBeforeTheWait) {
  const std::string before = "st.shared.u32 [%r3], %t;\n";
  EXPECT_FAULT(kernelOf(concat(before, kCopy, "ld.shared.u32 %r1, [%r3];")), "uninitialised bits are stored");
  EXPECT_FAULT(kernelOf(concat(before, kCopy, "cp.async.commit_group;\nld.shared.u32 %r1, [%r3];")),
               "uninitialised bits are stored");
  // A group that is not committed is waited for by wait_all alone.
  EXPECT_FAULT(kernelOf(concat(before, kCopy, "cp.async.wait_group 0;\nld.shared.u32 %r1, [%r3];")),
               "uninitialised bits are stored");
  EXPECT_FAULT(kernelOf(concat(before, kCopy, "bar.sync 0;\nld.shared.u32 %r1, [%r4];")),
               "uninitialised bits are stored");
}

TEST(AsyncCopyTest, OthersNeedABarrierBehindTheWait) {
  const std::string wait = "cp.async.wait_all;\n";
  EXPECT_FAULT(kernelOf(concat(kCopy, wait, "ld.shared.u32 %r1, [%r4];")), "race: it reads what thread");
  EXPECT_FAULT(kernelOf(concat(kCopy, "bar.sync 0;\n", wait, "ld.shared.u32 %r1, [%r4];")),
               "race: it reads what thread");
  // What is read between the copy and its wait is written by the copy.
  EXPECT_FAULT(kernelOf(concat(kCopy, "bar.sync 0;\nld.shared.u32 %r5, [%r4];\n", wait, "mov.u32 %r1, 0;")),
               "race: it writes what");
  EXPECT_FAULT(kernelOf(concat(kCopy, "st.shared.u32 [%r4], %t;\n", wait, "mov.u32 %r1, 0;")), "race: ");
}

TEST(AsyncCopyTest, TheSourceIsReadUntilTheWait) {
  const std::string body = R"(
mov.u32 %r1, 0;
mov.u32 %r2, s;
mad.lo.u32 %r3, %t, 4, %r2;
cp.async.ca.shared.global [%r3], [%o], 4;
setp.ne.u32 %p1, %t, 1;
@%p1 bra A;
st.global.u32 [%b], 5;
A:
)";
  const Kernel kernel{body + "cp.async.wait_all;", kShared, 1, 32, 0, true};
  EXPECT_FAULT(kernel, "race");
}

// Of three groups the oldest ones land first.
TEST(AsyncCopyTest, WaitsLeaveTheLastGroups) {
  const auto text = [](const char* wait, const char* read) {
    return concat(R"(
mov.u32 %r2, s;
mad.lo.u32 %r3, %t, 4, %r2;
cp.async.ca.shared.global [%r3], [%i], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r3+128], [%i], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r3+256], [%i], 4;
cp.async.commit_group;
)",
                  wait, "\nld.shared.u32 %r1, [%r3+", read, "];\nst.global.u32 [%o], %r1;");
  };
  const auto kernel = [&](const char* wait, const char* read) { return Kernel{text(wait, read), kShared}; };
  EXPECT_EQ(run(kernel("cp.async.wait_group 2;", "0"))[7], 7u);
  EXPECT_EQ(run(kernel("cp.async.wait_group 1;", "128"))[7], 7u);
  EXPECT_EQ(run(kernel("cp.async.wait_group 0;", "256"))[7], 7u);
  EXPECT_FAULT(kernel("cp.async.wait_group 3;", "0"), "uninitialised");
  EXPECT_FAULT(kernel("cp.async.wait_group 2;", "128"), "uninitialised");
  EXPECT_FAULT(kernel("cp.async.wait_group 1;", "256"), "uninitialised");
}

// Each lane waits for itself.
TEST(AsyncCopyTest, GroupsAreOfTheirThread) {
  EXPECT_FAULT(kernelOf(concat(kCopy, "cp.async.commit_group;\nsetp.ne.u32 %p1, %t, 3;\n@%p1 cp.async.wait_group 0;\n",
                               "ld.shared.u32 %r1, [%r3];")),
               "thread 3: uninitialised");
}

TEST(AsyncCopyTest, WhatIsNotReadIsZero) {
  const auto copied = [](const char* copy) {
    return run({concat(R"(
mov.u32 %r2, s;
mad.lo.u32 %r3, %t, 16, %r2;
and.b64 %i, %i, -16;
rem.u32 %r5, %t, 3;
mul.lo.u32 %r5, %r5, 4;
setp.eq.u32 %p1, %r5, 4;
)",
                       copy, R"(
cp.async.wait_all;
ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r3];
mad.lo.u32 %r1, %r9, 100, %r8;
mad.lo.u32 %r1, %r1, 100, %r7;
mad.lo.u32 %r1, %r1, 100, %r6;
st.global.u32 [%o], %r1;)"),
                kShared});
  };
  const std::vector<uint32_t> parts = copied("cp.async.cg.shared.global.L2::128B [%r3], [%i], 16, %r5;");
  const std::vector<uint32_t> ignored = copied("cp.async.ca.shared::cta.global [%r3], [%i], 16, %p1;");
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t a = i / 4 * 4, two = a + 100 * (a + 1), all = two + 10000 * (a + 2) + 1000000 * (a + 3);
    EXPECT_EQ(parts[i], i % 3 == 0 ? 0 : i % 3 == 1 ? a : two);
    EXPECT_EQ(ignored[i], i % 3 == 1 ? 0 : all);
  }
}

TEST(AsyncCopyTest, WhatIsNotReadMayLieAnywhere) {
  const std::string copy = "cp.async.ca.shared.global [%r3], [%i+64], 4";
  EXPECT_FAULT(kernelOf(concat(copy, ";\ncp.async.wait_all;\nld.shared.u32 %r1, [%r3];")),
               "out of bounds: byte 128 of in");
  EXPECT_EQ(run(kernelOf(concat("setp.ge.u32 %p1, %t, 16;\n", copy,
                                ", %p1;\ncp.async.wait_all;\nld.shared.u32 %r1, [%r3];")))[20],
            0u);
}

TEST(AsyncCopyTest, AddressesAndSizesAreChecked) {
  EXPECT_FAULT(kernelOf("cp.async.ca.shared.global [%r3], [%i], 8;"), "misaligned: 8 bytes");
  EXPECT_FAULT(kernelOf("cp.async.ca.shared.global [%r3+4096], [%i], 4;"), "of shared memory");
  EXPECT_FAULT(kernelOf("mov.u32 %r5, 5;\ncp.async.ca.shared.global [%r3], [%i], 4, %r5;"), "it copies 5 of 4 bytes");
  EXPECT_REFUSED(kernelOf("cp.async.cg.shared.global [%r3], [%i], 8;"), "a copy of no 4, 8 or 16 bytes");
  EXPECT_REFUSED(kernelOf("cp.async.ca.shared.global [%r3], [%i], 12;"), "a copy of no 4, 8 or 16 bytes");
  EXPECT_REFUSED(kernelOf("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%i], 16, [%r4];"),
                 "no instruction 'cp.async.bulk");
  EXPECT_REFUSED(kernelOf("cp.async.mbarrier.arrive.shared.b64 [%r3];"), "no instruction 'cp.async.mbarrier");
}

}  // namespace
}  // namespace fuser::ptx
