// What fences around atomics and volatile accesses order, of whom, and when a thread waits in vain.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

// Each thread adds 1 to a cell under a lock.
const Kernel kLock{R"(
L:
atom.global.cas.b32 %r1, [%b], 0, 1;
setp.ne.s32 %p1, %r1, 0;
@%p1 bra L;
membar.gl;
ld.global.u32 %r2, [%b+4];
add.s32 %r2, %r2, 1;
st.global.u32 [%b+4], %r2;
membar.gl;
atom.global.exch.b32 %r1, [%b], 0;)", "", 1, 40, 0, true};

TEST(FencesTest, ALockOrdersTheThreadsOfABlockAndOfAWarp) {
  for (uint64_t order = 0; order < 8; ++order) {
    Kernel kernel = kLock;
    kernel.order = order;
    EXPECT_EQ(run(kernel)[1], 40u);
    kernel = changed(changed(kernel, "membar.gl", "membar.cta"), "membar.gl", "fence.acq_rel.cta");
    EXPECT_EQ(run(kernel)[1], 40u);
  }
  EXPECT_FAULT(changed(kLock, "membar.gl;\n", ""), "race");
  EXPECT_FAULT(changed(kLock, "membar.gl;\n", "", 1), "race");
}

TEST(FencesTest, FencesOfABlockDoNotReachOthers) {
  Kernel kernel = kLock;
  kernel.blocks = 2;
  EXPECT_EQ(run(kernel)[1], 80u);
  for (size_t which : {0u, 1u}) {
    EXPECT_FAULT(changed(kernel, "membar.gl", "membar.cta", which), "race");
    EXPECT_FAULT(changed(kernel, "membar.gl", "fence.acq_rel.cluster", which), "race");
    EXPECT_EQ(run(changed(kernel, "membar.gl", "fence.sc.gpu", which))[1], 80u);
  }
}

// A thread of warp 1 passes a value on to thread 0.
const Kernel kFlag{R"(
setp.ne.s32 %p1, %t, 0;
mov.u32 %r1, 0;
@!%p1 st.shared.u32 [cells+4], %r1;
bar.sync 0;
setp.eq.s32 %p2, %t, 33;
@!%p2 bra A;
mov.u32 %r1, 7;
st.shared.u32 [cells], %r1;
membar.cta;
st.volatile.shared.u32 [cells+4], %t;
ret;
A:
@%p1 ret;
L:
ld.volatile.shared.u32 %r2, [cells+4];
setp.eq.s32 %p3, %r2, 0;
@%p3 bra L;
membar.cta;
ld.shared.u32 %r3, [cells];
st.global.u32 [%o], %r3;)", ".shared .align 4 .b8 cells[8];", 3, 64, 0, true};

TEST(FencesTest, AFlagInSharedMemoryOrders) {
  EXPECT_EQ(run(kFlag)[64], 7u);
  EXPECT_FAULT(changed(kFlag, "membar.cta;\n", ""), "race");
  EXPECT_FAULT(changed(kFlag, "membar.cta;\n", "", 1), "race");
}

// All threads of block 0 read a cell, which block 1 writes once each of them has said that it did. (What they store is
// in the cells of block 1.)
const Kernel kReaders{R"(
setp.ne.s32 %p1, %c, 0;
@%p1 bra W;
ld.global.u32 %r2, [%b];
st.global.u32 [%o+160], %r2;
membar.gl;
red.global.add.u32 [count], 1;
ret;
W:
setp.ne.s32 %p2, %t, 0;
@%p2 ret;
L:
ld.volatile.global.u32 %r1, [count];
setp.lt.u32 %p3, %r1, 40;
@%p3 bra L;
membar.gl;
st.global.u32 [%b], %r1;)", ".global .align 4 .u32 count;", 2, 40, 0, true};

