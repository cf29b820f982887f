// FusionExecutorCache: what is compiled when, and what runs return.

#include "fuser/runtime/fusion_executor_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include "fuser/ir/clone.h"
#include "fuser/runtime/run_request.h"
#include "fuser/segment/segmented_fusion.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

TEST(FusionExecutorCacheTest, RunsAFusionOfTwoSegmentsAndAScalar) {
  Session session(R"(
fusion f(%x: f32[i0, i1], %a: f64) {
  %s = sum(%x) {dims = [1]}
  %t = segment_set(%s)
  %n = size(%x) {dim = 1}
  %m = mul(%n, %a)
  %y = mul(%t, %m)
  return %y, %m
}
run { %x = values [1, 2, 3, 4, 5, 6] : f32[2, 3]  %a = 0.5 })",
                  [](FusionExecutorCache::Settings& settings) { settings.record = true; });
  const RunRecord record = session.run();
  EXPECT_EQ(elements(record.outputs.at(0)), (std::vector<double>{9, 22.5}));
  EXPECT_EQ(scalar(record.outputs.at(1)), ScalarValue(1.5));
  ASSERT_EQ(record.segments.size(), 3u);
  size_t depths = 0;
  for (const SegmentRecord& segment : record.segments) depths += segment.reductionDepths.size();
  EXPECT_EQ(depths, 1u);
  EXPECT_EQ(session.cache->counters().kernelCompilations, 2u);
}

// %u is computed by the kernel that reads a stored product, %v by the one that computes the product.
TEST(FusionExecutorCacheTest, ARecordSaysWhichSumsTookAProductUnrounded) {
  Session session(R"(
fusion f(%x: f32[i0], %c: f32[i0]) {
  %p = mul(%x, %x)
  %v = add(%p, %c)
  %s = segment_set(%p)
  %u = add(%s, %c)
  return %u, %v
}
option enable contraction
run { %x = values [0, 1] : f32[2]  %c = values [0, 1] : f32[2] })",
                  [](FusionExecutorCache::Settings& settings) { settings.record = true; });
  const RunRecord record = session.run();
  std::map<uint32_t, SumForms> sums;
  for (const SegmentRecord& segment : record.segments) sums.insert(segment.sums.begin(), segment.sums.end());
  const std::vector<Val*>& outputs = session.fusion->outputs();
  EXPECT_EQ(sums.at(outputs[0]->id()), (SumForms{true, false}));
  EXPECT_EQ(sums.at(outputs[1]->id()), (SumForms{false, true}));
}

TEST(FusionExecutorCacheTest, RecordsNameValuesOfTheOriginal) {
  Session session(R"(
fusion f(%x: f32[i0]) {
  %a = neg(%x)
  %b = segment_set(%a)
  %c = exp(%b)
  return %c
}
run { %x = values [0, 1] : f32[2] })",
                  [](FusionExecutorCache::Settings& settings) { settings.record = true; });
  const RunRecord record = session.run();
  ASSERT_EQ(record.segments.size(), 2u);
  const std::vector<Expr*>& exprs = session.fusion->exprs();
  EXPECT_EQ(record.segments[0].inputs.at(0).origin, session.fusion->inputs()[0]->id());
  EXPECT_EQ(record.segments[1].outputs.at(0).origin, exprs[2]->output()->id());
  EXPECT_EQ(elements(record.segments[1].inputs.at(0).value), (std::vector<double>{-0.0, -1}));
  EXPECT_EQ(session.fusion->inputs()[0]->origin(), std::nullopt) << "the original is kept unchanged";
}

TEST(FusionExecutorCacheTest, SameSizesAndNewScalarsCompileOnce) {
  Session session(R"(
fusion f(%x: f32[i0], %a: f64, %b: f64) {
  %c = add(%a, %b)
  %y = mul(%x, %c)
  return %y, %c
}
run { %x = values [1, 2] : f32[2]  %a = 1.0  %b = 2.0 }
run { %x = values [1, 2] : f32[2]  %a = 10.0  %b = 20.0 })");
  EXPECT_EQ(elements(session.run(0).outputs[0]), (std::vector<double>{3, 6}));
  const CacheCounters first = session.cache->counters();
  EXPECT_EQ(first.compilations, 1u);
  EXPECT_EQ(first.hostScalarEvaluations, 1u);
  const RunRecord second = session.run(1);
  EXPECT_EQ(elements(second.outputs[0]), (std::vector<double>{30, 60}));
  EXPECT_EQ(scalar(second.outputs[1]), ScalarValue(30.0));
  EXPECT_EQ(session.cache->counters().compilations, 1u);
  EXPECT_EQ(session.cache->counters().hostScalarEvaluations, 2u);
  EXPECT_EQ(session.cache->counters().runs, 2u);
}

