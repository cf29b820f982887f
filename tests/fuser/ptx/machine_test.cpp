// Kernels of a few instructions on the machine: what they leave in memory, or the fault that they are.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

TEST(MachineTest, EachThreadHasItsPlace) {
  const std::vector<uint32_t> out =
      run({"ld.global.u32 %r1, [%i];\nadd.s32 %r1, %r1, 5;\nst.global.u32 [%o], %r1;", "", 3, 70});
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i + 5);
}

TEST(MachineTest, GuardsAndBranchesPartTheLanes) {
  const char* body = R"(
and.b32 %r1, %t, 3;
setp.eq.s32 %p1, %r1, 0;
setp.lt.u32 %p2, %t, 16;
mov.u32 %r2, 0;
@%p1 bra A;
add.s32 %r2, %r2, 1;
@!%p2 bra B;
add.s32 %r2, %r2, 10;
B:
@%p2 add.s32 %r2, %r2, 100;
bra.uni C;
A:
add.s32 %r2, %r2, 1000;
C:
st.global.u32 [%o], %r2;)";
  for (uint64_t order = 0; order < 8; ++order) {
    const std::vector<uint32_t> out = run({body, "", 1, 32, order});
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 4 == 0 ? 1000u : i < 16 ? 111u : 1u) << i;
  }
}

