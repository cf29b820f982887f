#pragma once
// ClangCompiler: compiles C++ text with clang++ and opens the resulting shared library.

#include <string>

#include "fuser/execute/shared_library.h"

namespace fuser {

struct ClangCompiler {
  std::string path;  // the path of clang++

  // The clang++ that PATH finds, else clang++-19 … clang++-14; a UserError with what to install where there is none.
  static ClangCompiler find();

  // The first line of what it says of itself: "Debian clang version 14.0.6".
  std::string version() const;

  // One compiler call. Text that does not compile is our bug: a CheckError with the compiler's output. The temporary
  // folder is gone on return. contraction: a * b + c may become an FMA.
  SharedLibrary compile(const std::string& text, bool contraction) const;
};

}  // namespace fuser
