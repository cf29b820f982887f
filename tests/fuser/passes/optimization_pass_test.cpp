// The infrastructure: switches, restart, oscillation, budget, checks, log, trace; and that folds of casts are exact.

#include "fuser/passes/optimization_pass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "fuser/ir/builder.h"
#include "fuser/log/log.h"
#include "fuser/ops/op_eval.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

// What the test passes below do; each test sets it.
struct Script {
  std::function<bool(Fusion*, int run)> first;  // true: says that it modified
  std::function<bool(Fusion*, int run)> second;
  std::vector<std::string> calls;
};

Script* script(Script* set = nullptr) {
  static Script* current = nullptr;
  if (set) current = set;
  return current;
}

class ScriptedPass : public Pass {
 public:
  ScriptedPass(Fusion* fusion, std::string name, std::function<bool(Fusion*, int)> body)
      : Pass(fusion), name_(std::move(name)), body_(std::move(body)) {}
  std::string_view name() const override { return name_; }
  void runPass(Fusion* fusion) override {
    script()->calls.push_back(name_);
    modified_ = body_(fusion, run_++);
  }

 private:
  std::string name_;
  std::function<bool(Fusion*, int)> body_;
  int run_ = 0;
};

class ScriptedOptimization : public OptimizationPass<ScriptedOptimization> {
 public:
  static std::string_view name() { return "ScriptedOptimization"; }
  static PassList registerPasses(Fusion* fusion) {
    PassList passes;
    passes.push_back(std::make_unique<ScriptedPass>(fusion, "First", script()->first));
    passes.push_back(std::make_unique<ScriptedPass>(fusion, "Second", script()->second));
    return passes;
  }
};

class OptimizationPassTest : public testing::Test {
 protected:
  OptimizationPassTest() {
    script(&script_);
    script_.first = script_.second = [](Fusion*, int) { return false; };
    context_.checkInvariants = true;
  }

  static void appendNeg(Fusion* fusion) {
    fusion->setOutputs({build::unary(*fusion, OpKind::Neg, fusion->outputs()[0])});
  }
  static void removeNeg(Fusion* fusion) {
    Expr* last = fusion->outputs()[0]->definition();
    fusion->setOutputs({last->input(0)});
    fusion->removeExpr(last);
  }
  std::string errorOf() {
    try {
      ScriptedOptimization::runPass(fusion_.get(), context_);
    } catch (const CheckError& error) {
      return error.what();
    }
    return "";
  }

  std::unique_ptr<Fusion> fusion_ = parseFusion("fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}\n");
  CompileContext context_;
  Script script_;
};

TEST_F(OptimizationPassTest, RunsOneUnchangedRound) {
  EXPECT_FALSE(ScriptedOptimization::runPass(fusion_.get(), context_));
  EXPECT_EQ(script_.calls, (std::vector<std::string>{"First", "Second"}));
}

TEST_F(OptimizationPassTest, RestartsAfterARoundWithChanges) {
  script_.second = [](Fusion* fusion, int run) {
    if (run >= 2) return false;
    appendNeg(fusion);
    return true;
  };
  EXPECT_TRUE(ScriptedOptimization::runPass(fusion_.get(), context_));
  EXPECT_EQ(script_.calls, (std::vector<std::string>{"First", "Second", "First", "Second", "First", "Second"}));
}

TEST_F(OptimizationPassTest, DisabledDoesNothingAndGuardRestores) {
  EXPECT_TRUE(ScriptedOptimization::getEnabled());
  {
    const OptimizationPassGuard<ScriptedOptimization> off(false);
    EXPECT_FALSE(ScriptedOptimization::getEnabled());
    EXPECT_FALSE(ScriptedOptimization::runPass(fusion_.get(), context_));
    {
      const OptimizationPassGuard<ScriptedOptimization> on(true);
      EXPECT_TRUE(ScriptedOptimization::getEnabled());
    }
    EXPECT_FALSE(ScriptedOptimization::getEnabled());
  }
  EXPECT_TRUE(ScriptedOptimization::getEnabled());
  context_.options.disabledPasses = {"ScriptedOptimization"};
  ScriptedOptimization::runPass(fusion_.get(), context_);
  EXPECT_TRUE(script_.calls.empty());
  EXPECT_TRUE(DeadCodePass::getEnabled()) << "each pass has its own switch";
}

