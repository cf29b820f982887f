// Scans by the threads of a block, through lowering and two engines: each place gets the result of the fixed tree, for
// any number of threads, along any dimension of the block, in any number of turns.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "fuser/kernel/shared_layout.h"
#include "fuser/kernel/text.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/scan_tree.h"
#include "tests/fuser/runtime/session.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

// Lines of so many places; threads of the block along them, and one for each line along another dimension.
struct ScanShape {
  int64_t lines, places, width;
  char along = 'x', across = 'y';
  int64_t warp = 32;
  std::string text() const {
    return concat(lines, " lines of ", places, ", ", width, " threads along ", along, ", warps of ", warp);
  }
};

std::string scanCaseOf(const ScanShape& shape, const std::string& op, const std::string& dtype, const char* engine,
                       const std::string& data = "integers(seed = 3, low = -99, high = 100)") {
  const std::string type = concat(dtype, "[", shape.lines, ", ", shape.places, "]");
  return concat("fusion f(%x: ", type, ") {\n  %y = ", op, "(%x) {dim = 1}\n  return %y\n}\noption engine = \"", engine,
                "\"\noption device_warp = ", shape.warp, "\nschedule {\n  split %y {axis = 1, factor = ", shape.width,
                "}\n  parallelize %y {axis = 2, type = TID", shape.along, "}\n  parallelize %y {axis = 0, type = TID",
                shape.across, "}\n}\nrun { %x = ", data, " : ", type, " }\n");
}

// Neighbouring threads of one line that a warp holds.
size_t scanLanesOf(const ScanShape& shape) {
  const bool linesFirst = shape.lines > 1 && shape.across < shape.along;
  int64_t lanes = 1;
  while (lanes < 32 && !linesFirst && shape.width % (2 * lanes) == 0 && shape.warp % (2 * lanes) == 0) lanes *= 2;
  return static_cast<size_t>(lanes);
}

const std::vector<ScanShape> kScanShapes = {{1, 32, 32},
                                            {1, 31, 32},
                                            {1, 33, 32},
                                            {1, 100, 32},
                                            {1, 1, 64},
                                            {1, 64, 64},
                                            {1, 1000, 64},
                                            {1, 1000, 256},
                                            {1, 3000, 1024},
                                            {1, 257, 128},
                                            {1, 50, 7},
                                            {1, 200, 96},
                                            {1, 40, 3},
                                            {3, 70, 32},
                                            {3, 70, 64},
                                            {5, 70, 16},
                                            {3, 129, 16, 'y', 'x'},
                                            {32, 100, 16, 'y', 'x'},
                                            {2, 100, 8, 'z', 'y'},
                                            {4, 60, 24, 'x', 'z'},
                                            {2, 200, 64, 'x', 'y', 24},
                                            {1, 100, 64, 'x', 'y', 1},
                                            {1, 200, 128, 'x', 'y', 64}};

// Sums of numbers that another order would round otherwise.
TEST(BlockScanTest, EachPlaceGetsTheFixedTree) {
  for (size_t i = 0; i < kScanShapes.size(); ++i) {
    const ScanShape& shape = kScanShapes[i];
    for (const char* engine : {"interp", "cpu"}) {
      if (engine == std::string("cpu") && i % 4 != 2) continue;  // clang takes its time
      Session session(scanCaseOf(shape, "cumsum", "f32", engine));
      session.data.push_back(materialize(session.testCase, session.testCase.runs[0]));
      float* x = static_cast<float*>(session.data.back().tensors.at(0).ref.data);
      const auto places = static_cast<size_t>(shape.places);
      for (size_t at = 0; at < places * static_cast<size_t>(shape.lines); ++at)
        x[at] = static_cast<float>(at * 2654435761 % 1000003) * 1e-3f;
      const std::vector<double> y = elements(session.cache->run(hostValues(session.data.back())).outputs.at(0));
      std::vector<double> expected;
      for (int64_t line = 0; line < shape.lines; ++line) {
        const float* begin = x + line * shape.places;
        float total = 0;
        const std::vector<float> own =
            scanOfBlock({begin, begin + shape.places}, static_cast<size_t>(shape.width), scanLanesOf(shape), total);
        expected.insert(expected.end(), own.begin(), own.end());
      }
      EXPECT_EQ(y, expected) << shape.text() << ", " << engine;
    }
  }
}

