// What a case is made of: neither names nor the order of lines matter.

#include "fuzz/judge/structure.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

std::string structureIn(const std::string& lines, const std::string& outputs) {
  const Case testCase = parseCase("fusion f(%x: f32[i0, i1]) {\n" + lines + "  return " + outputs +
                                      "\n}\nrun { %x = normal(seed = 1) : f32[2, 3] }\n",
                                  "test");
  return structureOf(*testCase.fusion);
}

TEST(StructureTest, NamesOpsInTopologicalOrder) {
  EXPECT_EQ(structureIn("  %a = neg(%x)\n  %s = sum(%a) {dims = [0]}\n", "%s"), "Neg Sum");
  EXPECT_EQ(structureIn("  %s = sum(%x) {dims = [0]}\n  %a = neg(%s)\n", "%a"), "Sum Neg");
  EXPECT_EQ(structureIn("", "%x"), "");
}

TEST(StructureTest, TheOrderOfIndependentOpsDoesNotMatter) {
  const std::string one = structureIn("  %a = neg(%x)\n  %b = exp(%x)\n  %c = add(%a, %b)\n", "%c");
  EXPECT_EQ(one, "Exp Neg Add");
  EXPECT_EQ(structureIn("  %p = exp(%x)\n  %q = neg(%x)\n  %r = add(%q, %p)\n", "%r"), one);
}

TEST(StructureTest, DeadCodeIsIgnored) { EXPECT_EQ(structureIn("  %a = neg(%x)\n  %b = exp(%x)\n", "%a"), "Neg"); }

std::string structureOfText(const std::string& statements, const std::string& runs) {
  const std::string fusion = "fusion f(%x: f32[i0], %z: f32[i0]) {\n  %y = add(%x, %z)\n  return %y\n}\n";
  return structureOf(parseCase(fusion + statements + runs, "test"));
}

TEST(StructureTest, NamesFeaturesThatASmallestCaseKeeps) {
  const std::string z = "%z = normal(seed = 2) : f32[2] }\n";
  const std::string run = "run { %x = normal(seed = 1) : f32[2] " + z;
  EXPECT_EQ(structureOfText("", run), "Add, a vector");
  EXPECT_EQ(structureOfText("", run + run), "Add, a vector, runs");
  EXPECT_EQ(structureOfText("", "run { %x = normal(seed = 1) : f32[2] {strides = [2]} " + z), "Add, a vector, strides");
  const std::string view = "run { %x = normal(seed = 1) : f32[2] %z = view of %x : f32[2] }\n";
  EXPECT_EQ(structureOfText("", view), "Add, a vector, views");
  EXPECT_EQ(structureOfText("alias %y -> %x\n", run), "Add, a vector, aliases");
  EXPECT_EQ(structureOfText("preallocate %y {offset = 1}\n", run + run), "Add, a vector, runs, preallocated");
  EXPECT_EQ(structureOfText("", "run { %x = values [1] : f32[1] %z = values [1] : f32[1] }\n"), "Add, 1 element");
}

TEST(StructureTest, AnInputHasNoDefinition) {
  const Case testCase = parseCase("fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n", "test");
  EXPECT_EQ(definitionOf(*testCase.fusion, "x"), nullptr);
  EXPECT_EQ(definitionOf(*testCase.fusion, "z"), nullptr);
  ASSERT_NE(definitionOf(*testCase.fusion, "y"), nullptr);
  EXPECT_EQ(definitionOf(*testCase.fusion, "y")->op(), OpKind::Neg);
}

}  // namespace
}  // namespace fuser::fuzz
