#include "fuser/ptx/trace.h"

#include "tests/fuser/ptx/kernel.h"
#include "tests/golden/golden_tests.h"

namespace fuser::ptx {
namespace {

// A line for each instruction on the way to a cell of `out`: of which warp and lane, what it is, and what it gave.
std::string sliceOf(const Kernel& kernel, size_t cell) {
  std::string text;
  withLaunch(kernel, [&](const Program& program, const Launch& launch, const std::vector<uint32_t>& out) {
    Trace trace(reinterpret_cast<const std::byte*>(&out[cell]), 4);
    runLaunch(program, launch, nullptr, &trace);
    for (const TracedValue& value : trace.slice())
      text += concat(value.warp, ":", value.lane, " ", instructionText(*program.entry, *value.operation->source), " = ",
                     valueText(value), "\n");
  });
  return text;
}

// The body of tests/fuser/ptx/kernel.h, of one block.
const golden::Texts kSlices("tests/fuser/ptx/trace.txt", {"cell", "threads", "variable"},
                            [](const golden::Case& test) -> golden::Made {
                              Kernel kernel{test.input, test.option("variable")};
                              kernel.threads = std::stoll(test.option("threads"));
                              kernel.outIsDefined = true;
                              return sliceOf(kernel, static_cast<size_t>(std::stoll(test.option("cell"))));
                            });

TEST(TraceTest, KeepsTheBlockThatStores) {
  for (uint64_t order = 0; order < 4; ++order) {
    const std::string slice = sliceOf(
        {"ld.global.u32 %r1, [%i];\nneg.s32 %r1, %r1;\nst.global.u32 [%o], %r1;", "", 5, 32, order}, 3 * 32 + 7);
    EXPECT_NE(slice.find("3:7 ld.global.u32 %r1, [%i] = 0x00000067\n"), std::string::npos) << slice;
    EXPECT_EQ(std::count(slice.begin(), slice.end(), '\n'), 3) << slice;
  }
}

// What firstOnlyIn() says of a kernel beside another one.
std::string firstOnlyIn(const std::string& body, const std::string& otherBody, size_t cell) {
  std::string text;
  withLaunch({body}, [&](const Program& program, const Launch& launch, const std::vector<uint32_t>& out) {
    Trace trace(reinterpret_cast<const std::byte*>(&out[cell]), 4);
    runLaunch(program, launch, nullptr, &trace);
    withLaunch({otherBody},
               [&](const Program& other, const Launch& otherLaunch, const std::vector<uint32_t>& otherOut) {
                 Trace otherTrace(reinterpret_cast<const std::byte*>(&otherOut[cell]), 4);
                 runLaunch(other, otherLaunch, nullptr, &otherTrace);
                 const TracedValue first = ptx::firstOnlyIn(trace, otherTrace);
                 if (first.operation) text = instructionText(*program.entry, *first.operation->source);
               });
  });
  return text;
}

TEST(TraceTest, TheFirstValueOfOneBuildAloneIsNamed) {
  const std::string load = "ld.global.u32 %r1, [%i];\ncvt.rn.f32.u32 %f1, %r1;\nadd.rn.f32 %f1, %f1, 0f3F000000;\n";
  const std::string store = "neg.f32 %f3, %f2;\nst.global.f32 [%o], %f3;";
  const std::string fused = load + "fma.rn.f32 %f2, %f1, %f1, 0f3E99999A;\n" + store;
  const std::string apart = load + "mul.rn.f32 %f4, %f1, %f1;\nadd.rn.f32 %f2, %f4, 0f3E99999A;\n" + store;
  EXPECT_EQ(firstOnlyIn(apart, fused, 13), "mul.rn.f32 %f4, %f1, %f1");
  EXPECT_EQ(firstOnlyIn(fused, fused, 13), "");
  const std::string swapped = load + "fma.rz.f32 %f2, %f1, %f1, 0f3E99999A;\n" + store;
  EXPECT_EQ(firstOnlyIn(fused, swapped, 13), "fma.rn.f32 %f2, %f1, %f1, 0f3E99999A");
}

}  // namespace
}  // namespace fuser::ptx
