// Passes on text: each *.txt beside this file is a list of cases
//   ==== name
//   pass: <a pass of pipeline.def>
//   alias: <output> -> <input>   where an output overwrites an input; any number of them
//   fusion …                     before
//   ---- changed | unchanged
//   fusion …                     after
// FUSER_UPDATE_TESTS=1 in the environment writes what the passes do into the files, for a person to read and commit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/passes/passes.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

struct TextCase {
  std::string name;
  std::string pass;
  std::string before;
  std::string changed;
  std::string after;
  std::vector<std::pair<std::string, std::string>> aliases;
};

std::unique_ptr<Fusion> parseBefore(const TextCase& test) {
  std::unique_ptr<Fusion> fusion = parseFusion(test.before, test.name);
  const auto named = [](const std::vector<Val*>& vals, const std::string& name) {
    const auto found = std::find_if(vals.begin(), vals.end(), [&](const Val* val) { return val->name() == name; });
    EXPECT_NE(found, vals.end()) << name;
    return static_cast<size_t>(found - vals.begin());
  };
  for (const auto& [output, input] : test.aliases) {
    fusion->setAlias(named(fusion->outputs(), output), fusion->inputs()[named(fusion->inputs(), input)]);
  }
  return fusion;
}

std::vector<TextCase> readCases(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<TextCase> cases;
  std::string* section = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("==== ")) {
      cases.push_back({line.substr(5), "", "", "", "", {}});
      section = &cases.back().before;
    } else if (line.starts_with("pass: ") && section) {
      cases.back().pass = line.substr(6);
    } else if (line.starts_with("alias: ") && section) {
      const size_t arrow = line.find(" -> ");
      cases.back().aliases.emplace_back(line.substr(7, arrow - 7), line.substr(arrow + 4));
    } else if (line.starts_with("---- ") && section) {
      cases.back().changed = line.substr(5);
      section = &cases.back().after;
    } else if (section) {
      *section += line + "\n";
    }
  }
  return cases;
}

void writeCases(const std::filesystem::path& path, const std::vector<TextCase>& cases) {
  std::ofstream file(path);
  for (const TextCase& test : cases) {
    file << "==== " << test.name << "\npass: " << test.pass << "\n";
    for (const auto& [output, input] : test.aliases) file << "alias: " << output << " -> " << input << "\n";
    file << test.before << "---- " << test.changed << "\n"
         << test.after;
  }
}

// What the pass makes of test.before, in test.changed and test.after.
void runCase(TextCase& test) {
  const std::unique_ptr<Fusion> fusion = parseBefore(test);
  const auto passes = allPasses();
  const auto pass =
      std::find_if(passes.begin(), passes.end(), [&](const PassInfo& info) { return info.name == test.pass; });
  ASSERT_NE(pass, passes.end()) << test.pass;
  CompileContext context;
  context.checkInvariants = true;
  const std::unique_ptr<Fusion> unchanged = parseBefore(test);
  const bool modified = pass->run(fusion.get(), context);
  verify(*fusion);
  EXPECT_EQ(modified, !sameFusion(*fusion, *unchanged)) << firstDifference(*fusion, *unchanged);
  EXPECT_FALSE(pass->run(fusion.get(), context)) << "a second run finds more to do";
  test.changed = modified ? "changed" : "unchanged";
  test.after = printFusion(*fusion);
}

TEST(PassTextTest, PassesDoWhatTheFilesSay) {
  const bool update = std::getenv("FUSER_UPDATE_TESTS") != nullptr;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuser/passes")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  size_t count = 0;
  for (const std::filesystem::path& path : files) {
    std::vector<TextCase> cases = readCases(path);
    for (TextCase& test : cases) {
      SCOPED_TRACE(path.filename().string() + ": " + test.name);
      const TextCase expected = test;
      runCase(test);
      ++count;
      if (update) continue;
      EXPECT_EQ(test.changed, expected.changed);
      EXPECT_EQ(test.after, expected.after);
    }
    if (update) writeCases(path, cases);
  }
  EXPECT_GE(count, 20u);
}

TEST(PassTextTest, EveryPassHasItsFileOfCases) {
  for (const PassInfo& pass : allPasses()) {
    std::string file(pass.file.substr(0, pass.file.find('.')));
    EXPECT_TRUE(std::filesystem::exists("tests/fuser/passes/" + file + ".txt")) << pass.name;
  }
}

TEST(PassListTest, EveryFileIsInTheListAndEveryLineHasAFile) {
  const std::vector<std::string> infrastructure = {"optimization_pass.cpp", "pre_segmenter.cpp"};
  std::vector<std::string> files(infrastructure);
  for (const PassInfo& pass : allPasses()) files.emplace_back(pass.file);
  std::sort(files.begin(), files.end());
  std::vector<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator("fuser/passes")) {
    if (entry.path().extension() == ".cpp") present.push_back(entry.path().filename().string());
  }
  std::sort(present.begin(), present.end());
  EXPECT_EQ(present, files);
}

}  // namespace
}  // namespace fuser
