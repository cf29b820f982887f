// A case on another compiler: what its worker answers becomes a verdict, and nothing right becomes a finding.

#include "fuzz/compilers/target_judge.h"

#include <gtest/gtest.h>

#include <array>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/judge/bucket.h"
#include "tests/fuzz/compilers/doubled.h"
#include "tests/fuzz/compilers/fake_worker.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kRight = "write(answer(identity, 1, '', run(floats(2, 4))))";
constexpr const char* kWrong = "write(answer(identity, 1, '', run(floats(2, 5))))";

JudgeSettings settingsWith(const std::string& worker, const std::string& control = "", double seconds = 20,
                           JudgingMode mode = JudgingMode::Exact) {
  WorkerLimits limits = shortLimits();
  limits.seconds = seconds;
  JudgeSettings settings;
  settings.target = makeTargetJudge(targetNamed("torch-compile"), limits, {{"compile", fakeWorker(worker)}},
                                    control.empty() ? WorkerCommand() : fakeWorker(control), mode);
  return settings;
}

CaseVerdict verdictOf(const std::string& worker, const std::string& control = "", const std::string& text = kDoubled) {
  return judgeCase(parseCase(text, "test"), settingsWith(worker, control));
}

TEST(TargetJudgeTest, ARightAnswerAgrees) {
  const CaseVerdict verdict = verdictOf(kRight);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.elements.judged, 2);
  EXPECT_EQ(verdict.elements.decided, 2);
}

TEST(TargetJudgeTest, TheMainViewTellsDecisionsWhereTheyAreAskedFor) {
  const Case testCase = parseCase(kDoubled, "test");
  const Case* const only = &testCase;
  JudgeSettings settings =
      settingsWith("write(answer(identity, 1, {0: '', 2: 'pass a\\nkernel b'}[request.wanted], run(floats(2, 4))))");
  EXPECT_EQ(settings.target->judge({&only, 1}, settings).at(0).kind, VerdictKind::Agrees);
  std::vector<std::set<std::string>> decisions;
  settings.decisionsOfTarget = &decisions;
  EXPECT_EQ(settings.target->judge({&only, 1}, settings).at(0).kind, VerdictKind::Agrees);
  EXPECT_EQ(decisions, (std::vector<std::set<std::string>>{{"torch-compile kernel b", "torch-compile pass a"}}));
}

TEST(TargetJudgeTest, AWrongElementDiffersAndHasABucket) {
  const Case testCase = parseCase(kDoubled, "test");
  const JudgeSettings settings = settingsWith(kWrong, kRight);
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.reason, "%y: 1 of 2 elements differ");
  EXPECT_EQ(verdict.wrongOp, "Add");
  EXPECT_NE(verdict.detail.find("5"), std::string::npos);
  EXPECT_EQ(bucketOf(testCase, verdict, settings).stage, "torch-compile");
}

// The processor traps there: a compiler's process may end, and PyTorch's does. lcm divides by gcd(least, 5), which is
// -1.
TEST(TargetJudgeTest, ADivisionOfIntegersThatOverflowsIsNoProgram) {
  for (const char* call : {"lcm(%x, %y)", "fmod(%x, %y)", "remainder(%x, %y)", "div(%x, %y) {rounding_mode = trunc}",
                           "div(%x, %y) {rounding_mode = floor}"}) {
    for (const auto& [dtype, least] : {std::pair("i32", "-2147483648"), std::pair("i64", "-9223372036854775808")}) {
      const std::string type = concat(dtype, "[2]");
      const std::string text = concat("fusion f(%x: ", type, ", %y: ", type, ") {\n%z = ", call, " : ", type,
                                      "\nreturn %z\n}\nrun {\n%x = values [", least, ", ", least, "] : ", type,
                                      "\n%y = values [-1, 5] : ", type, "\n}\n");
      const CaseVerdict verdict = verdictOf(kRight, "", text);
      EXPECT_EQ(verdict.kind, VerdictKind::Unsupported) << text << toString(verdict);
      EXPECT_NE(verdict.reason.find("divides the least integer by -1"), std::string::npos) << verdict.reason;
    }
  }
}

