// What is in a world, counted in two ways.

#include "fuzz/worlds/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fuser/ops/op_table.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/worlds/letter_types.h"
#include "fuzz/worlds/programs.h"
#include "fuzz/worlds/world_case.h"
#include "oracle/rule_group.h"
#include "tests/golden/golden_tests.h"

namespace {

using namespace fuser;
using namespace fuser::fuzz;

golden::Texts textsOfCases("tests/fuzz/worlds/world.txt", {"case"}, [](const golden::Case& each) {
  const World world(worldOptions(each.input.substr(0, each.input.find('\n'))));
  return golden::Made(printCase(world.at(std::stoull(each.option("case")))));
});

// A program as lines, "2 3 0": a letter and its operands; values are numbered as they come, from 0 on, without regard
// to kind. A cut is a "c" at the end. Written for this test alone: no code of Programs.
struct Line {
  size_t letter;
  std::vector<int> operands;  // an input: -1, -2; a line: its place
  bool isCut;
};

std::string textInOrder(const std::vector<Line>& lines, const std::vector<size_t>& order) {
  std::map<int, std::string> names;
  int inputs = 0;
  std::string text;
  for (size_t place = 0; place < order.size(); ++place) {
    const Line& line = lines[order[place]];
    text += std::to_string(line.letter);
    for (const int operand : line.operands) {
      if (operand < 0 && !names.count(operand)) names[operand] = "i" + std::to_string(inputs++);
      if (!names.count(operand)) return "";  // used before it is made
      text += " " + names[operand];
    }
    names[static_cast<int>(order[place])] = "r" + std::to_string(place);
    text += line.isCut ? "c\n" : "\n";
  }
  return text;
}

std::string nameOf(const std::vector<Line>& lines) {
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::string least;
  do {
    const std::string text = textInOrder(lines, order);
    if (!text.empty() && (least.empty() || text < least)) least = text;
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

bool parses(const std::vector<Letter>& letters, const std::vector<Line>& lines, const std::string& type) {
  std::string text = "fusion f(%a: " + type + ", %b: " + type + ") {\n";
  for (size_t k = 0; k < lines.size(); ++k) {
    std::vector<std::string> operands;
    for (const int operand : lines[k].operands)
      operands.push_back(operand == -1 ? "%a" : operand == -2 ? "%b" : "%v" + std::to_string(operand));
    text += statementOf(letters[lines[k].letter], operands, "%v" + std::to_string(k));
  }
  try {
    parseFusion(text + "  return %v" + std::to_string(lines.size() - 1) + "\n}\n");
    return true;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return false;
  }
}

// All programs of up to `depth` lines that parse, by name.
void collect(const std::vector<Letter>& letters, std::vector<Line>& lines, size_t depth, const std::string& type,
             std::set<std::string>& found) {
  bool cutsAreUsed = !lines.empty();
  for (size_t k = 0; k < lines.size(); ++k) {
    const bool isUsed = std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      return std::find(line.operands.begin(), line.operands.end(), static_cast<int>(k)) != line.operands.end();
    });
    cutsAreUsed = cutsAreUsed && (isUsed || !lines[k].isCut);
  }
  if (cutsAreUsed) found.insert(nameOf(lines));
  if (lines.size() == depth) return;
  std::vector<int> values = {-1, -2};
  for (size_t k = 0; k < lines.size(); ++k) values.push_back(static_cast<int>(k));
  for (size_t letter = 0; letter < letters.size(); ++letter) {
    const size_t count = letters[letter].operands;
    std::vector<size_t> chosen(count, 0);
    for (;;) {
      Line line{letter, {}, false};
      for (const size_t one : chosen) line.operands.push_back(values[one]);
      for (const bool isCut : {false, true}) {
        line.isCut = isCut;
        lines.push_back(line);
        if (parses(letters, lines, type)) collect(letters, lines, depth, type, found);
        lines.pop_back();
      }
      size_t place = 0;
      while (place < count && ++chosen[place] == values.size()) chosen[place++] = 0;
      if (place == count) break;
    }
  }
}

TEST(WorldTest, CountIsThatOfAllProgramsUpToRenaming) {
  for (const char* ops : {"relu,add", "sum,lt", "permute,where"}) {
    WorldOptions options = worldOptions(std::string("ops=") + ops);
    for (const int64_t rank : {1, 2}) {
      LetterTypes types(options.letters, rank);
      const Programs programs(options.letters, types, DataType::Float, 3);
      std::set<std::string> all;
      std::vector<Line> lines;
      collect(options.letters, lines, 3, rank == 1 ? "f32[5]" : "f32[5, 7]", all);
      EXPECT_EQ(programs.count(), all.size()) << ops << " rank " << rank;
    }
  }
}

TEST(WorldTest, EachNumberIsACaseOfItsOwn) {
  WorldOptions options = worldOptions("depth=2 ops=relu,cast,add,sum,gather,argmax ranks=0,2");
  const World world(options);
  std::set<std::string> texts;
  for (uint64_t number = 0; number < world.count(); ++number) {
    Case testCase = world.at(number);
    testCase.metadata.clear();
    texts.insert(printCase(testCase));
  }
  EXPECT_EQ(texts.size(), world.count());
  EXPECT_THROW(world.at(world.count()), UserError);
}

TEST(WorldTest, ProgramsAreInTheirLeastOrder) {
  WorldOptions options = worldOptions("three");
  LetterTypes types(options.letters, 1);
  const Programs programs(options.letters, types, DataType::Int32, 2);
  std::set<Program> seen;
  for (uint64_t index = 0; index < programs.count(); ++index) {
    const Program program = programs.at(index);
    EXPECT_TRUE(isInLeastOrder(program));
    EXPECT_TRUE(seen.insert(program).second) << index;
  }
}

// Also behind two other letters, of which each has types of its own.
TEST(WorldTest, WhatIsCountedParses) {
  const World world(worldOptions("ops=cast,argmax,gather,cat,slice,unfold,squeeze,permute,update ranks=1,2"));
  for (uint64_t number = 0; number < 2000; ++number) EXPECT_NO_THROW(world.at(number)) << number;
}

TEST(WorldTest, EachLetterIsInSomeCase) {
  const WorldOptions options = worldOptions("depth=2");
  std::set<size_t> seen;
  for (const int64_t rank : options.ranks) {
    LetterTypes types(options.letters, rank);
    for (const DataType dtype : options.dtypes) {
      const Programs programs(options.letters, types, dtype, 2);
      for (uint64_t index = 0; index < programs.count(); ++index) {
        for (const Step& step : programs.at(index)) seen.insert(step.letter);
      }
    }
  }
  for (size_t letter = 0; letter < options.letters.size(); ++letter)
    EXPECT_TRUE(seen.count(letter)) << options.letters[letter].text;
}

TEST(WorldTest, LettersHaveARuleOfEachGroupAndAFamilyOfEachKind) {
  const std::vector<std::string> ops = opsOfLetters();
  std::set<oracle::RuleGroup> groups;
  std::set<Family> families;
  for (const OpKind op : kAllOps) {
    if (std::find(ops.begin(), ops.end(), opInfo(op).mnemonic) == ops.end()) continue;
    groups.insert(oracle::ruleGroup(op));
    families.insert(opInfo(op).family);
  }
  for (const OpKind op : kAllOps) EXPECT_TRUE(groups.count(oracle::ruleGroup(op))) << opName(op);
  // What has no letter: what takes no tensor, gives none, or whose operand is a scalar; set and segment_set are the
  // cuts.
  const std::set<Family> without = {Family::Factory, Family::Range,  Family::Eye,      Family::Size,
                                    Family::Item,    Family::Branch, Family::LoadStore};
  for (const Family family : kAllFamilies)
    EXPECT_NE(families.count(family), without.count(family)) << familyInfo(family).name;
}

TEST(WorldTest, WordsThatNameNoWorldAreRefused) {
  for (const char* spec : {"four", "depth=4", "depth=", "ops=philox", "dtypes=f33", "ranks=9", "sizes=1", ""})
    EXPECT_THROW(World(worldOptions(spec)), UserError) << spec;
  EXPECT_THROW(World(worldOptions("ops=permute ranks=0")), UserError) << "an empty world";
}

}  // namespace
