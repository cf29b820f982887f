// Each mutant of mutants.txt still has its place: who changes a line of the engine changes the mutant with it.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string readFile(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The parts between " | "; "\|" and "\n" stand for '|' and the end of a line.
std::vector<std::string> partsOf(const std::string& line) {
  std::vector<std::string> parts{""};
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = std::string_view(line).substr(i);
    if (rest.starts_with(" | ")) {
      parts.emplace_back();
      i += 2;
    } else if (rest.starts_with("\\|") || rest.starts_with("\\n")) {
      parts.back() += line[++i] == 'n' ? '\n' : '|';
    } else {
      parts.back() += line[i];
    }
  }
  return parts;
}

TEST(MutantsTest, EachHasOnePlace) {
  std::istringstream lines(readFile("tests/fuser/ptx/mutants.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    ++count;
    const std::vector<std::string> parts = partsOf(line);
    ASSERT_EQ(parts.size(), 3u) << line;
    const std::string text = readFile("fuser/ptx/" + parts[0]);
    const size_t place = text.find(parts[1]);
    EXPECT_NE(place, std::string::npos) << "mutant " << count << ": " << line;
    if (place == std::string::npos) continue;
    EXPECT_EQ(text.find(parts[1], place + 1), std::string::npos) << line;
  }
  EXPECT_GT(count, 90u);
}

}  // namespace
