// Buckets: the guilty stage by bisection, the place, the pattern; and the same for checks, violations and dead workers.

#include "fuzz/judge/bucket.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/passes/passes.h"
#include "fuser/text/parser.h"
#include "fuzz/judge/pattern.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser::fuzz {
namespace {

oracle::WrongValue wrongValue(std::vector<oracle::WrongElement> elements, int64_t judged) {
  oracle::WrongValue wrong;
  wrong.elements = std::move(elements);
  wrong.judged = judged;
  wrong.outside = static_cast<int64_t>(wrong.elements.size());
  wrong.extents = {judged / 4, 4};
  return wrong;
}

oracle::WrongElement at(int64_t place, double got, double right) { return {place, got, right, right, false, false}; }

TEST(PatternTest, NamesWhatIsWrong) {
  const double nan = std::nan(""), infinity = INFINITY;
  EXPECT_EQ(patternOf(wrongValue({at(0, nan, 1), at(5, nan, 2)}, 8)), "nan");
  EXPECT_EQ(patternOf(wrongValue({{0, 3, 1, 0, true, false}}, 8)), "nan");  // a NaN was lost
  EXPECT_EQ(patternOf(wrongValue({at(0, infinity, 1), at(5, -infinity, 2)}, 8)), "inf");
  EXPECT_EQ(patternOf(wrongValue({at(0, 0, 1), at(5, 0, 2)}, 8)), "zeros");
  EXPECT_EQ(patternOf(wrongValue({at(0, 1 + 0x1p-23, 1), at(5, 2 - 0x1p-22, 2)}, 8)), "one-ulp scale");
  EXPECT_EQ(patternOf(wrongValue({at(0, 5, 7), at(1, 9, 5), at(3, 7, 9)}, 8)), "permuted");
  EXPECT_EQ(patternOf(wrongValue({at(0, 2, 1), at(1, 6, 3), at(3, 5, 2.5)}, 8)), "constant factor");
  EXPECT_EQ(patternOf(wrongValue({at(6, 2, 10), at(7, 3, 70)}, 8)), "tail");
  EXPECT_EQ(patternOf(wrongValue({at(0, 2, 10), at(1, 3, 70), at(2, 8, 9), at(3, 1, 7)}, 8)), "whole row");
  EXPECT_EQ(patternOf(wrongValue({at(0, 2, 10), at(2, 3, 70)}, 8)), "other");
  EXPECT_EQ(patternOf(wrongValue({at(0, 2, 10)}, 1)), "other");
  // A little off is neither moved nor multiplied.
  EXPECT_EQ(patternOf(wrongValue({at(0, 1.0001, 1), at(5, 3.0001, 3)}, 8)), "other");
  oracle::WrongValue integers = wrongValue({at(0, 8, 7), at(2, 8, 7)}, 8);
  integers.dtype = DataType::Int64;
  EXPECT_EQ(patternOf(integers), "other");  // integers have no last place
}

TEST(PatternTest, MessagesLoseNamesAndNumbers) {
  EXPECT_EQ(withoutNames("%t12.c1 has 35 of 7\nmore"), "% has # of #");
  EXPECT_EQ(withoutNames(std::string(300, 'a')).size(), 160u);
}

Bucket bucketOfText(const std::string& text, JudgeSettings settings = {}) {
  const Case testCase = parseCase(text, "test");
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_TRUE(isFinding(verdict.kind)) << toString(verdict);
  return bucketOf(testCase, verdict, settings);
}

constexpr const char* kPointwise = R"(
fusion f(%x: f32[i0], %y: f32[i0]) {
  %a = add(%x, %y)
  %b = exp(%a)
  return %b
}
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[100]
      %y = uniform(seed = 2, low = 1, high = 2) : f32[100] }
)";

std::string withOption(std::string text, const std::string& option) {
  return text.insert(text.find("run {"), option + "\n");
}

TEST(BucketTest, AWrongKernelIsTheKernelsFault) {
  const Bucket bucket = bucketOfText(withOption(kPointwise, "option fault = \"expm1-for-exp\""));
  EXPECT_EQ(toString(bucket), "differs | kernel | pointwise | other");
}