// Each lane runs as often as its number.
TEST(MachineTest, LoopsEndLaneByLane) {
  const std::vector<uint32_t> out = run({R"(
mov.u32 %r1, 0;
mov.u32 %r2, 0;
L:
setp.ge.u32 %p1, %r1, %t;
@%p1 bra E;
add.s32 %r2, %r2, %r1;
add.s32 %r1, %r1, 1;
bra.uni L;
E:
st.global.u32 [%o], %r2;)"});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i * (i - 1) / 2 * (i > 0));
}

TEST(MachineTest, LanesThatEndAreNotWaitedFor) {
  const std::vector<uint32_t> out = run({R"(
setp.lt.u32 %p1, %t, 7;
mov.u32 %r1, 1;
st.global.u32 [%o], %r1;
@%p1 bra E;
bar.warp.sync 0xffffff80;
mov.u32 %r1, 2;
st.global.u32 [%o], %r1;
ret;
E:)"});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 7 ? 1u : 2u);
}

// A lock: whoever has it adds; the others spin. Each lane leaves the loop before it gives the lock back.
TEST(MachineTest, SpinningLanesGiveWay) {
  const Kernel kernel{R"(
L:
atom.global.cas.b32 %r1, [%b], 0, 1;
setp.ne.s32 %p1, %r1, 0;
@%p1 bra L;
membar.gl;
ld.volatile.global.u32 %r2, [%b+4];
add.s32 %r2, %r2, 1;
st.volatile.global.u32 [%b+4], %r2;
membar.gl;
atom.global.exch.b32 %r1, [%b], 0;)", "", 2, 40, 0, true};
  EXPECT_EQ(run(kernel)[1], 80u);
}

TEST(MachineTest, LocksThatAreNeverFreeAreADeadlock) {
  EXPECT_FAULT(
      (Kernel{"L:\nld.volatile.global.u32 %r1, [%b];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;", "", 2, 32, 0, true}),
      "deadlock: block ");
}

TEST(MachineTest, BlocksMeetByCounting) {
  const std::string body = concat("st.global.u32 [%o], %r19;\nbar.sync 0;", meetingOf(4), R"(bar.sync 0;
sub.s32 %r2, 159, %r19;
mul.wide.u32 %d1, %r2, 4;
add.s64 %d1, %b, %d1;
ld.global.u32 %r3, [%d1];
add.s32 %r4, %r3, 1;
bar.sync 0;)");
  // Of memory with values: what is not yet written is no fault, and the race alone is found.
  const Kernel kernel{body, ".global .align 4 .u32 count;", 4, 40, 0, true};
  EXPECT_EQ(run(kernel).size(), 160u);
  EXPECT_FAULT(changed(kernel, "bar.sync 0;\n", "", 0), "race");
  EXPECT_FAULT(changed(kernel, "bar.sync 0;\n", "", 1), "race");
  EXPECT_FAULT(changed(kernel, "membar.gl;\n", "", 0), "race");
  EXPECT_FAULT(changed(kernel, "membar.gl;\n", "", 1), "race");
}

// What all blocks have read is written by one of them behind their meeting.
TEST(MachineTest, BlocksMayWriteWhatOthersReadBeforeTheyMeet) {
  const Kernel kernel{R"(
ld.global.u32 %r5, [%b];
setp.ne.s32 %p1, %t, 0;
bar.sync 0;
@%p1 bra B;
membar.gl;
atom.global.add.u32 %r1, [count], 1;
L:
ld.volatile.global.u32 %r1, [count];
setp.lt.u32 %p2, %r1, 3;
@%p2 bra L;
membar.gl;
setp.ne.s32 %p3, %c, 1;
@%p3 bra B;
st.global.u32 [%b], 7;
B:)", ".global .align 4 .u32 count;", 3, 40, 0, true};
  EXPECT_EQ(run(kernel)[0], 7u);
}

TEST(MachineTest, AccessesStayInTheirBuffers) {
  EXPECT_FAULT((Kernel{"st.global.u32 [%o+4], %t;"}),
               "thread 31: out of bounds: byte 128 of out, which has 128 (PTX line");
  EXPECT_FAULT((Kernel{"ld.global.u32 %r1, [%i+-4];"}), "thread 0: out of bounds: byte 1099511627772 of out");
  EXPECT_FAULT((Kernel{"ld.global.u32 %r1, [%i+2];"}), "misaligned: 4 bytes");
  EXPECT_FAULT((Kernel{"st.global.u32 [%i], %t;"}), "a store into in, which is an input");
  EXPECT_FAULT((Kernel{"mov.u64 %d1, 0;\nld.global.u32 %r1, [%d1];"}), "is in no tensor");
  EXPECT_FAULT((Kernel{"ld.shared.u32 %r1, [s+16];", ".shared .align 4 .b8 s[16];"}),
               "out of bounds: byte 16 of shared memory");
  EXPECT_FAULT((Kernel{"ld.shared.u32 %r1, [%o];"}), "of shared memory");
}

// NVRTC leaves the half that is not read to a register that nothing wrote.
TEST(MachineTest, ADotProductOfHalvesReadsHalfOfTheBytes) {
  const auto kernel = [](const std::string& half, const std::string& bytes) {
    return Kernel{concat("mov.b32 %r1, 3;\nmov.b16 %h1, 5;\nmov.b32 %r2, ", bytes, ";\ndp2a.", half,
                         ".s32.s32 %r3, %r1, %r2, %r1;\nst.global.u32 [%o], %r3;"),
                  "", 1, 1};
  };
  EXPECT_EQ(run(kernel("lo", "{%h1, %h2}"))[0], 3u * 5 + 3);
  EXPECT_EQ(run(kernel("hi", "{%h2, %h1}"))[0], 3u * 5 + 3);
  EXPECT_FAULT(kernel("lo", "{%h2, %h1}"), "uninitialised bits are stored");
  EXPECT_FAULT(kernel("hi", "{%h1, %h2}"), "uninitialised bits are stored");
}

TEST(MachineTest, WhatNothingWroteDecidesNothing) {
  EXPECT_FAULT((Kernel{"ld.global.u32 %r1, [%o];"}), "uninitialised: it reads element 0 of out, which nothing wrote");
  EXPECT_FAULT((Kernel{"st.global.u32 [%o], %r1;"}), "uninitialised bits are stored");
  EXPECT_FAULT((Kernel{"setp.eq.s32 %p1, %r1, 0;\n@%p1 st.global.u32 [%o], %t;"}),
               "uninitialised bits decide a predicate");
  EXPECT_FAULT((Kernel{"ld.global.u32 %r1, [%d1];"}), "uninitialised bits decide an address");
  EXPECT_FAULT((Kernel{"ld.shared.u32 %r1, [s];\nst.global.u32 [%o], %r1;", ".shared .align 4 .b8 s[16];"}),
               "uninitialised bits are stored");
}

// Half of %r1 is written by nobody, and shifted or masked away.
TEST(MachineTest, UndefinedBitsThatAreCutAwayAreNoFault) {
  for (const char* cut : {"shl.b32 %r2, %r1, 16;\nshr.u32 %r2, %r2, 16;", "and.b32 %r2, %r1, 65535;",
                          "prmt.b32 %r2, %r1, 0, 0x4410;", "cvt.u16.u32 %h3, %r1;\ncvt.u32.u16 %r2, %h3;",
                          "bfe.u32 %r2, %r1, 0, 16;", "mov.b32 {%h3, _}, %r1;\ncvt.u32.u16 %r2, %h3;"}) {
    const std::vector<uint32_t> out =
        run({concat("cvt.u16.u32 %h1, %t;\nmov.b32 %r1, {%h1, %h2};\n", cut, "\nst.global.u32 [%o], %r2;")});
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i) << cut;
  }
  EXPECT_FAULT(
      (Kernel{"cvt.u16.u32 %h1, %t;\nmov.b32 %r1, {%h1, %h2};\nadd.s32 %r1, %r1, 1;\nst.global.u32 [%o], %r1;"}),
      "uninitialised bits are stored");
}

TEST(MachineTest, ZerosAndOnesDecideMasksOfUndefinedBits) {
  EXPECT_FAULT((Kernel{"and.b32 %r1, %r2, %r3;\nst.global.u32 [%o], %r1;"}), "uninitialised bits are stored");
  EXPECT_FAULT((Kernel{"and.b32 %r1, %r2, 255;\nst.global.u32 [%o], %r1;"}), "uninitialised bits are stored");
  EXPECT_FAULT((Kernel{"or.b32 %r1, %r2, 255;\nst.global.u32 [%o], %r1;"}), "uninitialised bits are stored");
  EXPECT_EQ(run({"or.b32 %r1, %r2, -1;\nst.global.u32 [%o], %r1;"})[3], ~0u);
  EXPECT_EQ(run({"and.b32 %r1, %r2, 0;\nst.global.u32 [%o], %r1;"})[3], 0u);
}

TEST(MachineTest, SharedMemoryNeedsBarriers) {
  const std::string shared = ".shared .align 4 .b8 s[4096];";
  const auto exchange = [](const char* between, const char* behind = "") {
    return concat(
        "shl.b32 %r1, %t, 2;\nmov.u32 %r2, s;\nadd.s32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %t;\n", between,
        "\nsub.s32 %r4, %n, %t;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r4, %r2;\nld.shared.u32 %r5, [%r4+-4];\n", behind,
        "\nst.global.u32 [%o], %r5;");
  };
  const std::vector<uint32_t> out = run({exchange("bar.sync 0;"), shared, 2, 64});
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], 63 - i);
  EXPECT_FAULT((Kernel{exchange(""), shared, 1, 64}), "uninitialised");
  // Lanes of one warp run at once, which orders nothing; a barrier of the warp does.
  EXPECT_FAULT((Kernel{exchange(""), shared, 1, 32}), "race: it reads what thread ");
  EXPECT_EQ(run({exchange("bar.warp.sync -1;"), shared, 1, 32})[0], 31u);
  EXPECT_FAULT((Kernel{exchange("bar.warp.sync -1;"), shared, 1, 64}), "uninitialised");
  EXPECT_FAULT((Kernel{exchange("bar.sync 0;", "st.shared.u32 [%r3], %t;"), shared, 1, 64}), "race: it ");
  EXPECT_FAULT((Kernel{exchange("bar.sync 0;", "st.shared.u32 [%r3], %t;"), shared, 1, 32}), "race: it writes what ");
}

