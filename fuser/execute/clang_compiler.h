#pragma once
// ClangCompiler: compiles C++ text with clang++ and opens the resulting shared library.

#include <string>

#include "fuser/execute/shared_library.h"

namespace fuser {

struct ClangCompiler {
  std::string path;  // the path of clang++

  // The clang++ that PATH finds, else clang++-19 … clang++-14; a SetUpError with what to install where there is none.
  static ClangCompiler find();

  // Those that a compilation leaves in the temporary folder when its process is killed, and nobody works in.
  static void removeAbandonedFolders();

  // The first line of what it says of itself: "Debian clang version 14.0.6".
  std::string version() const;

  // One compiler call. Text that does not compile is our bug: a CheckError with the compiler's output. A
  // compiler that does not get what it needs (space, memory, its own life) is a SetUpError. The temporary folder is
  // gone on return. contraction: a * b + c may become an FMA.
  SharedLibrary compile(const std::string& text, bool contraction) const;
};

}  // namespace fuser
