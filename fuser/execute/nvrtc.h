#pragma once
// Nvrtc: the NVRTC library, opened at run time. It compiles CUDA C++ to PTX or machine code and needs no GPU.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fuser {

// What a kernel takes of an SM, by the assembler.
struct KernelResources {
  std::string entry;         // the kernel's name in the module
  int64_t registers = 0;     // of a thread
  int64_t stackBytes = 0;    // of a thread, in local memory: arrays whose indices are not constants
  int64_t spilledBytes = 0;  // of a thread, in local memory: stores and loads for want of registers
};

struct Examined {
  std::vector<KernelResources> kernels;  // in the order of their names
  std::string warnings;                  // of the compiler and the assembler, with their places; "" if there are none
};

class Nvrtc {
 public:
  // A SetUpError if the library is missing; it names the places searched and what to install.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;

  // arch: the compute capability without the point, "90"; a UserError if NVRTC does not support it. A CheckError, with
  // the output, if the text does not compile; a SetUpError if out of memory.
  enum class Ptx : uint8_t {
    Plain,
    WithLines,    // says which line of the text an instruction is of (.loc); the instructions are the same
    Unoptimised,  // with lines, and each step as it is written
  };
  std::string compileToPtx(const std::string& text, const std::string& arch, Ptx form = Ptx::Plain) const;
  // Whatever decides what compileToPtx makes of a text: the library's version and the options.
  std::string settings(const std::string& arch, Ptx form) const;
  std::string compileToCubin(const std::string& text, const std::string& arch) const;
  // The same compilation to machine code; what the compiler and the assembler say of it.
  Examined examine(const std::string& text, const std::string& arch) const;
  std::string version() const;  // "13.0"
  std::string release() const;  // "release 13.0, V13.0.88"

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace fuser