TEST(MachineTest, DivergentBarriersAreFaults) {
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 5;\n@%p1 bar.sync 0;"}), "divergent barrier: other threads of its warp");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 5;\n@%p1 bra E;\nbar.sync 0;\nE:\nst.global.u32 [%o], %t;"}),
               "divergent barrier: other threads of its warp do not come");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 32;\n@%p1 bra E;\nbar.sync 0;\nE:\nst.global.u32 [%o], %t;", "", 1, 64}),
               "divergent barrier: another warp of the block has ended");
}

TEST(MachineTest, WritesOfSeveralThreadsAreRaces) {
  EXPECT_FAULT((Kernel{"st.global.u32 [%b], %t;"}), "writes it, too (element 0 of out)");
  EXPECT_FAULT((Kernel{"mov.u32 %r1, 7;\nst.global.u32 [%b], %r1;", "", 2, 1}), "race: thread 0 of block ");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 31;\n@%p1 ld.global.u32 %r1, [%o+4];\nst.global.u32 [%o], %t;", "", 1, 32,
                       0, true}),
               "race: it writes what thread 0 of block 0 reads (element 1 of out)");
  EXPECT_EQ(run({"red.global.add.u32 [%b], 1;", "", 3, 50, 0, true})[0], 150u);
}

// 0x400000 is half of the least normal number.
TEST(MachineTest, AtomicsFlushSubnormalNumbersInGlobalMemoryAlone) {
  const std::vector<uint32_t> global =
      run({"mov.f32 %f1, 0f00400000;\nred.global.add.f32 [%o], %f1;", "", 1, 1, 0, true});
  EXPECT_EQ(global[0], 0u);
  const char* shared =
      "mov.f32 %f1, 0f00400000;\nst.shared.f32 [s], %f1;\natom.shared.add.f32 %f2, [s], %f1;\n"
      "ld.shared.u32 %r1, [s];\nst.global.u32 [%o], %r1;";
  EXPECT_EQ(run({shared, ".shared .align 4 .b8 s[4];", 1, 1})[0], 0x00800000u);
}

