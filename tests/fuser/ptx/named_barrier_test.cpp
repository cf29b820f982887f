// Barriers of the block for some of its warps: who waits, what they order, what they count, and what is wrong with
// them.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

const std::string kShared = ".shared .align 4 .b8 s[1024];\n";
// The thread's own cell of shared memory in [%r3].
constexpr const char* kCell = "shl.b32 %r1, %t, 2;\nmov.u32 %r2, s;\nadd.u32 %r3, %r2, %r1;\n";

// Pairs of warps exchange their numbers, each pair at a barrier of its own.
std::string exchange(const char* barrier, int distance) {
  return concat(kCell, "st.shared.u32 [%r3], %t;\nshr.u32 %r10, %t, 6;\nadd.u32 %r10, %r10, 1;\n", barrier,
                "\nxor.b32 %r4, %t, ", distance,
                ";\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r2;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%o], %r5;");
}

TEST(NamedBarrierTest, OrdersTheAccessesOfItsWarps) {
  for (uint64_t order = 0; order < 4; ++order) {
    const std::vector<uint32_t> out = run({exchange("bar.sync %r10, 64;", 32), kShared, 1, 128, order});
    for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], i ^ 32);
  }
  EXPECT_EQ(run({exchange("barrier.cta.sync %r10, 64;", 32), kShared, 1, 128})[0], 32u);
  EXPECT_EQ(run({exchange("bar.sync 3;", 64), kShared, 1, 128})[0], 64u);
  // Memory with values, so that the race alone is wrong.
  const std::string before = concat(kCell, "st.shared.u32 [%r3], 0;\nbar.sync 0;\n");
  EXPECT_FAULT((Kernel{before + exchange("bar.sync %r10, 64;", 64), kShared, 1, 128}), "race");
  EXPECT_FAULT((Kernel{before + exchange("", 32), kShared, 1, 128}), "race");
}

// The first warp makes what the second one takes, twice, through one cell a lane.
std::string pipeline(const char* full, const char* empty) {
  return concat(kCell, "setp.ge.u32 %p1, %t, 32;\nmov.u32 %r6, 0;\n@%p1 bra TAKE;\nMAKE:\n", empty,
                "\nmad.lo.u32 %r7, %r6, 100, %t;\nst.shared.u32 [%r3], %r7;\nbar.arrive 1, 64;\nadd.u32 %r6, %r6, 1;\n"
                "setp.lt.u32 %p2, %r6, 2;\n@%p2 bra MAKE;\nbra.uni END;\nTAKE:\nmov.u32 %r8, 0;\nLOOP:\n"
                "bar.arrive 2, 64;\n",
                full,
                "\nld.shared.u32 %r7, [%r3+-128];\nadd.u32 %r8, %r8, %r7;\nadd.u32 %r6, %r6, 1;\n"
                "setp.lt.u32 %p2, %r6, 2;\n@%p2 bra LOOP;\nst.global.u32 [%o], %r8;\nEND:\nadd.u32 %r6, %r6, 0;");
}

TEST(NamedBarrierTest, ArrivalsOrderWhatCameBeforeThem) {
  for (uint64_t order = 0; order < 4; ++order) {
    const std::vector<uint32_t> out =
        run({pipeline("bar.sync 1, 64;", "bar.sync 2, 64;"), kShared, 1, 64, order, true});
    for (uint32_t i = 32; i < 64; ++i) EXPECT_EQ(out[i], 100 + 2 * (i - 32));
  }
  // Who only arrives knows nothing of the others.
  const std::string reads = concat(kCell, R"(
st.shared.u32 [%r3], %t;
setp.lt.u32 %p1, %t, 32;
@%p1 bra A;
bar.sync 1, 64;
bra.uni END;
A:
bar.arrive 1, 64;
ld.shared.u32 %r5, [%r3+128];
END:
add.u32 %r1, %r1, 0;)");
  const std::string before = concat(kCell, "st.shared.u32 [%r3], 0;\nbar.sync 0;\n");
  EXPECT_FAULT((Kernel{before + reads, kShared, 1, 64}), "race: ");
}

