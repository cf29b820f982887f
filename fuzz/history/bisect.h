#pragma once
// bisect(): since which commit of a repository's history a case fails. Each commit that it asks is built in a worktree,
// and its own `fuserfuzz replay` judges the case. git bisect chooses the commits, so that what it does about commits
// that cannot be judged, and about merges, is what its users know.

#include <filesystem>
#include <functional>
#include <string>

#include "reports/bisection.h"

namespace fuser::fuzz {

struct BisectOptions {
  std::filesystem::path repository = ".";
  std::string good, bad;  // commits, as git names them
  std::filesystem::path file;
  size_t jobs = 1;  // commits that are built at the same time, each in a worktree of its own
  // A command line of a shell, in the root of a worktree, that leaves the program kBisectedProgram there.
  std::string build;
  std::filesystem::path keep;  // folder for the worktrees and the builds; empty: a temporary one
};
inline constexpr const char* kBisectedProgram = "build/release/bin/fuserfuzz";
// The usual build, on so many cores.
std::string usualBuild(size_t cores);

// A commit is bad where the case fails with the verdict that it has in `bad`, good where it passes, and left out where
// the program does not build, cannot read the file, or fails with another verdict. `say` gets a line a commit. A
// UserError for commits, files and folders that are not there, and where `good` is not good or `bad` not bad. Throws
// BisectInterrupted once `interrupted` says so.
struct BisectInterrupted {};
reports::Bisection bisect(const BisectOptions& options, const std::function<bool()>& interrupted,
                          const std::function<void(const std::string&)>& say);

}  // namespace fuser::fuzz