std::string softmaxAlong(int dim) {
  const std::string along = concat("dims = [", dim, "], keepdim = true");
  return concat("fusion softmax(%x: f32[i0, i1]) {\n  %m = amax(%x) {", along, R"(}
  %d = sub(%x, %m)
  %e = exp(%d)
  %s = sum(%e) {)",
                along, R"(}
  %y = div(%e, %s)
  return %y
}
)");
}

// The programs that a fusion needs for a thousand lengths of an axis, from 1 to the longest; `taker` has to be the
// scheduler of some. `sizes` gives those of each input.
size_t programsFor(const std::string& fusion, int64_t longest, SchedulerType taker,
                   const std::function<std::vector<std::string>(int64_t)>& sizes) {
  std::string text = fusion;
  int64_t length = 0;
  for (int i = 0; i < 1000; ++i) {
    length = std::max<int64_t>(length + 1, std::llround(std::pow(static_cast<double>(longest), i / 999.0)));
    text += "run {";
    const std::vector<std::string> all = sizes(length);
    for (size_t input = 0; input < all.size(); ++input) {
      text += concat("  %", std::string(1, "xyz"[input]), " = normal(seed = 1) : f32", all[input]);
    }
    text += " }\n";
  }
  EXPECT_EQ(length, longest);
  size_t taken = 0;
  AfterSegment count([&](const auto& segmented) {
    for (const SegmentedGroup* group : segmented->groups()) taken += group->schedulerType() == taker;
  });
  Session session(text, [&](FusionExecutorCache::Settings& settings) {
    settings.context.checkInvariants = false;
    settings.context.observers.push_back(&count);
  });
  for (size_t i = 0; i < 1000; ++i) {
    session.run(i);
    session.data.clear();
  }
  EXPECT_GT(taken, 2u);
  return session.cache->counters().compilations;
}

// Programs are made for classes of sizes: rows from 1 to 100,000 elements, of which a block keeps the shorter ones.
TEST(FusionExecutorCacheTest, AThousandRowLengthsNeedFewPrograms) {
  const auto sizes = [](int64_t length) { return std::vector<std::string>{concat("[1, ", length, "]")}; };
  EXPECT_LE(programsFor(softmaxAlong(1), 100000, SchedulerType::InnerPersistent, sizes), 40u);
}

// The same for columns, which fill a small device.
TEST(FusionExecutorCacheTest, AThousandColumnLengthsNeedFewPrograms) {
  const auto sizes = [](int64_t length) { return std::vector<std::string>{concat("[", length, ", 9]")}; };
  const std::string fusion = softmaxAlong(0) + "option device_multiprocessors = 1\n";
  EXPECT_LE(programsFor(fusion, 8000, SchedulerType::OuterPersistent, sizes), 40u);
}

// And for the sides of tiles, and for vectors.
TEST(FusionExecutorCacheTest, AThousandSidesOfTilesNeedFewPrograms) {
  const auto sizes = [](int64_t length) {
    const int64_t other = length % 60 + 1;
    return std::vector<std::string>{concat("[", length, ", ", other, "]"), concat("[", other, ", ", length, "]")};
  };
  const std::string fusion = R"(
fusion sum_with_transposed(%x: f32[i0, i1], %y: f32[i1, i0]) {
  %t = permute(%x) {dims = [1, 0]}
  %z = add(%t, %y)
  return %z
}
)";
  EXPECT_LE(programsFor(fusion, 3000, SchedulerType::Transpose, sizes), 40u);
}

TEST(FusionExecutorCacheTest, AThousandLengthsOfElementsNeedFewPrograms) {
  const auto sizes = [](int64_t length) {
    return std::vector<std::string>{concat("[3, ", length, "]"), concat("[", length, "]")};
  };
  const std::string fusion = R"(
fusion scaled(%x: f32[i0, i1], %y: f32[i1]) {
  %z = mul(%x, %y)
  return %z
}
)";
  EXPECT_LE(programsFor(fusion, 50000, SchedulerType::PointWise, sizes), 40u);
}

