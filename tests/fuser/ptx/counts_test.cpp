// What a launch executes, counted.

#include "fuser/ptx/counts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "fuser/ptx/launch.h"

namespace fuser::ptx {
namespace {

std::array<uint64_t, kLanes> offsetsOf(uint64_t first, uint64_t step) {
  std::array<uint64_t, kLanes> offsets{};
  for (size_t lane = 0; lane < kLanes; ++lane) offsets[lane] = first + lane * step;
  return offsets;
}

TEST(WavefrontsTest, ArePassesOfThirtyTwoBanks) {
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 4), kAllLanes, 4), 1);
  EXPECT_EQ(wavefrontsOf(offsetsOf(64, 0), kAllLanes, 4), 1);  // one word for all
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 8), kAllLanes, 4), 2);
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 128), kAllLanes, 4), 32);
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 132), kAllLanes, 4), 1);  // padded rows
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 1), kAllLanes, 1), 1);
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 8), kAllLanes, 8), 2);    // halves of the warp
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 16), kAllLanes, 16), 4);  // quarters
  EXPECT_EQ(wavefrontsOf(offsetsOf(0, 128), 0x5, 4), 2);        // of two lanes alone
}

// A kernel of one block whose loop each lane runs as often as the lowest bits of its number say.
constexpr const char* kModule = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<3>;
.reg .b32 %r<9>;
.reg .f32 %f<4>;
.reg .b64 %d<4>;
.shared .align 16 .b8 s[512];
ld.param.u64 %d1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
shl.b32 %r2, %r1, 3;
mov.u32 %r3, s;
add.s32 %r3, %r3, %r2;
cvt.rn.f32.u32 %f1, %r1;
st.shared.f32 [%r3], %f1;
bar.sync 0;
and.b32 %r4, %r1, 1;
setp.eq.s32 %p1, %r4, 0;
@%p1 bra E;
fma.rn.f32 %f1, %f1, %f1, %f1;
mul.rn.f32 %f1, %f1, %f1;
E:
st.global.f32 [%d3], %f1;
ret;
}
)";

// Of one block, whose threads give `out` a float each.
Counts countsOf(const char* text, const std::string& cuda) {
  const Module module = parsePtx(text, "test.ptx");
  const Program program = makeProgram(module, "k", "test.ptx");
  std::vector<float> out(64);
  Launch launch;
  launch.block = {64, 1, 1};
  launch.regions.push_back({"out", reinterpret_cast<std::byte*>(out.data()), 256, 4, true, true, 0});
  const uint64_t address = addressOfRegion(0, launch.regions[0]);
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &address, 8);
  std::vector<OperationCount> operations;
  runLaunch(program, launch, &operations);
  return countsOf(program, operations, cuda);
}

TEST(CountsTest, AreOfTheInstructionsOfTheText) {
  const Counts counts = countsOf(kModule, "");
  const auto of = [&](InstructionClass each) { return counts.byClass[static_cast<size_t>(each)]; };
  EXPECT_EQ(counts.launches, 1);
  EXPECT_EQ(counts.warpInstructions, 2 * 17);
  EXPECT_EQ(counts.laneInstructions, 64 * 15 + 32 * 2);
  EXPECT_EQ(of(InstructionClass::Integer), 2 * 5);
  EXPECT_EQ(of(InstructionClass::Float), 2 * 2);
  EXPECT_EQ(of(InstructionClass::Convert), 2);
  EXPECT_EQ(of(InstructionClass::Move), 2 * 4);
  EXPECT_EQ(of(InstructionClass::Branch), 2 * 2);
  EXPECT_EQ(of(InstructionClass::Shared), 2);
  EXPECT_EQ(of(InstructionClass::Global), 2);
  EXPECT_EQ(of(InstructionClass::Barrier), 2);
  EXPECT_EQ(counts.divergentBranches, 2);
  EXPECT_EQ(counts.sharedWavefronts, 2 * 2);  // a stride of two words
  EXPECT_EQ(counts.barrierWaits, 2);
  EXPECT_EQ(counts.depotBytes, 0);
  EXPECT_EQ(counts.localBytes, 0);
  EXPECT_EQ(counts.flops, 32 * 3);
}

// A store and a load of local memory, as much as the library has for f32.
constexpr const char* kLocal = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.local .align 4 .b8 depot[28];
.reg .b32 %r<4>;
.reg .b64 %d<4>;
ld.param.u64 %d1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
st.local.u32 [depot+4], %r1;
ld.local.u32 %r2, [depot+4];
st.global.u32 [%d3], %r2;
ret;
}
)";

TEST(CountsTest, LocalMemoryIsThatOfTheLibraryWhereTheKernelCallsAFunctionThatHasSoMuch) {
  const std::string reduced = "float reduced(float a) {\n  if (a > 1) { return tan(a); }\n  return a;\n}\n";
  const std::string calls = reduced + "float Tan_f32(float a) { return reduced(a); }\nvoid k(float* out) {\n  *out = ";
  struct Expected {
    std::string cuda;
    const char* bytes;
    int64_t depot, local;
  };
  for (const Expected& expected :
       {Expected{"void k(float* out) { *out = sin(1); }", "[28]", 512, 0},
        Expected{calls + "Tan_f32(1);\n}\n", "[28]", 512, 0}, Expected{calls + "Tan_f32(1);\n}\n", "[32]", 0, 512},
        Expected{calls + "sin_of(1) + asin(1);\n}\n", "[28]", 0, 512}}) {
    std::string text = kLocal;
    text.replace(text.find("[28]"), 4, expected.bytes);
    const Counts counts = countsOf(text.c_str(), expected.cuda);
    EXPECT_EQ(counts.depotBytes, expected.depot) << expected.cuda;
    EXPECT_EQ(counts.localBytes, expected.local) << expected.cuda;
  }
}

}  // namespace
}  // namespace fuser::ptx
