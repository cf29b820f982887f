// Whatever a text holds, parsing gives a case or one located error; and what it gives prints and parses back.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "fuser/ir/equality.h"
#include "fuser/support/diagnostic.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/token_rules.h"
#include "tests/fuser/text/seed_files.h"
#include "tests/golden/golden_file.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

std::vector<std::string> seedTexts() {
  std::vector<std::string> texts;
  for (const std::string& path : fusionFiles("corpus/seeds")) texts.push_back(golden::readFile(path));
  for (const char* path : {"tests/fuser/text/print.txt", "tests/fuser/text/errors.txt"}) {
    for (const golden::Case& example : golden::readCases(path)) texts.push_back(example.input);
  }
  return texts;
}

// Words and punctuation with the blanks behind them, so that joining them gives the text back.
std::vector<std::string> splitTokens(const std::string& text) {
  std::vector<std::string> tokens;
  size_t i = 0;
  while (i < text.size()) {
    size_t end = i + 1;
    if (text[i] == '%' || text::isName(text.substr(i, 1))) {
      while (end < text.size() && text::isName(text.substr(end, 1))) ++end;
    }
    while (end < text.size() && (text[end] == ' ' || text[end] == '\n')) ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

size_t drawIndex(size_t size) { return *rc::gen::inRange<size_t>(0, size); }

std::string mutateBytes(std::string text) {
  const int edits = *rc::gen::inRange(1, 5);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    const size_t at = drawIndex(text.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0: text[at] = static_cast<char>(*rc::gen::inRange(0, 256)); break;
      case 1: text.erase(at, *rc::gen::inRange<size_t>(1, 20)); break;
      case 2: text.insert(at, 1, "()[]{},:=+-*/%#\"\\0123456789.einfa \r\n\t"[drawIndex(37)]); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

// Tokens deleted, doubled, swapped, or taken from another text.
std::string mutateTokens(const std::string& text, const std::string& other) {
  std::vector<std::string> tokens = splitTokens(text);
  const std::vector<std::string> donors = splitTokens(other);
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits && !tokens.empty(); ++i) {
    const size_t at = drawIndex(tokens.size());
    switch (*rc::gen::inRange(0, 5)) {
      case 0: tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(at)); break;
      case 1: tokens.insert(tokens.begin() + static_cast<ptrdiff_t>(at), tokens[at]); break;
      case 2: std::swap(tokens[at], tokens[drawIndex(tokens.size())]); break;
      case 3: tokens[at] = tokens[drawIndex(tokens.size())]; break;
      default:
        if (!donors.empty()) tokens[at] = donors[drawIndex(donors.size())];
        break;
    }
  }
  std::string out;
  for (const std::string& token : tokens) out += token;
  return out;
}

// True when the text is a case.
bool checkText(const std::string& text) {
  Case testCase;
  try {
    testCase = parseCase(text, "mutated");
  } catch (const LocatedError& error) {
    RC_ASSERT(error.place().line >= 1u && error.place().column >= 1u);
    const std::string what = error.what();
    RC_ASSERT(what.rfind("mutated:", 0) == 0u);
    RC_ASSERT(what.back() == '^');
    RC_ASSERT(std::count(what.begin(), what.end(), '\n') == 2);
    return false;
  }  // anything else that escapes fails the property
  const std::string printed = printCase(testCase);
  const Case again = parseCase(printed, "printed");
  RC_ASSERT(printCase(again) == printed);
  RC_ASSERT(firstDifference(*testCase.fusion, *again.fusion) == "");
  return true;
}

void checkFixed(int count, const std::function<void()>& property) {
  rc::detail::TestMetadata metadata;
  rc::detail::TestParams params;
  params.seed = 20;
  params.maxSuccess = count;
  const rc::detail::TestResult result = rc::detail::checkTestable(property, metadata, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << message.str();
}

TEST(MutationTest, MutatedBytesGiveACaseOrALocatedError) {
  const std::vector<std::string> texts = seedTexts();
  int cases = 0;
  checkFixed(10000, [&] { cases += checkText(mutateBytes(texts[drawIndex(texts.size())])); });
  EXPECT_GT(cases, 300);  // else the property says little of what parses
}

TEST(MutationTest, MutatedTokensGiveACaseOrALocatedError) {
  const std::vector<std::string> texts = seedTexts();
  int cases = 0;
  checkFixed(10000, [&] {
    cases += checkText(mutateTokens(texts[drawIndex(texts.size())], texts[drawIndex(texts.size())]));
  });
  EXPECT_GT(cases, 500);
}

// Cut anywhere: the shortest texts of every state of the parser.
TEST(MutationTest, TruncatedTextIsALocatedErrorOrACase) {
  size_t first = 0;  // of a sample: other lengths of each text
  for (const std::string& text : seedTexts()) {
    for (size_t length = first++ % sampleStep(8); length < text.size(); length += sampleStep(8)) {
      try {
        parseCase(text.substr(0, length), "cut");
      } catch (const LocatedError&) {
      }
    }
  }
}

}  // namespace
}  // namespace fuser