// Eight runs, one compilation: what is evaluated in each run is the scalar chain, each of its expressions once, however
// many segments read it.
TEST(FusionExecutorCacheTest, SharedScalarsAreEvaluatedOncePerRun) {
  std::string text = R"(
fusion f(%x: f32[i0, i1], %a: f64, %h: i64[] {device = cpu}) {
  %k = item(%h)
  %n = size(%x) {dim = 1}
  %m = mul(%n, %k)
  %b = mul(%a, %m)
  %s = sum(%x) {dims = [1]}
  %c = segment_set(%s)
  %y = mul(%c, %b)
  %d = segment_set(%y)
  %z = add(%d, %b)
  %w = mul(%x, %b)
  return %z, %w, %b
}
)";
  for (int i = 0; i < 8; ++i) {
    text += concat("run { %x = values [1, 2, 3, 4] : f32[2, 2]  %a = ", i, ".5  %h = values [", i, "] : i64[] }\n");
  }
  Session session(text);
  for (size_t i = 0; i < 8; ++i) {
    const RunRecord record = session.run(i);
    const double b = (static_cast<double>(i) + 0.5) * 2 * static_cast<double>(i);
    EXPECT_EQ(scalar(record.outputs.at(2)), ScalarValue(b));
    EXPECT_EQ(elements(record.outputs[0]), (std::vector<double>{3 * b + b, 7 * b + b}));
    EXPECT_EQ(elements(record.outputs[1]), (std::vector<double>{b, 2 * b, 3 * b, 4 * b}));
    EXPECT_EQ(session.cache->counters().hostScalarEvaluations, 4 * (i + 1));
  }
  EXPECT_EQ(session.cache->counters().compilations, 1u);
}

// The scalars that each run computed: over the original, and over programs.
class ComputedScalars final : public CompileObserver {
 public:
  void afterRun(const FinishedRun& run) override {
    for (const Val* scalar : run.scalars.sizes().evaluated()) text += concat(" ", scalar->name());
    text += " |";
    for (const Val* scalar : run.scalars.evaluated()) text += concat(" ", scalar->name());
    text += "\n";
  }
  std::string text;
};

// %n and %m are sizes, which the checks of sizes compute; the program takes them from there. The fourth run asks the
// program before it for the length of a reduction, and compiles another one.
TEST(FusionExecutorCacheTest, ARunComputesTheScalarsOfItsSizesOnce) {
  ComputedScalars computed;
  Session session(R"(
fusion f(%x: f32[i0, i1], %a: f64, %k: i64) {
  %n = size(%x) {dim = 1}
  %m = mul(%n, %k)
  %b = mul(%a, %m)
  %u = full() {shape = [%m], fill_value = %b, dtype = f32}
  %l = slice(%u) {dim = 0, start = %k, end = %m}
  %s = sum(%l) {dims = [0]}
  return %s, %b
}
run { %x = normal(seed = 1) : f32[4, 3]  %a = 0.5  %k = 2 }
run { %x = normal(seed = 1) : f32[4, 3]  %a = 1.5  %k = 2 }
run { %x = normal(seed = 1) : f32[4, 3]  %a = 1.5  %k = 3 }
run { %x = normal(seed = 1) : f32[4, 300]  %a = 1.5  %k = 3 })",
                  [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&computed); });
  const double b[] = {3, 9, 13.5, 1350}, length[] = {4, 4, 6, 897};
  for (size_t i = 0; i < 4; ++i) {
    const RunRecord record = session.run(i);
    EXPECT_EQ(elements(record.outputs[0]), std::vector<double>{length[i] * b[i]});
    EXPECT_EQ(scalar(record.outputs[1]), ScalarValue(b[i]));
    EXPECT_EQ(session.cache->counters().hostScalarEvaluations, 3 * (i + 1));
  }
  EXPECT_EQ(session.cache->counters().compilations, 2u);
  EXPECT_EQ(computed.text, " n m | b\n n m | b\n n m | b\n n m | b\n");
}