TEST(BucketTest, AWrongPassIsNamedWithItsRewrite) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0], %y: f32[i1]) {
  %a = add(%x, %y)
  %dead = exp(%a)
  %b = cast(%a) {dtype = bf16}
  %c = cast(%b) {dtype = f32}
  return %c
}
option fault = "cast-pass-folds-rounding"
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[100]
      %y = uniform(seed = 2, low = 1, high = 2) : f32[100] }
)",
                                  "test");
  const CaseVerdict verdict = judgeCase(testCase);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(bucketOf(testCase, verdict, {}).stage, "pass ConsecutiveCastPass");
  const std::map<std::string, int64_t> changed = {
      {"ConsecutiveCastPass", 1}, {"DeadCodePass", 1}, {"ExactMappedExtentSubstitutionPass", 1}};
  EXPECT_EQ(verdict.passes, changed);
}

TEST(BucketTest, TheRewriteIsFoundByBisection) {
  JudgeSettings settings;
  // Only what the second rewrite leaves is wrong.
  AfterApplication planting([](std::string_view pass, Fusion& fusion, bool& modified) {
    if (pass != "DeadCodePass" || !modified || fusion.exprs().size() != 3) return;
    fusion.setOutputs({fusion.outputs()[0]->definition()->input(0)});
  });
  settings.observers = {&planting};
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %a = exp(%x)
  %d1 = log(%a)
  %d2 = log(%a)
  %b = neg(%a)
  %y = neg(%b)
  return %y
}
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[100] }
)",
                                  "test");
  const CaseVerdict verdict = judgeCase(testCase, settings);
  ASSERT_TRUE(isFinding(verdict.kind)) << toString(verdict);
  const std::optional<GuiltyRewrite> rewrite = guiltyRewrite(testCase, verdict, settings);
  ASSERT_TRUE(rewrite);
  EXPECT_EQ(toString(*rewrite), "DeadCodePass, rewrite 2: the finding is gone with pass_limit = 1 and there with 2");
}

TEST(BucketTest, AViolationHasItsClassAndItsKernelsScheduler) {
  const Bucket bucket = bucketOfText(withOption(kPointwise, "option fault = \"dropped-predicate\""));
  EXPECT_EQ(toString(bucket), "violation | kernel | pointwise | out of bounds");
}

TEST(BucketTest, ACheckHasItsFileAndLine) {
  JudgeSettings settings;
  AfterPasses failing([](Fusion&) { FUSER_CHECK(false, "planted in %x7 at 12; in: T9[0] = move T0[3]"); });
  settings.observers = {&failing};
  const Bucket bucket = bucketOfText(kPointwise, settings);
  EXPECT_EQ(bucket.kind, "check");
  EXPECT_EQ(bucket.pattern.find("tests/fuzz/judge/bucket_test.cpp:"), 0u) << bucket.pattern;
  EXPECT_NE(bucket.pattern.find("planted in % at #"), std::string::npos) << bucket.pattern;
  EXPECT_EQ(bucket.pattern.find("move"), std::string::npos) << bucket.pattern;
}

// The same in each clone, whichever way its files are compiled: a library's may be several as one.
TEST(BucketTest, AFileIsNamedFromTheRepositorysRoot) {
  try {
    oracle::verdictName(static_cast<oracle::Verdict>(99));
    FAIL();
  } catch (const CheckError& error) {
    EXPECT_EQ(std::string(error.what()).find("oracle/judge.cpp:"), 0u) << error.what();
  }
}

// Each of two passes throws at its first rewrite: off alone, neither ends it.
TEST(BucketTest, APassThatThrowsIsNamed) {
  const std::string program = R"(
fusion f(%x: f32[i0]) {
  %h = cast(%x) {dtype = f64}
  %y = cast(%h) {dtype = f32}
  %d = exp(%y)
  %z = neg(%y)
  return %z
}
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[100] }
)";
  JudgeSettings settings;
  AfterApplication throwing([](std::string_view pass, Fusion&, bool& modified) {
    FUSER_CHECK(!modified || (pass != "ConsecutiveCastPass" && pass != "DeadCodePass"), "planted");
  });
  settings.observers = {&throwing};
  const Bucket bucket = bucketOfText(program, settings);
  EXPECT_TRUE(bucket.stage == "pass ConsecutiveCastPass" || bucket.stage == "pass DeadCodePass") << bucket.stage;
}

