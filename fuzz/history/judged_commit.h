#pragma once
// A commit's own verdict on a case: it is built, and replays the file.

#include <filesystem>
#include <string>

namespace fuser::fuzz {

enum class CommitState : uint8_t { Good, Bad, Skipped };
std::string_view commitStateName(CommitState state);  // "good", as git bisect says it

struct JudgedCommit {
  CommitState state = CommitState::Skipped;
  std::string verdict;  // Bad: "differs"; "" where its words are not understood
  std::string why;      // Skipped: one line
};

// Checks the commit out in `tree`, builds it there, and replays `file`, an absolute path.
JudgedCommit judgeCommit(const std::filesystem::path& tree, const std::string& commit, const std::string& build,
                         const std::filesystem::path& file);

// What the exit code and the lines of `fuserfuzz replay` say.
JudgedCommit judgedByReplay(int exitCode, const std::string& output);

}  // namespace fuser::fuzz