TEST(FencesTest, AnElementHasManyReadersEachOfWhichIsWaitedFor) {
  for (uint64_t order = 0; order < 4; ++order) {
    Kernel kernel = kReaders;
    kernel.order = order;
    EXPECT_EQ(run(kernel)[0], 40u);
    EXPECT_FAULT(changed(kernel, "membar.gl;\n", ""), "race");
    const Kernel without5 = changed(kernel, "membar.gl;", "setp.eq.s32 %p4, %t, 5;\n@%p4 ret;\nmembar.gl;");
    const Kernel unknown5 = changed(without5, "%r1, 40;", "%r1, 39;");
    EXPECT_FAULT(unknown5, "race");
    // Barriers of a block order nothing of another one, however many there are.
    EXPECT_FAULT(changed(unknown5, "W:", "W:\nbar.sync 0;\nbar.sync 0;\nbar.sync 0;\nbar.sync 0;\nbar.sync 0;"),
                 "race");
  }
}

// A grid barrier of blocks of one warp: thread 0 alone waits.
TEST(FencesTest, WhatOneThreadWaitedForOthersOfItsWarpDoNotKnow) {
  const std::string body = concat("st.global.u32 [%o], %r19;\nbar.sync 0;", meetingOf(4), R"(bar.warp.sync -1;
sub.s32 %r2, 127, %r19;
mul.wide.u32 %d1, %r2, 4;
add.s64 %d1, %b, %d1;
ld.global.u32 %r3, [%d1];)");
  const Kernel kernel{body, ".global .align 4 .u32 count;", 4, 32, 0, true};
  EXPECT_EQ(run(kernel).size(), 128u);
  EXPECT_EQ(run(changed(kernel, "bar.warp.sync -1", "bar.sync 0")).size(), 128u);
  EXPECT_FAULT(changed(kernel, "bar.warp.sync -1;\n", ""), "race");
}

TEST(FencesTest, ALoopThatCountsDoesNotWaitInVain) {
  const Kernel atomics{R"(
mov.u32 %r1, 0;
L:
red.global.max.u32 [%b], 0;
add.s32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 5000;
@%p1 bra L;
st.global.u32 [%o+4], %r1;)", "", 1, 1, 0, true};
  EXPECT_EQ(faultOf(changed(atomics, "[%o+4]", "[%o]")), "");
  // The count is in local memory, as without optimisation.
  const Kernel loads{R"(
.local .align 4 .b8 depot[4];
mov.u32 %r1, 0;
st.local.u32 [depot], %r1;
L:
ld.volatile.global.u32 %r2, [%b];
ld.local.u32 %r1, [depot];
add.s32 %r1, %r1, 1;
st.local.u32 [depot], %r1;
setp.lt.u32 %p1, %r1, 5000;
mov.u32 %r1, 0;
@%p1 bra L;
ld.local.u32 %r1, [depot];
st.global.u32 [%o], %r1;)", "", 1, 1, 0, true};
  EXPECT_EQ(run(loads)[0], 5000u);
  EXPECT_FAULT(changed(atomics, "add.s32 %r1, %r1, 1", "add.s32 %r1, %r1, 0"), "deadlock");
  EXPECT_FAULT(changed(loads, "add.s32 %r1, %r1, 1", "add.s32 %r1, %r1, 0"), "deadlock");
}

TEST(FencesTest, WordsThatNobodyKnowsAreRejected) {
  for (const char* body :
       {"fence.bogus;", "fence.proxy.async;", "membar;", "membar.gpu;", "ld.global.bogus.u32 %r1, [%i];",
        "st.global.cta.u32 [%o], %t;", "red.relaxed.cta.global.add.u32 [%o], %t;", "prefetch.x [%i];",
        "shfl.sync.idx.bogus.b32 %r1, %t, 0, 31, -1;", "vote.sync.any.b32 %p1, %p2, -1;", "bar.sync.bogus 0;",
        "trap.now;"}) {
    const Kernel kernel{body};
    EXPECT_THROW(run(kernel), LocatedError) << body;
  }
}

}  // namespace
}  // namespace fuser::ptx
