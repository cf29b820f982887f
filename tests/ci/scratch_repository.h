#pragma once
// A repository of its own with what the scripts of .ci read: the sources and the scripts as they are, two cases, and
// programs that only record how they are called.

#include <filesystem>
#include <string>

namespace ci {

// What a command left: its exit code, and standard output and error together.
struct Ended {
  int code = 0;
  std::string output;
};

// Removed at the end of the program. One commit, "base", holds everything.
class ScratchRepository {
 public:
  // The one that all tests use, as base has it, without what the commands before left.
  static const ScratchRepository& restored();
  ~ScratchRepository();
  ScratchRepository(const ScratchRepository&) = delete;
  ScratchRepository& operator=(const ScratchRepository&) = delete;

  // In its root, by bash, where FUSER_BUILT names its programs. Variables of FUSER_FUZZ_… are not set.
  Ended run(const std::string& command) const;
  // Makes a commit of what the shell commands change, and returns their Ended.
  Ended change(const std::string& commands) const;
  // From now on fuserfuzz only writes its arguments to the file "arguments", one a line, and ends with this exit code.
  void letFuserfuzzEndWith(int code) const;

  const std::filesystem::path& root() const { return root_; }

 private:
  ScratchRepository();

  std::filesystem::path root_;
};

}  // namespace ci
