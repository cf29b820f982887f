#pragma once
// SharedLibrary: a library opened at run time (dlopen), so that programs start without it.

#include <cstdint>
#include <span>
#include <string>

namespace fuser {

class SharedLibrary {
 public:
  // Never: for libraries that leak memory when they are unloaded, or that load slowly.
  enum class Unload : uint8_t { AtEnd, Never };

  SharedLibrary() = default;
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  ~SharedLibrary();

  // Tries to dlopen the names in order. If all fail, isOpen() is false and error() has the reasons.
  explicit SharedLibrary(std::span<const std::string> names, Unload unload = Unload::AtEnd);

  bool isOpen() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  // Looks up a function by name; null if the library has none. A CheckError if the library is not open.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace fuser