TEST_F(OptimizationPassTest, OscillatingPassesAreNamed) {
  script_.first = [](Fusion* fusion, int run) {
    if (run % 2 == 0) appendNeg(fusion);
    return run % 2 == 0;
  };
  script_.second = [](Fusion* fusion, int run) {
    if (run % 2 == 1) removeNeg(fusion);
    return run % 2 == 1;
  };
  const std::string error = errorOf();
  EXPECT_NE(error.find("ScriptedOptimization oscillates: after round 2 the fusion is as it was at first; "
                       "passes that undo each other: First, Second"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("optimization_pass.cpp:"), std::string::npos) << error;
}

TEST_F(OptimizationPassTest, PassesThatOscillateWithinARoundAreNamed) {
  script_.first = [](Fusion* fusion, int) {
    appendNeg(fusion);
    return true;
  };
  script_.second = [](Fusion* fusion, int) {
    removeNeg(fusion);
    return true;
  };
  for (const bool check : {true, false}) {
    context_.checkInvariants = check;
    const std::string error = errorOf();
    EXPECT_NE(error.find("passes that undo each other: First, Second"), std::string::npos) << error;
  }
}

// A pass that only asks for what it does, so often a run.
class Appending : public Pass {
 public:
  using Pass::Pass;
  void runPass(Fusion* fusion) override {
    if (fusion->exprs().size() > 3) return;
    for (int i = 0; i < 4; ++i) {
      if (!mayApply()) return;
      fusion->setOutputs({build::unary(*fusion, OpKind::Neg, fusion->outputs()[0])});
      modified_ = true;
    }
  }
};

class AppendingPass : public OptimizationPass<AppendingPass> {
 public:
  static std::string_view name() { return "AppendingPass"; }
  static PassList registerPasses(Fusion* fusion) {
    PassList passes;
    passes.push_back(std::make_unique<Appending>(fusion));
    return passes;
  }
};

TEST_F(OptimizationPassTest, ALimitCountsRewrites) {
  for (const int64_t limit : {0, 1, 3, 9}) {
    fusion_ = parseFusion("fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}\n");
    context_.options.passLimit = limit;
    EXPECT_EQ(AppendingPass::runPass(fusion_.get(), context_), limit > 0);
    EXPECT_EQ(fusion_->exprs().size(), 1 + static_cast<size_t>(std::min<int64_t>(limit, 4)));
  }
  // Over a pipeline they count together; a pass that never asks counts once a run that modifies.
  PipelineState pipeline;
  pipeline.limit = 5;
  context_.options.passLimit = std::nullopt;
  context_.pipeline = &pipeline;
  fusion_ = parseFusion("fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}\n");
  AppendingPass::runPass(fusion_.get(), context_);
  script_.first = [](Fusion* fusion, int run) {
    if (run < 2) appendNeg(fusion);
    return run < 2;
  };
  ScriptedOptimization::runPass(fusion_.get(), context_);
  EXPECT_EQ(pipeline.rewrites, 5);
  EXPECT_EQ(fusion_->exprs().size(), 6u);
}

// Says that it changed the fusion, and did not.
class Boasting : public Pass {
 public:
  using Pass::Pass;
  void runPass(Fusion*) override { modified_ = true; }
};

class BoastingPass : public OptimizationPass<BoastingPass> {
 public:
  static std::string_view name() { return "BoastingPass"; }
  static PassList registerPasses(Fusion* fusion, const CompileContext& context) {
    return passesOf<Boasting>(fusion, context);
  }
};

TEST_F(OptimizationPassTest, TheOnlyPassOfAListHasItsOwnersName) {
  try {
    BoastingPass::runPass(fusion_.get(), context_);
    FAIL() << "no error";
  } catch (const CheckError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("BoastingPass reported a change but did not change the fusion"), std::string::npos) << text;
  }
}