TEST(BlockScanTest, EnginesGiveTheSameBits) {
  const std::string signs = "uniform(seed = 3, low = -8.0, high = 8.0)",
                    near1 = "uniform(seed = 3, low = 0.8, high = 1.2)";
  const std::array<std::string, 3> scans[] = {{"cummax", "bf16", signs}, {"cumprod", "f64", near1},
                                              {"cumsum", "f16", signs},  {"cummin", "f32", signs},
                                              {"cumprod", "f32", near1}, {"cumsum", "f64", signs}};
  for (size_t i = 0; i < std::size(scans); ++i) {
    const auto& [op, dtype, data] = scans[i];
    const ScanShape& shape = kScanShapes[i * 3 + 3];
    Session interp(scanCaseOf(shape, op, dtype, "interp", data)), cpu(scanCaseOf(shape, op, dtype, "cpu", data));
    EXPECT_EQ(elements(interp.run().outputs.at(0)), elements(cpu.run().outputs.at(0)))
        << op << " " << dtype << " " << shape.text();
  }
}

// A block that is wider than the threads of the line: those without places have what changes nothing.
TEST(BlockScanTest, ThreadsBesideTheLineChangeNothing) {
  for (const char* op : {"cumsum", "cumprod", "cummax", "cummin"}) {
    const std::string body = concat("fusion f(%x: f32[100], %w: f32[96]) {\n  %y = ", op,
                                    "(%x) {dim = 0}\n  %z = neg(%w)\n  return %y, %z\n}\n");
    const std::string run =
        "run { %x = integers(seed = 3, low = 1, high = 3) : f32[100]  %w = normal(seed = 1) : f32[96] }\n";
    const std::string lines = "  split %y {axis = 0, factor = 32}\n  parallelize %y {axis = 1, type = TIDx}\n";
    Session wide(body + "schedule {\n" + lines + "  parallelize %z {axis = 0, type = TIDx}\n}\n" + run);
    Session narrow(body + "schedule {\n" + lines + "}\n" + run);
    EXPECT_EQ(elements(wide.run().outputs.at(0)), elements(narrow.run().outputs.at(0))) << op;
  }
}

// What one block passes and keeps: barriers in a turn, and bytes.
std::pair<size_t, size_t> costOfScan(const ScanShape& shape) {
  std::pair<size_t, size_t> cost;
  AfterLower counts([&](int, Kernel& kernel) {
    forEachStatement(kernel.body, [&](const Statement& statement) {
      cost.first += std::holds_alternative<Barrier>(statement.node);
    });
    cost.second = sharedMemoryBytes(kernel);
  });
  Session session(scanCaseOf(shape, "cumsum", "f32", "interp"),
                  [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&counts); });
  session.run();
  return cost;
}

TEST(BlockScanTest, WaitsForWhatAWarpDoesNotHold) {
  using Cost = std::pair<size_t, size_t>;
  EXPECT_EQ(costOfScan({1, 100, 32}), Cost(0, 0));
  EXPECT_EQ(costOfScan({8, 100, 32}), Cost(0, 0));
  EXPECT_EQ(costOfScan({1, 128, 128}), Cost(1, 16));
  EXPECT_EQ(costOfScan({1, 129, 128}), Cost(2, 16));
  EXPECT_EQ(costOfScan({1, 4000, 1024}), Cost(2, 128));
  EXPECT_EQ(costOfScan({2, 300, 64}), Cost(2, 16));
  EXPECT_EQ(costOfScan({32, 100, 16, 'y', 'x'}), Cost(2, 2048));
}

// --- what the scheduler chooses ---

// Places below, at and above what a thread, a warp, a block, and some turns of each take.
const std::vector<int64_t> kPlaces = {0, 1, 7, 8, 9, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1024, 1025, 3000};

// Lines of one, few and many places along memory, alone and beside others, and across it.
std::vector<std::vector<int64_t>> linesOfPlaces(int64_t places) {
  return {{1, places, 1}, {3, places, 1}, {2, places, 3}};
}

struct ScanOp {
  std::string op;
  double start;
  std::function<double(double, double)> combine;
};
const std::vector<ScanOp> kScanOps = {
    {"cumsum", 0, [](double a, double b) { return a + b; }},
    {"cumprod", 1, [](double a, double b) { return a * b; }},
    {"cummax", -1000, [](double a, double b) { return std::max(a, b); }},
    {"cummin", 1000, [](double a, double b) { return std::min(a, b); }},
};

