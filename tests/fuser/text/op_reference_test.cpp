// fuser/text/grammar.md's table of ops is the one that the rows give.

#include "fuser/text/op_reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace fuser {
namespace {

constexpr const char* kGrammar = "fuser/text/grammar.md";
constexpr const char* kBegin = "<!-- The table of fuser/text/op_reference.cpp; `fuser-opt --ops` prints it. -->\n\n";

TEST(OpReferenceTest, GrammarHasTheTableOfTheRows) {
  std::ifstream file(kGrammar);
  std::ostringstream read;
  read << file.rdbuf();
  const std::string text = read.str();
  const size_t begin = text.find(kBegin);
  ASSERT_NE(begin, text.npos) << kGrammar << " has lost the line before its table of ops";
  const size_t table = begin + std::string(kBegin).size();
  EXPECT_EQ(text.substr(table, text.find("\n\n", table) + 1 - table), opReference())
      << "put what `fuser-opt --ops` prints into " << kGrammar;
}

TEST(OpReferenceTest, ALineSaysWhatMayBeLeftOutAndWhatItIsThen) {
  const std::string table = opReference();
  for (const char* line :
       {"| div | two | [rounding_mode = trunc \\| floor] |\n",
        "| softplus | one | [beta = operand] (1.0), [threshold = operand] (20.0) |\n",
        "| slice | one tensor | dim = integer, [start = bound] (0), [end = bound] (size), [step = bound] (1) |\n",
        "| cat | one tensor or more | [dim = integer] (0) |\n"}) {
    EXPECT_NE(table.find(line), table.npos) << line << "is not a line of\n" << table;
  }
}

TEST(OpReferenceTest, TheListHasALineForEachNameWithTheDtypesOfItsRows) {
  const std::string list = opList();
  EXPECT_NE(list.find("\nslice "), list.npos);
  EXPECT_NE(list.find("\nview_as_complex "), list.npos);
  EXPECT_EQ(list.find("\ndiv "), list.rfind("\ndiv ")) << "of three rows";
  EXPECT_EQ(list.find('\\'), list.npos) << "Markdown's escapes";
  EXPECT_NE(list.find("operands: two; attributes: none; dtypes: i64 i32 i8 bool i16 u8 u16 u32\n"), list.npos);
}

}  // namespace
}  // namespace fuser
