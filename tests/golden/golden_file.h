#pragma once
// Golden files: inputs and the expected output of a stage for each. A file is lines of text:
//
//   what the file is about, for people
//   ==== an input that is read twice is padded once    the title of a case
//   // a note, for people
//   pass: MovePadPass                                  an option: a key that the file's test declares, and a value
//   fusion f(%x: f32[i0]) { … }                        the input, up to the first line of dashes
//   ---- changed                                       an answer: its label, which may be absent, and below it its text
//   fusion f(%x: f32[(i0 + 2)]) { … }
//
// Notes and options are between the title and the input. A case may have several answers, each with its line of
// dashes.

#include <string>
#include <vector>

namespace golden {

// One output text of a stage. Its lines all end in '\n', and none begins with "==== " or is a line of dashes.
struct Answer {
  std::string label;
  std::string text;
  bool operator==(const Answer&) const = default;
};
using Answers = std::vector<Answer>;

struct Option {
  std::string key;
  std::string value;
};

struct Case {
  std::string path;  // of the file, from the repository root
  int line = 0;      // of the title, from 1
  std::string title;
  std::string notesAndOptions;  // verbatim
  std::vector<Option> options;
  std::string input;
  Answers expected;

  // The value of the last option with this key; "" if there is none.
  std::string option(const std::string& key) const;
  // The values of all options with this key, in the file's order.
  std::vector<std::string> allOptions(const std::string& key) const;
};

struct File {
  std::string head;  // the text before the first case
  std::vector<Case> cases;
};

// Lines "key: value" below a title are options if their key is among `keys`; other lines except notes begin the input.
File parseFile(const std::string& text, const std::string& path, const std::vector<std::string>& keys);

// The inverse of parseFile: the same bytes, except that a missing final newline is added.
std::string printFile(const File& file);

// For each answer, a line of dashes and the text, as in the file.
std::string printAnswers(const Answers& answers);

// The contents of a file, byte for byte. Throws std::runtime_error if there is no such file; paths start at the
// repository root, where tests run.
std::string readFile(const std::string& path);

// The file's cases. Throws std::runtime_error.
std::vector<Case> readCases(const std::string& path, const std::vector<std::string>& keys = {});

}  // namespace golden
