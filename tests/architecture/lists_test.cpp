// Each rule of the lists is broken once; then the repository's own lists, with a file that has no line.

#include "tests/architecture/lists.h"

#include <gtest/gtest.h>

#include "tests/architecture/checks.h"

namespace architecture {
namespace {

const std::string kList =
    "// The passes: name, summary, file.\n"
    "PASS(DeadCodePass, \"Removes dead code\", \"dead_code.cpp\", \"first\")\n";

// A list with one file, what the list's users need, and whatever a test adds.
Tree passes(const Tree& added) {
  Tree tree = {{"fuser/passes/pipeline.def", kList},
               {"fuser/passes/dead_code.cpp", "const MakePasses DeadCodePass::kPasses = passesOf<RemoveDeadCode>;\n"},
               {"fuser/passes/pass.h", "class Pass;\n"},
               {"fuser/passes/pass.cpp", "\n"}};
  for (const auto& [path, text] : added) tree[path] = text;
  return tree;
}

TEST(Lists, FilesWithALineAndFilesWithAHeaderAreFine) {
  EXPECT_EQ(checkLists({passes({{"fuser/ir/val.cpp", ""}, {"fuser/passes/deeper/a.cpp", ""}}), {}}), Messages());
}

TEST(Lists, AFileWithoutALine) {
  EXPECT_EQ(checkLists({passes({{"fuser/passes/move_pad.cpp", "const MakePasses MovePadPass::kPasses;\n"}}), {}}),
            (Messages{"fuser/passes/move_pad.cpp: has no line in fuser/passes/pipeline.def; what needs none has a "
                      "header of its name, or a heading `// --- move_pad.cpp ---` in the header that declares it"}));
}

TEST(Lists, AHeaderOfTheFolderNamesTheFile) {
  const std::string file = "fuser/passes/verify.cpp";
  EXPECT_EQ(checkLists({passes({{file, ""}, {"fuser/passes/a.h", "// --- verify.cpp ---\nvoid verify();\n"}}), {}}),
            Messages());
  EXPECT_EQ(checkLists({passes({{file, ""}, {"fuser/passes/a.h", "// --- preverify.cpp ---\n"}}), {}}).size(), 1u);
  EXPECT_EQ(checkLists({passes({{file, ""}, {"fuser/passes/a.h", "// See verify.cpp.\n"}}), {}}).size(), 1u);
  EXPECT_EQ(checkLists({passes({{file, ""}, {"fuser/ir/a.h", "// --- verify.cpp ---\n"}}), {}}).size(), 1u);
}

TEST(Lists, ALineWithoutAFile) {
  Tree tree = passes({});
  tree.erase("fuser/passes/dead_code.cpp");
  EXPECT_EQ(checkLists({tree, {}}),
            (Messages{"fuser/passes/pipeline.def:2: names fuser/passes/dead_code.cpp, which does not exist"}));
}

TEST(Lists, AFileThatHasNotWhatItsLineNames) {
  const std::string other = "// DeadCodePass\nconst MakePasses MovePadPass::kPasses;\n";
  EXPECT_EQ(checkLists({passes({{"fuser/passes/dead_code.cpp", other}}), {}}),
            (Messages{"fuser/passes/pipeline.def:2: names fuser/passes/dead_code.cpp, whose code has no "
                      "DeadCodePass"}));
}

TEST(Lists, OfAnotherFolderSpeakOfTheFolderOfTheirFiles) {
  const Tree tree = {{"fuser/analysis/schedulers.def", "SCHEDULER(NoOp, \"nothing\", \"fuser/schedule/no_op.cpp\")\n"},
                     {"fuser/analysis/a.cpp", ""},
                     {"fuser/schedule/no_op.cpp", "std::string whyNotNoOp(const FusionView& view);\n"},
                     {"fuser/schedule/transpose.cpp", ""}};
  EXPECT_EQ(checkLists({tree, {}}),
            (Messages{"fuser/schedule/transpose.cpp: has no line in fuser/analysis/schedulers.def; what needs none has "
                      "a header of its name, or a heading `// --- transpose.cpp ---` in the header that declares it"}));
}

// Tests run in the repository's root.
TEST(Lists, OfTheRepositoryMissEachNewFile) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");  // <build>/bin/tests/<program>
  Repository repository = readRepository(program.parent_path().parent_path().parent_path() / "layers.txt");
  ASSERT_EQ(checkLists(repository), Messages());
  for (const std::string name : {"pipeline", "host_passes", "steps", "schedulers", "merge_rules", "mutations",
                                 "reducers", "invariants", "faults", "views"}) {
    std::string folder;
    for (const auto& [path, text] : repository.tree) {
      if (!path.ends_with("/" + name + ".def")) continue;
      const std::vector<Row> rows = rowsWithFiles(path, text);
      ASSERT_FALSE(rows.empty()) << path;
      folder = std::filesystem::path(rows.front().file).parent_path();
    }
    ASSERT_FALSE(folder.empty()) << name;
    const std::string added = folder + "/newcomer.cpp";
    repository.tree[added] = "";
    const Messages messages = checkLists(repository);
    ASSERT_EQ(messages.size(), 1u) << name;
    EXPECT_TRUE(messages.front().starts_with(added + ": has no line in ")) << messages.front();
    EXPECT_NE(messages.front().find("/" + name + ".def"), std::string::npos) << messages.front();
    repository.tree.erase(added);
  }
}

}  // namespace
}  // namespace architecture
