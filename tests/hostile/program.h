#pragma once
// Starts the programs without a shell, with restricted resources: disk space, privileges, open files.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fuser/support/sanitizers.h"

namespace hostile {

// What address sanitizer adds to the resident size: its shadow memory, and freed memory that it keeps.
inline constexpr size_t kSanitizerMb = fuser::kAddressSanitizer ? 600 : 0;

// Resident size of a program that takes no memory for a case; most of it is LibTorch.
inline constexpr size_t kUsualMb = 400 + kSanitizerMb;

struct Started {
  int exitCode = -1;     // -1: ended by a signal, or by the time limit
  std::string out, err;  // standard output and error
  size_t peakMb = 0;     // largest resident size, its children's included
};

struct Environment {
  size_t maxFileBytes = 0;         // limit on the size of each file (as on a full disk); 0: none
  bool withoutPrivileges = false;  // file permissions apply to root, too
  std::string outputTo = {};       // standard output goes to this file instead
  double seconds = 60;             // the time limit; the program is then killed
  std::vector<std::pair<std::string, std::string>> environment = {};  // in addition to the test's own
  size_t maxOpenFiles = 0;                                            // 0: the test's own limit
};

// `program` is "fuserfuzz" or "fuser-opt" of the same build.
Started start(const std::string& program, std::vector<std::string> arguments, const Environment& environment = {});

// A temporary folder, removed by the destructor.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// Whether the text is one sentence with this beginning, without a stack or a second message; the source line and a
// caret may follow.
bool isOneSentence(const std::string& text, const std::string& beginning);

}  // namespace hostile
