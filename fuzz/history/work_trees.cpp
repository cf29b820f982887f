#include "fuzz/history/work_trees.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kControl = "control";

fs::path temporaryFolder() {
  std::string name = fs::temp_directory_path() / "fuserfuzz-bisect-XXXXXX";
  FUSER_USER_CHECK(mkdtemp(name.data()), "cannot make the folder ", name, ": ", std::strerror(errno));
  return name;
}

fs::path madeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  FUSER_USER_CHECK(!error, "cannot make the folder ", folder.string(), ": ", error.message());
  return fs::canonical(folder);
}

// Of all worktrees of a repository the same.
fs::path commonFolder(const fs::path& tree) {
  return fs::weakly_canonical(tree / gitOutput(tree, {"rev-parse", "--git-common-dir"}));
}

}  // namespace

ShellResult git(const fs::path& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"env", "LC_ALL=C", "git"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return runProgram(words, folder);
}

std::string gitOutput(const fs::path& folder, const std::vector<std::string>& arguments) {
  const ShellResult result = git(folder, arguments);
  FUSER_USER_CHECK(result.exitCode == 0, "git ", arguments.at(0), " in ", folder.string(), ": ", result.lastLine());
  return result.output.substr(0, result.output.find_last_not_of('\n') + 1);
}

WorkTrees::WorkTrees(fs::path repository, const fs::path& keep, size_t count)
    : repository_(std::move(repository)),
      folder_(keep.empty() ? temporaryFolder() : madeFolder(keep)),
      isTemporary_(keep.empty()) {
  try {
    if (holdsTree(folder_ / kControl)) remove(folder_ / kControl);  // with the state of a bisection that was killed
    add(kControl, {"--no-checkout"});
    for (size_t i = 0; i < count; ++i) {
      const std::string name = concat("tree-", i);
      if (!holdsTree(folder_ / name)) add(name, {});
      trees_.push_back(folder_ / name);
    }
  } catch (...) {
    clear();
    throw;
  }
}

WorkTrees::~WorkTrees() { clear(); }

void WorkTrees::clear() {
  remove(folder_ / kControl);
  if (!isTemporary_) return;
  for (const fs::path& tree : trees_) remove(tree);
  std::error_code error;
  fs::remove_all(folder_, error);
  git(repository_, {"worktree", "prune"});
}

bool WorkTrees::holdsTree(const fs::path& tree) const {
  if (!fs::exists(tree)) return false;
  FUSER_USER_CHECK(fs::is_regular_file(tree / ".git") && commonFolder(tree) == commonFolder(repository_), tree.string(),
                   " is there, and is no worktree of ", repository_.string(), "; name another folder with --keep");
  return true;
}

void WorkTrees::add(const std::string& name, const std::vector<std::string>& options) const {
  std::vector<std::string> arguments = {"worktree", "add", "--force", "--detach"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {(folder_ / name).string(), "HEAD"});
  gitOutput(repository_, arguments);
}

void WorkTrees::remove(const fs::path& tree) const {
  git(repository_, {"worktree", "remove", "--force", tree.string()});
}

ShellResult WorkTrees::gitInControl(const std::vector<std::string>& arguments) const {
  return git(folder_ / kControl, arguments);
}

}  // namespace fuser::fuzz