TEST(NamedBarrierTest, ReductionsAreOfAllThreadsThatMeet) {
  const std::string body = R"(
setp.lt.u32 %p1, %t, 40;
bar.red.popc.u32 %r1, 0, %p1;
bar.red.and.pred %p2, 1, 96, %p1;
barrier.cta.red.or.aligned.pred %p3, 2, !%p1;
@%p2 add.u32 %r1, %r1, 100;
@%p3 add.u32 %r1, %r1, 1000;
setp.lt.u32 %p4, %t, 96;
bar.red.and.pred %p5, 1, %p4;
@%p5 add.u32 %r1, %r1, 10000;
st.global.u32 [%o], %r1;)";
  for (uint32_t value : run({body, "", 1, 96})) EXPECT_EQ(value, 11040u);
  EXPECT_FAULT((Kernel{"bar.red.popc.u32 %r1, 0, %p1;"}), "uninitialised bits decide a vote");
}

TEST(NamedBarrierTest, DeadlocksSayWhoIsMissing) {
  EXPECT_FAULT((Kernel{"bar.sync 1, 64;\nst.global.u32 [%o], %t;", "", 1, 96}),
               "barrier 1 is for 64 threads, of which 32 come");
  EXPECT_FAULT((Kernel{"shr.u32 %r1, %t, 5;\nbar.sync %r1;", "", 1, 64}), "is for 64 threads, of which 32 come");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 32;\n@%p1 bra E;\nbar.sync 2;\nE:\nst.global.u32 [%o], %t;", "", 1, 64}),
               "divergent barrier: another warp of the block has ended");
}

TEST(NamedBarrierTest, ThreadsThatDisagreeAreFaults) {
  EXPECT_FAULT((Kernel{"bar.sync %t;"}), "other threads of its warp name another one");
  EXPECT_FAULT((Kernel{"add.u32 %r1, %t, 1;\nmul.lo.u32 %r1, %r1, 32;\nbar.sync 0, %r1;", "", 1, 1024}),
               "other threads of its warp name another one");
  EXPECT_FAULT((Kernel{"bar.sync 16;"}), "there is no barrier 16");
  EXPECT_FAULT((Kernel{"bar.sync 1, 48;", "", 1, 64}), "a barrier for 48 threads of a block of 64");
  EXPECT_FAULT((Kernel{"bar.sync 1, 96;", "", 1, 64}), "a barrier for 96 threads of a block of 64");
  EXPECT_FAULT((Kernel{"bar.sync 1, %r1;"}), "uninitialised bits decide a barrier");
  EXPECT_FAULT((Kernel{"and.b32 %r1, %t, 32;\nadd.u32 %r1, %r1, 64;\nbar.sync 1, %r1;", "", 1, 96}), " threads, not ");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\nbar.sync 1, 64;\nbra.uni E;\nA:\n"
                       "bar.red.or.pred %p2, 1, 64, %p1;\nE:\nst.global.u32 [%o], %t;",
                       "", 1, 64}),
               "some threads vote and others do not");
}

// Those of one warp may come by two instructions where the barrier is not .aligned.
TEST(NamedBarrierTest, UnalignedBarriersTakeThreadsFromSeveralPlaces) {
  const auto text = [](const char* barrier) {
    return concat("setp.lt.u32 %p1, %t, 7;\n@%p1 bra A;\n", barrier, " 0;\nbra.uni E;\nA:\n", barrier,
                  " 0;\nE:\nst.global.u32 [%o], %t;");
  };
  EXPECT_EQ(run({text("barrier.sync"), "", 1, 64})[40], 40u);
  EXPECT_FAULT((Kernel{text("barrier.sync.aligned"), "", 1, 64}), "other threads of its warp are at another one");
  EXPECT_FAULT((Kernel{text("bar.sync"), "", 1, 64}), "other threads of its warp are at another one");
}

TEST(NamedBarrierTest, OtherFormsAreRefused) {
  EXPECT_REFUSED((Kernel{"bar.arrive 1;"}), "takes 2 operands");
  EXPECT_REFUSED((Kernel{"barrier.cluster.arrive;"}), "no instruction 'barrier.cluster.arrive'");
  EXPECT_REFUSED((Kernel{"bar.red.xor.pred %p1, 0, %p2;"}), "no instruction");
}

}  // namespace
}  // namespace fuser::ptx
