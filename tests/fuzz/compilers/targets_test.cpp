// The table of targets: its rows fit together.

#include "fuzz/compilers/targets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fuser/support/check.h"
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

TEST(TargetsTest, AnUnknownNameIsAnError) {
  try {
    targetNamed("torch-compil");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "no target is called 'torch-compil'; did you mean 'torch-compile'; there are: torch-eager, torch-compile, "
        "stablehlo-interpreter, xla-cpu, iree-cpu");
  }
}

TEST(TargetsTest, AMissingEnvironmentSaysWhatToType) {
  Target target = targetNamed("torch-eager");
  target.environment = "nowhere";
  EXPECT_NE(whyNotSetUp(target).find("to make it, type: fuzz/compilers/setup nowhere"), std::string::npos);
}

}  // namespace
}  // namespace fuser::fuzz
