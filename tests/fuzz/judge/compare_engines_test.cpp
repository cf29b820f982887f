// Cases on the cpu engine, held against the oracle and the interpreter's bits.

#include "fuzz/judge/compare_engines.h"

#include <gtest/gtest.h>

#include "fuser/execute/ptx_engine.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/generate/generate.h"
#include "reports/fields_sum.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"

namespace fuser::fuzz {
namespace {

ComparedCase compare(const std::string& text) {
  const Case testCase = parseCase(text, "case");
  return compareEngines({&testCase}, EngineKind::Cpu).at(0);
}

TEST(CompareEnginesTest, ExactOpsAreHeldToTheBit) {
  const ComparedCase compared = compare(
      "fusion f(%x: f32[i0, i1], %y: f32[i0, i1]) {\n  %a = mul(%x, %y)\n  %s = sum(%a) {dims = [1]}\n  %r = sqrt(%s)\n"
      "  return %a, %r\n}\nrun { %x = uniform(seed = 1) : f32[5, 70]  %y = uniform(seed = 2) : f32[5, 70] }\n");
  EXPECT_EQ(compared.verdict.kind, VerdictKind::Agrees) << compared.verdict.detail;
  EXPECT_EQ(compared.bits.exact, 5 * 70 + 5);
  EXPECT_EQ(compared.bits.exactEqual, compared.bits.exact);
  EXPECT_EQ(compared.bits.others, 0);
}

TEST(CompareEnginesTest, StreamsAreThoseOfTheEnginesDevice) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, i1]) {\n  %a = neg(%x)\n  %y = flip(%a) {dims = [0]}\n  return %y\n}\n"
      "stream %a {dim = 0}\nrun { %x = normal(seed = 1) : f32[5, 3] }\n",
      "case");
  CudaStandIn standIn;
  const ComparedCase compared = compareEngines({&testCase}, *standIn.makeEngine()).at(0);
  EXPECT_EQ(compared.verdict.kind, VerdictKind::Agrees) << compared.verdict.detail;
  EXPECT_EQ(compared.bits.exactEqual, compared.bits.exact);
  EXPECT_EQ(standIn.launchesOnStreams, 6u) << "five turns, and %y";
  EXPECT_EQ(standIn.foreignArguments, 0u);
}

TEST(CompareEnginesTest, EnginesThatCallTheSameLibraryAreHeldToTheBit) {
  const ComparedCase compared = compare(
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %c = segment_set(%a)\n  %b = neg(%c)\n  return %b\n}\n"
      "run { %x = normal(seed = 1) : f32[300] }\n");
  EXPECT_EQ(compared.verdict.kind, VerdictKind::Agrees);
  EXPECT_GE(compared.bits.exact, 300);
  EXPECT_EQ(compared.bits.exactEqual, compared.bits.exact);
  EXPECT_EQ(compared.bits.others, 0);
}

// CUDA's exp has errors that the C library's has not: 2 ulps at most, and the C library's 1.
TEST(CompareEnginesTest, FunctionsOfEqualOperandsAreMeasured) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0]) {\n  %n = neg(%x)\n  %a = exp(%n)\n  %b = log(%a)\n  return %a, %b\n}\n"
      "run { %x = normal(seed = 1) : f32[3000] }\n",
      "case");
  const ComparedCase compared = compareEngines({&testCase}, EngineKind::Ptx).at(0);
  EXPECT_EQ(compared.verdict.kind, VerdictKind::Agrees) << compared.verdict.detail;
  ASSERT_EQ(compared.bits.functions.size(), 1u) << "log has operands of other bits";
  const FunctionResults& exp = compared.bits.functions.at("exp f32");
  EXPECT_EQ(exp.elements, 3000);
  EXPECT_LT(exp.equal, 3000);
  EXPECT_GT(exp.equal, 1000);
  EXPECT_GE(exp.distance, 1);
  EXPECT_LE(exp.distance, 3);
  EXPECT_EQ(exp.column, "2");
  EXPECT_TRUE(compare(printCase(testCase)).bits.functions.empty()) << "cpu calls interp's functions";
}

// What compilers would join through a selection, a conversion or a division by a number rounds first; what may be
// joined is an fma on each engine.
TEST(CompareEnginesTest, ContractionHasOneResult) {
  for (const char* file : {"division-by-literal-contracts", "product-contracts-behind-cast",
                           "product-contracts-behind-where", "products-contract-behind-where"}) {
    const std::string path = concat("corpus/regressions/", file, ".fusion");
    const Case testCase = parseCase(readFusionFile(path), path);
    ASSERT_TRUE(testCase.options.contraction);
    for (const EngineKind engine : {EngineKind::Cpu, EngineKind::Ptx}) {
      const ComparedCase compared = compareEngines({&testCase}, engine).at(0);
      EXPECT_EQ(compared.verdict.kind, VerdictKind::Agrees) << compared.verdict.detail;
      EXPECT_EQ(compared.bits.exactEqual, compared.bits.exact) << file;
      EXPECT_EQ(compared.bits.others, 0) << file;
    }
  }
}

// The order of the sums is an engine's own, and what a device makes of the copies that it has of them.
TEST(CompareEnginesTest, SumsInAnyOrderAreHeldToNoBitsOnSeveralDevices) {
  const std::string path = "corpus/regressions/sums-in-any-order-on-two-devices.fusion";
  const Case testCase = parseCase(readFusionFile(path), path);
  const ComparedCase compared = compareEngines({&testCase}, EngineKind::Ptx).at(0);
  EXPECT_EQ(compared.verdict.kind, VerdictKind::Agrees) << compared.verdict.detail;
  EXPECT_LT(compared.bits.othersEqual, compared.bits.others) << "the orders are the same: the test shows nothing";
}

