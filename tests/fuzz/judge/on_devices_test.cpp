// Seeds and generated cases on several devices.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <vector>

#include "fuser/analysis/standalone_op.h"
#include "fuser/case/functional_updates.h"
#include "fuser/ir/updates.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/run_sizes.h"
#include "fuzz/generate/streams.h"
#include "fuzz/judge/judge_case.h"
#include "tests/fuzz/judge/seed_files.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

bool isFine(const CaseVerdict& verdict) {
  return verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Undecided;
}

// A size that the program leaves open, or all of them (null), becomes a multiple of the number in every run; so data
// that a run lists is drawn instead.
void roundSize(Case& testCase, IntExpr symbol, int64_t multiple) {
  for (Run& run : testCase.runs) {
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      auto* tensor = std::get_if<TensorInput>(&run.inputs[i].value);
      if (!tensor) continue;
      const std::vector<IterDomain*> axes = testCase.fusion->inputs()[i]->as<TensorView>()->axes();
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        if (symbol ? axes[axis]->size() != symbol : !axes[axis]->size()->isSymbol()) continue;
        int64_t& size = tensor->sizes[axis];
        size = (size + multiple - 1) / multiple * multiple;
        tensor->strides.reset();
        tensor->offset = 0;
        if (tensor->recipe.kind == RecipeKind::Values || tensor->recipe.kind == RecipeKind::View) tensor->recipe = {};
      }
    }
  }
}

// Every result is sharded along the axis that is computed of a sharded one, part by part.
void followSharding(const Fusion& fusion) {
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) continue;
    for (size_t axis = 0; axis < expr->output()->as<TensorView>()->rank(); ++axis) {
      if (!whyNoSlices(expr, axis).empty()) continue;
      const bool follows = std::any_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* operand) {
        const std::optional<size_t> at = operandAxis(expr, operand, axis);
        return at && operand->as<TensorView>()->shardAxis() == at;
      });
      if (!follows) continue;
      for (const Val* output : expr->outputs()) output->as<TensorView>()->axes()[axis]->parallelize(ParallelType::DIDx);
      break;
    }
  }
}

// What a seed asks of its segments, and memory that two values share, do not go with devices.
Case readSeed(const std::filesystem::path& file, int devices) {
  Case seed = parseCase(readFusionFile(file.string()), file.string());
  seed.schedule.reset();
  seed.segmentSchedules.clear();
  seed.aliases.clear();
  std::vector<int> all(static_cast<size_t>(devices));
  std::iota(all.begin(), all.end(), 0);
  seed.fusion->setMesh(DeviceMesh(all));
  return seed;
}

// The axes of all tensors, in order.
std::vector<IterDomain*> dimsOf(const Case& seed) {
  std::vector<IterDomain*> dims;
  for (const Val* val : seed.fusion->usedVals()) {
    if (!val->isTensor()) continue;
    const std::vector<IterDomain*> axes = val->as<TensorView>()->axes();
    dims.insert(dims.end(), axes.begin(), axes.end());
  }
  return dims;
}

// The seed with one dim of a tensor, and what follows it, on that many devices; of all such, the first that can run: as
// its runs are, with that dim's size rounded, or with all (sizes of several names may have to be equal).
std::optional<CaseVerdict> judgeOnDevices(const std::filesystem::path& file, int devices, const JudgeSettings& settings,
                                          std::string& text) {
  enum class Round : uint8_t { None, One, All };
  for (const Round round : {Round::None, Round::All, Round::One}) {
    std::set<std::string> unfit;  // sizes that, rounded, do not fit the others
    for (size_t choice = 0; choice < dimsOf(readSeed(file, devices)).size(); ++choice) {
      Case seed = readSeed(file, devices);
      IterDomain* dim = dimsOf(seed)[choice];
      if (!dim->isIteration() || (round != Round::None && !dim->size()->isSymbol())) continue;
      const std::string rounded = round == Round::One ? extentToString(*seed.fusion, dim->size()) : "";
      if (unfit.count(rounded) != 0) continue;
      if (round == Round::All) roundSize(seed, nullptr, devices);
      if (round == Round::One) roundSize(seed, dim->size(), devices);
      if (!RunSizes(seed).all(dim->size(), [&](int64_t size) { return size > 0 && size % devices == 0; })) continue;
      dim->parallelize(ParallelType::DIDx);
      followSharding(*seed.fusion);
      text = printCase(seed);
      const CaseVerdict verdict = judgeCase(seed, settings);
      if (verdict.kind != VerdictKind::Rejected) return verdict;
      if (round != Round::None) unfit.insert(rounded);
    }
  }
  return std::nullopt;
}

