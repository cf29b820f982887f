#include "tests/golden/golden_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace golden {
namespace {

constexpr const char kTitle[] = "==== ";

bool isDashes(const std::string& line) { return line == "----" || line.starts_with("---- "); }

bool isNote(const std::string& line) { return line.starts_with("//"); }

// Where the file is, while it is read.
struct Reader {
  File file;
  bool inHeader = false;  // between the title and the input

  void readTitle(const std::string& line, const std::string& path, int number) {
    file.cases.emplace_back();
    file.cases.back().path = path;
    file.cases.back().line = number;
    file.cases.back().title = line.substr(sizeof kTitle - 1);
    inHeader = true;
  }
  // True if the line is a note or an option, and stands where these do.
  bool readHeader(const std::string& line, const std::vector<std::string>& keys) {
    if (!inHeader) return false;
    Case& last = file.cases.back();
    const size_t colon = line.find(": ");
    const bool isOption =
        colon != line.npos && std::find(keys.begin(), keys.end(), line.substr(0, colon)) != keys.end();
    if (isOption) last.options.push_back({line.substr(0, colon), line.substr(colon + 2)});
    inHeader = isOption || isNote(line);
    if (inHeader) last.notesAndOptions += line + "\n";
    return inHeader;
  }
  void readLine(const std::string& line) {
    if (file.cases.empty()) {
      file.head += line + "\n";
    } else if (Case& last = file.cases.back(); isDashes(line)) {
      last.expected.push_back({line.substr(std::min(line.size(), sizeof "----")), ""});
      inHeader = false;
    } else {
      (last.expected.empty() ? last.input : last.expected.back().text) += line + "\n";
    }
  }
};

}  // namespace

std::string Case::option(const std::string& key) const {
  const std::vector<std::string> values = allOptions(key);
  return values.empty() ? "" : values.back();
}

std::vector<std::string> Case::allOptions(const std::string& key) const {
  std::vector<std::string> values;
  for (const Option& option : options) {
    if (option.key == key) values.push_back(option.value);
  }
  return values;
}

File parseFile(const std::string& text, const std::string& path, const std::vector<std::string>& keys) {
  Reader reader;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with(kTitle)) {
      reader.readTitle(line, path, number);
    } else if (!reader.readHeader(line, keys)) {
      reader.readLine(line);
    }
  }
  return std::move(reader.file);
}

std::string printAnswers(const Answers& answers) {
  std::string text;
  for (const Answer& answer : answers)
    text += "----" + (answer.label.empty() ? "" : " " + answer.label) + "\n" + answer.text;
  return text;
}

std::string printFile(const File& file) {
  std::string text = file.head;
  for (const Case& each : file.cases) {
    text += kTitle + each.title + "\n" + each.notesAndOptions + each.input + printAnswers(each.expected);
  }
  return text;
}

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path + "; tests run in the repository's root");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Case> readCases(const std::string& path, const std::vector<std::string>& keys) {
  return parseFile(readFile(path), path, keys).cases;
}

}  // namespace golden