// PTX's manual alone allows more than the error column, which CUDA's manual promises.
TEST(CompareEnginesTest, WhatTheManualAllowsAtWorstIsJudgedByItsOwnColumns) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %y = exp(%x)
  return %y
}
run { %x = uniform(seed = 1, low = 80.0, high = 88.0) : f32[20000] }
)",
                                  "case");
  PtxSettings settings;
  settings.approximation = ptx::Approximation::Adversarial;
  const std::unique_ptr<Engine> worst = makePtxEngine(settings);
  EXPECT_EQ(compareEngines({&testCase}, *worst).at(0).verdict.kind, VerdictKind::Agrees);

  // The same results, of an engine that does not say so.
  class Silent : public Engine {
   public:
    explicit Silent(Engine& engine) : engine_(engine) {}
    std::string name() const override { return engine_.name(); }
    std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
      return engine_.compile(kernels);
    }

   private:
    Engine& engine_;
  };
  Silent silent(*worst);
  EXPECT_EQ(compareEngines({&testCase}, silent).at(0).verdict.kind, VerdictKind::Differs);
}

// Minus infinity and infinity make a NaN, whose sign a processor and PTX choose otherwise.
TEST(CompareEnginesTest, TheBitsOfANanAreAnEnginesOwn) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %n = add(%x, inf)
  %y = bitcast(%n) {dtype = i32}
  return %y
}
run { %x = values [-inf, 1.0] : f32[2] }
expect agrees
)",
                                  "test");
  const ComparedCase compared = compareEngines({&testCase}, EngineKind::Ptx).at(0);
  EXPECT_FALSE(isFinding(compared.verdict.kind)) << compared.verdict.detail;
  EXPECT_EQ(compared.bits.others, 2);
  EXPECT_EQ(compared.bits.exact, 0);
}

// Of three runs each with its own expectation: what one does says nothing about the others.
std::string threeRuns(const char* first, const char* second, const char* third) {
  const auto run = [](const char* size, const char* expectation) {
    return concat("run { %x = uniform(seed = 1) : f32[4]  %n = ", size, " }\n", expectation);
  };
  return concat(
      "fusion f(%x: f32[i0], %n: i64) {\n  %f = full() {shape = [%n], fill_value = 1.0, dtype = f32}\n"
      "  %s = sum(%f) {dims = [0]}\n  %y = mul(%x, %s)\n  return %y\n}\n",
      run("3", first), run("-1", second), run("5", third));
}

TEST(CompareEnginesTest, EachRunIsComparedWithItsExpectation) {
  const char *agrees = "expect agrees\n", *rejected = "expect rejected\n";
  const ComparedCase right = compare(threeRuns(agrees, rejected, agrees));
  EXPECT_EQ(right.verdict.kind, VerdictKind::Agrees) << right.verdict.detail;
  EXPECT_TRUE(right.verdict.expected);
  EXPECT_EQ(right.verdict.elements.judged % 2, 0);
  EXPECT_GE(right.verdict.elements.judged, 8);  // both runs that are not rejected
  EXPECT_TRUE(compare(threeRuns(agrees, "expect agrees or rejected\n", agrees)).verdict.expected);
  const ComparedCase refused = compare(threeRuns(agrees, agrees, agrees));
  EXPECT_EQ(refused.verdict.kind, VerdictKind::Rejected);
  EXPECT_EQ(refused.verdict.run, 1);
  EXPECT_FALSE(refused.verdict.expected);
  EXPECT_EQ(refused.verdict.elements.judged, right.verdict.elements.judged);
  for (const ComparedCase& ran :
       {compare(threeRuns(rejected, rejected, agrees)), compare(threeRuns(agrees, rejected, rejected))}) {
    EXPECT_EQ(ran.verdict.kind, VerdictKind::Differs);
    EXPECT_EQ(ran.verdict.reason, "expected to be rejected, but it ran");
    EXPECT_FALSE(ran.verdict.expected);
  }
}

TEST(CompareEnginesTest, ManyCasesKeepTheirOrder) {
  std::vector<Case> testCases;
  std::vector<const Case*> cases;
  for (uint64_t number = 0; number < 12; ++number) testCases.push_back(generateCase(2, number));
  testCases.push_back(
      parseCase("fusion f(%n: i64) { %y = full() {shape = [%n], fill_value = 1.0, dtype = f32} return %y }\n"
                "run { %n = -1 }\nexpect rejected\n",
                "case"));
  for (const Case& one : testCases) cases.push_back(&one);
  const std::vector<ComparedCase> compared = compareEngines(cases, EngineKind::Cpu);
  ASSERT_EQ(compared.size(), 13u);
  BitCounts bits;
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_FALSE(isFinding(compared[i].verdict.kind)) << i << ": " << compared[i].verdict.detail;
    reports::addTo(bits, compared[i].bits);
  }
  EXPECT_GT(bits.exact, 1000);
  EXPECT_EQ(bits.exactEqual, bits.exact);
  EXPECT_EQ(compared[12].verdict.kind, VerdictKind::Rejected);
  EXPECT_TRUE(compared[12].verdict.expected);
}

}  // namespace
}  // namespace fuser::fuzz
