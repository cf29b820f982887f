// What runs of programs do that write at indices: elements, order, errors.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

constexpr const char* kEngines[] = {"interp", "cpu"};

// y = op(x, i, u) along `dim` of x: dtype[i0, i1].
std::string program(const char* op, int dim, const char* dtype, const char* engine, const std::string& runs) {
  return concat("fusion f(%x: ", dtype, "[i0, i1], %i: i64[i2, i3], %u: ", dtype, "[i4, i5]) {\n  %y = ", op,
                "(%x, %i, %u) {dim = ", dim, "}\n  return %y\n}\noption engine = \"", engine, "\"\n", runs);
}

int kernelsOf(const std::string& text) {
  int kernels = 0;
  AfterLower count([&](int, Kernel&) { ++kernels; });
  Session session(text, [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&count); });
  session.run();
  return kernels;
}

TEST(ScatterTest, PutsElementsAtTheirIndices) {
  for (const char* engine : kEngines) {
    Session session(program("scatter", 0, "f32", engine,
                            "run { %x = values [1, 2, 3, 4, 5, 6] : f32[3, 2]\n      %i = values [2, 0] : i64[1, 2]\n"
                            "      %u = values [10, 20] : f32[1, 2] }\n"));
    EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{1, 20, 3, 4, 10, 6})) << engine;
  }
}

TEST(ScatterTest, OfSeveralIndicesForOnePlaceTheLastOneCounts) {
  for (const char* engine : kEngines) {
    Session session(program("scatter", 1, "i32", engine,
                            "run { %x = values [1, 2, 3, 4] : i32[2, 2]\n      %i = values [1, 1, 1, 0, 1, 0] : "
                            "i64[2, 3]\n      %u = values [10, 20, 30, 40, 50, 60] : i32[2, 3] }\n"));
    EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{1, 30, 60, 50})) << engine;
  }
}

TEST(ScatterTest, AddsAllThatAreMeantForAPlace) {
  for (const char* engine : kEngines) {
    Session session(program("scatter_add", 1, "f32", engine,
                            "run { %x = values [1, 2, 3, 4] : f32[2, 2]\n      %i = values [1, 1, 1, 0, 1, 0] : "
                            "i64[2, 3]\n      %u = values [10, 20, 30, 40, 50, 60] : f32[2, 3] }\n"));
    EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{1, 62, 103, 54})) << engine;
  }
}

// 1 is lost beside 2^24 in f32, and -2^24 leaves what came after: ((1 + 2^24) - 2^24) + 1. In the opposite order
// nothing is lost.
constexpr const char* kOrderShows =
    "run { %x = values [1] : f32[1, 1]\n      %i = values [0, 0, 0] : i64[3, 1]\n"
    "      %u = values [16777216, -16777216, 1] : f32[3, 1] }\n";

void recorded(FusionExecutorCache::Settings& settings) { settings.record = true; }

TEST(ScatterTest, AddsInTheOrderOfTheIndicesWhereThatIsAskedFor) {
  for (const char* engine : kEngines) {
    Session session(program("scatter_add", 0, "f32", engine, concat("option enable deterministic\n", kOrderShows)),
                    recorded);
    const RunRecord record = session.run();
    EXPECT_EQ(elements(record.outputs.at(0)), (std::vector<double>{1})) << engine;
    EXPECT_FALSE(record.addsByAtomics());
  }
}

TEST(ScatterTest, AScheduleWithAtomicsIsNotDeterministic) {
  const std::string step = "schedule {\n  addByAtomics %y\n}\n";
  Session atomics(program("scatter_add", 0, "f32", "interp", step + kOrderShows), recorded);
  EXPECT_TRUE(atomics.run().addsByAtomics());
  Session refused(
      program("scatter_add", 0, "f32", "interp", concat("option enable deterministic\n", step, kOrderShows)));
  EXPECT_EQ(refused.rejection(), "addByAtomics %y: the case enables deterministic, and atomics add in any order");
}

TEST(ScatterTest, AtomicsAddInAnyOrderAndTheRecordSaysSo) {
  std::vector<double> sums;
  for (const char* engine : kEngines) {
    Session session(program("scatter_add", 0, "f32", engine, kOrderShows), recorded);
    const RunRecord record = session.run();
    sums.push_back(elements(record.outputs.at(0)).at(0));
    EXPECT_TRUE(record.addsByAtomics()) << engine;
  }
  EXPECT_EQ(sums, (std::vector<double>{2, 1})) << "interp adds the last lane first";
}

