// The calls of a text, kept: examples, and what holds for every case.

#include "fuser/text/written_calls.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/ir/builder.h"
#include "fuser/support/diagnostic.h"
#include "fuser/text/expansions.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/fuser/text/seed_files.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

std::string joinedNotes(const CaseWithCalls& printed) {
  std::string text;
  for (const std::string& note : printed.notes) text += note + "\n";
  return text;
}

const golden::Texts kCalls("tests/fuser/text/written_calls.txt", {}, [](const golden::Case& test) {
  WrittenCalls calls;
  const Case read = parseCase(test.input, "in", calls);
  const CaseWithCalls printed = printCaseWithCalls(read, calls);
  golden::Answers answers{{"", printed.text}};
  if (!printed.notes.empty()) answers.push_back({"not kept", joinedNotes(printed)});
  return golden::Made(std::move(answers));
});

std::vector<std::string> casesOfTheCorpus() {
  std::vector<std::string> texts;
  for (const char* file : {"tests/fuser/text/print.txt", "tests/fuser/text/written_calls.txt"}) {
    for (const golden::Case& example : golden::readCases(file)) texts.push_back(example.input);
  }
  for (const char* folder : {"corpus/seeds", "corpus/regressions"}) {
    for (const std::string& path : fusionFiles(folder)) texts.push_back(golden::readFile(path));
  }
  return texts;
}

TEST(WrittenCallsTest, WithCallsEveryCaseReadsAsWithoutThem) {
  std::set<std::string> kept;
  for (const std::string& text : casesOfTheCorpus()) {
    WrittenCalls calls;
    Case read;
    try {
      read = parseCase(text, "in", calls);
    } catch (const LocatedError&) {
      continue;  // what inference refuses, and the case expects
    }
    const std::string expanded = printCase(read);
    EXPECT_EQ(printCase(parseCase(text, "in")), expanded);
    const CaseWithCalls printed = printCaseWithCalls(read, calls);
    WrittenCalls again;
    const Case second = parseCase(printed.text, "printed", again);
    EXPECT_EQ(printCase(second), expanded) << printed.text;
    EXPECT_EQ(again.size() + printed.notes.size(), calls.size());
    EXPECT_EQ(printCaseWithCalls(second, again).text, printed.text);
    for (const WrittenCall& call : again) kept.insert(call.name);
  }
  // Of each name, the corpus has a call that stays.
  for (std::string_view name : text::expansionNames()) EXPECT_EQ(kept.count(std::string(name)), 1u) << name;
}

// --- fusions that passes have changed ---

struct Read {
  WrittenCalls calls;
  Case testCase;
  explicit Read(const std::string& text) { testCase = parseCase(text, "in", calls); }
  Fusion& fusion() { return *testCase.fusion; }
  Val* named(const std::string& name) {
    for (const auto& val : fusion().allVals()) {
      if (val->name() == name) return val.get();
    }
    return nullptr;
  }
  CaseWithCalls printed() { return printCaseWithCalls(testCase, calls); }
};

constexpr const char* kSoftmax = "fusion f(%x: f32[i0, i1]) { %y = softmax(%x) {dim = 1} %z = neg(%y) return %z }";

TEST(WrittenCallsTest, ACloneHasTheCallsOfItsOriginal) {
  Read read(kSoftmax);
  const std::string kept = read.printed().text;
  EXPECT_NE(kept.find("%y = softmax(%x) {dim = 1} : f32[i0, i1]\n  %z = neg"), kept.npos) << kept;
  read.testCase = cloneCase(read.testCase);
  EXPECT_EQ(read.printed().text, kept);
}

TEST(WrittenCallsTest, ACallWhoseOpsWereChangedIsExpanded) {
  Read read(kSoftmax);
  read.fusion().replaceInput(read.named("y")->definition(), 1, read.named("x"));
  EXPECT_EQ(joinedNotes(read.printed()), "%y = softmax: its ops are others now\n");
  EXPECT_EQ(read.printed().text, printCase(read.testCase));
}

TEST(WrittenCallsTest, ACallThatLostAnOpIsExpanded) {
  Read read(kSoftmax);
  Val* y = read.named("y");
  read.fusion().replaceAllUses(y, read.named("x"));
  read.fusion().removeExpr(y->definition());
  EXPECT_EQ(joinedNotes(read.printed()), "%y = softmax: the program has not all of its ops any more\n");
}

TEST(WrittenCallsTest, ACallThatGivesItsOperandBackHasNoLine) {
  Read read(kSoftmax);
  read.calls.at(0).results = read.calls.at(0).operands;
  EXPECT_EQ(joinedNotes(read.printed()), "%y = softmax: none of its ops makes %y\n");
}

TEST(WrittenCallsTest, ACallWhoseWayIsReadOutsideIsExpanded) {
  Read read(kSoftmax);
  Val* onTheWay = read.named("y")->definition()->input(0);
  Read reads(kSoftmax), returns(kSoftmax);
  const auto inOther = [&](Read& other) { return other.fusion().allVals()[onTheWay->id()].get(); };
  reads.fusion().replaceInput(reads.named("z")->definition(), 0, inOther(reads));
  EXPECT_EQ(joinedNotes(reads.printed()),
            concat("%y = softmax: %z reads %", onTheWay->name(), ", which it makes on the way\n"));
  returns.fusion().addOutput(inOther(returns));
  EXPECT_EQ(joinedNotes(returns.printed()),
            concat("%y = softmax: the fusion returns %", onTheWay->name(), ", which it makes on the way\n"));
}

}  // namespace
}  // namespace fuser