TEST(TargetJudgeTest, WhereTheControlIsWrongNothingIsFound) {
  const CaseVerdict both = verdictOf(kWrong, kWrong);
  EXPECT_EQ(both.kind, VerdictKind::Undecided) << toString(both);
  EXPECT_EQ(both.reason, "the control torch-eager gives the same");
}

TEST(TargetJudgeTest, WhereTheControlIsWrongInItsOwnWayOthersDecide) {
  const CaseVerdict own = verdictOf(kWrong, "write(answer(identity, 1, '', run(floats(3, 4))))");
  EXPECT_EQ(own.kind, VerdictKind::Differs) << toString(own);
  EXPECT_NE(own.detail.find("the control torch-eager is outside, too, in its own way: %y: 1 of 2 elements differ"),
            std::string::npos)
      << own.detail;
  EXPECT_NE(own.detail.find("fuser's interpreter agrees with LibTorch"), std::string::npos) << own.detail;
  const CaseVerdict dead = verdictOf(kWrong, "os._exit(0)");
  EXPECT_EQ(dead.kind, VerdictKind::Differs);
  EXPECT_NE(dead.detail.find("the control torch-eager does not run it"), std::string::npos) << dead.detail;
}

TEST(TargetJudgeTest, WhatEagerModeRefusesMustBeRefused) {
  const std::string text = R"(
fusion f(%x: f32[i0]) {
  %y = softshrink(%x) {lambd = -1.0} : f32[i0]
  return %y
}
run { %x = values [1.0, 2.0] : f32[2] }
)";
  const char* refuses = "write(answer(identity, 2, 'RuntimeError: lambda must be in range'))";
  const CaseVerdict verdict = verdictOf(kRight, refuses, text);
  EXPECT_EQ(verdict.kind, VerdictKind::Check) << toString(verdict);
  EXPECT_EQ(verdict.reason.rfind("torch-eager refuses it, and torch-compile runs it: lambda must be", 0), 0u)
      << verdict.reason;
  EXPECT_EQ(verdictOf(refuses, refuses, text).kind, VerdictKind::Unsupported);
  EXPECT_EQ(verdictOf(kRight, kRight, text).kind, VerdictKind::Unsupported) << "the programs say something else";
}

TEST(TargetJudgeTest, WhatTheControlRefusesMayBeRefused) {
  const char* refuses = "write(answer(identity, 4, 'IndexError: 3'))";
  EXPECT_EQ(verdictOf(refuses, kRight).kind, VerdictKind::Check);
  EXPECT_EQ(verdictOf(refuses, kWrong).kind, VerdictKind::Check);
  EXPECT_EQ(verdictOf(refuses, refuses).kind, VerdictKind::Undecided);
}

// A planted fault makes fuser's own result wrong.
TEST(TargetJudgeTest, WhereFusersInterpreterIsWrongNothingIsFound) {
  const std::string faulty =
      std::string(kDoubled).insert(std::string(kDoubled).find("run {"), "option fault = \"sub-for-add\"\n");
  const CaseVerdict verdict = verdictOf(kWrong, kRight, faulty);
  EXPECT_EQ(verdict.kind, VerdictKind::Undecided) << toString(verdict);
  EXPECT_EQ(verdict.reason.rfind("fuser's interpreter differs from LibTorch, too", 0), 0u) << verdict.reason;
}