// Every value is stored, and judged: one that only a product with 0 reads (dropout, a mask, a gain of 0) may be
// undecided.
const std::set<std::string> kUndecided{"empty_expert", "log1p_standardize_bf16", "residual_rms_norm_backward_bf16"};

// Each of them, or one of so many from `first` on.
void judgeSeeds(int devices, size_t first, size_t step, const JudgeSettings& settings) {
  size_t sharded = 0;
  std::vector<std::string> left, undecided;
  const std::vector<std::filesystem::path> files = seedFiles();
  for (size_t i = first; i < files.size(); i += step) {
    const std::filesystem::path& file = files[i];
    if (hasUpdates(*readSeed(file, devices).fusion)) continue;  // they run on one device
    std::string text;
    const std::optional<CaseVerdict> verdict = judgeOnDevices(file, devices, settings, text);
    if (!verdict) {
      left.push_back(file.stem());
      continue;
    }
    ++sharded;
    if (verdict->kind == VerdictKind::Undecided) undecided.push_back(file.stem());
    EXPECT_TRUE(isFine(*verdict)) << file << "\n" << toString(*verdict) << "\n" << text;
  }
  const auto print = [](const char* what, const std::vector<std::string>& names) {
    std::printf("; %s:", what);
    for (const std::string& name : names) std::printf(" %s", name.c_str());
  };
  std::printf("%zu seeds with a dim sharded over %d devices", sharded, devices);
  print("undecided", undecided);
  print("left", left);
  std::printf("\n");
  EXPECT_EQ(left, std::vector<std::string>{});
  for (const std::string& name : undecided) EXPECT_TRUE(kUndecided.count(name)) << name;
}

TEST(SeedsOnDevicesTest, AgreeOnTwo) {
  JudgeSettings settings;
  settings.secondLooks = HowOften::Never;
  judgeSeeds(2, 0, sampleStep(4), settings);
}

// What holds of each device's program on two is not checked again.
TEST(SeedsOnDevicesTest, AgreeOnFour) {
  JudgeSettings settings;
  settings.repeat = settings.checkInvariants = settings.roundTrip = false;
  settings.secondLooks = HowOften::Never;
  judgeSeeds(4, 1, sampleStep(8), settings);
}

// Shards outside, streams inside.
TEST(CasesOnDevicesTest, WithStreamsAgree) {
  size_t onBoth = 0;
  const uint64_t count = inFull() ? 170 : 60;
  for (uint64_t number = 0; number < count; ++number) {
    Case testCase = functionalCase(generateCase(20261124, number));
    testCase.aliases.clear();
    Choices choices(20261124, number);
    if (testCase.fusion->hasStreams() || !spreadOverDevices(testCase, choices)) continue;
    if (!spreadOverStreams(testCase, choices)) continue;
    ++onBoth;
    const CaseVerdict verdict = judgeCase(testCase);
    EXPECT_TRUE(isFine(verdict)) << toString(verdict) << "\n" << printCase(testCase);
  }
  EXPECT_GT(2 * onBoth, count);
}

