#pragma once
// A library opened at run time, so that no program of ours needs it to start.

#include <cstdint>
#include <span>
#include <string>

namespace fuser {

class SharedLibrary {
 public:
  // Never: for libraries that leave memory behind when they are unloaded, or take long to load.
  enum class Unload : uint8_t { AtEnd, Never };

  SharedLibrary() = default;
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  ~SharedLibrary();

  // Tries the names in turn, as dlopen does; where none opens the library is not open and error() tells why.
  explicit SharedLibrary(std::span<const std::string> names, Unload unload = Unload::AtEnd);

  bool isOpen() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  // A function by its name; null where the library has none.
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