TEST_F(OptimizationPassTest, ALineOfThePipelineOwnsThePassesOfItsFile) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Pass>& pass : MovePadPass::registerPasses(fusion_.get())) {
    EXPECT_EQ(pass->fusion(), fusion_.get());
    names.emplace_back(pass->name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"PadUp", "PadDown"}));
  EXPECT_EQ(DeadCodePass::registerPasses(fusion_.get()).size(), 1u);
}

// With a run of its own instead of a list.
class OwnPass : public OptimizationPass<OwnPass> {
 public:
  static std::string_view name() { return "OwnPass"; }
  using OptimizationPass::runPass;
  static bool runPass(Fusion* fusion, const CompileContext&, OwnRun) {
    fusion->setOutputs({build::unary(*fusion, OpKind::Neg, fusion->outputs()[0])});
    return true;
  }
};

TEST_F(OptimizationPassTest, APassWithCustomCodeRunsOnceAndCanBeDisabled) {
  Trace trace;
  context_.trace = &trace;
  EXPECT_TRUE(OwnPass::runPass(fusion_.get(), context_));
  EXPECT_EQ(fusion_->exprs().size(), 2u);
  ASSERT_EQ(trace.rows().size(), 1u);
  EXPECT_EQ(trace.rows()[0].name, "OwnPass");
  const OptimizationPassGuard<OwnPass> off(false);
  EXPECT_FALSE(OwnPass::runPass(fusion_.get(), context_));
  EXPECT_EQ(fusion_->exprs().size(), 2u);
}

TEST_F(OptimizationPassTest, APassThatNeverEndsRunsOutOfBudget) {
  context_.checkInvariants = false;
  script_.first = [](Fusion* fusion, int) {
    appendNeg(fusion);
    return true;
  };
  const std::string error = errorOf();
  EXPECT_NE(error.find("still changes the fusion after 101 turns; passes that changed it last: First"),
            std::string::npos)
      << error;
}

TEST_F(OptimizationPassTest, AWrongModifiedFlagIsFound) {
  script_.first = [](Fusion* fusion, int) {
    appendNeg(fusion);
    return false;
  };
  EXPECT_NE(errorOf().find("First changed the fusion but reported no change"), std::string::npos);
  script_.first = [](Fusion*, int) { return true; };
  EXPECT_NE(errorOf().find("First reported a change but did not change the fusion"), std::string::npos);
}

TEST_F(OptimizationPassTest, ABrokenFusionIsFoundEvenWithoutChecks) {
  context_.checkInvariants = false;
  script_.second = [](Fusion* fusion, int) {
    fusion->removeExpr(fusion->outputs()[0]->definition());
    return true;
  };
  const std::string error = errorOf();
  EXPECT_NE(error.find("after Second: constraint 3"), std::string::npos) << error;
}

TEST_F(OptimizationPassTest, LogsTracesAndReports) {
  std::vector<std::string> log;
  std::vector<std::pair<std::string, bool>> reported;
  Trace trace;
  const LogPtr logger = logTo(LogLevel::Info, [&](LogLevel, std::string_view text) { log.emplace_back(text); });
  context_.log = logger.get();
  context_.trace = &trace;
  AfterPass reporting(
      [&](std::string_view pass, const Fusion&, bool modified) { reported.emplace_back(pass, modified); });
  context_.observers = {&reporting};
  script_.first = [](Fusion* fusion, int run) {
    if (run > 0) return false;
    appendNeg(fusion);
    return true;
  };
  const std::string before = printFusion(*fusion_);
  ScriptedOptimization::runPass(fusion_.get(), context_);
  EXPECT_TRUE(log.empty()) << "nobody asked for it";
  context_.dumps = {DebugDumpOption::PreSegmenterLogging};
  DeadCodePass::runPass(fusion_.get(), context_);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0], "before DeadCodePass:\n" + printFusion(*fusion_));
  EXPECT_EQ(log[1], "after DeadCodePass: unchanged\n");
  const std::vector<std::pair<std::string, bool>> expected = {{"ScriptedOptimization", true}, {"DeadCodePass", false}};
  EXPECT_EQ(reported, expected);
  ASSERT_EQ(trace.rows().size(), 2u);
  EXPECT_EQ(trace.rows()[0].name, "ScriptedOptimization");
  EXPECT_NE(before, printFusion(*fusion_));
}