TEST(CasesOnDevicesTest, Agree) {
  size_t onDevices = 0, undecided = 0;
  const uint64_t count = inFull() ? 150 : 50;
  for (uint64_t number = 0; number < count; ++number) {
    Case testCase = functionalCase(generateCase(20260101, number));
    testCase.aliases.clear();
    Choices choices(20260101, number);
    if (!spreadOverDevices(testCase, choices)) continue;
    ++onDevices;
    const CaseVerdict verdict = judgeCase(testCase);
    undecided += verdict.kind == VerdictKind::Undecided;
    EXPECT_TRUE(isFine(verdict)) << toString(verdict) << "\n" << printCase(testCase);
  }
  EXPECT_GT(10 * onDevices, 8 * count);
  EXPECT_LT(undecided, onDevices / 10);
}

// Judged once: without the f64 twin, and without probes.
CaseVerdict judgeOnce(const std::string& text) {
  JudgeSettings settings;
  settings.probes = false;
  settings.secondLooks = HowOften::Never;
  return judgeCase(parseCase(text, "test"), settings);
}

TEST(OnDevicesTest, AResultIsJudgedFromWhatIsStoredThoughItsSiblingIsNot) {
  const CaseVerdict verdict = judgeOnce(R"(
fusion f(%x: f32[i0, i1]) {
  %e = exp(%x)
  %d = sub(%e, 1.0)
  %g = segment_set(%d)
  %v, %m = var_mean(%g) {dims = [1]}
  return %d, %v
}
mesh {devices = [0, 1]}
shard %x {dim = 0, type = DIDx}
shard %e {dim = 0, type = DIDx}
shard %d {dim = 0, type = DIDx}
shard %g {dim = 0, type = DIDx}
shard %v {dim = 0, type = DIDx}
shard %m {dim = 0, type = DIDx}
option fault = "welford-distance-squared"
run { %x = uniform(seed = 1, low = 0.0, high = 1e-6) : f32[4, 8] }
)");
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.wrongValue, "v");
}

TEST(OnDevicesTest, WhatIsScatteredOntoAProductIsRounded) {
  const CaseVerdict verdict = judgeOnce(R"(
fusion f(%a: f32[i0, i1], %i: i64[i0, i1], %v: f32[i0, i1]) {
  %p = mul(%a, %a)
  %s = scatter_add(%p, %i, %v) {dim = 1}
  %q = div(%s, 1e-7)
  %y = sin(%q)
  return %s, %y
}
mesh {devices = [0, 1]}
shard %a {dim = 0, type = DIDx}
shard %i {dim = 0, type = DIDx}
shard %v {dim = 0, type = DIDx}
shard %p {dim = 0, type = DIDx}
shard %s {dim = 0, type = DIDx}
shard %q {dim = 1, type = DIDx}
shard %y {dim = 1, type = DIDx}
option enable contraction
run {
  %a = normal(seed = 1) : f32[4, 8]
  %i = integers(seed = 2, low = 0, high = 7) : i64[4, 8]
  %v = normal(seed = 3) : f32[4, 8]
}
)");
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
}

// A sum takes the product before its rounding; what else reads it takes what is stored.
TEST(OnDevicesTest, AStoredProductIsTakenAsItIsWhereNothingAddsIt) {
  const CaseVerdict verdict = judgeOnce(R"(
fusion f(%x: f32[i0, i1], %b: f32[i0, i1]) {
  %e = exp(%x)
  %p = mul(%e, %b)
  %q = div(%p, 1e-17)
  %y = sin(%q)
  %z = slice(%y) {dim = 0, start = 0, end = 3}
  return %p, %z
}
mesh {devices = [0, 1]}
shard %x {dim = 0, type = DIDx}
shard %b {dim = 0, type = DIDx}
shard %e {dim = 0, type = DIDx}
shard %p {dim = 0, type = DIDx}
shard %q {dim = 1, type = DIDx}
shard %y {dim = 1, type = DIDx}
shard %z {dim = 1, type = DIDx}
option enable contraction
option fault = "slice-starts-late"
run {
  %x = uniform(seed = 1, low = 1.0, high = 2.0) : f32[4, 8]
  %b = uniform(seed = 3, low = 1.0, high = 2.0) : f32[4, 8]
}
)");
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.wrongValue, "z");
}

}  // namespace
}  // namespace fuser::fuzz
