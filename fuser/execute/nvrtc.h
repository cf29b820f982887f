#pragma once
// NVRTC, opened at run time: CUDA C++ text in, PTX or machine code out. Needs no GPU.

#include <memory>
#include <string>

namespace fuser {

class Nvrtc {
 public:
  // A UserError that says where it was looked for and what to install.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;

  // arch: "80", "90" … (compute capability without the point). Text that does not compile is our bug: a CheckError with
  // the compiler's output. contraction: a * b + c may become an FMA.
  std::string compileToPtx(const std::string& text, const std::string& arch, bool contraction = false) const;
  std::string compileToCubin(const std::string& text, const std::string& arch, bool contraction = false) const;
  std::string version() const;  // "13.0"

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace fuser
