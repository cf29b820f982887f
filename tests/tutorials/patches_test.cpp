// The patches that the tutorials end in (fuser/tutorials) apply to the tree as it is, one after another in the order of
// their names, in a folder with copies of the files that they touch. Whether that builds and works is seen by the
// target check_tutorials (tests/tutorials/check_tutorials).

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutorials {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = "fuser/tutorials";

std::vector<fs::path> filesWith(const std::string& extension) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == extension) files.insert(entry.path());
  }
  return {files.begin(), files.end()};
}

std::string readAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The paths in the lines "+++ b/<path>".
std::vector<std::string> touchedBy(const fs::path& patch) {
  const std::string mark = "+++ b/";
  std::vector<std::string> paths;
  std::istringstream in(readAll(patch));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(mark)) paths.push_back(line.substr(mark.size()));
  }
  return paths;
}

// A folder of its own outside of any repository, with copies of the files that the patches touch. Removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "tutorials-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder " + name);
    root_ = name;
    for (const fs::path& patch : filesWith(".patch")) {
      for (const std::string& path : touchedBy(patch)) {
        if (fs::exists(path) && !fs::exists(root_ / path)) {
          fs::create_directories((root_ / path).parent_path());
          fs::copy_file(path, root_ / path);
        }
      }
    }
  }
  ~Scratch() { fs::remove_all(root_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path at(const std::string& path) const { return root_ / path; }

  // What git says against the patch; "" where it applies.
  std::string apply(const fs::path& patch) const {
    const fs::path log = root_ / "log";
    const std::string command = "cd '" + root_.string() + "' && GIT_CEILING_DIRECTORIES='" +
                                root_.parent_path().string() + "' git apply '" + fs::absolute(patch).string() +
                                "' > log 2>&1";
    return std::system(command.c_str()) == 0 ? "" : readAll(log) + " ";
  }

 private:
  fs::path root_;
};

TEST(TutorialsTest, EachPatchStillApplies) {
  const Scratch scratch;
  ASSERT_FALSE(filesWith(".patch").empty());
  for (const fs::path& patch : filesWith(".patch")) {
    EXPECT_EQ(scratch.apply(patch), "")
        << patch << " no longer applies: change it as the tree has changed, and its tutorial with it; "
        << "then build the target check_tutorials";
    for (const std::string& path : touchedBy(patch)) {
      EXPECT_TRUE(fs::exists(scratch.at(path))) << patch << ": " << path;
    }
  }
}

TEST(TutorialsTest, APatchDoesNotApplyWhereItsPlaceIsGone) {
  for (const fs::path& patch : filesWith(".patch")) {
    const Scratch scratch;
    for (const std::string& path : touchedBy(patch)) {
      if (fs::exists(path)) std::ofstream(scratch.at(path), std::ios::trunc) << "another text\n";
    }
    EXPECT_NE(scratch.apply(patch), "") << patch;
  }
}

TEST(TutorialsTest, EachTutorialEndsWithItsPatchAndIsListed) {
  const std::string list = readAll(kFolder / "README.md");
  std::set<fs::path> withPatch, texts;
  for (fs::path patch : filesWith(".patch")) withPatch.insert(patch.replace_extension(".md"));
  for (const fs::path& text : filesWith(".md")) {
    if (text.filename() == "README.md") continue;
    texts.insert(text);
    const std::string name = text.stem().string();
    EXPECT_NE(readAll(text).find("(" + name + ".patch)"), std::string::npos) << text << " does not link its patch";
    EXPECT_NE(list.find("(" + name + ".md)"), std::string::npos) << "README.md does not link " << text;
  }
  EXPECT_EQ(texts, withPatch);
}

}  // namespace
}  // namespace tutorials