TEST(ScatterTest, AtomicsAddIntegersWithoutAWord) {
  Session session(program("scatter_add", 0, "i32", "interp",
                          "run { %x = values [2147483647, 5] : i32[2, 1]\n      %i = values [0, 0, 1] : i64[3, 1]\n"
                          "      %u = values [1, 1, -7] : i32[3, 1] }\n"),
                  recorded);
  const RunRecord record = session.run();
  EXPECT_EQ(elements(record.outputs.at(0)), (std::vector<double>{-2147483647, -2}));
  EXPECT_FALSE(record.addsByAtomics()) << "the bits are the same in any order";
}

TEST(ScatterTest, WhatAtomicsAddToStartsAsACopyUnlessItIsInPlace) {
  const std::string run =
      "run { %x = values [1, 2] : f32[2, 1]\n      %i = values [1, 1, 0] : i64[3, 1]\n"
      "      %u = values [10, 20, 30] : f32[3, 1] }\n";
  for (const char* engine : kEngines) {
    Session copied(program("scatter_add", 0, "f32", engine, run));
    const RunRecord record = copied.run();
    EXPECT_EQ(elements(record.outputs.at(0)), (std::vector<double>{31, 32})) << engine;
    EXPECT_EQ(record.copiedBytes, 8u) << engine;
    Session inPlace(program("scatter_add", 0, "f32", engine, "alias %y -> %x\n" + run));
    const RunRecord written = inPlace.run();
    EXPECT_EQ(elements(written.outputs.at(0)), (std::vector<double>{31, 32})) << engine;
    EXPECT_EQ(written.copiedBytes, 0u) << engine;
    EXPECT_EQ(std::get<TensorRef>(written.outputs.at(0)).data, inPlace.inputMemory(0)) << engine;
  }
}

// The kernel reads the second element of %x after another thread has added to it, so it is no place to write.
TEST(ScatterTest, WhatTheSourceReadsIsNoPlaceForAtomics) {
  for (const char* engine : kEngines) {
    Session session(
        concat("fusion f(%x: f32[i0], %i: i64[i0]) {\n  %y = scatter_add(%x, %i, %x) {dim = 0}\n"
               "  return %y\n}\noption engine = \"",
               engine,
               "\"\nalias %y -> %x\n"
               "run { %x = values [1, 2, 4] : f32[3]\n      %i = values [1, 2, 1] : i64[3] }\n"));
    EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{1, 7, 6})) << engine;
  }
}

// The sum of 16 bits is rounded once: 2048 + 1 + 1 is 2050 in f16, where 2048 + 1 would stay 2048.
TEST(ScatterTest, RoundsASumOf16BitsOnce) {
  for (const char* engine : kEngines) {
    Session session(program("scatter_add", 0, "f16", engine,
                            "run { %x = values [2048] : f16[1, 1]\n      %i = values [0, 0] : i64[2, 1]\n"
                            "      %u = values [1, 1] : f16[2, 1] }\n"));
    EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{2050})) << engine;
  }
}

TEST(ScatterTest, WhatNothingIsAddedToKeepsItsZerosAndNans) {
  for (const char* engine : kEngines) {
    Session session(program("scatter_add", 0, "f64", engine,
                            "run { %x = values [-0.0, nan, -0.0, inf] : f64[4, 1]\n      %i = values [2, 3] : "
                            "i64[2, 1]\n      %u = values [-0.0, -inf] : f64[2, 1] }\n"));
    const std::vector<double> y = elements(session.run().outputs.at(0));
    EXPECT_TRUE(y.at(0) == 0 && std::signbit(y[0])) << engine;
    EXPECT_TRUE(std::isnan(y.at(1))) << engine;
    EXPECT_TRUE(y.at(2) == 0 && std::signbit(y[2])) << engine;
    EXPECT_TRUE(std::isnan(y.at(3))) << engine;
  }
}