// What the caller's evaluator knows is not computed again by a run.
TEST(FusionExecutorCacheTest, ASecondRunWithTheSameSizesComputesWhatTheyDoNotSay) {
  Session session(R"(
fusion f(%k: i64, %a: f64) {
  %m = mul(%k, 2)
  %b = mul(%a, %m)
  %u = full() {shape = [%m], fill_value = %b, dtype = f32}
  return %u
}
run { %k = 2  %a = 0.5 })");
  const RunData data = materialize(session.testCase, session.testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  ExpressionEvaluator sizes(*session.fusion);
  sizes.bindInputs(inputs);
  session.cache->run(inputs, sizes);
  EXPECT_EQ(session.cache->counters().hostScalarEvaluations, 2u);
  session.cache->run(inputs, sizes);
  EXPECT_EQ(session.cache->counters().hostScalarEvaluations, 3u);
}

TEST(FusionExecutorCacheTest, ScalarValuesSelectAProgramOnlyThroughSizeQuestions) {
  Session session(R"(
fusion f(%x: f32[i0], %a: i64, %b: i64) {
  %n = mul(%a, 2)
  %u = full() {shape = [%n, i0], fill_value = %b, dtype = f32}
  %y = mul(%u, %x)
  %s = sum(%y) {dims = [0]}
  return %s
}
run { %x = values [1, 2] : f32[2]  %a = 3  %b = 5 }
run { %x = values [1, 2] : f32[2]  %a = 3  %b = -7 }
run { %x = values [1, 2] : f32[2]  %a = 2  %b = 5 }
run { %x = values [1, 2] : f32[2]  %a = 40  %b = 5 })");
  EXPECT_EQ(elements(session.run(0).outputs[0]), (std::vector<double>{30, 60}));
  EXPECT_EQ(elements(session.run(1).outputs[0]), (std::vector<double>{-42, -84}));
  EXPECT_EQ(session.cache->counters().compilations, 1u) << "%b is not an extent";
  EXPECT_EQ(elements(session.run(2).outputs[0]), (std::vector<double>{20, 40}));
  EXPECT_EQ(session.cache->counters().compilations, 1u) << "another %n of the same class";
  EXPECT_EQ(elements(session.run(3).outputs[0]), (std::vector<double>{400, 800}));
  EXPECT_EQ(session.cache->counters().compilations, 2u) << "the reduction asked how long it is";
}

TEST(FusionExecutorCacheTest, NewShapesCompileOnlyTheKernelsThatDependOnThem) {
  Session session(R"(
fusion f(%x: f32[i0, i1], %y: f32[i2]) {
  %s = sum(%x) {dims = [1]}
  %e = exp(%y)
  return %s, %e
}
run { %x = integers(seed = 1, low = 0, high = 5) : f32[4, 3]    %y = values [0, 0] : f32[2] }
run { %x = integers(seed = 1, low = 0, high = 5) : f32[4, 300]  %y = values [0, 0] : f32[2] }
run { %x = integers(seed = 1, low = 0, high = 5) : f32[4, 5]    %y = values [0, 0] : f32[2] })");
  session.run(0);
  EXPECT_EQ(session.cache->counters().kernelCompilations, 2u);
  EXPECT_EQ(elements(session.run(1).outputs[1]), (std::vector<double>{1, 1}));
  EXPECT_EQ(session.cache->counters().compilations, 2u);
  EXPECT_EQ(session.cache->counters().kernelCompilations, 3u) << "the reduction alone is another kernel";
  session.run(2);
  EXPECT_EQ(session.cache->counters().compilations, 2u);
}

// Four threads, each with sizes of several classes and scalars of its own, on one cache: compiling, sharing kernels and
// running at once.
TEST(FusionExecutorCacheTest, ThreadsWithOtherSizesAndScalarsShareACache) {
  std::string text = R"(
fusion f(%x: f32[i0, i1], %a: f64, %n: i64) {
  %m = add(%n, 1)
  %b = mul(%a, %m)
  %s = sum(%x) {dims = [1]}
  %c = segment_set(%s)
  %y = mul(%c, %b)
  %u = full() {shape = [%m], fill_value = %b, dtype = f32}
  return %y, %u, %b
}
)";
  constexpr int kSizes[] = {1, 7, 33, 100, 700, 0};
  for (int size : kSizes) {
    text +=
        concat("run { %x = integers(seed = ", size, ", low = 1, high = 2) : f32[3, ", size, "]  %a = 1.0  %n = 0 }\n");
  }
  Session session(text);
  std::vector<RunData> data;
  for (size_t i = 0; i < std::size(kSizes); ++i)
    data.push_back(materialize(session.testCase, session.testCase.runs[i]));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 60; ++turn) {
        const size_t which = static_cast<size_t>(turn + t) % std::size(kSizes);
        std::vector<HostValue> inputs = hostValues(data[which]);
        inputs[1] = ScalarValue(static_cast<double>(t + 1));
        inputs[2] = ScalarValue(int64_t{turn % 5});
        const RunRecord record = session.cache->run(inputs);
        const double b = static_cast<double>((t + 1) * (turn % 5 + 1));
        wrong += elements(record.outputs[0]) != std::vector<double>(3, kSizes[which] * b);
        wrong += elements(record.outputs[1]) != std::vector<double>(static_cast<size_t>(turn % 5 + 1), b);
        wrong += scalar(record.outputs[2]) != ScalarValue(b);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(session.cache->counters().runs, 240u);
  EXPECT_EQ(session.cache->counters().hostScalarEvaluations, 480u);
}

