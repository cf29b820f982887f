// Modifiers of loads, stores and atomics, and hints: in kernels.

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

TEST(AccessTest, HintsAtCachesChangeNothing) {
  const std::vector<uint32_t> out = run({R"(
createpolicy.fractional.L2::evict_last.b64 %d1, 0f3f800000;
prefetch.global.L1 [%i];
ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%i];
ld.weak.global.L2::cache_hint.u32 %r2, [%i], %d1;
nanosleep.u32 100;
add.u32 %r1, %r1, %r2;
st.global.L1::no_allocate.u32 [%o], %r1;)"});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2 * i);
}

TEST(AccessTest, TheSharedWindowOfItsOwnBlock) {
  const std::vector<uint32_t> out = run({R"(
mov.u32 %r1, s;
mad.lo.u32 %r1, %t, 4, %r1;
st.shared::cta.u32 [%r1], %t;
mov.u64 %d1, s;
cvta.shared::cta.u64 %d2, %d1;
isspacep.shared::cta %p1, %d2;
isspacep.global %p2, %d2;
isspacep.global %p3, %o;
selp.u32 %r2, 4, 0, %p1;
@%p2 add.u32 %r2, %r2, 2;
@%p3 add.u32 %r2, %r2, 1;
ld.shared.u32 %r3, [%r1];
mad.lo.u32 %r2, %r3, 10, %r2;
st.global.u32 [%o], %r2;)",
                                         ".shared .align 4 .b8 s[128];"});
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 10 * i + 5);
  EXPECT_REFUSED((Kernel{"ld.shared::cluster.u32 %r1, [%r2];"}), "no instruction 'ld.shared::cluster.u32'");
}

// One block stores and says so; the other one waits for that and reads.
TEST(AccessTest, ReleaseAndAcquireOrderWhatIsAround) {
  const auto text = [](const char* store, const char* load) {
    return concat(R"(
setp.ne.u32 %p1, %c, 0;
@%p1 bra WAIT;
st.global.u32 [%b], 77;
)",
                  store, R"( [flag], 1;
bra.uni END;
WAIT:
)",
                  load, R"( %r1, [flag];
setp.eq.u32 %p2, %r1, 0;
@%p2 bra WAIT;
ld.global.u32 %r2, [%b];
st.global.u32 [%b+4], %r2;
END:)");
  };
  const auto kernel = [&](const char* store, const char* load) {
    return Kernel{text(store, load), ".global .align 4 .u32 flag;", 2, 1, 0, true};
  };
  EXPECT_EQ(run(kernel("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"))[1], 77u);
  EXPECT_FAULT(kernel("st.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32"), "race");
  EXPECT_FAULT(kernel("st.release.gpu.global.u32", "ld.relaxed.gpu.global.u32"), "race");
  EXPECT_EQ(run(kernel("red.release.gpu.global.add.u32", "ld.acquire.gpu.global.u32"))[1], 77u);
}

TEST(AccessTest, AtomicsAddHalves) {
  const auto after = [](const std::string& atomics) {
    return run({concat("st.global.u32 [%o], 0x40000001;\nmov.b32 %r2, 0x3c004000;\nmov.b16 %h1, 0x3c00;\n", atomics,
                       "\nld.global.u32 %r1, [%o];\nst.global.u32 [%o], %r1;"),
                "", 1, 1, 0, true})[0];
  };
  EXPECT_EQ(after("red.global.add.noftz.f16x2 [%o], %r2;"), 0x42004000u);  // 2 + 1 and 2^-24 + 2
  EXPECT_EQ(after("red.global.add.noftz.f16x2 [%o], 0x00000001;"), 0x40000002u);
  EXPECT_EQ(after("atom.global.add.noftz.f16 %h2, [%o+2], %h1;"), 0x42000001u);
  EXPECT_EQ(after("red.global.add.noftz.bf16 [%o+2], 0x3f80;"), 0x40400001u);
  EXPECT_EQ(after("red.global.add.noftz.bf16x2 [%o], 0x3f803f80;"), 0x40403f80u);
  EXPECT_EQ(after("atom.global.cas.b16 %h2, [%o], 1, 7;"), 0x40000007u);
  EXPECT_REFUSED((Kernel{"atom.global.add.f16 %h1, [%o], %h2;"}), "no instruction");
  EXPECT_REFUSED((Kernel{"atom.global.max.noftz.f16x2 %r1, [%o], %r2;"}), "no instruction");
}

}  // namespace
}  // namespace fuser::ptx
