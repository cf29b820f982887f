// Scans whose lines several blocks share, through lowering and two engines.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "fuser/kernel/text.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/scan_tree.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

// Lines of so many places; a block takes `turns` of `width` threads of a line. Threads along y have lines of their own.
struct GridScanShape {
  int64_t lines, places, turns, width;
  bool linesOnThreads = false;
  std::string text() const {
    return concat(lines, " lines of ", places, ", ", turns, " turns of ", width, linesOnThreads ? ", on threads" : "");
  }
};

std::string gridScanCaseOf(const GridScanShape& shape, const std::string& op, const std::string& dtype,
                           const char* engine, const std::string& data) {
  const std::string type = concat(dtype, "[", shape.lines, ", ", shape.places, "]");
  std::string text = concat("fusion f(%x: ", type, ") {\n  %y = ", op, "(%x) {dim = 1}\n  return %y\n}\n",
                            "option engine = \"", engine, "\"\nschedule {\n  cacheBefore %y -> %r\n");
  const bool hasThreads = shape.width > 1;
  for (const char* tensor : {"%y", "%r"}) {
    text += concat("  split ", tensor, " {axis = 1, factor = ", shape.turns * shape.width, "}\n");
    if (hasThreads) text += concat("  split ", tensor, " {axis = 2, factor = ", shape.width, "}\n");
    if (hasThreads) text += concat("  parallelize ", tensor, " {axis = 3, type = TIDx}\n");
    text += concat("  parallelize ", tensor, " {axis = 1, type = BIDx}\n  parallelize ", tensor,
                   " {axis = 0, type = ", shape.linesOnThreads ? "TIDy" : "BIDy", "}\n");
  }
  return text + concat("  inlineMost\n}\nrun { %x = ", data, " : ", type, " }\n");
}

std::vector<double> scanOfBlocks(const std::vector<float>& x, size_t width, size_t places) {
  std::vector<double> y;
  float before = 0;
  for (size_t first = 0; first < x.size(); first += places) {
    const size_t end = std::min(x.size(), first + places);
    const auto begin = x.begin();
    float total = 0;
    const std::vector<float> own =
        scanOfBlock({begin + static_cast<ptrdiff_t>(first), begin + static_cast<ptrdiff_t>(end)}, width,
                    std::min<size_t>(width, 32), total);
    for (float result : own) y.push_back(before + result);
    before = before + total;
  }
  return y;
}

const std::vector<GridScanShape> kGridShapes = {
    {1, 100, 2, 32}, {1, 64, 2, 32},        {1, 65, 1, 64},      {3, 300, 4, 32}, {2, 1000, 3, 128}, {1, 50, 4, 1},
    {5, 33, 2, 4},   {3, 200, 2, 32, true}, {4, 70, 3, 1, true}, {1, 7, 2, 32},   {2, 1, 1, 32},     {1, 5000, 8, 64}};

TEST(GridScanTest, EachPlaceGetsTheBlocksBeforeItInTheirOrder) {
  for (size_t i = 0; i < kGridShapes.size(); ++i) {
    const GridScanShape& shape = kGridShapes[i];
    for (const char* engine : {"interp", "cpu"}) {
      if (engine == std::string("cpu") && i % 4 != 3) continue;  // clang takes its time
      Session session(gridScanCaseOf(shape, "cumsum", "f32", engine, "integers(seed = 1, low = 0, high = 2)"));
      session.data.push_back(materialize(session.testCase, session.testCase.runs[0]));
      float* x = static_cast<float*>(session.data.back().tensors.at(0).ref.data);
      const auto places = static_cast<size_t>(shape.places);
      for (size_t at = 0; at < places * static_cast<size_t>(shape.lines); ++at)
        x[at] = static_cast<float>(at * 2654435761 % 1000003) * 1e-3f;
      std::vector<double> expected;
      for (int64_t line = 0; line < shape.lines; ++line) {
        const float* begin = x + line * shape.places;
        const std::vector<double> own = scanOfBlocks({begin, begin + shape.places}, static_cast<size_t>(shape.width),
                                                     static_cast<size_t>(shape.turns * shape.width));
        expected.insert(expected.end(), own.begin(), own.end());
      }
      const std::vector<double> y = elements(session.cache->run(hostValues(session.data.back())).outputs.at(0));
      EXPECT_EQ(y, expected) << shape.text() << ", " << engine;
    }
  }
}

