#pragma once
// WorkTrees: git's worktrees of a repository below one folder: some to build commits in, and one in which git bisect
// keeps its state, so that the repository itself stays as it is.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/history/shell.h"

namespace fuser::fuzz {

class WorkTrees {
 public:
  // keep: the folder, made if it is missing; what an earlier call left there is used again. Empty: a temporary one,
  // which goes with this object. A UserError if git refuses, or if the folder holds worktrees of another repository.
  WorkTrees(std::filesystem::path repository, const std::filesystem::path& keep, size_t count);
  ~WorkTrees();
  WorkTrees(const WorkTrees&) = delete;
  WorkTrees& operator=(const WorkTrees&) = delete;

  const std::filesystem::path& tree(size_t i) const { return trees_.at(i); }
  size_t count() const { return trees_.size(); }
  // Runs git in the one without files.
  ShellResult gitInControl(const std::vector<std::string>& arguments) const;

 private:
  void clear();
  // Whether this repository's worktree is there; a UserError where something else is.
  bool holdsTree(const std::filesystem::path& tree) const;
  void add(const std::string& name, const std::vector<std::string>& options) const;
  void remove(const std::filesystem::path& tree) const;

  std::filesystem::path repository_, folder_;
  bool isTemporary_;
  std::vector<std::filesystem::path> trees_;
};

// Runs git in a folder, with messages in English.
ShellResult git(const std::filesystem::path& folder, const std::vector<std::string>& arguments);
// The same; a UserError says what git says. Returns its output without the last newline.
std::string gitOutput(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

}  // namespace fuser::fuzz