// Along the middle axis of three.
std::vector<double> scannedAlong(const ScanOp& scan, const std::vector<double>& x, const std::vector<int64_t>& sizes) {
  std::vector<double> y = x;
  const auto stride = static_cast<size_t>(sizes[2]), line = static_cast<size_t>(sizes[1]) * stride;
  for (size_t at = 0; at < x.size(); ++at) {
    const double before = at % line < stride ? scan.start : y[at - stride];
    y[at] = scan.combine(before, x[at]);
  }
  return y;
}

// A product that is 0 says no more.
void removeZeros(const TensorRef& ref) {
  dispatch(ref.dtype, [&]<class T>() {
    T* data = static_cast<T*>(ref.data);
    for (int64_t i = 0; i < numel(ref.sizes); ++i) {
      if (convert<double>(data[i]) == 0) data[i] = convert<T>(1.0);
    }
  });
}

// ctest takes a third, with one of each dtype and each op among them.
TEST(BlockScanTest, EachPlaceHasTheElementsUpToItself) {
  size_t number = 0;
  for (const char* dtype : {"f32", "f64", "bf16", "f16", "i32", "i64", "bool"}) {
    for (const ScanOp& scan : kScanOps) {
      const size_t place = number++;
      if (place % sampleStep(3) != 0) continue;
      const char* engine = place % 5 == 0 ? "cpu" : "interp";  // some are compiled, too
      std::string text = concat("fusion f(%x: ", dtype, "[i0, i1, i2]) {\n  %y = ", scan.op,
                                "(%x) {dim = 1}\n  return %y\n}\noption engine = \"", engine, "\"\n");
      std::vector<std::vector<int64_t>> shapes;
      for (int64_t places : kPlaces) {
        for (const std::vector<int64_t>& sizes : linesOfPlaces(places)) shapes.push_back(sizes);
      }
      for (const std::vector<int64_t>& sizes : shapes) {
        text += concat("run { %x = integers(seed = 1, low = ", dtype == std::string("bool") ? 0 : -1,
                       ", high = 2) : ", dtype, "[", sizes[0], ", ", sizes[1], ", ", sizes[2], "] }\n");
      }
      Session session(text);
      for (size_t run = 0; run < shapes.size(); ++run) {
        session.data = {};
        session.data.push_back(materialize(session.testCase, session.testCase.runs[run]));
        if (scan.op == "cumprod") removeZeros(session.data.back().tensors.at(0).ref);
        const std::vector<HostValue> inputs = hostValues(session.data.back());
        const RunRecord record = session.cache->run(inputs);
        const std::vector<double> x = elements(inputs.at(0));
        EXPECT_EQ(elements(record.outputs.at(0)), scannedAlong(scan, x, shapes[run]))
            << scan.op << " " << dtype << " run " << run << " on " << engine;
      }
    }
  }
}

// Of equal elements the last place counts, whatever thread has it; NaN is either extreme, and stays so.
TEST(BlockScanTest, ExtremesHaveTheirLastPlaces) {
  for (const char* engine : {"interp", "cpu"}) {
    for (int64_t places : {20, 300, 2000}) {
      Session session(
          concat("fusion f(%x: f32[i0]) {\n  %a, %i = cummax(%x) {dim = 0}\n  %q = div(%x, %x)\n"
                 "  %b, %j = cummin(%q) {dim = 0}\n  return %a, %i, %b, %j\n}\noption engine = \"",
                 engine, "\"\nrun { %x = integers(seed = 5, low = -20, high = 21) : f32[", places, "] }\n"));
      const RunRecord record = session.run();
      const std::vector<double> x = elements(hostValues(session.data.back()).at(0));
      const std::vector<double> a = elements(record.outputs.at(0)), i = elements(record.outputs.at(1)),
                                b = elements(record.outputs.at(2)), j = elements(record.outputs.at(3));
      size_t most = 0, least = 0;
      for (size_t at = 0; at < x.size(); ++at) {
        if (x[at] >= x[most]) most = at;
        if (x[at] == 0 || x[least] != 0) least = at;  // x / x is 1, or NaN
        ASSERT_EQ(a[at], x[most]) << places << " " << at << " " << engine;
        ASSERT_EQ(i[at], static_cast<double>(most)) << places << " " << at << " " << engine;
        ASSERT_EQ(std::isnan(b[at]), x[least] == 0) << places << " " << at << " " << engine;
        ASSERT_EQ(j[at], static_cast<double>(least)) << places << " " << at << " " << engine;
      }
    }
  }
}

}  // namespace
}  // namespace fuser