TEST(GridScanTest, EnginesGiveTheSameBits) {
  const std::string signs = "uniform(seed = 3, low = -8.0, high = 8.0)",
                    near1 = "uniform(seed = 3, low = 0.8, high = 1.2)";
  const std::array<std::string, 3> scans[] = {
      {"cummax", "bf16", signs}, {"cumprod", "f64", near1}, {"cumsum", "f16", signs}, {"cumprod", "f32", near1}};
  for (size_t i = 0; i < std::size(scans); ++i) {
    const auto& [op, dtype, data] = scans[i];
    const GridScanShape& shape = kGridShapes[2 * i + 1];
    Session interp(gridScanCaseOf(shape, op, dtype, "interp", data)),
        cpu(gridScanCaseOf(shape, op, dtype, "cpu", data));
    EXPECT_EQ(elements(interp.run().outputs.at(0)), elements(cpu.run().outputs.at(0)))
        << op << " " << dtype << " " << shape.text();
  }
}

// A result of 16 bits is rounded once, behind the join.
TEST(GridScanTest, RoundsOnce) {
  Session session(
      gridScanCaseOf({1, 4096, 2, 64}, "cumsum", "bf16", "interp", "integers(seed = 1, low = 1, high = 2)"));
  const std::vector<double> y = elements(session.run().outputs.at(0));
  for (size_t at = 0; at < y.size(); ++at) {
    EXPECT_EQ(y[at], convert<double>(convert<BFloat16>(static_cast<float>(at + 1)))) << at;
  }
}

// --- what the scheduler chooses ---

// The additions on the longest path, as recorded: the lanes of a warp, twice, since both sides of a butterfly count;
// the warps of each turn; the blocks.
int64_t depthOf(int64_t lines, int64_t places) {
  const std::string type = concat("f32[", lines, ", ", places, "]");
  Session session(concat("fusion f(%x: ", type, ") {\n  %y = cumsum(%x) {dim = 1}\n  return %y\n}\nrun { %x = ",
                         "normal(seed = 1) : ", type, " }\n"),
                  [](FusionExecutorCache::Settings& settings) { settings.record = true; });
  const RunRecord record = session.run();
  EXPECT_EQ(record.segments.at(0).reductionDepths.size(), 1u);
  return record.segments.at(0).reductionDepths.at(0).second.total();
}

TEST(GridScanTest, RecordsTheLongestPath) {
  EXPECT_EQ(depthOf(3, 8), 8);
  EXPECT_EQ(depthOf(300, 64), 10 + 2);
  EXPECT_EQ(depthOf(1, 1000), 10 + 32);
  EXPECT_EQ(depthOf(1, 5000), 10 + 4 * 8 + 5 + 1);
  EXPECT_EQ(depthOf(1, 100000), 10 + 4 * 8 + 98 + 1);
}

int64_t blocksOf(const std::string& text) {
  int64_t blocks = 0;
  AfterLower grid(
      [&](int, Kernel& kernel) { blocks = kernel.gridDim[0]->isConstant() ? kernel.gridDim[0]->value : -1; });
  Session session(text, [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&grid); });
  session.run();
  return blocks;
}

std::string lineOf(int64_t lines, int64_t places, const std::string& body = "  %y = cumsum(%x) {dim = 1}\n") {
  const std::string type = concat("f32[", lines, ", ", places, "]");
  return concat("fusion f(%x: ", type, ") {\n", body,
                "  return %y\n}\nrun { %x = integers(seed = 1, low = 1, high = 2) : ", type, " }\n");
}