TEST(TargetJudgeTest, AFaultOfTheTargetIsNotOneOfItsControl) {
  const std::string adds = "write(answer(identity, 1, '', run(floats(2, 4 if 'torch.add' in text else 5))))";
  JudgeSettings settings = settingsWith(adds, adds);
  const Case testCase = parseCase(kDoubled, "test");
  EXPECT_EQ(judgeCase(testCase, settings).kind, VerdictKind::Agrees);
  settings.miscompile = [](const Case&) {
    std::string text = kDoubled;
    return parseCase(text.replace(text.find("add"), 3, "sub"), "test");
  };
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_TRUE(verdict.faultApplied);
  EXPECT_NE(verdict.detail.find("the control torch-eager agrees"), std::string::npos) << verdict.detail;
  settings.miscompile = [](const Case&) { return std::nullopt; };
  EXPECT_FALSE(judgeCase(testCase, settings).faultApplied);
}

TEST(TargetJudgeTest, AFaultOfAnswersIsNotOneOfItsControl) {
  JudgeSettings settings = settingsWith(kRight, kRight);
  const Case testCase = parseCase(kDoubled, "test");
  settings.misanswer = [](std::vector<AnswerRun>& runs) {
    for (AnswerRun& run : runs) run.outputs.front().elements.front() ^= 1;
    return true;
  };
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_TRUE(verdict.faultApplied);
  EXPECT_NE(verdict.detail.find("the control torch-eager agrees"), std::string::npos) << verdict.detail;
}

TEST(TargetJudgeTest, AnotherTypeDiffers) {
  const CaseVerdict shape = verdictOf("write(answer(identity, 1, '', run(floats(2, 4, 6))))", kRight);
  EXPECT_EQ(shape.kind, VerdictKind::Differs);
  EXPECT_EQ(shape.reason, "%y is f32[3] instead of f32[2]");
  const CaseVerdict dtype = verdictOf("write(answer(identity, 1, '', run(tensor(5, [2], b'12345678'))))", kRight);
  EXPECT_EQ(dtype.reason, "%y is i32[2] instead of f32[2]");
  EXPECT_EQ(verdictOf("write(answer(identity, 1, '', run(floats(2, 4), floats(1))))", kRight).reason,
            "2 outputs instead of 1");
}

TEST(TargetJudgeTest, RefusalsAndErrorsAreToldApart) {
  const CaseVerdict unsupported = verdictOf("write(answer(identity, 2, 'no such op'))");
  EXPECT_EQ(unsupported.kind, VerdictKind::Unsupported);
  EXPECT_EQ(unsupported.reason, "torch-compile does not take it: no such op");
  const CaseVerdict compileError = verdictOf("write(answer(identity, 3, 'KeyError: 3'))");
  EXPECT_EQ(compileError.kind, VerdictKind::Check);
  EXPECT_EQ(compileError.reason, "torch-compile does not compile it: KeyError: 3");
  EXPECT_EQ(verdictOf("write(answer(identity, 4, 'IndexError: 3'))").reason, "torch-compile fails: IndexError: 3");
}

TEST(TargetJudgeTest, WhatTheProcessDoesIsAFinding) {
  EXPECT_EQ(verdictOf("os._exit(3)").kind, VerdictKind::Crash);
  EXPECT_EQ(verdictOf("os._exit(3)").reason, "the worker of torch-compile: exit code 3");
  EXPECT_EQ(verdictOf("write(answer(identity, 1))").reason, "the worker of torch-compile leaves out run 0");
  const CaseVerdict lie = verdictOf("write(b'\\xff\\xff\\xff\\xff')");
  EXPECT_EQ(lie.kind, VerdictKind::Invariant);
  const CaseVerdict hang = judgeCase(parseCase(kDoubled, "test"), settingsWith("time.sleep(100)", "", 0.3));
  EXPECT_EQ(hang.kind, VerdictKind::Hang);
}

