// The runner itself: what files say, what fails and how, and that an update changes answers alone.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/golden/golden_tests.h"
#include "tests/golden/line_diff.h"

namespace golden {
namespace {

const std::vector<std::string> kKeys = {"pass"};

constexpr const char* kText =
    "About the file.\n"
    "==== one answer\n"
    "// why\n"
    "pass: A\n"
    "pass: B\n"
    "in: put\n"
    "// of the input\n"
    "----\n"
    "made\n"
    "\n"
    "==== two answers, and no input\n"
    "---- changed\n"
    "x\n"
    "---- rejected\n";

TEST(GoldenFileTest, ReadsTitlesOptionsInputsAndAnswers) {
  const File file = parseFile(kText, "a.txt", kKeys);
  EXPECT_EQ(file.head, "About the file.\n");
  ASSERT_EQ(file.cases.size(), 2u);
  const Case& one = file.cases[0];
  EXPECT_EQ(one.title, "one answer");
  EXPECT_EQ(one.line, 2);
  EXPECT_EQ(one.option("pass"), "B");
  EXPECT_EQ(one.allOptions("pass"), (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(one.option("alias"), "");
  EXPECT_EQ(one.input, "in: put\n// of the input\n");
  EXPECT_EQ(one.expected, (Answers{{"", "made\n\n"}}));
  EXPECT_EQ(file.cases[1].input, "");
  EXPECT_EQ(file.cases[1].expected, (Answers{{"changed", "x\n"}, {"rejected", ""}}));
}

TEST(GoldenFileTest, PrintsTheSameBytes) { EXPECT_EQ(printFile(parseFile(kText, "a.txt", kKeys)), kText); }

TEST(GoldenFileTest, AnotherKeyBeginsTheInput) {
  const File file = parseFile("==== a\nalias: x\npass: A\n----\n", "a.txt", kKeys);
  EXPECT_EQ(file.cases.at(0).input, "alias: x\npass: A\n");
  EXPECT_TRUE(file.cases.at(0).options.empty());
}

// All files of the tree: an update of one case leaves the others alone.
TEST(GoldenFileTest, EveryFileOfTheTreePrintsTheSameBytes) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests")) {
    if (entry.path().extension() != ".txt") continue;
    const std::string text = readFile(entry.path());
    EXPECT_EQ(lineDiff(text, printFile(parseFile(text, entry.path(), kKeys))), "") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u);
}

TEST(GoldenNamesTest, AreMadeOfFilesAndTitles) {
  EXPECT_EQ(suiteName("tests/fuser/passes/move_pad.txt"), "MovePadText");
  EXPECT_EQ(testName("not where an op gives f32, nor -0.0"), "NotWhereAnOpGivesF32Nor00");
}

TEST(LineDiffTest, ShowsWhatChangesAndTheLinesAroundIt) {
  EXPECT_EQ(lineDiff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\ng\n"), "  …\n  b\n  c\n- d\n+ D\n  e\n  f\n+ g\n");
  EXPECT_EQ(lineDiff("a\nb\nc\n", "b\nx\nc\n"), "- a\n  b\n+ x\n  c\n");
  EXPECT_EQ(lineDiff("same\n", "same\n"), "");
  EXPECT_EQ(lineDiff("", "a\n"), "+ a\n");
  EXPECT_EQ(lineDiff("a\n", "a"), "- a\n+ a (no newline at the end)\n");
}

Made madeOf(const Case& each) { return Answers{{"changed", "made of " + each.input}}; }

struct GoldenCheckTest : testing::Test {
  // A file of its own, with a case whose answer is right and one whose answer is not.
  GoldenCheckTest() {
    write("head\n==== right\npass: A\nx\n---- changed\nmade of x\n==== wrong\n// a note\ny\n----\nmade of y\n");
  }
  ~GoldenCheckTest() override { std::filesystem::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  Case at(size_t index) { return readCases(path_, kKeys).at(index); }

  std::string path_ = std::filesystem::temp_directory_path() / ("golden_test." + std::to_string(getpid()) + ".txt");
};

TEST_F(GoldenCheckTest, AcceptsAnEqualAnswer) { check(at(0), kKeys, madeOf, false); }

TEST_F(GoldenCheckTest, AFailureShowsTheCaseAndTheLines) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    check(at(1), kKeys, madeOf, false);
  }
  ASSERT_EQ(failures.size(), 1);
  const testing::TestPartResult& failure = failures.GetTestPartResult(0);
  EXPECT_EQ(failure.file_name(), path_);
  EXPECT_EQ(failure.line_number(), 7);
  const std::string message = failure.message();
  EXPECT_NE(message.find("wrong: expected (-)"), message.npos) << message;
  EXPECT_NE(message.find("- ----\n+ ---- changed\n  made of y\n"), message.npos) << message;
}

TEST_F(GoldenCheckTest, AnExceptionIsAFailureOfTheCase) {
  const Stage stage = [](const Case&) -> Made { throw std::runtime_error("no such pass"); };
  EXPECT_NONFATAL_FAILURE(check(at(0), kKeys, stage, false), "right: no such pass");
}

TEST_F(GoldenCheckTest, ATextThatAFileCannotHoldIsAFailure) {
  for (const std::string text : {"no end", "==== title\n", "----\n", "---- label\n"}) {
    EXPECT_NONFATAL_FAILURE(check(
                                at(0), kKeys, [&](const Case&) { return text; }, true),
                            "no golden text");
  }
}

TEST_F(GoldenCheckTest, AnUpdateWritesOnlyAnswers) {
  check(at(1), kKeys, madeOf, true);
  EXPECT_EQ(
      readFile(path_),
      "head\n==== right\npass: A\nx\n---- changed\nmade of x\n==== wrong\n// a note\ny\n---- changed\nmade of y\n");
}

TEST_F(GoldenCheckTest, AnUpdateKeepsWhatOtherCasesWrote) {
  write("==== a\n----\n==== b\n----\n");
  const Case a = at(0), b = at(1);
  check(
      a, kKeys, [](const Case&) { return std::string("1\n"); }, true);
  check(
      b, kKeys, [](const Case&) { return std::string("2\n"); }, true);
  EXPECT_EQ(readFile(path_), "==== a\n----\n1\n==== b\n----\n2\n");
}

TEST_F(GoldenCheckTest, AStageThatFailsWritesNothing) {
  const std::string before = readFile(path_);
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    check(
        at(0), kKeys, [](const Case&) -> Made { throw std::runtime_error("of the stage"); }, true);
  }
  EXPECT_EQ(failures.size(), 1);
  EXPECT_EQ(readFile(path_), before);
}

}  // namespace
}  // namespace golden