TEST(GridScanTest, FewVeryLongLinesAreSharedByBlocks) {
  EXPECT_EQ(blocksOf(lineOf(1, 4096)), 1);
  EXPECT_EQ(blocksOf(lineOf(1, 4097)), 5);
  EXPECT_EQ(blocksOf(lineOf(1, 100000)), 98);
  EXPECT_EQ(blocksOf(lineOf(33, 5000)), 5);
  EXPECT_EQ(blocksOf(lineOf(34, 5000)), 34);
}

// What is computed before the wait and needed behind it, too, would have to be kept.
TEST(GridScanTest, KeepsNothingBesideTheScans) {
  EXPECT_EQ(blocksOf(lineOf(1, 5000, "  %c = cumsum(%x) {dim = 1}\n  %y = mul(%c, %x)\n")), 5);
  EXPECT_EQ(blocksOf(lineOf(1, 5000, "  %c = cumsum(%x) {dim = 1}\n  %y = cummax(%c) {dim = 1}\n")), 5);
  EXPECT_EQ(blocksOf(lineOf(1, 5000, "  %e = exp(%x)\n  %c = cumsum(%e) {dim = 1}\n  %y = mul(%c, %e)\n")), 1);
}

TEST(GridScanTest, ScansBehindScansAreRight) {
  Session session(concat("fusion f(%x: i64[i0, i1]) {\n  %a = cumsum(%x) {dim = 1}\n  %n = neg(%a)\n",
                         "  %b = cummax(%n) {dim = 1}\n  %c = cumsum(%a) {dim = 1}\n  %y = add(%b, %c)\n",
                         "  return %y, %a\n}\nrun { %x = integers(seed = 2, low = -3, high = 4) : i64[3, 9000] }\n"));
  const RunRecord record = session.run();
  const std::vector<double> x = elements(hostValues(session.data.back()).at(0)), y = elements(record.outputs.at(0)),
                            a = elements(record.outputs.at(1));
  double sum = 0, most = 0, sums = 0;
  for (size_t at = 0; at < x.size(); ++at) {
    const bool begins = at % 9000 == 0;
    sum = begins ? x[at] : sum + x[at];
    most = begins ? -sum : std::max(most, -sum);
    sums = begins ? sum : sums + sum;
    ASSERT_EQ(a[at], sum) << at;
    ASSERT_EQ(y[at], most + sums) << at;
  }
}

// One program for many sizes: below, at and above what blocks of so many turns take.
TEST(GridScanTest, EachPlaceHasTheElementsUpToItself) {
  const std::vector<int64_t> sizes = {4095, 4096, 4097, 5120, 5121, 20000};
  for (const char* dtype : {"f32", "f16", "i64", "bool"}) {
    std::string text = concat("fusion f(%x: ", dtype, "[i0, i1]) {\n  %y = cummax(%x) {dim = 1}\n",
                              "  %z = cumsum(%x) {dim = 1}\n  return %y, %z\n}\n");
    for (int64_t places : sizes)
      text += concat("run { %x = integers(seed = 1, low = 0, high = 2) : ", dtype, "[2, ", places, "] }\n");
    Session session(text);
    for (size_t run = 0; run < sizes.size(); ++run) {
      const RunRecord record = session.run(run);
      const std::vector<double> x = elements(hostValues(session.data.back()).at(0)), y = elements(record.outputs.at(0)),
                                z = elements(record.outputs.at(1));
      double most = 0, sum = 0;
      for (size_t at = 0; at < x.size(); ++at) {
        const bool begins = at % static_cast<size_t>(sizes[run]) == 0;
        most = begins ? x[at] : std::max(most, x[at]);
        sum = begins ? x[at] : sum + x[at];
        const bool isHalf = dtype == std::string("f16");
        ASSERT_EQ(y[at], most) << dtype << " " << sizes[run] << " at " << at;
        ASSERT_EQ(z[at], isHalf ? convert<double>(convert<Half>(static_cast<float>(sum))) : sum)
            << dtype << " " << sizes[run] << " at " << at;
      }
    }
  }
}

}  // namespace
}  // namespace fuser
