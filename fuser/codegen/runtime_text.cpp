#include "fuser/codegen/embedded_files.h"
#include "fuser/support/check.h"

namespace fuser {

std::string runtimeText(std::string_view path) {
  constexpr std::string_view kGuard = "#pragma once\n";
  const std::string_view text = embeddedFile(path);
  FUSER_CHECK(text.substr(0, kGuard.size()) == kGuard, path, " does not start with ", kGuard);
  return std::string(text.substr(kGuard.size()));
}

}  // namespace fuser
