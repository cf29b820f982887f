#include "fuser/execute/shared_library.h"

#include <dlfcn.h>

#include <utility>

#include "fuser/support/check.h"

namespace fuser {

SharedLibrary::SharedLibrary(std::span<const std::string> names, Unload unload) {
  const int flags = RTLD_NOW | RTLD_LOCAL | (unload == Unload::Never ? RTLD_NODELETE : 0);
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), flags);
    if (handle_) return;
    const char* reason = dlerror();
    error_ += concat(error_.empty() ? "" : "; ", reason ? reason : name);
  }
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), error_(std::move(other.error_)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(error_, other.error_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::address(const char* name) const {
  FUSER_CHECK(handle_, "asked a library that is not open for ", name);
  return dlsym(handle_, name);
}

}  // namespace fuser