// 0.1 is no f32: its products are sets of one number each in f32, and of a variance nothing is known.
TEST(TargetJudgeTest, InMixedModeAnInexactOutputIsJudgedByItsSet) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %y = mul(%x, 0.1)
  %z = add(%x, %x)
  return %y, %z
}
run { %x = values [1.0, 2.0] : f32[2] }
)",
                                  "test");
  const auto verdictOn = [&](const std::string& outputs) {
    const std::string worker = "write(answer(identity, 1, '', run(" + outputs + ")))";
    return judgeCase(testCase, settingsWith(worker, "", 20, JudgingMode::Mixed));
  };
  const CaseVerdict right = verdictOn("floats(0.1, 0.2), floats(2, 4)");
  EXPECT_EQ(right.kind, VerdictKind::Agrees) << toString(right);
  EXPECT_EQ(right.elements.judged, 4);
  EXPECT_EQ(right.elements.decided, 4);
  const CaseVerdict wrong = verdictOn("floats(0.1, 0.2000001), floats(2, 4)");
  EXPECT_EQ(wrong.kind, VerdictKind::Differs) << toString(wrong);
  EXPECT_EQ(wrong.reason, "%y: 1 of 2 elements differ");
  EXPECT_EQ(verdictOn("floats(0.1, 0.2), floats(2, 5)").reason, "%z: 1 of 2 elements differ");
  EXPECT_EQ(verdictOn("floats(0.1), floats(2, 4)").reason, "%y is f32[1] instead of f32[2]");
  EXPECT_EQ(verdictOn("floats(0.1, 0.2)").reason, "1 outputs instead of 2");
}

TEST(TargetJudgeTest, InMixedModeASetThatIsTooWideIsUndecided) {
  const JudgeSettings settings =
      settingsWith("write(answer(identity, 1, '', run(floats(5))))", "", 20, JudgingMode::Mixed);
  const CaseVerdict verdict = judgeCase(parseCase(R"(
fusion f(%x: f32[i0]) {
  %y = var(%x) {dims = [0], keepdim = true, correction = 1}
  return %y
}
run { %x = values [1.0, 2.5] : f32[2] }
)",
                                                  "test"),
                                        settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Undecided) << toString(verdict);
  EXPECT_EQ(verdict.elements.decided, 0);
}

TEST(TargetJudgeTest, AnInexactOutputIsNotJudgedAndTheOthersAre) {
  const std::string text = R"(
fusion f(%x: f32[i0]) {
  %y = mul(%x, 0.1)
  %z = add(%x, %x)
  return %y, %z
}
run { %x = values [1.0, 2.0] : f32[2] }
)";
  const auto verdictOn = [&](const std::string& outputs) {
    return verdictOf("write(answer(identity, 1, '', run(" + outputs + ")))", "", text);
  };
  const CaseVerdict right = verdictOn("floats(7, 8), floats(2, 4)");
  EXPECT_EQ(right.kind, VerdictKind::Undecided) << toString(right);
  EXPECT_EQ(right.reason, "not exact: mul %y: an operand is too wide (f32)");
  EXPECT_EQ(right.elements.judged, 4);
  EXPECT_EQ(right.elements.decided, 2);
  EXPECT_EQ(right.exactMode.outputs, 2);
  EXPECT_EQ(right.exactMode.exactOutputs, 1);
  const CaseVerdict wrong = verdictOn("floats(7, 8), floats(2, 5)");
  EXPECT_EQ(wrong.kind, VerdictKind::Differs);
  EXPECT_EQ(wrong.wrongValue, "z");
  EXPECT_EQ(verdictOn("floats(7, 8, 9), floats(2, 4)").reason, "%y is f32[3] instead of f32[2]");
}

constexpr const char* kRows = R"(
fusion f(%x: f32[2, i0]) {
  %y = neg(%x)
  return %y
}
run { %x = values [1.0, 2.0] : f32[2, 1] }
run { %x = values [1.0, 2.0, 3.0, 4.0] : f32[2, 2] }
)";