TEST(PreSegmenterTest, RunsEachPassOnceInOrder) {
  const auto fusion = parseFusion(
      "fusion f(%x: f32[0], %h: f16[i0]) {\n  %s = sum(%x)\n  %d = exp(%h)\n  %a = cast(%h) {dtype = f32}\n"
      "  %b = cast(%a) {dtype = f16}\n  %y = neg(%b)\n  return %s, %y\n}\n");
  std::vector<std::string> names;
  CompileContext context;
  AfterPass naming([&](std::string_view pass, const Fusion&, bool) { names.emplace_back(pass); });
  context.observers = {&naming};
  EXPECT_TRUE(PreSegmenter::runPass(fusion.get(), context));
  EXPECT_EQ(names,
            (std::vector<std::string>{"FoldScalarsPass", "ExactMappedExtentSubstitutionPass", "RemoveEmptyPass",
                                      "DeadCodePass", "RemoveBcastSqueezePass", "MoveSplitCatPass",
                                      "MoveRepeatForwardPass", "TranslateRepeatToExpandPass", "ConsecutiveCastPass",
                                      "StoreSlicesInPlacePass", "SegmentInplaceUpdatePass", "MarkAliasesPreparePass",
                                      "CutAtRequiredInputsPass", "AllocationDomainPass", "PreSegmenter"}));
  ASSERT_EQ(fusion->exprs().size(), 2u);  // full and neg
}

// Each asks for the pass in turn: the option alone decides.
TEST(PreSegmenterTest, MovesPadsWhereTheResizeSchedulerIsDisabledAndNowhereElse) {
  const char* const text = R"(
fusion f(%x: f32[i0], %y: f32[i0]) {
  %a = relu(%x)
  %b = mul(%a, %y)
  %p = pad(%b) {pad = [1, 1], value = 0.0}
  return %p
})";
  for (const bool disabled : {false, true}) {
    const std::unique_ptr<Fusion> fusion = parseFusion(text);
    CompileContext context;
    context.checkInvariants = true;
    if (disabled) context.options.disabled.insert(DisableOption::ResizeScheduler);
    std::vector<std::string> ran;
    AfterPass noting([&](std::string_view pass, const Fusion&, bool modified) {
      if (pass == MovePadPass::name()) ran.push_back(modified ? "changed" : "unchanged");
    });
    context.observers = {&noting};
    PreSegmenter::runPass(fusion.get(), context);
    EXPECT_EQ(ran, disabled ? std::vector<std::string>{"changed"} : std::vector<std::string>{});
    const bool padsInputs = std::all_of(fusion->inputs().begin(), fusion->inputs().end(), [](const Val* input) {
      return input->uses().size() == 1 && input->uses().front()->family() == Family::Pad;
    });
    EXPECT_EQ(padsInputs, disabled) << printFusion(*fusion);
  }
}

TEST(PreSegmenterTest, DisabledPassesAreLeftOutAndUnknownOnesRejected) {
  const auto fusion = parseFusion("fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  %z = log(%x)\n  return %y\n}\n");
  CompileContext context;
  context.options.disabledPasses = {"DeadCodePass", "RemoveEmptyPass"};
  EXPECT_FALSE(PreSegmenter::runPass(fusion.get(), context));
  context.options.disabledPasses = {"DeadCodPass"};
  EXPECT_THROW(PreSegmenter::runPass(fusion.get(), context), UserError);
}

