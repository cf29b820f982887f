// What the lanes of a warp do together: matches, reductions, elections, and lanes that name members of their own.

#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

std::vector<uint32_t> lanes(const std::string& body) { return run({concat(body, "\nst.global.u32 [%o], %r1;")}); }

TEST(WarpInstructionsTest, MatchesAreTheLanesOfTheSameValue) {
  const std::vector<uint32_t> any = lanes("rem.u32 %r2, %t, 3;\nmatch.any.sync.b32 %r1, %r2, -1;");
  const std::vector<uint32_t> wide =
      lanes("mul.wide.u32 %d1, %t, 0x80000000;\nand.b64 %d1, %d1, 0x300000000;\nmatch.any.sync.b64 %r1, %d1, -1;");
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t expected = 0, expectedWide = 0;
    for (uint32_t k = 0; k < 32; ++k) {
      expected |= (i % 3 == k % 3) << k;
      expectedWide |= (i / 2 % 4 == k / 2 % 4) << k;
    }
    EXPECT_EQ(any[i], expected);
    EXPECT_EQ(wide[i], expectedWide);
  }
}

TEST(WarpInstructionsTest, AllMatchOrNoneDoes) {
  const std::string select = "\n@%p1 add.u32 %r1, %r1, 7;";
  EXPECT_EQ(lanes("mov.u32 %r2, 5;\nmatch.all.sync.b32 %r1|%p1, %r2, -1;" + select)[9], 6u);  // all ones + 7
  EXPECT_EQ(lanes("match.all.sync.b32 %r1|%p1, %t, -1;" + select)[9], 0u);
  EXPECT_EQ(lanes("shr.u32 %r2, %t, 5;\nmatch.all.sync.b32 %r1, %r2, -1;")[9], ~0u);
  EXPECT_FAULT((Kernel{"match.any.sync.b32 %r1, %r2, -1;"}), "uninitialised bits decide a match");
}

TEST(WarpInstructionsTest, ReductionsAreOfAllMembers) {
  const std::string values = "mul.lo.u32 %r2, %t, 0x9e3779b9;\n";
  const auto reduced = [&](const char* what) {
    return lanes(concat(values, "redux.sync.", what, " %r1, %r2, -1;"))[11];
  };
  uint32_t sum = 0, least = ~0u, most = 0, all = ~0u, some = 0, odd = 0;
  int32_t leastSigned = 0x7fffffff, mostSigned = -0x7fffffff;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t value = i * 0x9e3779b9;
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
    leastSigned = std::min(leastSigned, static_cast<int32_t>(value));
    mostSigned = std::max(mostSigned, static_cast<int32_t>(value));
    all &= value;
    some |= value;
    odd ^= value;
  }
  EXPECT_EQ(reduced("add.u32"), sum);
  EXPECT_EQ(reduced("add.s32"), sum);
  EXPECT_EQ(reduced("min.u32"), least);
  EXPECT_EQ(reduced("max.u32"), most);
  EXPECT_EQ(reduced("min.s32"), static_cast<uint32_t>(leastSigned));
  EXPECT_EQ(reduced("max.s32"), static_cast<uint32_t>(mostSigned));
  EXPECT_EQ(reduced("and.b32"), all);
  EXPECT_EQ(reduced("or.b32"), some);
  EXPECT_EQ(reduced("xor.b32"), odd);
  EXPECT_REFUSED((Kernel{"redux.sync.and.u32 %r1, %t, -1;"}), "no instruction");
  EXPECT_REFUSED((Kernel{"redux.sync.min.f32 %r1, %t, -1;"}), "no instruction");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 9;\n@%p1 mov.u32 %r2, 1;\nredux.sync.add.u32 %r1, %r2, -1;\n"
                       "st.global.u32 [%o], %r1;"}),
               "uninitialised bits are stored");
}

TEST(WarpInstructionsTest, OneMemberIsElected) {
  const std::vector<uint32_t> out = lanes(R"(
mov.u32 %r1, 100;
setp.lt.u32 %p2, %t, 5;
@%p2 bra E;
elect.sync %r2|%p1, 0xffffffe0;
@%p1 mov.u32 %r1, 200;
add.u32 %r1, %r1, %r2;
E:)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 5 ? 100u : i == 5 ? 205u : 105u);
}

// --- members that differ ---

// Quarters of the warp, each of which names itself.
constexpr const char* kQuarters = "and.b32 %r10, %t, 24;\nshl.b32 %r11, 255, %r10;\n";

TEST(WarpInstructionsTest, PartsOfAWarpMeetEachOnItsOwn) {
  const std::vector<uint32_t> sums = lanes(concat(kQuarters, "redux.sync.add.u32 %r1, %t, %r11;"));
  const std::vector<uint32_t> votes =
      lanes(concat(kQuarters, "setp.eq.u32 %p1, %t, 10;\nvote.sync.ballot.b32 %r1, %p1, %r11;"));
  const std::vector<uint32_t> across = lanes(concat(kQuarters, "shfl.sync.bfly.b32 %r1, %t, 3, 31, %r11;"));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(sums[i], 8 * (i / 8 * 8) + 28);
    EXPECT_EQ(votes[i], i / 8 == 1 ? 1u << 10 : 0u);
    EXPECT_EQ(across[i], i ^ 3);
  }
  EXPECT_FAULT((Kernel{concat(kQuarters, "shfl.sync.bfly.b32 %r1, %t, 8, 31, %r11;\nst.global.u32 [%o], %r1;")}),
               "uninitialised bits are stored");
}

