#include "fuzz/campaign/finding_texts.h"

#include <cctype>
#include <vector>

#include "fuser/support/check.h"
#include "fuzz/campaign/artifacts.h"
#include "reports/line_diff.h"

namespace fuser::fuzz {
namespace {

std::vector<std::string> wordsOf(const std::string& title) {
  constexpr size_t kMost = 10;
  std::vector<std::string> words;
  bool inWord = false;
  for (const char c : title) {
    const bool isOfWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (isOfWord && !inWord && words.size() == kMost) break;
    if (isOfWord && !inWord) words.emplace_back();
    if (isOfWord) words.back() += c;
    inWord = isOfWord;
  }
  if (words.empty()) words = {"finding"};
  return words;
}

// Ends no raw string of this text.
std::string delimiterOf(const std::string& text) {
  std::string delimiter = "fusion";
  while (text.find(")" + delimiter + "\"") != std::string::npos) delimiter += "_";
  return delimiter;
}

}  // namespace

std::string regressionName(const std::string& title) {
  std::string name;
  for (const std::string& word : wordsOf(title)) {
    if (!name.empty()) name += '-';
    for (const char c : word) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name + ".fusion";
}

std::string regressionOf(const std::string& title, const std::string& stage, const std::string& caseText) {
  return concat("# ", oneLine(title), ".\n# Stage: ", stage.empty() ? "not known" : oneLine(stage), ".\n", caseText);
}

std::string testOf(const std::string& title, const std::string& caseText) {
  std::string name;
  for (const std::string& word : wordsOf(title)) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    name += word.substr(1);
  }
  const std::string text = "\n" + reports::withoutMetadata(caseText), delimiter = delimiterOf(text);
  std::string test = concat("// ", oneLine(title), ".\n\n");
  test += "#include <gtest/gtest.h>\n\n#include \"fuser/text/parser.h\"\n#include \"fuzz/judge/judge_case.h\"\n\n";
  test += concat("namespace fuser::fuzz {\nnamespace {\n\nTEST(FindingTest, ", name, ") {\n");
  test += concat("  const Case testCase = parseCase(R\"", delimiter, "(", text, ")", delimiter, "\",\n");
  test += std::string(34, ' ') + "\"finding\");\n";  // as clang-format has it
  test += "  JudgeSettings settings;\n  settings.secondLooks = HowOften::Always;\n  settings.allInvariants = true;\n";
  test += "  const CaseVerdict verdict = judgeCase(testCase, settings);\n";
  test += "  EXPECT_FALSE(isFinding(verdict.kind)) << toString(verdict);\n  EXPECT_TRUE(verdict.expected);\n}\n\n";
  return test + "}  // namespace\n}  // namespace fuser::fuzz\n";
}

}  // namespace fuser::fuzz
