// Rows of the op table on every number of 16 bits, and on many of f32 and f64, on the engines: no error is larger
// than the row's column, and the largest ones are those of tests/oracle/largest_errors.md. Here a few rows;
// FUSER_FULL=1 measures all (the target check_ops_in_full), and FUSER_UPDATE=1 writes their lines then. More of the
// environment, for a part:
//   FUSER_OPS_POINTS=20        so many points of f32, as a power of 2, instead of 24
//   FUSER_OPS_ROWS=Exp,Sin     these rows alone
//   FUSER_OPS_DTYPES=f16,bf16  these dtypes alone
//   FUSER_OPS_THREADS=1        instead of 2

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/in_full.h"
#include "tests/oracle/largest_errors.h"
#include "tests/oracle/operand_points.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::OpKind;

int numberFrom(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

std::set<std::string> wordsFrom(const char* name) {
  std::set<std::string> words;
  const char* text = std::getenv(name);
  std::istringstream in(text ? text : "");
  for (std::string word; std::getline(in, word, ',');) words.insert(word);
  return words;
}

std::vector<MeasuredRow> rowsToMeasure() {
  if (!fuser::inFull()) {
    return {{OpKind::Exp, DataType::Half, 65536},      {OpKind::Sqrt, DataType::BFloat16, 65536},
            {OpKind::Silu, DataType::Half, 65536},     {OpKind::Sin, DataType::Float, 1 << 15},
            {OpKind::IsNan, DataType::Float, 1 << 12}, {OpKind::Pow, DataType::Float, 1 << 12},
            {OpKind::Log, DataType::Double, 1 << 8}};
  }
  const std::set<std::string> ops = wordsFrom("FUSER_OPS_ROWS"), dtypes = wordsFrom("FUSER_OPS_DTYPES");
  std::vector<MeasuredRow> rows;
  for (const MeasuredRow& row : allMeasuredRows(numberFrom("FUSER_OPS_POINTS", 24))) {
    if (!ops.empty() && ops.count(std::string(fuser::opName(row.op))) == 0) continue;
    if (!dtypes.empty() && dtypes.count(std::string(fuser::dtypeName(row.dtype))) == 0) continue;
    rows.push_back(row);
  }
  return rows;
}

// In the order of the rows, whichever thread measures them.
std::vector<Measured> measureAll(const std::vector<MeasuredRow>& rows) {
  const bool full = fuser::inFull();
  std::vector<Measured> measured(rows.size());
  std::vector<std::string> errors(rows.size());
  std::atomic<size_t> next = 0;
  std::mutex printing;
  const auto work = [&] {
    for (size_t i = next++; i < rows.size(); i = next++) {
      const auto start = std::chrono::steady_clock::now();
      try {
        measured[i] = measure(rows[i]);
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
      if (!full) continue;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const std::lock_guard lock(printing);
      std::printf("%zu of %zu: %s   %.1f s\n", i + 1, rows.size(),
                  errors[i].empty() ? lineOf(measured[i]).c_str() : errors[i].c_str(), seconds);
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < (full ? numberFrom("FUSER_OPS_THREADS", 2) : 1); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(errors[i], "") << keyOf(rows[i]);
  return measured;
}

// "| Exp | f32 | 16777216 |"
std::string pointsOf(const MeasuredRow& row) { return fuser::concat(keyOf(row), " ", row.points, " |"); }

TEST(LargestErrorsTest, AreThoseOfTheTableAndInsideTheColumns) {
  const std::vector<MeasuredRow> rows = rowsToMeasure();
  const std::vector<Measured> measured = measureAll(rows);
  LargestErrors table = readLargestErrors();
  const std::string here = librariesHere();
  if (fuser::inFull() && std::getenv("FUSER_UPDATE")) {
    if (table.madeWith != here) table.lines.clear();
    table.madeWith = here;
    for (const Measured& each : measured) table.lines[keyOf(each.row)] = lineOf(each);
    writeLargestErrors(table);
  }
  if (table.madeWith != here)
    std::printf("not compared: made with %s, here is %s\n", table.madeWith.c_str(), here.c_str());
  // Another number of points has other figures.
  const bool mayHaveFewerPoints = !fuser::inFull() || std::getenv("FUSER_OPS_POINTS");
  for (const Measured& each : measured) {
    for (size_t i = 0; i < each.seen.size(); ++i) {
      if (!kMeasuredEngines[i].mustKeepTo) continue;
      EXPECT_EQ(each.seen[i].wrong, 0u) << keyOf(each.row) << " on " << kMeasuredEngines[i].name << ": "
                                        << each.seen[i].firstWrong;
    }
    const std::string& line = table.lines[keyOf(each.row)];
    const bool samePoints = line.rfind(pointsOf(each.row), 0) == 0;
    if (table.madeWith != here || (mayHaveFewerPoints && !samePoints)) continue;
    EXPECT_EQ(lineOf(each), line) << "FUSER_FULL=1 FUSER_UPDATE=1 writes what is seen";
  }
}

TEST(LargestErrorsTest, TheTableHasEveryRow) {
  const LargestErrors table = readLargestErrors();
  for (const MeasuredRow& row : allMeasuredRows(24)) {
    EXPECT_EQ(table.lines.count(keyOf(row)), 1u)
        << keyOf(row) << " FUSER_FULL=1 FUSER_UPDATE=1 FUSER_OPS_ROWS=" << fuser::opName(row.op) << " writes it";
  }
}

// One of all results is moved by more ulps than the row allows, but by so little that f16 does not show it.
TEST(LargestErrorsTest, OneResultThatIsOffIsSeen) {
  const auto offBy = [](OpKind op, int steps) {
    const Measured measured = measure({op, DataType::Half, 65536}, [steps](RowResults& results) {
      for (int i = 0; i < steps; ++i) {
        results.computed[0x3e00] = std::nextafter(static_cast<float>(results.computed[0x3e00]), 1e30f);  // of 1.5
      }
    });
    return measured.seen[0].wrong;
  };
  EXPECT_EQ(offBy(OpKind::Exp, 0), 0u);
  EXPECT_EQ(offBy(OpKind::Exp, 4), 1u);
  EXPECT_EQ(offBy(OpKind::Sqrt, 1), 1u);
  EXPECT_EQ(offBy(OpKind::Silu, 40), 1u);
}

TEST(DistanceTest, CountsFromTheTruthAndFromTheNearestNumber) {
  const double tick = 0x1p-23;
  const Truth truth{1 + 0.25 * tick, 0, 1};
  const Distance exact = distanceOf(1, truth, DataType::Float);
  EXPECT_EQ(exact.fromTruth, 0.25);
  EXPECT_EQ(exact.fromNearest, 0);
  const Distance off = distanceOf(1 + 2 * tick, truth, DataType::Float);
  EXPECT_EQ(off.fromTruth, 1.75);
  EXPECT_EQ(off.fromNearest, 2);
  EXPECT_EQ(distanceOf(0x1p-149, {0x1p-151, 0, 0}, DataType::Float).fromTruth, 0.75);
}

TEST(DistanceTest, AnInfinityFollowsTheLargestNumber) {
  const double infinite = std::numeric_limits<double>::infinity(), largest = 0x1.fffffep+127;
  EXPECT_EQ(distanceOf(infinite, {largest, 0, largest}, DataType::Float).fromNearest, 1);
  EXPECT_EQ(distanceOf(infinite, {0x1.2p+128, 0, 0x1.2p+128}, DataType::Float).fromNearest, 0);
  EXPECT_EQ(distanceOf(largest, {0x1p+128, 0, 0x1p+128}, DataType::Float).fromNearest, 1);
  EXPECT_EQ(distanceOf(largest, {infinite, 0, infinite}, DataType::Float).fromNearest, infinite);
}

TEST(DistanceTest, NanAndTheOtherZeroAreInfinitelyFar) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(distanceOf(nan, {nan, 0, nan}, DataType::Float).fromNearest, 0);
  EXPECT_EQ(distanceOf(nan, {1, 0, 1}, DataType::Float).fromNearest, infinite);
  EXPECT_EQ(distanceOf(1, {nan, 0, nan}, DataType::Float).fromNearest, infinite);
  EXPECT_EQ(distanceOf(-0.0, {0, 0, 0}, DataType::Float).fromNearest, infinite);
}

TEST(OperandPointsTest, HaveTheNeighboursOfBreakpointsAndEveryBinade) {
  const OperandPoints points(OpKind::Exp, DataType::Float, 1 << 16);
  std::set<uint64_t> bits;
  for (uint64_t i = 0; i < points.count(); ++i) bits.insert(points.bits(i));
  EXPECT_GT(bits.size(), size_t{60000});
  const uint64_t overflow = 0x42b17218;  // 88.72284
  for (uint64_t i = overflow - 50; i < overflow + 50; ++i) EXPECT_EQ(bits.count(i), 1u);
  EXPECT_EQ(bits.count(0), 1u);
  EXPECT_EQ(bits.count(0x80000001), 1u);
  std::set<uint64_t> binades;
  for (uint64_t number : bits) binades.insert(number >> 23);
  EXPECT_EQ(binades.size(), 512u);
}

}  // namespace
}  // namespace oracle_test
