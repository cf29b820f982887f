// fuserfuzz explain: text and page of one case, its verdict, exit codes.

#include <fstream>
#include <sstream>

#include "tests/fuzz/cli/program.h"

namespace {

using ExplainCommandTest = FuserfuzzTest;

std::string contentsOf(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string withOption(const std::string& option) {
  return "fusion f(%x: f32[i0]) {\n  %a = cast(%x) {dtype = bf16}\n  %b = cast(%a) {dtype = f32}\n  %y = neg(%b)\n"
         "  return %y\n}\n" +
         option + "run { %x = normal(seed = 1) : f32[8] }\n";
}

TEST_F(ExplainCommandTest, ThePageSaysWhereTheFirstWrongValueArises) {
  const std::string path = (folder_ / "case.fusion").string(), page = (folder_ / "page.html").string();
  std::ofstream(path) << withOption("option fault = \"cast-pass-folds-rounding\"\n");
  const Outcome text = fuserfuzz("explain " + path);
  EXPECT_EQ(text.exitCode, 77) << text.text;
  for (const char* part : {"== passes\nConsecutiveCastPass\n-   %y = neg(%b) : f32[i0]\n+   %y = neg(%x) : f32[i0]\n",
                           "== values that segments read\ninput -> segment 0: %x f32[i0], 32 bytes\n",
                           "== verdict\nFAILED  differs, run 1: Neg %y: "}) {
    EXPECT_NE(text.text.find(part), std::string::npos) << part << "\n" << text.text;
  }
  const Outcome written = fuserfuzz("explain " + path + " --html " + page);
  EXPECT_EQ(written.exitCode, 77) << written.text;
  EXPECT_EQ(written.text.rfind("FAILED  differs, run 1: Neg %y: ", 0), 0u) << written.text;
  const std::string html = contentsOf(page);
  for (const char* part : {"<del>-   %y = neg(%b) : f32[i0]</del>", "<ins>+   %y = neg(%x) : f32[i0]</ins>",
                           "%x f32[i0], 32 B</text>", "✗ %y = neg(%x) : f32[i0]", "The first wrong value is %y"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(fuserfuzz("explain " + path + " --html " + page + "2").exitCode, 77);
  EXPECT_EQ(contentsOf(page + "2"), html);
}

TEST_F(ExplainCommandTest, ACaseThatIsRightEndsWithZero) {
  const std::string path = (folder_ / "case.fusion").string();
  std::ofstream(path) << withOption("");
  const Outcome text = fuserfuzz("explain " + path);
  EXPECT_EQ(text.exitCode, 0);
  EXPECT_NE(text.text.find("== verdict\nok  agrees\n"), std::string::npos) << text.text;
  const Outcome nowhere = fuserfuzz("explain " + path + " --html /nowhere/page.html");
  EXPECT_EQ(nowhere.exitCode, 1);
  EXPECT_NE(nowhere.text.find("cannot write /nowhere/page.html"), std::string::npos) << nowhere.text;
}

}  // namespace
