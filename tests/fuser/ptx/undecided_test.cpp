// Branches that undefined bits decide: threads may take them where nobody sees which side they take.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

constexpr const char* kFault = "uninitialised bits decide a predicate";

// Of threads below `from`, %p1 is whether %t is odd; of the others, nothing wrote it.
Kernel branching(const std::string& target, const std::string& next, int from = 20, const char* behind = "") {
  return {concat("setp.lt.u32 %p2, %t, ", from, R"(;
and.b32 %r1, %t, 1;
mov.u32 %r3, 7;
@!%p2 bra S;
setp.eq.u32 %p1, %r1, 1;
S:
@%p1 bra A;
)",
                 next, "\nbra.uni E;\nA:\n", target, "\nE:\n", behind, "\nst.global.u32 [%o], %r3;"),
          "", 2, 64};
}

void expectAll(const Kernel& kernel, uint32_t even, uint32_t odd, uint32_t others) {
  for (uint64_t order = 0; order < 4; ++order) {
    Kernel ordered = kernel;
    ordered.order = order;
    const std::vector<uint32_t> out = run(ordered);
    for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 64 >= 20 ? others : i % 2 == 0 ? even : odd) << i;
  }
}

TEST(UndecidedTest, SidesThatNobodySeesAreNoFault) {
  expectAll(branching("add.u32 %r4, %r1, 1;", "add.u32 %r5, %r1, 1;"), 7, 7, 7);
  expectAll(branching("mov.u32 %r3, 8;", "mov.u32 %r4, 9;\nsub.u32 %r3, %r4, 1;"), 8, 8, 8);
  // What only one side writes is a fault where it is read, and not before.
  expectAll(branching("mov.u32 %r3, 8;", "", 20, "@!%p2 mov.u32 %r3, 9;"), 7, 8, 9);
  EXPECT_FAULT(branching("mov.u32 %r3, 8;", ""), "thread 20: uninitialised bits are stored");
  EXPECT_FAULT(branching("", "mov.u32 %r3, 8;"), "thread 20: uninitialised bits are stored");
  EXPECT_FAULT(branching("mov.u32 %r3, %r6;", "mov.u32 %r3, %r6;"), "uninitialised bits are stored");
}

TEST(UndecidedTest, BitsThatAreTheSameOnBothSidesAreDefined) {
  expectAll(branching("mov.u32 %r3, 0x108;", "mov.u32 %r3, 0x208;", 20, "and.b32 %r3, %r3, 255;"), 8, 8, 8);
  EXPECT_FAULT(branching("mov.u32 %r3, 0x108;", "mov.u32 %r3, 0x208;", 20, "and.b32 %r3, %r3, 511;"),
               "uninitialised bits are stored");
}

TEST(UndecidedTest, WhatOthersSeeIsAFaultOnEitherSide) {
  for (const char* seen :
       {"st.global.u32 [%o], %t;", "atom.global.add.u32 %r4, [%o], 1;", "bar.sync 0;", "trap;", "bar.warp.sync -1;",
        "ld.volatile.global.u32 %r4, [%i];", "membar.gl;", "activemask.b32 %r4;", "vote.sync.any.pred %p3, %p2, -1;"}) {
    SCOPED_TRACE(seen);
    EXPECT_FAULT(branching(seen, ""), kFault);
    EXPECT_FAULT(branching("", seen), kFault);
  }
  // Behind a guard that does not hold for these threads it is not done.
  expectAll(branching("@%p2 st.global.u32 [%o], %t;", "@%p2 st.global.u32 [%o], %t;"), 7, 7, 7);
}

TEST(UndecidedTest, AccessesOfBothSidesAreChecked) {
  expectAll(branching("ld.global.u32 %r4, [%i];", ""), 7, 7, 7);
  EXPECT_FAULT(branching("ld.global.u32 %r4, [%i+100000];", ""), "out of bounds");
  EXPECT_FAULT(branching("", "ld.global.u32 %r4, [%i+100000];"), "out of bounds");
  EXPECT_FAULT(branching("ld.global.u32 %r4, [%d3];", ""), "uninitialised bits decide an address");
}

TEST(UndecidedTest, LoopsOfSidesEnd) {
  const char* loop = R"(
mov.u32 %r4, 0;
L:
add.u32 %r4, %r4, 1;
setp.lt.u32 %p3, %r4, 30;
@%p3 bra L;
sub.u32 %r3, %r4, 23;)";
  expectAll(branching(loop, ""), 7, 7, 7);
  EXPECT_FAULT(branching("L:\nadd.u32 %r4, %r1, 1;\nbra.uni L;", ""), kFault);
  EXPECT_FAULT((Kernel{"L:\n@%p1 bra L;\nst.global.u32 [%o], %t;"}), kFault);
}

TEST(UndecidedTest, SidesMayHaveSuchBranches) {
  const char* nested = "@%p1 bra N;\nadd.u32 %r4, %r1, 1;\nN:\nmov.u32 %r3, 8;";
  expectAll(branching(nested, "mov.u32 %r3, 8;"), 8, 8, 8);
  EXPECT_FAULT(branching("@%p1 bra N;\nst.global.u32 [%o], %t;\nN:\nmov.u32 %r3, 8;", "mov.u32 %r3, 8;"), kFault);
  // The sides of each meet before the next one: they do not double the ways through.
  std::string many;
  for (int i = 0; i < 40; ++i) many += concat("@%p1 bra N", i, ";\nadd.u32 %r4, %r4, 1;\nN", i, ":\n");
  expectAll(branching(many, ""), 7, 7, 7);
}

TEST(UndecidedTest, ThreadsMayEndOnBothSides) {
  const Kernel kernel{R"(
setp.lt.u32 %p2, %t, 20;
st.global.u32 [%o], %t;
@!%p2 bra S;
setp.eq.u32 %p1, %t, 3;
S:
@%p1 bra A;
@!%p2 ret;
st.global.u32 [%o], 1;
ret;
A:
@!%p2 ret;
st.global.u32 [%o], 2;)",
                      "", 1, 32};
  const std::vector<uint32_t> out = run(kernel);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i >= 20 ? i : i == 3 ? 2 : 1) << i;
}

}  // namespace
}  // namespace fuser::ptx
