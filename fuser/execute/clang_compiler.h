#pragma once
// ClangCompiler: compiles C++ text with clang++ and opens the resulting shared library.

#include <string>

#include "fuser/execute/shared_library.h"

namespace fuser {

struct ClangCompiler {
  std::string path;  // the path of clang++

  // Finds clang++ in PATH, else clang++-19 … clang++-14. A SetUpError, with what to install, if there is none.
  static ClangCompiler find();

  // Removes the folders in TMPDIR (or /tmp) of compilations that were killed: unlocked, and unchanged for a minute.
  static void removeAbandonedFolders();

  // The first line of `clang++ --version`: "Debian clang version 14.0.6". A SetUpError if the program fails.
  std::string version() const;

  // Calls the compiler once. Text that does not compile is our bug: a CheckError with the compiler's output. Lack of
  // disk space, memory or permission, and a killed compiler, are a SetUpError. The temporary folder is removed on
  // return.
  SharedLibrary compile(const std::string& text) const;
};

}  // namespace fuser