// A clone has not ordered its expressions yet, so the first who asks for them writes. The preset tsan sees a race.
TEST(FusionExecutorCacheTest, TwoThreadsMakeTheFirstRunsOfAFusionThatNobodyHasReadYet) {
  const Session session(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  %z = exp(%y)
  return %y, %z
}
run { %x = values [1, 2] : f32[2] })");
  const std::shared_ptr<const Fusion> unread = cloneFusion(*session.fusion).fusion;
  FusionExecutorCache cache(unread, settingsOf(session.testCase));
  const RunData data = materialize(session.testCase, session.testCase.runs.at(0));
  std::vector<std::vector<double>> results(2);
  std::vector<std::thread> threads;
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] { result = elements(cache.run(hostValues(data)).outputs[0]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& result : results) EXPECT_EQ(result, (std::vector<double>{-1, -2}));
  EXPECT_EQ(cache.counters().compilations, 1u);
}

TEST(FusionExecutorCacheTest, ANewSizeClassIsACacheMissAndAnOldOneAHit) {
  Session session(R"(
fusion f(%x: f32[i0, i1]) {
  %y = sum(%x) {dims = [1]}
  return %y
}
run { %x = integers(seed = 1, low = 0, high = 5) : f32[4, 8] }
run { %x = integers(seed = 2, low = 0, high = 5) : f32[0, 8] }
run { %x = integers(seed = 3, low = 0, high = 5) : f32[4, 8] })");
  session.run(0);
  EXPECT_EQ(session.cache->counters().compilations, 1u);
  EXPECT_EQ(elements(session.run(1).outputs[0]), std::vector<double>{});
  EXPECT_EQ(session.cache->counters().compilations, 2u) << "size 0 was asked about";
  session.run(2);
  session.run(1);
  EXPECT_EQ(session.cache->counters().compilations, 2u);
}

TEST(FusionExecutorCacheTest, SizesMayComeFromScalars) {
  Session session(R"(
fusion f(%a: i64, %v: f64) {
  %n = sub(%a, 2)
  %y = full() {shape = [%n], fill_value = %v, dtype = f32}
  return %y
}
run { %a = 5  %v = 1.0 }
run { %a = 2  %v = 1.0 }
run { %a = 1  %v = 1.0 }
run { %a = 7  %v = 2.0 })");
  EXPECT_EQ(elements(session.run(0).outputs[0]), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(elements(session.run(1).outputs[0]), std::vector<double>{});
  EXPECT_EQ(session.rejection(2), "axis 0 of %y would have the negative size %n = -1");
  EXPECT_EQ(elements(session.run(3).outputs[0]), (std::vector<double>{2, 2, 2, 2, 2}));
  EXPECT_EQ(session.cache->counters().compilations, 2u);
}

TEST(FusionExecutorCacheTest, AnotherAlignmentIsACacheMiss) {
  Session session(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = integers(seed = 1, low = 0, high = 5) : f32[64] }
run { %x = integers(seed = 1, low = 0, high = 5) : f32[64] {offset = 1} })");
  const std::vector<double> aligned = elements(session.run(0).outputs[0]);
  EXPECT_EQ(elements(session.run(1).outputs[0]), aligned);
  EXPECT_EQ(session.cache->counters().compilations, 2u);
}

TEST(FusionExecutorCacheTest, RejectsSizesThatDoNotFit) {
  Session session(R"(
fusion f(%x: f32[i0], %y: f32[i1]) {
  %z = add(%x, %y)
  return %z
}
run { %x = values [1, 2] : f32[2]  %y = values [1, 2, 3] : f32[3] })");
  EXPECT_EQ(session.rejection(), "%z = add: axis 0 of %x has size 2, that of %y has size 3");
  EXPECT_EQ(session.cache->counters().compilations, 0u);
}

TEST(FusionExecutorCacheTest, RejectsARunOverTheMemoryLimit) {
  Session session(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = values [1, 2] : f32[2] })",
                  [](FusionExecutorCache::Settings& settings) { settings.maxBytes = 7; });
  EXPECT_NE(session.rejection(), "");
}