TEST(WarpInstructionsTest, AGuardLetsTheOthersPassByAMeeting) {
  const std::vector<uint32_t> out = run({R"(
setp.lt.u32 %p1, %t, 16;
mov.u32 %r1, %t;
@%p1 shfl.sync.bfly.b32 %r1, %t, 1, 31, 0xffff;
@!%p1 bar.warp.sync 0xffff0000;
add.s32 %r1, %r1, 100;
st.global.u32 [%o], %r1;)"});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 100 + (i < 16 ? i ^ 1 : i));
}

// Behind the parts' meeting all lanes are together again.
TEST(WarpInstructionsTest, PartsJoinBehindTheirMeeting) {
  EXPECT_EQ(lanes(concat(kQuarters, "redux.sync.add.u32 %r2, %t, %r11;\nactivemask.b32 %r1;"))[3], ~0u);
}

TEST(WarpInstructionsTest, PartsWaitForTheirOwnMembers) {
  const std::vector<uint32_t> out = lanes(R"(
and.b32 %r2, %t, 1;
setp.eq.u32 %p1, %r2, 0;
selp.b32 %r3, 0x55555555, 0xaaaaaaaa, %p1;
setp.lt.u32 %p2, %t, 16;
@%p2 bra A;
nanosleep.u32 1;
A:
redux.sync.max.u32 %r1, %t, %r3;)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 30 + i % 2);
  // Each half of the warp comes on its own: lanes of both parts wait at once.
  const std::vector<uint32_t> twice = lanes(R"(
and.b32 %r2, %t, 1;
setp.eq.u32 %p1, %r2, 0;
selp.b32 %r3, 0x55555555, 0xaaaaaaaa, %p1;
setp.lt.u32 %p2, %t, 16;
setp.gt.u32 %p3, %t, 40;
mov.u32 %r1, 0;
@%p2 bra A;
@%p3 bra OUT;
A:
redux.sync.add.u32 %r1, %t, %r3;
OUT:)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(twice[i], 240 + i % 2 * 16);
  EXPECT_FAULT((Kernel{"and.b32 %r2, %t, 16;\nshl.b32 %r3, 255, %r2;\nredux.sync.max.u32 %r1, %t, %r3;"}),
               "is no member itself");
  EXPECT_FAULT((Kernel{"setp.lt.u32 %p1, %t, 16;\nselp.b32 %r3, -1, 0xffff0000, %p1;\nbar.warp.sync %r3;"}),
               "it waits for threads of its warp that do not come");
}

// Each part reads what its own lanes wrote.
TEST(WarpInstructionsTest, BarriersOfAPartOrderItsAccesses) {
  const auto exchange = [](const char* barrier, int distance, const char* behind = "") {
    return concat(kQuarters, "shl.b32 %r1, %t, 2;\nmov.u32 %r2, s;\nadd.u32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %t;\n",
                  barrier, "\nxor.b32 %r4, %t, ", distance,
                  ";\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r2;\nld.shared.u32 %r1, [%r4];\n", behind,
                  "\nst.global.u32 [%o], %r1;");
  };
  const std::string shared = ".shared .align 4 .b8 s[128];";
  const std::vector<uint32_t> out = run({exchange("bar.warp.sync %r11;", 5), shared});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 5);
  EXPECT_FAULT((Kernel{exchange("", 5), shared}), "race");
  EXPECT_FAULT((Kernel{exchange("bar.warp.sync %r11;", 8), shared}), "race: it reads what thread 8");
  EXPECT_FAULT((Kernel{exchange("bar.warp.sync %r11;", 5, "st.shared.u32 [%r3], %t;"), shared}), "race: it writes");
  const char* behind = "bar.warp.sync %r11;\nst.shared.u32 [%r3], %t;";
  EXPECT_EQ(run({exchange("bar.warp.sync %r11;", 5, behind), shared})[0], 5u);
}

// A lane passes on what others of its part did before their barrier.
TEST(WarpInstructionsTest, BarriersOfAPartCountForWhatItsLanesPassOn) {
  const auto text = [](const char* barrier) {
    return concat(R"(
mov.u32 %r10, 0xff;
setp.ne.u32 %p1, %c, 0;
setp.ne.u32 %p2, %t, 0;
setp.gt.u32 %p3, %t, 7;
@%p3 bra END;
@%p1 bra WAIT;
st.global.u32 [%o], %t;
)",
                  barrier, R"(
@%p2 bra END;
membar.gl;
st.relaxed.gpu.global.u32 [flag], 1;
bra.uni END;
WAIT:
@%p2 bra END;
SPIN:
ld.relaxed.gpu.global.u32 %r1, [flag];
setp.eq.u32 %p4, %r1, 0;
@%p4 bra SPIN;
membar.gl;
ld.global.u32 %r2, [%b+12];
st.global.u32 [%o], %r2;
END:)");
  };
  const std::string flag = ".global .align 4 .u32 flag;";
  EXPECT_EQ(run({text("bar.warp.sync %r10;"), flag, 2, 32, 0, true})[32], 3u);
  EXPECT_FAULT((Kernel{text(""), flag, 2, 32, 0, true}), "race");
}

}  // namespace
}  // namespace fuser::ptx
