// What a person sees while a campaign runs.

#include "fuzz/campaign/progress.h"

#include <gtest/gtest.h>

namespace fuser::fuzz {
namespace {

Status sample() {
  Status status;
  status.seconds = 75;
  status.cases = 30000;
  status.casesPerSecond = 400;
  status.decidedShare = 0.99;
  status.decidedCaseShare = 0.93;
  status.rejectedShare = 0.01;
  status.buckets = {{"differs | PointWise | nan", 3}, {"crash | lower", 5}};
  status.findings = 8;
  status.done = 0.25;
  status.secondsLeft = 225;
  return status;
}

TEST(ProgressTest, ALineHoldsEveryFigure) {
  EXPECT_EQ(statusLine(sample()),
            "75 s: 30000 cases, 400.0/s, decided 0.9900, rejected 0.0100, findings 8, 3 min 45 s left");
}

TEST(ProgressTest, MinimizingAndConfirmingAreShown) {
  Status status = sample();
  status.secondsLeft.reset();
  status.activity = "cases done; minimising 1 finding, 2 wait";
  EXPECT_EQ(statusLine(status),
            "75 s: 30000 cases, 400.0/s, decided 0.9900, rejected 0.0100, findings 8; "
            "cases done; minimising 1 finding, 2 wait");
  const std::vector<std::string> lines = statusBlock(status, 100, false);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1], status.activity);
  EXPECT_EQ(activityOf({}), "");
  EXPECT_EQ(activityOf({.batches = 1}), "compiling a sample");
  EXPECT_EQ(activityOf({.batches = 2, .confirmations = 3}), "compiling 2 samples; running 3 findings again");
  EXPECT_EQ(activityOf({.casesDone = true, .batches = 1}), "cases done; compiling a sample");
  EXPECT_EQ(activityOf({.casesDone = true, .confirmations = 1, .minimizations = 2, .waiting = 5, .secondsEach = 60}),
            "cases done; running 1 finding again; minimising 2 findings, 5 wait, 1 min 0 s each at most");
}

TEST(ProgressTest, TheBlockListsTheLargestBucketsFirst) {
  const std::vector<std::string> lines = statusBlock(sample(), 100, false);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[0].find("30000 cases in 1 min 15 s, 400.0 cases/s, 3 min 45 s left"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("[#######"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[3], "     5  crash | lower");
  EXPECT_EQ(lines[4], "     3  differs | PointWise | nan");
}

TEST(ProgressTest, NoLineIsWiderThanTheTerminal) {
  for (size_t width : {20u, 33u, 60u, 200u}) {
    for (const std::string& line : statusBlock(sample(), width, false)) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(ProgressTest, ColourIsLeftOutOnRequest) {
  for (const std::string& line : statusBlock(sample(), 80, false)) EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_NE(statusBlock(sample(), 80, true)[2].find("\x1b[31m"), std::string::npos);
}

TEST(ProgressTest, LinesScrollAboveTheBlock) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* terminal = open_memstream(&text, &size);
  {
    StatusDisplay display(terminal, false);
    display.show(sample());
    display.line("FINDING");
  }
  std::fclose(terminal);
  const std::string all(text, size);
  std::free(text);
  // The block is taken away before the line, drawn again below it, and taken away at the end.
  const std::string away = "\x1b[5A\r\x1b[J";
  const size_t first = all.find(away), line = all.find("FINDING\n"), last = all.rfind(away);
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, line);
  EXPECT_LT(line, last);
  EXPECT_EQ(last + away.size(), all.size());
}

// Files from strangers have names, and findings quote them: a terminal gets none of their control bytes.
TEST(ProgressTest, ControlBytesAreEscaped) {
  Status status = sample();
  status.buckets = {{"check | \x1b]0;title\x07\n | x", 3}};
  char* text = nullptr;
  size_t size = 0;
  std::FILE* terminal = open_memstream(&text, &size);
  {
    StatusDisplay display(terminal, false);
    display.line("found \x1b[31mred\x07.fusion\nand more");
    display.show(status);
  }
  std::fclose(terminal);
  const std::string all(text, size);
  std::free(text);
  EXPECT_NE(all.find("found \\x1b[31mred\\x07.fusion\nand more\n"), std::string::npos) << all;
  EXPECT_NE(all.find("     3  check | \\x1b]0;title\\x07  | x\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("\x1b]"), std::string::npos);
  EXPECT_EQ(all.find('\x07'), std::string::npos);
}

TEST(ProgressTest, AReasonsFirstClauseFitsATerminal) {
  EXPECT_EQ(firstClause("kernel k0: misaligned vector: element 97 of T0, width 2; block (0, 0, 0); in: T2[0] = T0"),
            "kernel k0: misaligned vector: element 97 of T0, width 2");
  EXPECT_EQ(firstClause("check failed\nstack; of it"), "check failed");
  EXPECT_EQ(firstClause("Var %t33.r: 2 elements outside"), "Var %t33.r: 2 elements outside");
  EXPECT_EQ(firstClause(""), "");
  EXPECT_EQ(firstClause(std::string(81, 'x')), std::string(77, 'x') + "...");
  EXPECT_EQ(firstClause(std::string(80, 'x')), std::string(80, 'x'));
}

TEST(ProgressTest, DurationsAreRounded) {
  EXPECT_EQ(duration(7.6), "8 s");
  EXPECT_EQ(duration(3599.6), "1 h 0 min");
  EXPECT_EQ(duration(28800), "8 h 0 min");
}

}  // namespace
}  // namespace fuser::fuzz