// Its answer to kRows, with these strides in the second run.
std::string rowsWith(const std::string& strides) {
  return "both = b''.join([struct.pack('<III', 2, 0, 1), strided([2, 1], [1, 77], -1, -2), struct.pack('<II', 1, 1), "
         "strided([2, 2], [" +
         strides + "], -1, -2, -3, -4)]); write(answer(identity, 1, '', both))";
}

TEST(TargetJudgeTest, OtherStridesThanTheControlsDiffer) {
  const CaseVerdict verdict = verdictOf(rowsWith("1, 2"), rowsWith("2, 1"), kRows);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.reason, "%y[2, 2] has strides [1, 2] instead of [2, 1]");
  EXPECT_EQ(verdict.pattern, "strides");
  EXPECT_EQ(verdict.run, 1);
  EXPECT_EQ(verdictOf(rowsWith("2, 1"), rowsWith("2, 1"), kRows).kind, VerdictKind::Agrees);
}

TEST(TargetJudgeTest, WithoutARightControlNoStridesAreCompared) {
  EXPECT_EQ(verdictOf(rowsWith("1, 2"), "", kRows).kind, VerdictKind::Agrees);
  EXPECT_EQ(verdictOf(rowsWith("1, 2"), "os._exit(0)", kRows).kind, VerdictKind::Agrees);
}

TEST(TargetJudgeTest, AnInexactRunIsNotJudgedButCounted) {
  const std::string thirds = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  return %y
}
run { %x = values [1.0, 2.0] : f32[2] }
run { %x = values [0.1, 1e20] : f32[2] }
)";
  const CaseVerdict verdict = verdictOf(kRight, "", thirds);
  EXPECT_EQ(verdict.kind, VerdictKind::Undecided);
  EXPECT_EQ(verdict.run, 1);
  EXPECT_EQ(verdict.elements.judged, 4);
  EXPECT_EQ(verdict.elements.decided, 2);
}

TEST(TargetJudgeTest, ZerosOfBothSignsAreEqual) {
  const std::string zero =
      "fusion f(%x: f32[i0]) {\n  %y = mul(%x, 0.0)\n  return %y\n}\nrun { %x = values [-1.0] : f32[1] }\n";
  EXPECT_EQ(verdictOf("write(answer(identity, 1, '', run(floats(0.0))))", "", zero).kind, VerdictKind::Agrees);
}

// Two views, the second one sees one case in `every`.
CaseVerdict verdictOfViews(const std::string& main, const std::string& second, uint64_t every = 1,
                           HowOften often = HowOften::Sampled) {
  JudgeSettings settings;
  settings.secondLooks = often;
  settings.target = makeTargetJudge(targetNamed("torch-compile"), shortLimits(),
                                    {{"main", fakeWorker(main)}, {"second", fakeWorker(second), every}}, {});
  return judgeCase(parseCase(kDoubled, "test"), settings);
}

TEST(TargetJudgeTest, ASecondViewIsJudgedToo) {
  EXPECT_EQ(verdictOfViews(kRight, kRight).kind, VerdictKind::Agrees);
  const CaseVerdict verdict = verdictOfViews(kRight, kWrong);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.reason, "in the view second: %y: 1 of 2 elements differ");
  EXPECT_EQ(verdict.seenIn, SeenIn::View);
  EXPECT_EQ(verdict.elements.judged, 2) << "elements of the main view alone count";
  EXPECT_EQ(verdictOfViews(kWrong, kRight).seenIn, SeenIn::Run);
}

// Of four views, of which two are asked where something is wrong alone. Each is wrong, or right, or has switches.
CaseVerdict verdictOfLevels(const std::array<std::string, 4>& workers, Switches switches = Switches::Rules) {
  Target target = targetNamed("torch-compile");
  target.switches = switches;
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, shortLimits(),
                                    {{"all", fakeWorker(workers[0])},
                                     {"disabled", fakeWorker(workers[1])},
                                     {"extended", fakeWorker(workers[2]), 0},
                                     {"basic", fakeWorker(workers[3]), 0}},
                                    {});
  return judgeCase(parseCase(kDoubled, "test"), settings);
}