TEST(PreSegmenterTest, KeepsOriginsWhereValuesAreBitEqual) {
  const auto fusion = parseFusion(
      "fusion f(%x: f32[0, i1], %h: f16[i0]) {\n  %s = sum(%x) {dims = [0]}\n  %a = cast(%h) {dtype = f32}\n"
      "  %y = cast(%a) {dtype = f64}\n  return %s, %y\n}\n");
  fusion->markOrigins();
  const uint32_t sum = fusion->outputs()[0]->id();
  const uint32_t cast = fusion->outputs()[1]->id();
  PreSegmenter::runPass(fusion.get());
  EXPECT_NE(fusion->outputs()[0]->id(), sum);
  EXPECT_EQ(fusion->outputs()[0]->origin(), sum);
  EXPECT_EQ(fusion->outputs()[1]->origin(), cast);
}

// --- every fold that ConsecutiveCastPass makes, on many values of every dtype ---

template <class T>
std::vector<T> valuesOf() {
  const std::vector<double> specials = {0.0,
                                        -0.0,
                                        1,
                                        -1,
                                        0.5,
                                        1.0 / 3,
                                        2147483647.0,
                                        -2147483648.0,
                                        16777217.0,
                                        9007199254740993.0,
                                        65504,
                                        65519,
                                        65520,
                                        1e-8,
                                        6e-8,
                                        1e-40,
                                        1e-45,
                                        1e-300,
                                        3e38,
                                        1e300,
                                        3.3895e38,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::nan(""),
                                        9.3e18,
                                        -9.3e18,
                                        1.00048828125,
                                        1.000488281251,
                                        2049,
                                        4097,
                                        257};
  std::vector<T> values;
  for (double special : specials) {
    values.push_back(convert<T>(special));
    values.push_back(convert<T>(-special));
  }
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bits = state ^ (state >> 29);
    T value{};
    if constexpr (std::is_same_v<T, bool>) {
      value = bits & 1;
    } else {
      std::memcpy(&value, &bits, sizeof(T));
    }
    values.push_back(value);
  }
  return values;
}

// Bits of a value of dtype, all NaNs alike.
uint64_t bitsOf(DataType dtype, const void* value) {
  return dispatch(dtype, [&]<class T>() -> uint64_t {
    const T typed = *static_cast<const T*>(value);
    if (isFloating(dtype) && std::isnan(convert<double>(typed))) return ~uint64_t{0};
    uint64_t bits = 0;
    std::memcpy(&bits, &typed, sizeof(T));
    return bits;
  });
}

bool passFolds(DataType from, DataType between, DataType to) {
  const auto fusion = parseFusion(concat("fusion f(%x: ", from, "[i0]) {\n  %a = cast(%x) {dtype = ", between,
                                         "}\n  %b = cast(%a) {dtype = ", to, "}\n  %y = set(%b)\n  return %b\n}\n"));
  return ConsecutiveCastPass::runPass(fusion.get());
}

TEST(ConsecutiveCastTest, FoldsExactlyWhenNoValueDiffers) {
  size_t folds = 0;
  for (DataType from : kAllDataTypes) {
    for (DataType between : kAllDataTypes) {
      for (DataType to : kAllDataTypes) {
        if (from == between || between == to) continue;
        bool same = true;
        dispatch(from, [&]<class T>() {
          for (const T value : valuesOf<T>()) {
            alignas(8) std::byte middle[8], twice[8], once[8];
            convertFunction(from, between)(&value, middle, 1);
            convertFunction(between, to)(middle, twice, 1);
            convertFunction(from, to)(&value, once, 1);
            same &= bitsOf(to, twice) == bitsOf(to, once);
          }
        });
        const bool folded = passFolds(from, between, to);
        folds += folded;
        if (folded) {
          EXPECT_TRUE(same) << from << " -> " << between << " -> " << to;
        }
      }
    }
  }
  EXPECT_GE(folds, 40u);
}

}  // namespace
}  // namespace fuser