// Fewer indices than places along the other axis, and more elements than indices.
TEST(ScatterTest, LeavesPlacesWithoutAnIndexAndElementsWithoutOne) {
  for (const char* engine : kEngines) {
    Session session(program("scatter_add", 0, "f32", engine,
                            "run { %x = values [1, 2, 3, 4, 5, 6] : f32[2, 3]\n      %i = values [1, 0] : i64[1, 2]\n"
                            "      %u = values [10, 20, 30, 40, 50, 60, 70, 80] : f32[2, 4] }\n"
                            "run { %x = values [1, 2, 3, 4, 5, 6] : f32[2, 3]\n      %i = values [] : i64[0, 3]\n"
                            "      %u = values [10, 20] : f32[1, 2] }\n"));
    EXPECT_EQ(elements(session.run(0).outputs.at(0)), (std::vector<double>{1, 22, 3, 14, 5, 6})) << engine;
    EXPECT_EQ(elements(session.run(1).outputs.at(0)), (std::vector<double>{1, 2, 3, 4, 5, 6})) << engine;
  }
}

TEST(ScatterTest, NamesTheLowestBadIndexWithItsSize) {
  for (const char* engine : kEngines) {
    Session session(
        program("scatter", 0, "f32", engine,
                "run { %x = normal(seed = 1) : f32[4, 2]\n      %i = values [0, 1, 3, -2, 4, 0] : i64[3, 2]\n"
                "      %u = normal(seed = 2) : f32[3, 2] }\nexpect rejected\n"
                "run { %x = normal(seed = 1) : f32[0, 2]\n      %i = values [0, 0] : i64[1, 2]\n"
                "      %u = normal(seed = 2) : f32[1, 2] }\nexpect rejected\n"
                "run { %x = normal(seed = 1) : f32[4, 2]\n      %i = values [0, 1, 0] : i64[1, 3]\n"
                "      %u = normal(seed = 2) : f32[1, 3] }\nexpect rejected\n"
                "run { %x = normal(seed = 1) : f32[4, 2]\n      %i = values [0, 1] : i64[1, 2]\n"
                "      %u = normal(seed = 2) : f32[1, 1] }\nexpect rejected\n"));
    EXPECT_EQ(session.rejection(0),
              "%y = scatter(%x, %i, %u): index -2 for element 3 is out of range for axis 0 of %x, of size 4")
        << engine;
    EXPECT_EQ(session.rejection(1), "%y = scatter: every index is out of range for axis 0 of %x, of size 0") << engine;
    EXPECT_EQ(session.rejection(2), "%y = scatter: axis 1 of %x has size 2, that of %i has size 3") << engine;
    EXPECT_EQ(session.rejection(3), "%y = scatter: axis 1 of %u has size 1, that of %i has size 2") << engine;
  }
}

// What precedes and what follows are in the same kernel, where a thread goes through all indices.
TEST(ScatterTest, IsOneKernelWithWhatItIsMadeOfAndWhatReadsIt) {
  EXPECT_EQ(kernelsOf("fusion f(%x: f32[i0, i1], %i: i64[i2, i1], %u: f32[i2, i1]) {\n  %a = exp(%x)\n  %b = neg(%u)\n"
                      "  %s = scatter_add(%a, %i, %b) {dim = 0}\n  %y = mul(%s, 2.0)\n  return %y\n}\n"
                      "option enable deterministic\n"
                      "run { %x = values [0, 0] : f32[2, 1]  %i = values [1, 1] : i64[2, 1]\n"
                      "      %u = values [1, 2] : f32[2, 1] }\n"),
            1);
}

// Each element of a row would go through all indices again; each term of a sum, too.
TEST(ScatterTest, IsNotRepeatedForEachElementThatReadsIt) {
  const std::string data =
      "option enable deterministic\n"
      "run { %x = values [0, 0] : f32[2]  %i = values [1, 1] : i64[2]  %u = values [1, 2] : f32[2]\n"
      "      %w = values [1, 2, 3, 4, 5, 6] : f32[3, 2] }\n";
  const std::string head =
      "fusion f(%x: f32[i0], %i: i64[i1], %u: f32[i1], %w: f32[i2, i0]) {\n"
      "  %s = scatter_add(%x, %i, %u) {dim = 0}\n";
  EXPECT_EQ(kernelsOf(head + "  %y = mul(%w, %s)\n  return %y\n}\n" + data), 2);
  EXPECT_EQ(kernelsOf(head + "  %y = sum(%s)\n  return %y\n}\n" + data), 2);
  EXPECT_EQ(kernelsOf(head + "  %y = flip(%s) {dims = [0]}\n  return %y\n}\n" + data), 2);
}

}  // namespace
}  // namespace fuser
