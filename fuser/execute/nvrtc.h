#pragma once
// Nvrtc: the NVRTC library, opened at run time. It compiles CUDA C++ to PTX or machine code and needs no GPU.

#include <memory>
#include <string>

namespace fuser {

class Nvrtc {
 public:
  // A SetUpError if the library is missing; it names the places searched and what to install.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;

  // arch: the compute capability without the point, "90"; a UserError if NVRTC does not support it. A CheckError, with
  // the output, if the text does not compile; a SetUpError if out of memory. contraction: a * b + c may become an FMA.
  std::string compileToPtx(const std::string& text, const std::string& arch, bool contraction = false) const;
  std::string compileToCubin(const std::string& text, const std::string& arch, bool contraction = false) const;
  std::string version() const;  // "13.0"

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace fuser
