// Each rule is broken once, and the message seen; then the repository itself is checked.

#include "tests/architecture/checks.h"

#include <gtest/gtest.h>

namespace architecture {
namespace {

const Layers kLayers = {{"fuser/support", {}},
                        {"fuser/ir", {"fuser/support"}},
                        {"fuser/passes", {"fuser/ir"}},
                        {"oracle/reference", {"fuser/ir"}},
                        {"oracle", {"oracle/reference", "fuser/passes"}}};

Messages one(const std::string& message) { return {message}; }

TEST(Includes, DeclaredAndIndirectUsesAreFine) {
  const Tree tree = {{"fuser/passes/a.cpp", "#include \"fuser/ir/val.h\"\n#include \"fuser/support/check.h\"\n"},
                     {"oracle/a.h", "#include \"oracle/reference/b.h\"\n#include \"oracle/c.h\"\n#include <vector>\n"},
                     {"tests/fuser/ir/a.cpp", "#include \"oracle/c.h\"\n"}};
  EXPECT_EQ(checkIncludes({tree, kLayers}), Messages());
}

TEST(Includes, UndeclaredEdge) {
  EXPECT_EQ(checkIncludes({{{"fuser/ir/val.h", "\n#include \"fuser/passes/pass.h\"\n"}}, kLayers}),
            one("fuser/ir/val.h:2: includes fuser/passes/pass.h, but fuser/ir does not declare to use fuser/passes; a "
                "layer uses "
                "only those above it in CMakeLists.txt"));
}

TEST(Includes, ReferenceMustNotSeePasses) {
  EXPECT_EQ(checkIncludes({{{"oracle/reference/a.cpp", "#include \"fuser/passes/pass.h\"\n"}}, kLayers}),
            one("oracle/reference/a.cpp:1: includes fuser/passes/pass.h, but oracle/reference does not declare to use "
                "fuser/passes; "
                "a layer uses only those above it in CMakeLists.txt"));
}

TEST(Includes, OuterFolderIsNoUseOfTheInner) {
  EXPECT_EQ(checkIncludes({{{"oracle/reference/a.cpp", "#include \"oracle/c.h\"\n"}}, kLayers}).size(), 1u);
}

TEST(Includes, NotFromTheRoot) {
  EXPECT_EQ(checkIncludes({{{"fuser/ir/a.cpp", "#include \"val.h\"\n"}}, kLayers}),
            one("fuser/ir/a.cpp:1: includes \"val.h\"; includes start at the repository root"));
}

TEST(Includes, UndeclaredFolder) {
  EXPECT_EQ(checkIncludes({{{"fuser/new/a.h", ""}}, kLayers}),
            one("fuser/new/a.h: lies in no layer; declare its folder in CMakeLists.txt"));
}

TEST(Includes, CommentsAndStringsDoNotCount) {
  const Tree tree = {{"fuser/ir/a.cpp",
                      "// #include \"fuser/passes/pass.h\"\n"
                      "/*\n#include \"fuser/passes/pass.h\"\n*/\n"
                      "auto text = R\"cuda(\n#include \"fuser/passes/pass.h\"\n)cuda\";\n"}};
  EXPECT_EQ(checkIncludes({tree, kLayers}), Messages());
}

TEST(Edges, ThatNoFileTakes) {
  const Layers layers = {{"fuser/support", {}},
                         {"fuser/ir", {"fuser/support"}},
                         {"fuser/case", {"fuser/ir"}},
                         {"fuser/text", {"fuser/ir", "fuser/case"}}};
  // Neither a comment nor what an included file includes takes an edge, and no file of another folder.
  const Tree tree = {{"fuser/ir/val.h", "#include \"fuser/support/check.h\"\n"},
                     {"fuser/case/case.h", "#include \"fuser/ir/val.h\"\n"},
                     {"fuser/text/a.cpp", "#include \"fuser/case/case.h\"\n// #include \"fuser/ir/val.h\"\n"},
                     {"tests/fuser/text/a.cpp", "#include \"fuser/ir/val.h\"\n"}};
  EXPECT_EQ(checkEdgesAreUsed({tree, layers}),
            one("CMakeLists.txt: fuser/text declares to use fuser/ir, of which its files include nothing; take the "
                "edge away"));
}

TEST(Edges, OfTestsToo) {
  const Layers layers = {{"fuser/ir", {}}, {"fuser/text", {}}, {"tests/fuser/text", {"fuser/ir", "fuser/text"}}};
  const Tree tree = {{"tests/fuser/text/a.cpp", "#include \"fuser/text/parser.h\"\n"}};
  EXPECT_EQ(checkEdgesAreUsed({tree, layers}),
            one("CMakeLists.txt: tests/fuser/text declares to use fuser/ir, of which its files include nothing; take "
                "the edge away"));
}

TEST(Cycles, Indirect) {
  const Layers layers = {{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}};
  EXPECT_EQ(checkCycles({{}, layers}),
            (Messages{"CMakeLists.txt: b uses itself, through c", "CMakeLists.txt: c uses itself, through b"}));
}

TEST(EverythingIsBuilt, FolderBelowALayer) {
  EXPECT_EQ(checkEverythingIsBuilt({{{"fuser/ir/deep/a.cpp", ""}}, kLayers}),
            one("fuser/ir/deep/a.cpp: is in no build; CMakeLists.txt declares no fuser/ir/deep"));
}

TEST(EverythingIsBuilt, TestsOfNoLayer) {
  EXPECT_EQ(checkEverythingIsBuilt({{{"tests/fuser/irr/a.cpp", ""}, {"tests/fuser/ir/a.cpp", ""}}, kLayers}),
            one("tests/fuser/irr/a.cpp: is in no build; CMakeLists.txt declares no tests/fuser/irr"));
}

TEST(LibTorch, OutsideTheOracle) {
  const Tree tree = {{"fuser/ir/a.cpp", "#include <ATen/ATen.h>\n"}, {"oracle/a.cpp", "#include <ATen/ATen.h>\n"}};
  EXPECT_EQ(checkLibTorch({tree, kLayers}),
            one("fuser/ir/a.cpp:1: includes ATen/ATen.h, but only oracle/ may use LibTorch"));
}

TEST(Reference, SeesARow) {
  const Tree tree = {
      {"oracle/reference/a.cpp", "#include \"fuser/ops/op_kind.h\"\n#include \"fuser/ops/op_table.h\"\n"},
      {"oracle/b.cpp", "#include \"fuser/ops/op_table.h\"\n"}};
  EXPECT_EQ(checkReferenceSeesOpNamesOnly({tree, kLayers}),
            one("oracle/reference/a.cpp:2: includes fuser/ops/op_table.h, but the reference may see only the names of "
                "ops, in "
                "fuser/ops/op_kind.h"));
}

TEST(Oracle, LinksWhatItsRecordLinks) {
  Layers layers = {{"fuser/types", {}},
                   {"fuser/case", {"fuser/types"}},
                   {"fuser/record", {"fuser/types"}},
                   {"fuser/analysis", {"fuser/case"}},
                   {"oracle/reference", {"fuser/case"}},
                   {"oracle", {"oracle/reference", "fuser/record"}},
                   {"oracle/invariants", {"fuser/analysis"}}};
  EXPECT_EQ(checkOracleLinksNoCompiler({{}, layers}), Messages());
  layers["fuser/record"].push_back("fuser/analysis");
  EXPECT_EQ(checkOracleLinksNoCompiler({{}, layers}),
            one("CMakeLists.txt: oracle links fuser/analysis, but the oracle may link only the language of fusions and "
                "the record of a run"));
}

TEST(Oracle, TheReferenceReadsNoRecord) {
  const Layers layers = {
      {"fuser/record", {}}, {"oracle/reference", {"fuser/record"}}, {"oracle", {"oracle/reference", "fuser/record"}}};
  EXPECT_EQ(checkOracleLinksNoCompiler({{}, layers}),
            one("CMakeLists.txt: oracle/reference links fuser/record, but the oracle may link only the language of "
                "fusions and the record of a run"));
}

TEST(Names, File) {
  const Tree tree = {{"fuser/ir/utility.h", ""}, {"fuser/ir/string_utils.h", ""}, {"fuser/ir/manage.h", ""}};
  EXPECT_EQ(checkNames({tree, kLayers}),
            one("fuser/ir/string_utils.h: 'utils' says nothing; name it after what it does"));
}

TEST(Names, Folder) { EXPECT_EQ(checkNames({{{"fuser/common/val.h", ""}}, kLayers}).size(), 1u); }

TEST(Names, Class) {
  const Tree tree = {{"fuser/ir/a.h", "class PassManager : public Pass {};\nstruct CommonIrVal;\nclass Manages {};\n"}};
  EXPECT_EQ(checkNames({tree, kLayers}), one("fuser/ir/a.h:1: 'PassManager' says nothing; name it after what it does"));
}

TEST(TopLevel, Stranger) {
  const Tree tree = {{"docs/a.txt", ""}, {".ci/run", ""}, {"README.md", ""}, {"fuser/README.md", ""}};
  EXPECT_EQ(checkTopLevel({tree, kLayers}), one("docs: does not belong at the top level"));
}

TEST(LongTests, WithoutARow) {
  const Tree tree = {{"CMakeLists.txt", "check(check_a NEEDS x\n      COMMAND x)\ncheck(check_b COMMAND y)\n"},
                     {"tests/README.md", "# tests\n\n| `check_a` | 1 min |\n`check_b`\n"}};
  EXPECT_EQ(checkLongTestsAreListed({tree, {}}),
            one("tests/README.md: the table of checks has no row for the target check_b"));
}

TEST(Friend, Keyword) {
  const Tree tree = {{"fuser/ir/a.h", "// a friend\nint friends = 1'000;  // it's \"friend\"\nfriend class B;\n"}};
  EXPECT_EQ(checkNoFriend({tree, kLayers}),
            one("fuser/ir/a.h:3: has a friend; give the class the interface that its users need"));
}

TEST(SetUpErrorHandlers, HandlersOfUserErrorsLetThemThrough) {
  const std::string wrong = "try {\n} catch (const UserError& error) {\n  return 1;\n}\n";
  const Tree tree = {{"fuser/ir/a.cpp", wrong},
                     {"fuzz/mutate/a.cpp", "} catch (const UserError&) {\n  // rethrowIfSetUpError(\n}\n"},
                     {"fuzz/b.cpp", "} catch (const UserError& error) {\n  // why\n  rethrowIfSetUpError(error);\n}\n"},
                     {"fuzz/c.cpp", "} catch (const UserError&) {\n  throw;\n}\n"},
                     {"fuzz/cli/main.cpp", wrong},
                     {"tests/fuser/ir/a.cpp", wrong}};
  const std::string says = ": treats a SetUpError as the user's error; call rethrowIfSetUpError(error) first";
  EXPECT_EQ(checkSetUpErrorHandlers({tree, kLayers}),
            (Messages{"fuser/ir/a.cpp:2" + says, "fuzz/mutate/a.cpp:1" + says}));
}

TEST(Length, OnePastTheLimit) {
  const Tree tree = {{"fuser/ir/a.h", std::string(601, '\n')},
                     {"fuser/ir/b.h", std::string(600, '\n')},
                     {"fuser/ir/c.txt", std::string(601, '\n')}};
  EXPECT_EQ(checkLength({tree, kLayers}), one("fuser/ir/a.h: has 601 lines; split it, 600 is the limit"));
}

TEST(Columns, OnePastTheLimit) {
  const std::string limit(120, 'x'), past(121, 'x');
  std::string umlauts;
  for (int i = 0; i < 120; ++i) umlauts += "\u00fc";
  const Tree tree = {{"fuser/ir/a.h", limit + "\n//" + umlauts.substr(4) + "\n" + past + "\n"},
                     {"fuser/ir/b.cpp", "// " + past + "\nauto s = \"" + past + "\";\n"},
                     {"fuser/ir/c.txt", past}};
  EXPECT_EQ(checkColumns({tree, kLayers}), (Messages{"fuser/ir/a.h:3: has 121 columns; wrap it, 120 is the limit",
                                                     "fuser/ir/b.cpp:1: has 124 columns; wrap it, 120 is the limit",
                                                     "fuser/ir/b.cpp:2: has 133 columns; wrap it, 120 is the limit"}));
}

TEST(Columns, RawStringsAreAsLongAsTheirText) {
  const std::string past(121, 'x');
  const Tree tree = {{"fuser/ir/a.cpp", "f(R\"d(\n" + past + "\n)\" " + past + "\n)d\", R\"(" + past + ")\");\n" +
                                            past + "\n// R\"(\n" + past + "\n// )\"\n"}};
  EXPECT_EQ(checkColumns({tree, kLayers}), (Messages{"fuser/ir/a.cpp:5: has 121 columns; wrap it, 120 is the limit",
                                                     "fuser/ir/a.cpp:7: has 121 columns; wrap it, 120 is the limit"}));
}

TEST(Columns, RowsStayOneLine) {
  const std::string past(121, 'x');
  const Tree tree = {{"fuser/ops/a.def", "// " + past + "\nROW(" + past + ")\n"}};
  EXPECT_EQ(checkColumns({tree, kLayers}), one("fuser/ops/a.def:1: has 124 columns; wrap it, 120 is the limit"));
}

TEST(ExpectedTexts, LiteralsAndTheirNames) {
  const std::string raw = "R\"(a\nb\n)\"", joined = "\"a\\n\"\n \"b\\n\"";
  const Tree tree = {{"tests/a_test.cpp", "EXPECT_EQ(f(x), " + raw + ");\nEXPECT_EQ(f(x),\n" + joined + ");\n"},
                     {"tests/b_test.cpp", "const char* kText = " + raw + ";\nASSERT_EQ(kText, f(x));\n"},
                     {"tests/c_test.cpp", "const char text[] =\n" + joined + ";\nEXPECT_STREQ(f(x), text);\n"},
                     {"tests/d_test.cpp", "bool same = f(x) == " + raw + ";\nEXPECT_THAT(f(x), " + raw + ");\n"},
                     {"tests/e_test.cpp", "const char* kText = " + raw + ";\nEXPECT_TRUE(f(x) != kText);\n"},
                     {"tests/f_test.cpp", "EXPECT_THAT(f(x), AllOf(a, Eq(" + raw + ")));\n"},
                     {"tests/g_test.cpp", "bool same() {\n  return " + raw + " == f(x);\n}\n"},
                     {"tests/h_test.cpp", "EXPECT_EQ(std::string(" + raw + "), f(x));\n"},
                     {"tests/i_test.cpp", "expectSame(f(x), " + raw + ");\n"}};
  const std::string what = ": expects a text of several lines; make it a case of a file (tests/golden/golden_file.h)";
  EXPECT_EQ(checkExpectedTexts({tree, kLayers}),
            (Messages{"tests/a_test.cpp:1" + what, "tests/a_test.cpp:4" + what, "tests/b_test.cpp:4" + what,
                      "tests/c_test.cpp:4" + what, "tests/d_test.cpp:4" + what, "tests/d_test.cpp:1" + what,
                      "tests/e_test.cpp:4" + what, "tests/f_test.cpp:1" + what, "tests/g_test.cpp:4" + what,
                      "tests/h_test.cpp:1" + what, "tests/i_test.cpp:1" + what}));
}

TEST(ExpectedTexts, InputsRoundTripsAndSingleLinesAreFine) {
  const std::string raw = "R\"(a\nb\n)\"";
  const Tree tree = {{"tests/a_test.cpp", "EXPECT_EQ(f(" + raw + ").type, 1);\nconst char* text = " + raw +
                                              ";\nEXPECT_EQ(print(parse(text)), text);\nuse(text);\n"
                                              "EXPECT_EQ(f(x), \"a\\nb\\n\");\nEXPECT_EQ(f(x), \"a \"\n \"b\\n\");\n"
                                              "EXPECT_TRUE(text == print(parse(text)));\nexpectError(" +
                                              raw + ", \"b\");\nEXPECT_THAT(f(" + raw + "), Eq(1));\n"},
                     {"fuser/ir/a.cpp", "EXPECT_EQ(f(x), " + raw + ");\n"}};
  EXPECT_EQ(checkExpectedTexts({tree, kLayers}), Messages());
}

TEST(OwnNames, ThatTwoSourcesOfAFolderHave) {
  const std::string begin = "namespace {\n", end = "}  // namespace\n", most = "constexpr int kMost = 3;\n";
  const Tree tree = {{"fuser/ir/a.cpp", begin + most + "struct Loop {\n};\n" + end},
                     {"fuser/ir/b.cpp", begin + "constexpr double kMost{3};\nclass Loop : Base {\n};\n" + end},
                     {"fuser/ir/c.cpp", most + begin + "struct Loop;\n  constexpr int kMost = 3;\n" + end},
                     {"fuser/passes/a.cpp", begin + most + end},
                     {"tests/fuser/ir/a.cpp", begin + most + end},
                     {"tests/fuser/ir/b.cpp", begin + most + end}};
  EXPECT_EQ(checkOwnNames({tree, kLayers}),
            (Messages{"fuser/ir/b.cpp: names kMost, as fuser/ir/a.cpp does; give it another name",
                      "fuser/ir/b.cpp: names Loop, as fuser/ir/a.cpp does; give it another name"}));
}

TEST(CodeOnly, KeepsLinesAndIncludes) {
  EXPECT_EQ(codeOnly("#include \"a.h\"\nf(\"x\\\"y\", 'c', '\"'); // z\n1'000 /*\n*/ R\"d(\")\")d\" g"),
            "#include \"a.h\"\nf(      ,    ,    );     \n1'000   \n   R          g");
}

TEST(Repository, ObeysTheRules) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");  // <build>/bin/tests/<program>
  const Repository repository = readRepository(program.parent_path().parent_path().parent_path() / "layers.txt");
  ASSERT_TRUE(repository.tree.count("CMakeLists.txt"));
  for (const std::string& message : checkAll(repository)) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace architecture
