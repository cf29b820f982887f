// What runs of programs do that ask where the greatest or least element is: ties, NaN, layouts, and every kind of
// reduction: of a thread, a block and the grid.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

constexpr const char* kEngines[] = {"interp", "cpu"};

std::vector<double> run(const std::string& parameters, const std::string& body, const std::string& data,
                        const char* engine) {
  Session session(concat("fusion f(", parameters, ") {\n", body, "\n  return %y\n}\noption engine = \"", engine,
                         "\"\nrun {\n", data, "\n}\n"));
  return elements(session.run().outputs.at(0));
}

TEST(ExtremeIndexTest, OfEqualElementsTheFirstOneCounts) {
  for (const char* engine : kEngines) {
    const std::string data = "  %x = values [2, 7, 7, 2, -0.0, 0.0, -0.0, 0.0, -inf, -inf, -inf, -inf] : f32[3, 4]";
    EXPECT_EQ(run("%x: f32[i0, i1]", "  %y = argmax(%x) {dims = [1]}", data, engine), (std::vector<double>{1, 0, 0}));
    EXPECT_EQ(run("%x: f32[i0, i1]", "  %y = argmin(%x) {dims = [1]}", data, engine), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(run("%x: f32[i0, i1]", "  %y = argmin(%x) {dims = [0]}", data, engine),
              (std::vector<double>{2, 2, 2, 2}));
  }
}

TEST(ExtremeIndexTest, ANanIsBeyondAllNumbersAndTheFirstOneCounts) {
  for (const char* engine : kEngines) {
    const std::string data = "  %x = values [1, nan, inf, nan, nan, -inf, nan, 3] : f64[2, 4]";
    EXPECT_EQ(run("%x: f64[i0, i1]", "  %y = argmax(%x) {dims = [1]}", data, engine), (std::vector<double>{1, 0}));
    EXPECT_EQ(run("%x: f64[i0, i1]", "  %y = argmin(%x) {dims = [1]}", data, engine), (std::vector<double>{1, 0}));
  }
}

// 2^53 and 2^53 + 1 are one f64.
TEST(ExtremeIndexTest, ComparesIntegersAsIntegers) {
  for (const char* engine : kEngines) {
    EXPECT_EQ(run("%x: i64[i0]", "  %a = add(%x, 9007199254740991)\n  %y = argmax(%a)",
                  "  %x = values [0, 1, 2, 1] : i64[4]", engine),
              (std::vector<double>{2}));
    EXPECT_EQ(run("%x: i32[i0]", "  %y = argmin(%x)", "  %x = values [5, -2147483648, 2147483647] : i32[3]", engine),
              (std::vector<double>{1}));
    EXPECT_EQ(run("%x: bool[i0]", "  %y = argmax(%x)", "  %x = values [false, true, true] : bool[3]", engine),
              (std::vector<double>{1}));
  }
}

TEST(ExtremeIndexTest, OverAllAxesCountsRowMajor) {
  for (const char* engine : kEngines) {
    const std::string data = "  %x = values [1, 2, 3, 9, 5, 6] : f32[2, 3]";
    EXPECT_EQ(run("%x: f32[i0, i1]", "  %y = argmax(%x)", data, engine), (std::vector<double>{3}));
    EXPECT_EQ(run("%x: f32[i0, i1]", "  %t = permute(%x) {dims = [1, 0]}\n  %y = argmax(%t)", data, engine),
              (std::vector<double>{1}));
    EXPECT_EQ(run("%x: f32[]", "  %y = argmax(%x)", "  %x = values [4] : f32[]", engine), (std::vector<double>{0}));
  }
}

TEST(ExtremeIndexTest, OfSlicedAndFlippedProducers) {
  for (const char* engine : kEngines) {
    const std::string data = "  %x = values [9, 2, 3, 4, 9, 8, 7, 8] : f32[2, 4]";
    EXPECT_EQ(
        run("%x: f32[i0, i1]", "  %s = slice(%x) {dim = 1, start = 1}\n  %y = argmax(%s) {dims = [1]}", data, engine),
        (std::vector<double>{2, 0}));
    EXPECT_EQ(run("%x: f32[i0, i1]", "  %s = flip(%x) {dims = [1]}\n  %y = argmin(%s) {dims = [1]}", data, engine),
              (std::vector<double>{2, 1}));
  }
}

// Rows that a thread, a block and several blocks reduce, with the greatest element at both ends of them.
TEST(ExtremeIndexTest, OfRowsOfAnyLength) {
  for (const int64_t length : {1, 3, 33, 128, 1000, 5000, 70000}) {
    const std::string size = std::to_string(length);
    const std::string parameters = "%x: f32[i0, i1], %u: f32[1]";
    const std::string body =
        "  %a = pad(%x) {pad = [1, 0], value = 5.0}\n  %b = pad(%a) {pad = [0, 1], value = 5.0}\n"
        "  %y = argmax(%b) {dims = [1]}";
    const std::string data =
        concat("  %x = uniform(seed = 3, low = 0.0, high = 1.0) : f32[2, ", size, "]\n  %u = values [1] : f32[1]");
    EXPECT_EQ(run(parameters, body, data, "interp"), (std::vector<double>{0, 0})) << length;
    const std::string last = "  %a = pad(%x) {pad = [0, 1], value = 5.0}\n  %y = argmax(%a) {dims = [1]}";
    EXPECT_EQ(run(parameters, last, data, "interp"),
              (std::vector<double>{static_cast<double>(length), static_cast<double>(length)}))
        << length;
    const std::string columns =
        "  %a = pad(%x) {pad = [0, 1], value = 5.0}\n  %t = permute(%a) {dims = [1, 0]}\n"
        "  %y = argmax(%t) {dims = [0]}";
    EXPECT_EQ(run(parameters, columns, data, "interp"),
              (std::vector<double>{static_cast<double>(length), static_cast<double>(length)}))
        << length;
  }
}

TEST(ExtremeIndexTest, MaxAndMinGiveTheElementAndItsIndex) {
  for (const char* engine : kEngines) {
    Session session(
        concat("fusion f(%x: f32[i0, i1]) {\n  %v, %i = max(%x) {dims = [1]}\n"
               "  %w, %j = min(%x) {dims = [-2], keepdim = true}\n  return %v, %i, %w, %j\n}\noption engine = \"",
               engine, "\"\nrun { %x = values [1, 7, 7, 4, 0, 4] : f32[2, 3] }\n"));
    const RunRecord record = session.run();
    EXPECT_EQ(elements(record.outputs.at(0)), (std::vector<double>{7, 4}));
    EXPECT_EQ(elements(record.outputs.at(1)), (std::vector<double>{1, 0}));
    EXPECT_EQ(elements(record.outputs.at(2)), (std::vector<double>{1, 0, 4}));
    EXPECT_EQ(elements(record.outputs.at(3)), (std::vector<double>{0, 1, 1}));
    EXPECT_EQ(std::get<TensorRef>(record.outputs.at(3)).sizes, (Dims{1, 3}));
  }
}

TEST(ExtremeIndexTest, OfNothingIsRefused) {
  Session session(
      "fusion f(%x: f32[i0, i1]) {\n  %y = argmax(%x) {dims = [1]}\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[2, 0] }\nexpect rejected\n"
      "run { %x = normal(seed = 1) : f32[0, 2] }\n");
  EXPECT_EQ(session.rejection(0),
            "%y = argmax: axis 1 of %x has size 0, and the extreme value of an empty axis is undefined");
  EXPECT_EQ(session.rejection(1), "");
}

}  // namespace
}  // namespace fuser