TEST(FusionExecutorCacheTest, AGivenScheduleReplacesPassesAndSegments) {
  bool passesSawNothing = false;
  AfterPasses afterPasses([&](Fusion& fusion) { passesSawNothing = fusion.exprs().size() == 4; });
  int kernels = 0;
  AfterLower afterLower([&](int, Kernel& kernel) {
    ++kernels;
    EXPECT_EQ(kernel.blockDim[0], 32);
  });
  Session session(R"(
fusion f(%x: f32[i0]) {
  %c = cast(%x) {dtype = f64}
  %d = cast(%c) {dtype = f32}
  %s = segment_set(%d)
  %y = neg(%s)
  return %y
}
schedule {
  split %y {axis = 0, factor = 32}
  parallelize %y {axis = 1, type = TIDx}
  parallelize %y {axis = 0, type = BIDx}
  propagate %y
  parallelizeAllLike %y
  inlineMost
}
run { %x = values [1, 2, 3] : f32[3] })",
                  [&](FusionExecutorCache::Settings& settings) {
                    settings.context.observers = {&afterPasses, &afterLower};
                  });
  EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{-1, -2, -3}));
  EXPECT_TRUE(passesSawNothing);
  EXPECT_EQ(kernels, 1);
}

TEST(FusionExecutorCacheTest, AnIllegalGivenScheduleIsTheCallersError) {
  Session session(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
schedule segment 0 {
  split %nobody {axis = 0, factor = 32}
}
run { %x = values [1] : f32[1] })");
  EXPECT_NE(session.rejection().find("nobody"), std::string::npos) << session.rejection();
}

TEST(FusionExecutorCacheTest, AScheduleForASegmentThatIsNotThereIsRejected) {
  Session session(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
schedule segment 3 {
  inlineMost
}
run { %x = values [1] : f32[1] })");
  EXPECT_EQ(session.rejection(), "schedule segment 3: segments count from 0, and there are 1");
}

TEST(FusionExecutorCacheTest, AnIllegalScheduleOfOursIsABug) {
  // Spoils the part, so that what was chosen for it fits no longer.
  AfterSchedule spoiling([](int, Fusion& part, Schedule&) {
    for (Val* val : part.usedVals()) val->setName(val->name() + "_moved");
  });
  Session session(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = values [1] : f32[1] })",
                  [&](FusionExecutorCache::Settings& settings) { settings.context.observers = {&spoiling}; });
  EXPECT_THROW(session.run(), CheckError);
}

TEST(FusionExecutorCacheTest, ProbesStoreEveryTensor) {
  const char* text = R"(
fusion f(%x: f32[i0, i1]) {
  %a = exp(%x)
  %b = sum(%a) {dims = [1]}
  %c = unsqueeze(%b) {dims = [1]}
  %d = div(%a, %c)
  return %d
}
option enable probes
run { %x = integers(seed = 1, low = 0, high = 3) : f32[3, 5] })";
  Session session(text, [](FusionExecutorCache::Settings& settings) { settings.record = true; });
  const RunRecord record = session.run();
  std::set<uint32_t> stored;
  for (const SegmentRecord& segment : record.segments) {
    for (const BoundaryValue& value : segment.outputs) stored.insert(value.origin.value());
  }
  EXPECT_EQ(stored.size(), 4u);
  const std::string unprobed = std::string(text).erase(std::string(text).find("option"), 20);
  Session plain(unprobed);
  EXPECT_EQ(elements(plain.run().outputs[0]), elements(record.outputs[0]));
}

TEST(FusionExecutorCacheTest, SeveralThreadsShareACache) {
  Session session(R"(
fusion f(%x: f32[i0], %a: f64) {
  %y = mul(%x, %a)
  return %y
}
run { %x = values [1, 2] : f32[2]  %a = 3.0 })");
  session.run();
  const std::vector<HostValue> inputs = hostValues(session.data.back());
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> results(4);
  for (size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      std::vector<HostValue> mine = inputs;
      mine[1] = ScalarValue(static_cast<double>(t));
      for (int i = 0; i < 50; ++i) results[t] = elements(session.cache->run(mine).outputs[0]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < results.size(); ++t) {
    EXPECT_EQ(results[t], (std::vector<double>{static_cast<double>(t), 2.0 * static_cast<double>(t)}));
  }
  EXPECT_EQ(session.cache->counters().compilations, 1u);
  EXPECT_EQ(session.cache->counters().runs, 201u);
}

}  // namespace
}  // namespace fuser