TEST(MachineTest, ShufflesReadOtherLanes) {
  const auto lanes = [](const std::string& instruction) {
    return run({concat(instruction, "\nst.global.u32 [%o], %r1;")});
  };
  const std::vector<uint32_t> across = lanes("shfl.sync.bfly.b32 %r1, %t, 5, 31, -1;");
  const std::vector<uint32_t> down = lanes("shfl.sync.down.b32 %r1|%p1, %t, 3, 31, -1;\n@!%p1 mov.u32 %r1, 99;");
  const std::vector<uint32_t> up = lanes("shfl.sync.up.b32 %r1|%p1, %t, 3, 0, -1;\n@!%p1 mov.u32 %r1, 99;");
  const std::vector<uint32_t> of8 = lanes("shfl.sync.idx.b32 %r1, %t, 2, 0x181f, -1;");
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(across[i], i ^ 5);
    EXPECT_EQ(down[i], i < 29 ? i + 3 : 99);
    EXPECT_EQ(up[i], i >= 3 ? i - 3 : 99);
    EXPECT_EQ(of8[i], i / 8 * 8 + 2);
  }
}

TEST(MachineTest, ShufflesFromLanesThatAreNotThereAreUndefined) {
  EXPECT_FAULT((Kernel{"setp.ge.u32 %p1, %t, 16;\n@%p1 bra E;\nshfl.sync.bfly.b32 %r1, %t, 16, 31, 0xffff;\n"
                       "st.global.u32 [%o], %r1;\nE:"}),
               "uninitialised bits are stored");
  EXPECT_FAULT((Kernel{"shfl.sync.bfly.b32 %r1, %t, 16, 31, 0xffff;\nst.global.u32 [%o], %r1;", "", 1, 16}),
               "uninitialised bits are stored");
  EXPECT_FAULT(
      (Kernel{
          "setp.lt.u32 %p1, %t, 5;\n@%p1 bra E;\nshfl.sync.bfly.b32 %r1, %t, 1, 31, -1;\nE:\nst.global.u32 [%o], %t;"}),
      "it waits for threads of its warp that do not come");
  EXPECT_FAULT((Kernel{"shfl.sync.bfly.b32 %r1, %t, 1, 31, 0xff;"}), "is no member itself");
}