// A pass that breaks the program whenever it runs: seen by comparing what it is given with what it leaves.
TEST(BucketTest, AWrongPassIsNamed) {
  const std::string program = R"(
fusion f(%x: f32[i0]) {
  %h = cast(%x) {dtype = f64}
  %y = cast(%h) {dtype = f32}
  %z = neg(%y)
  return %z
}
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[100] }
)";
  JudgeSettings settings;
  AfterPasses planting([](Fusion& fusion) {
    for (const Expr* expr : fusion.exprs()) {
      if (expr->op() == OpKind::Cast) return;  // the pass that folds casts did not run
    }
    for (Expr* expr : std::vector<Expr*>(fusion.exprs())) {
      if (expr->op() != OpKind::Neg) continue;
      const std::vector<Val*> inputs = expr->inputs(), outputs = expr->outputs();
      fusion.removeExpr(expr);
      fusion.newExpr(OpKind::Abs, inputs, outputs);
    }
  });
  settings.observers = {&planting};
  EXPECT_EQ(bucketOfText(program, settings).stage, "pass ConsecutiveCastPass");
}

// One that leaves the wait for a loop over streams out; the loop itself is an earlier one's.
TEST(BucketTest, AWrongPassOfTheHostProgramIsNamed) {
  const std::string program = R"(
fusion f(%x: f32[i0, i1]) {
  %t = neg(%x)
  %y = exp(%t)
  return %y
}
stream %t {dim = 0}
run { %x = normal(seed = 1) : f32[3, 5] }
)";
  JudgeSettings settings;
  AfterHost planting([](HostIrContainer& host) {
    for (hir::HostExpr* loop : hostExprsOf<hir::ForLoop>(host)) {
      if (std::get<hir::ForLoop>(loop->node).overStreams) host.remove(loop);
    }
  });
  settings.observers = {&planting};
  EXPECT_EQ(bucketOfText(program, settings).stage, "pass RedundantSynchronizationsPass");
}

TEST(BucketTest, AnOptionIsGuiltyIfTheFindingVanishesWithoutIt) {
  JudgeSettings settings;
  AfterLower planting([](int, Kernel& kernel) {
    if (kernel.contraction) kernel.body.clear();
  });
  settings.observers = {&planting};
  EXPECT_EQ(bucketOfText(withOption(kPointwise, "option enable contraction"), settings).stage, "option contraction");
}

// The case's own schedule, and of its steps the one that decides.
TEST(BucketTest, AStepOfTheScheduleIsGuilty) {
  const std::string program = R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
schedule {
  split %y {axis = 0, factor = 48}
  parallelize %y {axis = 1, type = TIDx}
  parallelize %y {axis = 0, type = BIDx}
  propagate %y
  parallelizeAllLike %y
  inlineMost
}
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[100] }
)";
  JudgeSettings settings;
  AfterLower withOneStep([](int, Kernel& kernel) {
    if (kernel.blockDim[0] == 48) kernel.body.clear();
  });
  settings.observers = {&withOneStep};
  EXPECT_EQ(bucketOfText(program, settings).stage, "schedule parallelize");
  AfterLower withAnyStep([](int, Kernel& kernel) {
    if (kernel.blockDim[0] != 128) kernel.body.clear();  // with any schedule of these
  });
  settings.observers = {&withAnyStep};
  EXPECT_EQ(bucketOfText(program, settings).stage, "schedule");
}

TEST(BucketTest, AFindingThatVanishesOpByOpIsBlamedOnFusion) {
  JudgeSettings settings;
  AfterLower planting([](int, Kernel& kernel) {
    size_t written = 0;
    for (const TensorParam& tensor : kernel.tensors) written += tensor.written;
    if (written == 1) kernel.body.clear();  // with probes, %a is stored too
  });
  settings.observers = {&planting};
  const Bucket bucket = bucketOfText(kPointwise, settings);
  EXPECT_EQ(bucket.stage, "fusing");
  EXPECT_EQ(bucket.pattern, "nan");  // poison
}

