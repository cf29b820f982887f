// Branches by an index, and calls behind guards.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

std::string byIndex(const std::string& branch) {
  return concat(R"(
rem.u32 %r2, %t, 4;
setp.lt.u32 %p1, %t, 20;
mov.u32 %r1, 5;
)",
                branch, R"(
add.u32 %r1, %r1, 1;
bra.uni END;
list: .branchtargets A, B, A, C;
A:
add.u32 %r1, %r1, 10;
bra.uni END;
B:
add.u32 %r1, %r1, 100;
C:
add.u32 %r1, %r1, 1000;
END:
activemask.b32 %r3;
setp.ne.u32 %p2, %r3, -1;
@%p2 mov.u32 %r1, 7;
st.global.u32 [%o], %r1;)");
}

TEST(BranchTest, IndicesChooseFromTheirList) {
  for (uint64_t order = 0; order < 8; ++order) {
    const std::vector<uint32_t> out = run({byIndex("brx.idx %r2, list;"), "", 1, 32, order});
    const std::vector<uint32_t> guarded = run({byIndex("@%p1 brx.idx %r2, list;"), "", 1, 32, order});
    const std::vector<uint32_t> negated = run({byIndex("@!%p1 brx.idx %r2, list;"), "", 1, 32, order});
    for (uint32_t i = 0; i < 32; ++i) {
      const uint32_t chosen = i % 2 == 0 ? 15 : i % 4 == 1 ? 1105 : 1005;
      EXPECT_EQ(out[i], chosen);
      EXPECT_EQ(guarded[i], i < 20 ? chosen : 6u);
      EXPECT_EQ(negated[i], i < 20 ? 6u : chosen);
    }
  }
}

TEST(BranchTest, IndicesBehindTheListAreFaults) {
  EXPECT_FAULT((Kernel{byIndex("brx.idx %t, list;")}), "thread 4: an index behind the list of branches");
  EXPECT_FAULT((Kernel{byIndex("brx.idx %r9, list;")}), "uninitialised bits decide a predicate");
  EXPECT_REFUSED((Kernel{"brx.idx %t, END;\nEND:\nadd.u32 %r1, %t, 1;"}), "a branch to no list of labels");
  EXPECT_REFUSED((Kernel{"list: .branchtargets NONE;\nbrx.idx %t, list;"}), "there is no 'NONE'");
  EXPECT_REFUSED((Kernel{"list: .branchtargets E;\nlist: .branchtargets E;\nE:\nadd.u32 %r1, %t, 1;"}),
                 "list 'list' is there twice");
}

TEST(BranchTest, CallsBehindGuardsAreOfTheirThreadsAlone) {
  const std::string function = R"(
.func (.param .b32 result) plus(.param .b32 a)
{
.reg .b32 %x<4>;
ld.param.b32 %x1, [a];
add.s32 %x2, %x1, 100;
st.param.b32 [result], %x2;
ret;
})";
  const auto call = [](const char* guard) {
    return concat(
        "{\n.param .b32 one;\n.param .b32 back;\nsetp.lt.u32 %p1, %t, 9;\nst.param.b32 [one], %t;\n"
        "st.param.b32 [back], 7;\n",
        guard, " call.uni (back), plus, (one);\nld.param.b32 %r1, [back];\n}\nst.global.u32 [%o], %r1;");
  };
  const std::vector<uint32_t> out = run({call("@%p1"), function}), negated = run({call("@!%p1"), function});
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i < 9 ? i + 100 : 7);
    EXPECT_EQ(negated[i], i < 9 ? 7 : i + 100);
  }
}

}  // namespace
}  // namespace fuser::ptx