TEST(MachineTest, VotesAndMasks) {
  const std::vector<uint32_t> ballot =
      run({"setp.lt.u32 %p1, %t, 5;\nvote.sync.ballot.b32 %r1, %p1, -1;\nst.global.u32 [%o], %r1;"});
  EXPECT_EQ(ballot[7], 31u);
  const std::vector<uint32_t> all =
      run({"setp.lt.u32 %p1, %t, 32;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r1, 1, 2, "
           "%p2;\nst.global.u32 [%o], %r1;"});
  EXPECT_EQ(all[7], 1u);
  const std::vector<uint32_t> mask = run({"activemask.b32 %r1;\nst.global.u32 [%o], %r1;", "", 1, 20});
  EXPECT_EQ(mask[7], (1u << 20) - 1);
}

TEST(MachineTest, CarriesGoThrough) {
  const std::vector<uint32_t> out = run({R"(
mov.u32 %r1, 0xffffffff;
add.cc.u32 %r2, %r1, %t;
addc.u32 %r3, 5, 0;
sub.cc.u32 %r4, 0, %t;
subc.u32 %r5, 9, 0;
mad.lo.cc.u32 %r6, %r1, %t, 3;
madc.hi.u32 %r7, %r1, %t, 0;
mad.lo.s32 %r8, %r3, 100, %r5;
mad.lo.s32 %r8, %r8, 1000, %r7;
st.global.u32 [%o], %r8;)"});
  for (uint64_t t = 0; t < 32; ++t) {
    const uint64_t product = 0xffffffffull * t + 3;
    EXPECT_EQ(out[t], ((t > 0 ? 6u : 5u) * 100 + (t > 0 ? 8u : 9u)) * 1000 + (product >> 32)) << t;
  }
}

TEST(MachineTest, FunctionsHaveTheirParameters) {
  const char* function = R"(
.func (.param .b32 result) twice(.param .b32 a, .param .align 8 .b8 b[8])
{
.reg .b32 %x<4>;
.reg .pred %q;
ld.param.b32 %x1, [a];
ld.param.b32 %x2, [b+4];
setp.lt.u32 %q, %x1, 8;
@%q bra SMALL;
add.s32 %x3, %x1, %x2;
st.param.b32 [result], %x3;
ret;
SMALL:
st.param.b32 [result], %x1;
ret;
})";
  const std::vector<uint32_t> out = run({R"({
.param .b32 one;
.param .align 8 .b8 two[8];
.param .b32 back;
st.param.b32 [one], %t;
st.param.b32 [two+4], 1000;
call.uni (back), twice, (one, two);
ld.param.b32 %r1, [back];
}
st.global.u32 [%o], %r1;)",
                                         function});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 ? i : i + 1000);
}

TEST(MachineTest, TablesAndLocalMemory) {
  const std::vector<uint32_t> out = run({R"({
.local .align 8 .b8 depot[16];
and.b32 %r1, %t, 3;
mul.wide.u32 %d2, %r1, 4;
mov.u64 %d3, table;
add.s64 %d3, %d3, %d2;
ld.global.nc.u32 %r2, [%d3];
mov.u64 %d5, depot;
cvta.local.u64 %d1, %d5;
add.s64 %d4, %d1, %d2;
st.u32 [%d4], %r2;
add.s64 %d6, %d5, %d2;
ld.local.u32 %r3, [%d6];
}
st.global.u32 [%o], %r3;)",
                                         ".global .align 4 .u32 table[4] = {7, 8, 9, 10};"});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 7 + i % 4);
}

TEST(MachineTest, UnknownInstructionsAreLocated) {
  try {
    run({"tcgen05.wait::ld.sync.aligned;"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_TRUE(contains(error.what(), "test.ptx:22:1: no instruction 'tcgen05.wait")) << error.what();
  }
}

}  // namespace
}  // namespace fuser::ptx
