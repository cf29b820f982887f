// The adversarial correct engine (oracle/ORACLE.md#an-adversarial-correct-engine) on generated fusions: no finding,
// ever. And, with errors beyond the columns, findings. FUSER_FULL=1 runs 10^5 fusions.

#include "tests/oracle/adversarial.h"
#include "tests/in_full.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "fuser/case/functional_updates.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/case_settings.h"
#include "fuzz/generate/generate.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"

namespace oracle_test {
namespace {

using fuser::Case;
using fuser::HostValue;
using fuser::RunData;
using oracle::Judgement;
using oracle::Verdict;

uint64_t caseCount() { return fuser::inFull() ? 100000 : 600; }

using fuser::OpKind;

// With contraction: nothing but what contracts, which a mixed case seldom has side by side.
const std::set<OpKind> kSums = {OpKind::Mul, OpKind::Add,       OpKind::Sub, OpKind::Sum,
                                OpKind::Neg, OpKind::Unsqueeze, OpKind::Set, OpKind::Cast};

// A case of the ops `only`; of any where that is empty.
Case generated(uint64_t number, const std::set<OpKind>& only) {
  fuser::fuzz::GeneratorOptions options;
  options.only = only;
  options.exclude = {OpKind::Cond};  // what is judged of a run is the side that it takes
  options.medianElements = 64;
  options.maxElements = 2048;
  options.maxCaseElements = 1 << 14;
  Case testCase = fuser::functionalCase(fuser::fuzz::generateCase(20, number, options));
  testCase.fusion->markOrigins();
  return testCase;
}

// Sums over a campaign.
struct Statistics {
  oracle::Counts elements;
  oracle::Counts outputs;
  std::map<fuser::OpKind, oracle::Counts> byOp;
  int cases = 0, agrees = 0, undecided = 0, unsupported = 0, differs = 0;

  void add(const Judgement& judgement) {
    ++cases;
    agrees += judgement.verdict == Verdict::Agrees;
    undecided += judgement.verdict == Verdict::Undecided;
    unsupported += judgement.verdict == Verdict::Unsupported;
    differs += judgement.verdict == Verdict::Differs;
    elements += judgement.total;
    for (const auto& output : judgement.outputs) outputs += output.counts;
    for (const oracle::OpCounts& op : judgement.ops) byOp[op.op] += op.counts;
  }

  static double share(const oracle::Counts& counts) {
    return counts.judged ? static_cast<double>(counts.decided) / static_cast<double>(counts.judged) : 1;
  }

  void print(const char* name) const {
    std::printf(
        "%s: %d cases, %d agree, %d undecided, %d unsupported; decided %.4f of stored elements, %.4f of outputs\n",
        name, cases, agrees, undecided, unsupported, share(elements), share(outputs));
    for (const auto& [op, counts] : byOp) {
      if (share(counts) < 0.97)
        std::printf("  %-10s %.3f of %lld\n", std::string(fuser::opName(op)).c_str(), share(counts),
                    static_cast<long long>(counts.judged));
    }
  }
};

// The judge is told of the adversary's contraction, or not: then findings are expected.
Statistics campaign(const Adversary& adversary, uint64_t count, uint64_t seed, bool tellsJudge = true,
                    const std::set<OpKind>& only = {}) {
  reference::useOneThread();
  Statistics statistics;
  for (uint64_t number = 0; number < count; ++number) {
    const Case testCase = generated(number, adversary.contraction ? kSums : only);
    std::mt19937_64 random(seed * 1000003 + number);
    for (const fuser::Run& run : testCase.runs) {
      if (run.expectation != fuser::Expectation::Agrees) continue;  // an index is out of range
      const RunData data = fuser::materialize(testCase, run);
      const std::vector<HostValue> inputs = hostValues(data);
      const fuser::RunRecord record = runAdversarially(*testCase.fusion, inputs, adversary, random);
      const Judgement judgement = oracle::judge(*testCase.fusion, inputs, record,
                                                {{adversary.contraction && tellsJudge}, adversary.probes, true, 5});
      statistics.add(judgement);
      if (adversary.errorScale <= 1 && tellsJudge && judgement.verdict == Verdict::Differs) {
        ADD_FAILURE() << "case " << number << " " << oracle::toString(judgement);
        if (statistics.differs > 5) return statistics;
      }
    }
  }
  return statistics;
}

TEST(AdversaryTest, NeverFlaggedBySegments) {
  const Statistics statistics = campaign({}, caseCount(), 1);
  statistics.print("segments");
  EXPECT_EQ(statistics.unsupported, 0);
}

TEST(AdversaryTest, NeverFlaggedWithContraction) {
  Adversary adversary;
  adversary.contraction = true;
  campaign(adversary, caseCount(), 2).print("contraction");
}

TEST(AdversaryTest, NeverFlaggedWithProbes) {
  Adversary adversary;
  adversary.probes = true;
  const Statistics statistics = campaign(adversary, caseCount(), 3);
  statistics.print("probes");
  EXPECT_GT(Statistics::share(statistics.elements), 0.97);
}

TEST(AdversaryTest, FlaggedWhereItContractsUnasked) {
  Adversary adversary;
  adversary.contraction = true;
  adversary.maxSegments = 1;
  EXPECT_GT(campaign(adversary, 600, 5, false).differs, 5);
}

TEST(AdversaryTest, FlaggedBeyondTheErrorColumns) {
  Adversary adversary;
  adversary.errorScale = 8;
  EXPECT_GT(campaign(adversary, 200, 4).differs, 20);
}

// Each library function of a formula errs by itself: within its own row's column the judge is content, beyond it not.
TEST(AdversaryTest, ErrsInEachStepOfAFormula) {
  int formulas = 0;
  for (OpKind op : fuser::kAllOps) {
    const fuser::OpInfo& info = fuser::opInfo(op);
    if (!fuser::isPointwise(op) || info.rule != fuser::IntervalRule::Formula) continue;
    SCOPED_TRACE(fuser::opName(op));
    ++formulas;
    Adversary adversary;
    adversary.probes = true;
    EXPECT_EQ(campaign(adversary, 20, 6, true, {op}).differs, 0);
    adversary.errorScale = 64;
    const Statistics beyond = campaign(adversary, 20, 7, true, {op});
    EXPECT_EQ(beyond.differs > 0, info.error > 0);
  }
  EXPECT_GT(formulas, 25);
}

}  // namespace
}  // namespace oracle_test