TEST(BucketTest, ADeadWorkersBucketIsItsSignalAndTopFrames) {
  const std::string detail =
      "signal Segmentation fault\nfuser::fuzz::(anonymous namespace)::writeStack(int) at fuzz/isolate/x.cpp:3\n"
      "/lib/libc.so.6(+0x3c050) [0x7f]\nfuser::lower(fuser::Fusion const&) at fuser/lower/lower.cpp:30\n"
      "std::vector<int>::at() at /usr/include/vector:3\nfuser::buildProgram(int) at fuser/runtime/a.cpp:2\n";
  const Bucket bucket = bucketOfEnding(VerdictKind::Crash, detail);
  EXPECT_EQ(bucket.kind, "crash");
  EXPECT_EQ(bucket.pattern, "signal Segmentation fault < fuser::lower < fuser::buildProgram");
  const std::string hang = "took more than 10 s\n" + detail.substr(detail.find('\n') + 1);
  EXPECT_EQ(bucketOfEnding(VerdictKind::Hang, hang).pattern, "fuser::buildProgram > fuser::lower");
  EXPECT_EQ(bucketOfEnding(VerdictKind::OutOfMemory, "resident size 900 MiB is above 100 MiB").pattern, "");
}

// In which run, of which program, a slow case is interrupted is chance.
TEST(BucketTest, AHangIsOneBucketInWhicheverRunItIsInterrupted) {
  const std::string inside =
      "took more than 10 s\nfuser::interp::runLaunch(int) at a.cpp:1\nfuser::HostIrEvaluator::run() at b.cpp:2\n";
  const std::string run = "fuser::FusionExecutorCache::Impl::run(int) at c.cpp:3\n";
  const std::string concrete = "fuser::FusionExecutorCache::Impl::runConcrete(int) at c.cpp:4\n";
  EXPECT_EQ(bucketOfEnding(VerdictKind::Hang, inside + run),
            bucketOfEnding(VerdictKind::Hang, inside + run + concrete + run));
  EXPECT_EQ(bucketOfEnding(VerdictKind::Hang, inside + run).pattern,
            "fuser::HostIrEvaluator::run > fuser::interp::runLaunch");
}

// What ours stands in the arguments of others' functions is none of ours, and a return type is no function.
TEST(BucketTest, AFrameIsClassifiedByItsFunctionAlone) {
  const auto frames = [](const std::string& lines) {
    return bucketOfEnding(VerdictKind::Hang, "took more than 1 s\n" + lines).pattern;
  };
  EXPECT_EQ(frames("std::__detail::__variant::__gen_vtable_impl<void (*)(fuser::HostRun&)>::__visit_invoke(int) at "
                   "variant:1019\n"),
            "");
  EXPECT_EQ(
      frames("std::_Function_handler<void (fuser::Fusion&), fuser::Pass>::_M_invoke(std::_Any_data const&) at x:1\n"),
      "");
  EXPECT_EQ(frames("decltype(auto) std::visit<fuser::Visitor, fuser::Node>(fuser::Visitor&&) at variant:1700\n"), "");
  EXPECT_EQ(frames("fuser::IntExpr fuser::(anonymous namespace)::bound<fuser::Dims>(fuser::Dims const&) at a.cpp:1\n"),
            "fuser::bound");
  EXPECT_EQ(frames(" (inlined by) oracle::judge(fuser::Fusion const&) at oracle/judge.cpp:7\n"), "oracle::judge");
  EXPECT_EQ(frames("std::vector<fuser::Dims> fuser::dimsOf<int>(int) at b.cpp:1\n"), "fuser::dimsOf");
  EXPECT_EQ(frames("auto fuser::dispatch<fuser::f(int)::{lambda()#1}>(fuser::DataType) at c.h:1\n"), "fuser::dispatch");
  EXPECT_EQ(frames("fuser::lower at b.cpp:1\n"), "fuser::lower");
  EXPECT_EQ(frames("fuser::operator<<(std::ostream&, fuser::Dims const&) at d.h:1\n"), "fuser::operator");
  EXPECT_EQ(frames("myfuser::lower(int) at e.cpp:1\n/build/fuser::x(+0x12) [0x55]\n"), "");
}

}  // namespace
}  // namespace fuser::fuzz