TEST(TargetJudgeTest, GuiltyViewsAreNamed) {
  EXPECT_EQ(verdictOfLevels({kRight, kRight, kWrong, kWrong}).kind, VerdictKind::Agrees) << "nobody asks them";
  const CaseVerdict levels = verdictOfLevels({kWrong, kRight, kWrong, kRight});
  EXPECT_EQ(levels.place, "Add f32 in the views all, extended");
  EXPECT_NE(levels.detail.find("the views all, extended show it, disabled, basic do not"), std::string::npos);
  EXPECT_NE(levels.title.find(", guilty: Add f32 in the views all, extended"), std::string::npos) << levels.title;
  EXPECT_EQ(verdictOfLevels({kWrong, kWrong, kWrong, kWrong}).place, "Add f32 in every view");
  EXPECT_EQ(verdictOfLevels({kRight, kWrong, kRight, kRight}).place, "Add f32 in the view disabled");
}

// With all values as outputs, %z is the first one that is wrong.
TEST(TargetJudgeTest, TheOpThatIsWrongIsNamed) {
  const std::string text = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  %z = neg(%y)
  %a = abs(%z)
  return %a
}
run { %x = values [1.0, 2.0] : f32[2] }
)";
  const std::string wrong = "outputs = [floats(2, 5)]; write(answer(identity, 1, '', run(*outputs, *others)))";
  const std::string all = "others = [floats(2, 4), floats(-2, -5)] if identity > 1 else []; ";
  const CaseVerdict verdict = verdictOf(all + wrong, "", text);
  EXPECT_EQ(verdict.place, "Neg f32");
  EXPECT_EQ(verdict.wrongOp, "Neg");
  EXPECT_EQ(verdictOf("others = []; " + wrong, "", text).place, "") << "the target does not give all";
}

// A worker with the switches one to four, which is right without those that the condition on `off` says.
std::string withSwitches(const std::string& isRight) {
  return "off = request.off.split(','); write(answer(identity, 1, 'one,two,three,four' if request.wanted else '', "
         "run(floats(2, 4 if " +
         isRight + " else 5))))";
}

TEST(TargetJudgeTest, AGuiltySwitchIsNamed) {
  const CaseVerdict one = verdictOfLevels({withSwitches("'three' in off"), kRight, kRight, kRight});
  EXPECT_EQ(one.place, "three");
  EXPECT_NE(one.detail.find("in all it is gone without three"), std::string::npos) << one.detail;
  const CaseVerdict two = verdictOfLevels({withSwitches("'two' in off and 'four' in off"), kRight, kRight, kRight});
  EXPECT_EQ(two.place, "two and four");
  EXPECT_EQ(verdictOfLevels({withSwitches("False"), kRight, kRight, kRight}).place, "Add f32 in the view all");
  EXPECT_EQ(verdictOfLevels({withSwitches("'three' in off"), kWrong, kWrong, kWrong}).place, "three");
  const CaseVerdict option =
      verdictOfLevels({withSwitches("'three' in off"), kRight, kRight, kRight}, Switches::Options);
  EXPECT_EQ(option.place, "Add f32 in three");
  const CaseVerdict op = verdictOfLevels({withSwitches("'three' in off"), kRight, kRight, kRight}, Switches::Operators);
  EXPECT_EQ(op.place, "three f32");
}

TEST(TargetJudgeTest, ASwitchWithoutWhichItsProcessEndsIsNotGuilty) {
  const std::string dies = "'two' in request.off and os._exit(3); ";
  EXPECT_EQ(verdictOfLevels({dies + withSwitches("False"), kRight, kRight, kRight}).place, "Add f32 in the view all");
  EXPECT_EQ(verdictOfLevels({dies + withSwitches("'three' in off"), kRight, kRight, kRight}).place, "three");
}

