#include "fuser/ptx/content.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

uint64_t contentOfText(const std::string& text) {
  const Module module = parsePtx(text, "test.ptx");
  return contentOf(module, *module.function(module.functions.back().name));
}

const std::string kBody = R"(
setp.lt.u32 %p1, %t, 7;
@%p1 bra $L__BB0_2;
add.u32 %r1, %t, 3;
$L__BB0_2:
st.global.u32 [%o], %t;
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

TEST(ContentTest, NamesAndLinesDoNotCount) {
  const std::string text = moduleText({.body = kBody});
  const uint64_t content = contentOfText(text);
  EXPECT_EQ(contentOfText(replaced(text, "$L__BB0_2", "$L__BB7_9")), content);
  EXPECT_EQ(contentOfText(replaced(replaced(text, "entry k(", "entry k3("), "out", "k3_param_0")), content);
  EXPECT_EQ(contentOfText(replaced(text, "add.u32", "\n\nadd.u32")), content);
}

TEST(ContentTest, EveryPartOfAnInstructionCounts) {
  const std::string text = moduleText({.body = kBody});
  const std::pair<const char*, const char*> changes[] = {
      {"setp.lt", "setp.le"},       {"@%p1", "@!%p1"},
      {"%t, 3;", "%t, 4;"},         {"%r1, %t", "%r2, %t"},
      {"[%o], %t;", "[%o+4], %t;"}, {"$L__BB0_2:\nst.global.u32 [%o], %t;", "st.global.u32 [%o], %t;\n$L__BB0_2:"}};
  for (const auto& [from, to] : changes)
    EXPECT_NE(contentOfText(replaced(text, from, to)), contentOfText(text)) << from;
}

// Where it stands in the module is another kernel's doing.
TEST(ContentTest, AVariableIsKnownByItsContent) {
  const auto contentWith = [](const std::string& variables) {
    return contentOfText(
        moduleText({.body = "ld.global.u32 %r1, [table];\nst.global.u32 [%o], %r1;", .before = variables}));
  };
  const std::string table = ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n";
  EXPECT_EQ(contentWith(".global .align 4 .b8 other[8];\n" + table), contentWith(table));
  EXPECT_NE(contentWith(".global .align 4 .b8 table[4] = {1, 2, 3, 5};\n"), contentWith(table));
}

TEST(ContentTest, EachByteOfATextCounts) {
  const std::string text = "nine bytes";
  for (size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    EXPECT_NE(hashOfBytes(other), hashOfBytes(text)) << i;
  }
  EXPECT_NE(hashOfBytes(std::string_view("a\0", 2)), hashOfBytes("a"));
}

}  // namespace
}  // namespace fuser::ptx
