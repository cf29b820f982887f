#pragma once
// The programs that people start, started without a shell, with what a test may take from them: room on the disk,
// privileges.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hostile {

struct Started {
  int exitCode = -1;     // -1: ended by a signal, or by the time limit
  std::string out, err;  // standard output and error
  size_t peakMb = 0;     // largest resident size, its children's included
};

struct Surroundings {
  size_t maxFileBytes = 0;         // 0: no limit; else no file may grow past it (as on a full disk)
  bool withoutPrivileges = false;  // permissions of files hold for root, too
  std::string outputTo = {};            // standard output goes to this file instead
  double seconds = 60;             // then it is killed
  std::vector<std::pair<std::string, std::string>> environment = {};  // set beside the test's own
  size_t maxOpenFiles = 0;                                            // 0: the test's own limit
};

// program: "fuserfuzz", "fuser-opt"; of the build that the test belongs to.
Started start(const std::string& program, std::vector<std::string> arguments, const Surroundings& surroundings = {});

// A folder of the test's own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // Writes a file; gives its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// One sentence on standard error, without a stack or a second line of complaint; the line of the file that it is about
// may stand behind it, over a caret.
bool isOneSentence(const std::string& text, const std::string& beginning);

}  // namespace hostile