TEST(TargetJudgeTest, ASwitchWithoutWhichItIsRefusedIsGuiltyWhereNoneMakesItRight) {
  const auto switches = [](const char* isRight, int kind = 4) {  // 4: it fails, 2: it lacks a kernel
    return concat("off = request.off.split(','); write(answer(identity, ", kind,
                  ", 'no')) if 'two' in request.off else ") +
           "write(answer(identity, 1, 'one,two,three,four' if request.wanted else '', run(floats(2, 4 if " + isRight +
           " else 5))))";
  };
  const CaseVerdict refused = verdictOfLevels({switches("False"), kRight, kRight, kRight});
  EXPECT_EQ(refused.place, "two");
  EXPECT_EQ(verdictOfLevels({switches("False", 2), kRight, kRight, kRight}).place, "two");
  EXPECT_NE(refused.detail.find("in all it is refused without two"), std::string::npos) << refused.detail;
  EXPECT_EQ(verdictOfLevels({switches("'three' in off"), kRight, kRight, kRight}).place, "three");
}

TEST(TargetJudgeTest, TheBucketOfARefusalNamesAGuiltySwitchAlone) {
  const auto refuses = [](const char* isRight) {
    return concat("off = request.off.split(','); ok = request.wanted or ", isRight,
                  "; write(answer(identity, 1, 'one,two' if request.wanted else '', run(floats(2, 4))) if ok else "
                  "answer(identity, 3, 'no'))");
  };
  const CaseVerdict guilty = verdictOfLevels({refuses("'two' in off"), kRight, kRight, kRight});
  EXPECT_EQ(guilty.kind, VerdictKind::Check) << toString(guilty);
  EXPECT_EQ(bucketWithoutStage(guilty).place, "two") << guilty.detail;
  const CaseVerdict levels = verdictOfLevels({refuses("False"), kRight, kRight, kRight});
  EXPECT_EQ(bucketWithoutStage(levels).place, "") << levels.detail;
}

TEST(TargetJudgeTest, TheBucketOfADeathNamesWhatIsGuilty) {
  const CaseVerdict verdict = verdictOfLevels({"os._exit(3)", kRight, kRight, kRight});
  EXPECT_EQ(verdict.kind, VerdictKind::Crash) << toString(verdict);
  EXPECT_EQ(bucketWithoutStage(verdict).place, "the view all");
}

TEST(TargetJudgeTest, WhatTheMainViewAloneRefusesIsAFinding) {
  const char* refuses = "write(answer(identity, 2, 'no kernel'))";
  const CaseVerdict verdict = verdictOfViews(refuses, kRight);
  EXPECT_EQ(verdict.kind, VerdictKind::Check) << toString(verdict);
  EXPECT_EQ(verdict.reason, "the view second runs it, and torch-compile does not take it: no kernel");
  EXPECT_EQ(verdictOfViews(refuses, refuses).kind, VerdictKind::Unsupported);
  EXPECT_EQ(verdictOfViews(kRight, refuses).kind, VerdictKind::Agrees);
}

TEST(TargetJudgeTest, ASampledViewFollowsSecondLooks) {
  constexpr uint64_t kAlmostNever = uint64_t{1} << 40;
  EXPECT_EQ(verdictOfViews(kRight, kWrong, kAlmostNever).kind, VerdictKind::Agrees);
  EXPECT_EQ(verdictOfViews(kRight, kWrong, kAlmostNever, HowOften::Always).kind, VerdictKind::Differs);
  EXPECT_EQ(verdictOfViews(kRight, kWrong, 1, HowOften::Never).kind, VerdictKind::Agrees);
}

