// The table of targets: its rows fit together.

#include "fuzz/compilers/targets.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

#include "fuser/support/check.h"
#include "fuser/text/read_file.h"
#include "fuzz/export/embedded_files.h"
#include "fuzz/export/export.h"

namespace fuser::fuzz {
namespace {

TEST(TargetsTest, RowsNameWhatThereIs) {
  std::set<std::string_view> names;
  for (const Target& target : allTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name << " is there twice";
    EXPECT_EQ(exportFormat(target.format).name, target.format);
    EXPECT_NE(embeddedFile(target.worker), "");
    EXPECT_TRUE(
        std::filesystem::exists(std::filesystem::path("fuzz/compilers") / target.environment / "requirements.txt"));
    if (!target.control.empty()) {
      EXPECT_EQ(targetNamed(target.control).control, "") << "a control has none";
    }
    EXPECT_GT(target.seconds, 0);
    EXPECT_GT(target.every, 0);
  }
}

// Which reads the table with sed.
TEST(TargetsTest, SetupFindsTheControlOfEachRow) {
  const std::string setup = readFusionFile("fuzz/compilers/setup");
  const std::string begin = "control=$(sed -n \"";
  const size_t from = setup.find(begin), to = setup.find("\" \"$compilers", from);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::string expression = setup.substr(from + begin.size(), to - from - begin.size());
  for (const Target& target : allTargets()) {
    const std::string command =
        concat("set -- ", target.name, "; sed -n \"", expression, "\" fuzz/compilers/target.def");
    FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 100> found{};
    const bool printed = std::fgets(found.data(), found.size(), pipe) != nullptr;
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(printed ? std::string(found.data()) : "", concat(target.control, "\n"));
  }
}

TEST(TargetsTest, AnUnknownNameIsAnError) {
  try {
    targetNamed("torch-compil");
    FAIL();
  } catch (const UserError& error) {
    const std::string begin =
        "no target is called 'torch-compil'; did you mean 'torch-compile'; there are: torch-eager,";
    EXPECT_EQ(std::string(error.what()).rfind(begin, 0), 0u) << error.what();
  }
}

TEST(TargetsTest, TheMainViewIsTheFirstAndSeesAllCases) {
  const std::vector<TargetView> views = viewsOf(targetNamed("onnxruntime"));
  std::string text;
  for (const TargetView& view : views)
    text += concat(view.name, " ", view.every, " ", view.command.arguments.back(), "; ");
  EXPECT_EQ(text, "all 1 all; disabled 1 disabled; extended 0 extended; basic 0 basic; ");
  Target sampled = targetNamed("onnxruntime");
  sampled.every = 4;
  EXPECT_EQ(viewsOf(sampled)[0].every, 1u);
  EXPECT_EQ(viewsOf(sampled)[1].every, 4u);
}

TEST(TargetsTest, AMissingEnvironmentSaysWhatToType) {
  Target target = targetNamed("torch-eager");
  target.environment = "nowhere";
  EXPECT_NE(whyNotSetUp(target).find("to make it, type: fuzz/compilers/setup nowhere"), std::string::npos);
}

TEST(TargetsTest, AnotherReleaseHasAnEnvironmentOfItsOwn) {
  const Target target = targetNamed("xla-cpu@0.0.7");
  EXPECT_EQ(target.name, "xla-cpu");
  EXPECT_EQ(fullName(target), "xla-cpu@0.0.7");
  EXPECT_EQ(environmentOf(target).filename(), "xla@0.0.7");
  const std::string why = whyNotSetUp(target);
  EXPECT_NE(why.find("the target xla-cpu@0.0.7 needs "), std::string::npos) << why;
  EXPECT_NE(why.find("type: fuzz/compilers/setup xla 0.0.7"), std::string::npos) << why;
  EXPECT_THROW(targetNamed("xla-cpu@"), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
