#include "tests/golden/golden_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/golden/line_diff.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

class FunctionTest : public testing::Test {
 public:
  explicit FunctionTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void registerTest(const std::string& suite, const std::string& name, const std::string& path, int line,
                  const std::function<void()>& body) {
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, path.c_str(), line,
                        [body]() -> FunctionTest* { return new FunctionTest(body); });
}

void registerFailure(const std::string& path, int line, const std::string& name, const std::string& message) {
  registerTest(suiteName(path), name, path, line, [=] { ADD_FAILURE_AT(path.c_str(), line) << message; });
}

void registerFile(const std::string& path, const std::vector<std::string>& keys, const Stage& stage) {
  std::vector<Case> cases;
  try {
    cases = readCases(path, keys);
  } catch (const std::exception& error) {
    return registerFailure(path, 1, "CanBeRead", error.what());
  }
  if (cases.empty()) return registerFailure(path, 1, "HasCases", "no line begins with \"==== \"");
  const bool update = std::getenv("FUSER_UPDATE") != nullptr;
  std::map<std::string, int> lines;
  for (const Case& each : cases) {
    const std::string name = testName(each.title);
    const auto [other, isNew] = lines.emplace(name, each.line);
    if (isNew) {
      registerTest(suiteName(path), name, path, each.line, [=] { check(each, keys, stage, update); });
    } else {
      registerFailure(path, each.line, name + "Again",
                      "the case of line " + std::to_string(other->second) + " has this name: " + name);
    }
  }
}

// Paths of the folder's *.txt, sorted.
std::vector<std::string> textsOf(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Why a file cannot hold this text; "" if it can.
std::string whyNoGoldenText(const std::string& text) {
  if (!text.empty() && text.back() != '\n') return "its last line does not end";
  const File file = parseFile("==== title\n----\n" + text, "", {});
  const bool survives = file.cases.size() == 1 && file.cases[0].expected.size() == 1;
  return survives ? "" : "a line of it looks like the title of a case or like a line of dashes";
}

std::string capitalized(const std::string& word) {
  std::string text = word;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// The words of the text, each with a capital.
std::string camelCase(const std::string& text) {
  std::string name, word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      name += capitalized(word);
      word.clear();
    }
  }
  return name;
}

// The other cases are as the file holds them now: their tests may have written, too.
void write(const Case& each, const std::vector<std::string>& keys, const Answers& answers) {
  File file = parseFile(readFile(each.path), each.path, keys);
  const auto found =
      std::find_if(file.cases.begin(), file.cases.end(), [&](const Case& other) { return other.title == each.title; });
  ASSERT_NE(found, file.cases.end()) << each.path << ": the case is gone: " << each.title;
  found->expected = answers;
  std::ofstream(each.path, std::ios::binary) << printFile(file);
  std::printf("%s:%d: %s: written\n", each.path.c_str(), found->line, each.title.c_str());
}

}  // namespace

std::string suiteName(const std::string& path) { return camelCase(fs::path(path).stem()) + "Text"; }

std::string testName(const std::string& title) { return camelCase(title); }

void check(const Case& each, const std::vector<std::string>& keys, const Stage& stage, bool update) {
  const testing::ScopedTrace trace(each.path.c_str(), each.line, each.title);
  Answers answers;
  try {
    answers = stage(each).answers;
  } catch (const std::exception& error) {
    ADD_FAILURE_AT(each.path.c_str(), each.line) << each.title << ": " << error.what();
    return;
  }
  for (const Answer& answer : answers) {
    const std::string why = whyNoGoldenText(answer.text);
    if (!why.empty()) {
      ADD_FAILURE_AT(each.path.c_str(), each.line) << each.title << ": no golden text: " << why << "\n" << answer.text;
      return;
    }
  }
  if (answers == each.expected || (update && testing::Test::HasFailure())) return;
  if (update) return write(each, keys, answers);
  ADD_FAILURE_AT(each.path.c_str(), each.line)
      << each.title << ": expected (-) and made (+) differ; FUSER_UPDATE=1 writes what is made\n"
      << lineDiff(printAnswers(each.expected), printAnswers(answers));
}

Texts::Texts(const std::string& path, const std::vector<std::string>& keys, const Stage& stage) {
  const std::vector<std::string> files = fs::is_directory(path) ? textsOf(path) : std::vector<std::string>{path};
  for (const std::string& file : files) registerFile(file, keys, stage);
  if (files.empty()) registerFailure(path, 1, "HasFiles", "no *.txt in this folder");
}

}  // namespace golden