// Two cases at once, on a worker that may compile them in one: %y = %x + %x, and the same of %guilty.
std::vector<CaseVerdict> verdictsAtOnce(const std::string& perform) {
  const std::string inBlock =
      "at_once = request.following > 0 or globals().get('last', 0) > 0; globals()['last'] = request.following\n    ";
  std::string other = kDoubled;
  for (size_t at = 0; (at = other.find("%y")) != std::string::npos;) other.replace(at, 2, "%guilty");
  const Case first = parseCase(kDoubled, "first"), second = parseCase(other, "second");
  const std::array<const Case*, 2> cases = {&first, &second};
  const JudgeSettings settings = settingsWith(inBlock + perform);
  return settings.target->judge(cases, settings);
}

TEST(TargetJudgeTest, CasesAtOnceHaveEachTheirVerdict) {
  const auto verdicts = verdictsAtOnce("write(answer(identity, 1, '', run(floats(2, 5 if 'guilty' in text else 4))))");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::Agrees) << toString(verdicts[0]);
  EXPECT_EQ(verdicts[1].kind, VerdictKind::Differs);
  EXPECT_EQ(verdicts[1].reason, "%guilty: 1 of 2 elements differ");
}

TEST(TargetJudgeTest, WhatIsWrongInOneWithOthersIsAskedAlone) {
  const auto alone = verdictsAtOnce("write(answer(identity, 1, '', run(floats(2, 5)), int(at_once)))");
  EXPECT_EQ(alone[0].kind, VerdictKind::Differs) << toString(alone[0]);
  const auto together =
      verdictsAtOnce("write(answer(identity, 1, '', run(floats(2, 5 if at_once else 4)), int(at_once)))");
  for (const CaseVerdict& verdict : together) EXPECT_EQ(verdict.kind, VerdictKind::Undecided) << toString(verdict);
  EXPECT_EQ(together[0].reason, "right alone, but not compiled with others: %y: 1 of 2 elements differ");
}

TEST(TargetJudgeTest, OfADeathInOneTheGuiltyCaseIsNamed) {
  const std::string dies = "os.write(4, b'begin 1 2\\n') if at_once else None; os._exit(3) if ";
  const std::string right = " else write(answer(identity, 1, '', run(floats(2, 4))))";
  const auto second = verdictsAtOnce(dies + "at_once or 'guilty' in text" + right);
  EXPECT_EQ(second[0].kind, VerdictKind::Agrees) << toString(second[0]);
  EXPECT_EQ(second[1].kind, VerdictKind::Crash) << toString(second[1]);
  const auto neither = verdictsAtOnce(dies + "at_once" + right);
  EXPECT_EQ(neither[0].reason, "right alone, but not compiled with others: the worker of torch-compile: exit code 3");
  EXPECT_EQ(neither[1].kind, VerdictKind::Agrees) << toString(neither[1]);
}

// Programs of single runs: of those that are judged, each with its data.
TEST(TargetJudgeTest, AFormatWithAProgramARunSendsThoseThatAreJudged) {
  const std::string text = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  return %y
}
run { %x = values [0.1] : f32[1] }
run { %x = values [1.0, 2.0] : f32[2] }
run { %x = values [3.0] : f32[1] }
)";
  JudgeSettings settings;
  const std::string answers =
      "write(answer(identity, 1, '', struct.pack('<I', len(request.programs)) + b''.join(struct.pack('<II', index, 1) "
      "+ "
      "floats(*[2 * number for number in struct.unpack(f'<{len(data) // 4}f', data)]) for index, text, data in "
      "request.programs)))";
  settings.target =
      makeTargetJudge(targetNamed("onnx-reference"), shortLimits(), {{"reference", fakeWorker(answers)}}, {});
  const CaseVerdict verdict = judgeCase(parseCase(text, "test"), settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Undecided) << toString(verdict);
  EXPECT_EQ(verdict.run, 0);
  EXPECT_EQ(verdict.elements.judged, 4);
  EXPECT_EQ(verdict.elements.decided, 3);
}

}  // namespace
}  // namespace fuser::fuzz
