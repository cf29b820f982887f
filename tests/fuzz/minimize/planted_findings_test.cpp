// The minimiser on findings of planted faults. In ctest a handful; check_minimizer_in_full takes 100 and prints a
// table.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/faults/faults.h"
#include "fuzz/generate/generate.h"
#include "fuzz/minimize/judging.h"
#include "fuzz/minimize/minimize.h"
#include "oracle/reference/reference.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kSeed = 7;
constexpr uint64_t kMaxCases = 4000;

struct Planted {
  std::string fault;
  uint64_t number = 0;
  std::string text;
  Bucket bucket;
};

// The first cases that show each fault, faults in turn.
std::vector<Planted> plantedFindings(const std::vector<std::string>& faults, size_t wanted) {
  reference::useOneThread();
  std::vector<Planted> findings;
  std::map<std::string, uint64_t> next;
  for (bool more = true; more && findings.size() < wanted;) {
    more = false;
    for (const std::string& fault : faults) {
      for (uint64_t& number = next[fault]; number < kMaxCases && findings.size() < wanted;) {
        Case testCase = generateCase(kSeed, number++);
        testCase.options.fault = fault;
        const CaseVerdict verdict = judgeCase(testCase);
        if (!isFinding(verdict.kind) || !verdict.faultApplied) continue;
        findings.push_back({fault, number - 1, printCase(testCase), bucketOf(testCase, verdict, {})});
        more = true;
        break;
      }
    }
  }
  return findings;
}

template <class T>
T median(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Row {
  Planted planted;
  Minimized result;
  Bucket bucketAfter;
};

Row minimizeOne(const Planted& planted) {
  MinimizeSettings settings;
  settings.seconds = 120;
  Row row{planted, minimize(planted.text, settings), {}};
  const Case testCase = parseCase(row.result.text, "minimized");
  row.bucketAfter = bucketOf(testCase, judgeCase(testCase), {});
  return row;
}

void print(const Row& row) {
  std::printf("%-26s %5llu %4zu -> %2zu %8lld -> %4lld %6zu %7.2f  %s%s\n", row.planted.fault.c_str(),
              static_cast<unsigned long long>(row.planted.number), row.result.before.expressions,
              row.result.after.expressions, static_cast<long long>(row.result.before.elements),
              static_cast<long long>(row.result.after.elements), row.result.tried, row.result.seconds,
              toString(row.planted.bucket).c_str(), row.bucketAfter == row.planted.bucket ? "" : "  SLID");
  std::fflush(stdout);
}

void check(const std::vector<Planted>& findings, bool table) {
  if (table) {
    std::printf("%-26s %5s %10s %16s %6s %7s  %s\n", "fault", "case", "exprs", "elements", "tried", "s", "bucket");
  }
  std::vector<size_t> expressions;
  std::vector<double> seconds;
  size_t slid = 0;
  for (const Planted& planted : findings) {
    const Row row = minimizeOne(planted);
    if (table) print(row);
    EXPECT_EQ(row.result.problem, "") << planted.fault << " on case " << planted.number;
    EXPECT_EQ(toString(row.bucketAfter), toString(planted.bucket)) << planted.fault << " on case " << planted.number;
    EXPECT_LE(row.result.after.expressions, row.result.before.expressions);
    expressions.push_back(row.result.after.expressions);
    seconds.push_back(row.result.seconds);
    slid += !(row.bucketAfter == planted.bucket);
  }
  if (table) {
    std::printf("%zu findings: median %zu expressions (at most %zu), median %.2f s (at most %.2f), %zu slid\n",
                findings.size(), median(expressions), *std::max_element(expressions.begin(), expressions.end()),
                median(seconds), *std::max_element(seconds.begin(), seconds.end()), slid);
  }
  EXPECT_LE(median(expressions), 3u);
  if (table) {
    EXPECT_LT(median(seconds), 20);
  }
}

TEST(PlantedFindingsTest, BecomeSmallAndStayInTheirBucket) {
  if (inFull()) {
    std::vector<std::string> all;
    for (const FaultInfo& fault : allFaults()) all.emplace_back(fault.name);
    const std::vector<Planted> findings = plantedFindings(all, 100);
    ASSERT_EQ(findings.size(), 100u);
    check(findings, true);
    return;
  }
  const std::vector<Planted> findings =
      plantedFindings({"swapped-operands", "dropped-predicate", "wrong-identity-max", "keepdim-lost"}, 4);
  ASSERT_EQ(findings.size(), 4u);
  check(findings, false);
}

// On the way to an output: what is dead is gone with the first edit.
bool outputsNeed(const Fusion& fusion, OpKind op) {
  std::vector<const Val*> work(fusion.outputs().begin(), fusion.outputs().end());
  std::set<const Val*> seen(work.begin(), work.end());
  while (!work.empty()) {
    const Expr* expr = work.back()->definition();
    work.pop_back();
    if (!expr) continue;
    if (expr->op() == op) return true;
    for (const Val* operand : expr->inputs()) {
      if (seen.insert(operand).second) work.push_back(operand);
    }
  }
  return false;
}

// A compiler that dies of one op, in its way. Out of line, so that the stack names it.
__attribute__((noinline)) void dieOf(const Fusion& fusion, OpKind op, bool hang) {
  if (!outputsNeed(fusion, op)) return;
  if (!hang) raise(SIGSEGV);
  while (hang) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

struct Death {
  OpKind op;
  bool hang;
};

// The first generated case with the op, of several expressions.
std::string caseWith(OpKind op) {
  for (uint64_t number = 0;; ++number) {
    const Case testCase = generateCase(kSeed, number);
    if (outputsNeed(*testCase.fusion, op) && testCase.fusion->exprs().size() >= 5) return printCase(testCase);
  }
}

class PlantedDeathTest : public testing::TestWithParam<Death> {};

TEST_P(PlantedDeathTest, BecomesSmallAndStaysInItsBucket) {
  const Death death = GetParam();
  MinimizeSettings settings;
  settings.seconds = 60;
  settings.limits.seconds = 0.4;
  BeforePasses dying([death](Fusion& fusion) { dieOf(fusion, death.op, death.hang); });
  settings.judge.observers = {&dying};
  const std::string text = caseWith(death.op);
  const Bucket before = Judging(settings.judge, settings.limits).judge(text).bucket;
  const Minimized result = minimize(text, settings);
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(before.kind, death.hang ? "hang" : "crash");
  EXPECT_NE(before.pattern.find("fuser::"), std::string::npos) << before.pattern;  // told by frames, with names
  EXPECT_EQ(toString(result.bucket), toString(before));
  EXPECT_EQ(toString(Judging(settings.judge, settings.limits).judge(result.text).bucket), toString(before));
  EXPECT_LE(result.after.expressions, 2u) << result.text;
  EXPECT_TRUE(outputsNeed(*parseCase(result.text, "minimized").fusion, death.op)) << result.text;
}

INSTANTIATE_TEST_SUITE_P(Deaths, PlantedDeathTest,
                         testing::Values(Death{OpKind::Exp, false}, Death{OpKind::Sum, false},
                                         Death{OpKind::Abs, true}));

}  // namespace
}  // namespace fuser::fuzz
