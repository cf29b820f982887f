#pragma once
// ClangCompiler: compiles C++ text with clang++ and opens the resulting shared library.

#include <string>

#include "fuser/execute/shared_library.h"

namespace fuser {

struct ClangCompiler {
  std::string path;  // the path of clang++

  // Finds clang++, or else clang++-19 … clang++-14, in PATH. A UserError that says what to install if there is none.
  static ClangCompiler find();

  // The first line of `clang++ --version`: "Debian clang version 14.0.6".
  std::string version() const;

  // Compiles the text with one compiler call. A CheckError, with the compiler's output, if it does not compile. Removes
  // its temporary folder. contraction: a * b + c may become an FMA.
  SharedLibrary compile(const std::string& text, bool contraction) const;
};

}  // namespace fuser
