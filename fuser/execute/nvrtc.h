#pragma once
// Nvrtc: the NVRTC library, opened at run time. It compiles CUDA C++ to PTX or machine code and needs no GPU.

#include <memory>
#include <string>

namespace fuser {

class Nvrtc {
 public:
  // A UserError, if the library is missing, that names the places searched and what to install.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;

  // arch: the compute capability without the point, such as "80" or "90". A CheckError, with the compiler's output, if
  // the text does not compile. contraction: a * b + c may become an FMA.
  std::string compileToPtx(const std::string& text, const std::string& arch, bool contraction = false) const;
  std::string compileToCubin(const std::string& text, const std::string& arch, bool contraction = false) const;
  std::string version() const;  // "13.0"

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace fuser
