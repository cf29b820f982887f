// Profiles (oracle/ORACLE.md#10-profiles): a wider profile accepts what a narrower one does; an engine that takes the
// liberties of a profile by chance is never flagged under it, and is under a profile without them.

#include "oracle/profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"
#include "oracle/slice.h"
#include "tests/oracle/liberal.h"

namespace oracle_test {
namespace {

using fuser::Case;
using fuser::DataType;
using fuser::HostValue;
using fuser::OpKind;
using fuser::RunData;
using oracle::Interval;
using oracle::Profile;
using oracle::Value;
using oracle::Verdict;

std::vector<oracle::FunctionError> functions(double ulps) {
  std::vector<oracle::FunctionError> rows;
  for (const OpKind op : {OpKind::Exp, OpKind::Tanh}) {
    for (const DataType dtype : {DataType::Double, DataType::Float, DataType::Half, DataType::BFloat16})
      rows.push_back({op, dtype, ulps, 1e9});
  }
  return rows;
}

// The strictest one, and for each liberty the same with it.
struct Named {
  const char* name;
  Profile profile;
  std::set<OpKind> only = liberalOps();
  bool isSeen = true;  // the generator keeps integers in range: few cases take the liberty there
};
std::vector<Named> profiles() {
  Profile strict;
  strict.functions = functions(4);
  std::vector<Named> list;
  const auto with = [&](const char* name, auto... liberties) {
    Named one{name, strict};
    ((one.profile.*liberties = true), ...);
    list.push_back(one);
  };
  with("strict");
  list.back().isSeen = false;
  with("contraction", &Profile::contraction);
  list.back().only = {OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Sum, OpKind::Cast};
  with("excess precision", &Profile::excessPrecision);
  with("contraction and excess precision", &Profile::contraction, &Profile::excessPrecision);
  with("narrow accumulation", &Profile::narrowAccumulation);
  with("flush to zero", &Profile::flushToZero);
  with("reciprocals", &Profile::reciprocals);
  with("a number beside a NaN", &Profile::numberBesideNan);
  with("any overflow", &Profile::anyOverflow, &Profile::anyConversion);
  list.back().isSeen = false;
  Named wider{"functions", strict};
  wider.profile.functions = functions(16);
  list.push_back(wider);
  with("all", &Profile::contraction, &Profile::excessPrecision, &Profile::narrowAccumulation, &Profile::flushToZero,
       &Profile::reciprocals, &Profile::numberBesideNan, &Profile::anyOverflow, &Profile::anyConversion);
  list.back().profile.functions = functions(16);
  return list;
}

Case generated(uint64_t number, const std::set<OpKind>& only, bool scatters) {
  fuser::fuzz::GeneratorOptions options;
  options.only = only;
  options.only.erase(OpKind::Update);
  options.only.erase(OpKind::SliceScatter);
  for (const OpKind op : {OpKind::Scatter, OpKind::ScatterAdd}) {
    if (!scatters) options.only.erase(op);
  }
  options.medianElements = 40;
  options.maxElements = 1024;
  options.maxCaseElements = 1 << 13;
  return fuser::fuzz::generateCase(31, number, options);
}

Verdict judged(const Case& testCase, const std::vector<HostValue>& inputs, const std::vector<DenseArray>& outputs,
               const Profile* profile, std::string& text) {
  fuser::RunRecord record;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (testCase.fusion->outputs()[i]->isScalar())
      record.outputs.push_back(outputs[i].scalar());
    else
      record.outputs.push_back(outputs[i].ref());
  }
  oracle::JudgeOptions options;
  options.arithmetic.profile = profile;
  const oracle::Judgement judgement = oracle::judge(*testCase.fusion, inputs, record, options);
  text = oracle::toString(judgement);
  return judgement.verdict;
}

// What the engine is that takes these liberties, and what it is called under the strict profile.
struct Tally {
  int flagged = 0, flaggedAsStrict = 0, agrees = 0;
};
Tally campaign(const Profile& profile, uint64_t cases, const std::set<OpKind>& only = liberalOps(),
               bool scatters = false) {
  reference::useOneThread();
  Profile strict;
  strict.functions = functions(4);
  Tally tally;
  for (uint64_t number = 0; number < cases; ++number) {
    const Case testCase = generated(number, only, scatters);
    std::mt19937_64 random(number);
    for (const fuser::Run& run : testCase.runs) {
      if (run.expectation != fuser::Expectation::Agrees) continue;  // an index out of its range
      const RunData data = fuser::materialize(testCase, run);
      const std::vector<HostValue> inputs = hostValues(data);
      const std::vector<DenseArray> outputs = runLiberally(*testCase.fusion, inputs, profile, random);
      std::string text;
      const Verdict verdict = judged(testCase, inputs, outputs, &profile, text);
      tally.agrees += verdict == Verdict::Agrees;
      if (verdict == Verdict::Differs && ++tally.flagged <= 3)
        ADD_FAILURE() << "case " << number << " " << text << fuser::printCase(testCase);
      tally.flaggedAsStrict += judged(testCase, inputs, outputs, &strict, text) == Verdict::Differs;
    }
  }
  return tally;
}

TEST(ProfileTest, AnEngineThatTakesLibertiesIsNeverFlaggedUnderThem) {
  for (const Named& named : profiles()) {
    SCOPED_TRACE(named.name);
    const Tally tally = campaign(named.profile, 900, named.only);
    std::printf("%s: %d agree, %d flagged, as strict %d\n", named.name, tally.agrees, tally.flagged,
                tally.flaggedAsStrict);
    EXPECT_EQ(tally.flagged, 0);
    EXPECT_GT(tally.agrees, 20);
    if (named.isSeen) {
      EXPECT_GT(tally.flaggedAsStrict, 0);
    }
  }
}

bool contains(const Value& wider, const Value& narrower) {
  if (narrower.whole) {
    for (size_t i = 0; i < narrower.whole->size(); ++i) {
      if ((*wider.whole)[i].lo > (*narrower.whole)[i].lo || (*wider.whole)[i].hi < (*narrower.whole)[i].hi)
        return false;
    }
    return true;
  }
  for (size_t i = 0; i < narrower.real->size(); ++i) {
    const Interval &outer = (*wider.real)[i], &inner = (*narrower.real)[i];
    const uint8_t kinds = inner.hasZero() ? oracle::kSpecials | oracle::kZeros : oracle::kSpecials;
    if ((inner.flags & kinds & ~outer.flags) != 0) return false;
    if (inner.hasRange() && !(outer.lo <= inner.lo && inner.hi <= outer.hi)) return false;
  }
  return true;
}

// Without any liberty: the order of elements for one place, and whether each sum of 16 bits is rounded, are open to
// all but our own kernels.
TEST(ProfileTest, ScattersOfAnotherOrderAreNeverFlagged) {
  const std::vector<Named> all = profiles();
  for (const Named& named : {all.front(), all.back()}) {
    SCOPED_TRACE(named.name);
    const Tally tally = campaign(named.profile, 400, named.only, true);
    EXPECT_EQ(tally.flagged, 0);
    EXPECT_GT(tally.agrees, 200);
  }
  int asOurs = 0;
  for (uint64_t number = 0; number < 100; ++number) {
    const Case testCase = generated(number, liberalOps(), true);
    const fuser::Run& run = testCase.runs.front();
    if (run.expectation != fuser::Expectation::Agrees) continue;
    const RunData data = fuser::materialize(testCase, run);
    const std::vector<HostValue> inputs = hostValues(data);
    std::mt19937_64 random(number);
    const std::vector<DenseArray> outputs = runLiberally(*testCase.fusion, inputs, all.front().profile, random);
    std::string text;
    asOurs += judged(testCase, inputs, outputs, nullptr, text) == Verdict::Differs;
  }
  EXPECT_GT(asOurs, 10) << "the last index counts in our own kernels";
}

TEST(ProfileTest, AWiderProfileAcceptsWhatANarrowerOneDoes) {
  reference::useOneThread();
  const std::vector<Named> all = profiles();
  for (uint64_t number = 0; number < 150; ++number) {
    const Case testCase = generated(number, liberalOps(), false);
    if (testCase.runs.front().expectation != fuser::Expectation::Agrees) continue;
    const RunData data = fuser::materialize(testCase, testCase.runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    const auto setsUnder = [&](const Profile& profile) {
      oracle::RunFacts facts = oracle::collectFacts(*testCase.fusion, inputs);
      facts.arithmetic.profile = &profile;
      oracle::Slice slice(facts);
      std::vector<Value> sets;
      for (const fuser::Val* output : testCase.fusion->outputs()) sets.push_back(slice.evaluate(output));
      return sets;
    };
    const std::vector<Value> strict = setsUnder(all.front().profile), widest = setsUnder(all.back().profile);
    for (const Named& named : all) {
      const std::vector<Value> sets = setsUnder(named.profile);
      for (size_t i = 0; i < sets.size(); ++i) {
        EXPECT_TRUE(contains(sets[i], strict[i])) << "case " << number << ", output " << i << ": " << named.name;
        EXPECT_TRUE(contains(widest[i], sets[i])) << "case " << number << ", output " << i << ": " << named.name;
      }
    }
  }
}

// --- one case a liberty: taken it lies inside, and outside without the row; one step further it is outside ---

struct Liberty {
  const char* name;
  bool Profile::*row;
  const char* program;  // of the case, whose output is %y
  const char* run;
  double strict, taken, tooFar;
};

Verdict verdictOf(const Liberty& liberty, double number, const Profile& profile) {
  const Case testCase =
      fuser::parseCase(fuser::concat("fusion f", liberty.program, "\nrun {\n", liberty.run, "\n}\n"), liberty.name);
  const RunData data = fuser::materialize(testCase, testCase.runs.front());
  DenseArray array(DataType::Double, {1});
  *array.as<double>() = number;
  std::string text;
  return judged(testCase, hostValues(data), {array.cast(testCase.fusion->outputs()[0]->dtype())}, &profile, text);
}

// (1 + 2^-12)^2 is 1 + 2^-11, and 2^-24 are rounded away.
const Liberty kLiberties[] = {
    {"contraction", &Profile::contraction,
     "(%a: f32[i0], %b: f32[i0], %c: f32[i0]) { %p = mul(%a, %b) %y = sub(%p, %c) return %y }",
     "%a = values [1.000244140625] : f32[1]\n%b = values [1.000244140625] : f32[1]\n%c = values [1.00048828125] : "
     "f32[1]",
     0, 0x1p-24, 0x1p-23},
    {"excess precision", &Profile::excessPrecision,
     "(%a: f16[i0], %b: f16[i0]) { %s = add(%a, %b) %y = sub(%s, %a) return %y }",
     "%a = values [2048] : f16[1]\n%b = values [1] : f16[1]", 0, 1, 2},
    {"casts dropped", &Profile::excessPrecision,
     "(%a: f32[i0]) { %h = cast(%a) {dtype = bf16} %y = cast(%h) {dtype = f32} return %y }",
     "%a = values [1.001] : f32[1]", 1, 1.00099999, 1.002},
    {"narrow accumulation", &Profile::narrowAccumulation,
     "(%a: f16[i0]) { %y = sum(%a) {dims = [0], keepdim = true} return %y }", "%a = values [2048, 1, 1, 1, 1] : f16[5]",
     2052, 2048, 2032},
    {"flush to zero", &Profile::flushToZero, "(%a: f32[i0]) { %y = mul(%a, 2) return %y }",
     "%a = values [7.346839692639297e-40] : f32[1]", 0x1p-129, 0, 0x1p-128},
    {"reciprocals", &Profile::reciprocals, "(%a: f32[i0], %b: f32[i0]) { %y = div(%a, %b) return %y }",
     "%a = values [5] : f32[1]\n%b = values [41] : f32[1]", double{5.0F / 41.0F}, double{5.0F * (1.0F / 41.0F)},
     0.1219513},
    {"in a formula", &Profile::reciprocals,
     "(%z: f32[i0], %a: f32[i0], %b: f32[i0]) { %y = addcdiv(%z, %a, %b) return %y }",
     "%z = values [0] : f32[1]\n%a = values [5] : f32[1]\n%b = values [41] : f32[1]", double{5.0F / 41.0F},
     double{5.0F * (1.0F / 41.0F)}, 0.1219513},
    {"a number beside a NaN", &Profile::numberBesideNan,
     "(%a: f32[i0], %b: f32[i0]) { %y = maximum(%a, %b) return %y }",
     "%a = values [nan] : f32[1]\n%b = values [1] : f32[1]", NAN, 1, 2},
    {"in a reduction", &Profile::numberBesideNan,
     "(%a: f32[i0]) { %y = amax(%a) {dims = [0], keepdim = true} return %y }", "%a = values [nan, 1] : f32[2]", NAN, 1,
     2},
};

TEST(ProfileTest, EachLibertyMayBeTakenUnderItsRowAlone) {
  reference::useOneThread();
  const Profile none;
  for (const Liberty& liberty : kLiberties) {
    SCOPED_TRACE(liberty.name);
    Profile profile;
    profile.*liberty.row = true;
    EXPECT_NE(verdictOf(liberty, liberty.strict, none), Verdict::Differs);
    EXPECT_NE(verdictOf(liberty, liberty.strict, profile), Verdict::Differs);
    EXPECT_NE(verdictOf(liberty, liberty.taken, profile), Verdict::Differs);
    EXPECT_EQ(verdictOf(liberty, liberty.taken, none), Verdict::Differs);
    EXPECT_EQ(verdictOf(liberty, liberty.tooFar, profile), Verdict::Differs);
  }
}

// Integers that overflow, and numbers that they do not hold: undecided under the row, one integer without it.
TEST(ProfileTest, AnOverflowOrAConversionOutOfRangeMayBeAnything) {
  const Liberty overflow{"overflow",
                         &Profile::anyOverflow,
                         "(%a: i32[i0]) { %y = mul(%a, %a) return %y }",
                         "%a = values [65536] : i32[1]",
                         0,
                         7,
                         0};
  const Liberty conversion{"conversion",
                           &Profile::anyConversion,
                           "(%a: f32[i0]) { %y = cast(%a) {dtype = i32} return %y }",
                           "%a = values [3e9] : f32[1]",
                           -2147483648.0,
                           7,
                           0};
  for (const Liberty& liberty : {overflow, conversion}) {
    SCOPED_TRACE(liberty.name);
    Profile profile;
    EXPECT_EQ(verdictOf(liberty, liberty.strict, profile), Verdict::Agrees);
    EXPECT_EQ(verdictOf(liberty, liberty.taken, profile), Verdict::Differs);
    profile.*liberty.row = true;
    EXPECT_EQ(verdictOf(liberty, liberty.taken, profile), Verdict::Undecided);
  }
}

// A function is judged by its row, in its domain, and not at all without one.
TEST(ProfileTest, AFunctionNeedsARow) {
  reference::useOneThread();
  const Liberty one{"exp", nullptr, "(%a: f32[i0]) { %y = exp(%a) return %y }", "%a = values [1] : f32[1]", 0, 0, 0};
  const double value = std::exp(1.0), ulp = 0x1p-22;
  Profile profile;
  EXPECT_EQ(verdictOf(one, 100, profile), Verdict::Undecided);
  profile.functions = {{OpKind::Exp, DataType::Float, 3, 10}};
  EXPECT_EQ(verdictOf(one, value, profile), Verdict::Agrees);
  EXPECT_EQ(verdictOf(one, value + 2.9 * ulp, profile), Verdict::Agrees);
  EXPECT_EQ(verdictOf(one, value + 4.1 * ulp, profile), Verdict::Differs);
  EXPECT_EQ(verdictOf(one, value - 4.1 * ulp, profile), Verdict::Differs);
  profile.functions[0].most = 0.5;
  EXPECT_EQ(verdictOf(one, value, profile), Verdict::Undecided);
  EXPECT_FALSE(isJudged(profile, OpKind::Exp, DataType::Half));
  EXPECT_FALSE(isJudged(profile, OpKind::Var, DataType::Float));
  EXPECT_TRUE(isJudged(profile, OpKind::Exp, DataType::Float));
  EXPECT_TRUE(isJudged(profile, OpKind::Sum, DataType::Half));
}

// The factor of rad2deg is 57.2958 in f32 and 57.28125 in f16: a program may hold either.
TEST(ProfileTest, ALiteralOfAFormulaMayBeRoundedTo16Bits) {
  const Liberty degrees{"rad2deg",
                        nullptr,
                        "(%a: f16[i0]) { %y = rad2deg(%a) return %y }",
                        "%a = values [0.39453125] : f16[1]",
                        22.609375,
                        22.59375,
                        22.625};
  EXPECT_NE(verdictOf(degrees, degrees.strict, {}), Verdict::Differs);
  EXPECT_NE(verdictOf(degrees, degrees.taken, {}), Verdict::Differs);
  EXPECT_EQ(verdictOf(degrees, degrees.tooFar, {}), Verdict::Differs);
}

// Sums take any order, whatever the profile says.
TEST(ProfileTest, ASumTakesAnyOrder) {
  const Liberty sum{"sum",
                    nullptr,
                    "(%a: f32[i0]) { %y = sum(%a) {dims = [0], keepdim = true} return %y }",
                    "%a = values [16777216, 1, -16777216] : f32[3]",
                    1,
                    0,
                    4};
  EXPECT_NE(verdictOf(sum, sum.strict, {}), Verdict::Differs);
  EXPECT_NE(verdictOf(sum, sum.taken, {}), Verdict::Differs);
  EXPECT_EQ(verdictOf(sum, 16, {}), Verdict::Differs);
}

}  // namespace
}  // namespace oracle_test
