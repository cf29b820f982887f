#include "fuser/execute/nvrtc.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <vector>

#include "fuser/execute/shared_library.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The same places as in tests/setup.sh: the loader's path, the CUDA toolkit, the wheels in the cache folder.
std::vector<std::string> places() {
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so"};
  const std::string home = environment("HOME");
  const std::string xdg = environment("XDG_CACHE_HOME");
  const std::string cache = (xdg.empty() ? home + "/.cache" : xdg) + "/fuser";
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (!environment(variable).empty()) folders.push_back(environment(variable) + "/lib64");
  }
  folders.push_back("/usr/local/cuda/lib64");
  const std::string libtorch = environment("LIBTORCH_ROOT");
  if (!libtorch.empty()) folders.push_back(libtorch + "/../nvidia/cu13/lib");
  folders.push_back(cache + "/libtorch-2.11.0/nvidia/cu13/lib");
  folders.push_back(cache + "/cuda-13.0/nvidia/cu13/lib");
  for (const std::string& folder : folders) names.push_back(folder + "/libnvrtc.so.13");
  return names;
}

}  // namespace

// The functions of nvrtc.h that are used; the header may be missing.
struct Nvrtc::Functions {
  struct Opaque;
  using Program = Opaque*;
  using Status = int;

  SharedLibrary library;
  Status (*createProgram)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  Status (*destroyProgram)(Program*);
  Status (*compileProgram)(Program, int, const char* const*);
  Status (*getLogSize)(Program, size_t*);
  Status (*getLog)(Program, char*);
  Status (*getPtxSize)(Program, size_t*);
  Status (*getPtx)(Program, char*);
  Status (*getCubinSize)(Program, size_t*);
  Status (*getCubin)(Program, char*);
  Status (*version)(int*, int*);
  const char* (*errorString)(Status);

  void check(Status result, const char* what) const {
    checkEnvironmentErrors(result, what);
    FUSER_CHECK(result == 0, "NVRTC: ", what, ": ", errorString(result));
  }

  // Memory, or the library of built-in functions beside it. NVRTC_ERROR_OUT_OF_MEMORY, …_BUILTIN_OPERATION_FAILURE,
  // …_TIME_FILE_WRITE_FAILED.
  void checkEnvironmentErrors(Status result, const std::string& what) const {
    FUSER_SET_UP_CHECK(result != 1 && result != 7 && result != 12, "NVRTC: ", what, ": ", errorString(result));
  }

  template <class Function>
  void find(Function*& function, const char* name) {
    function = library.find<Function>(name);
    FUSER_SET_UP_CHECK(function, "libnvrtc has no ", name, "; CUDA 13 is needed");
  }

  struct Compiled {
    std::string code, log;
  };
  enum class Output : uint8_t { Ptx, Cubin, CubinAndLog };
  Compiled compile(const std::string& text, const std::string& target, Output output, Ptx form = Ptx::Plain) const;
};

namespace {

// Each op rounds once; division and square root are correctly rounded; denormals are kept.
std::vector<const char*> optionsOf(Nvrtc::Ptx form) {
  std::vector<const char*> options = {"--std=c++17", "--prec-div=true", "--prec-sqrt=true", "--ftz=false",
                                      "--fmad=false"};
  if (form == Nvrtc::Ptx::WithLines) options.push_back("--generate-line-info");
  if (form == Nvrtc::Ptx::Unoptimised) options.push_back("--device-debug");
  return options;
}

// Destroys the program at the end of the scope (RAII).
template <class Functions>
struct ProgramOwner {
  const Functions& functions;
  typename Functions::Program program = nullptr;
  ~ProgramOwner() { functions.destroyProgram(&program); }
};

}  // namespace

Nvrtc::Functions::Compiled Nvrtc::Functions::compile(const std::string& text, const std::string& target, Output output,
                                                     Ptx form) const {
  ProgramOwner<Functions> owner{*this};
  check(createProgram(&owner.program, text.c_str(), "kernels.cu", 0, nullptr, nullptr), "create");
  const std::string arch = "--gpu-architecture=" + target;
  std::vector<const char*> options = optionsOf(form);
  options.push_back(arch.c_str());
  options.push_back(output == Output::CubinAndLog ? "--ptxas-options=-v" : "-w");
  const Status result = compileProgram(owner.program, static_cast<int>(options.size()), options.data());
  checkEnvironmentErrors(result, "compile");
  size_t size = 0;
  check(getLogSize(owner.program, &size), "log size");
  std::string log(size, '\0');
  check(getLog(owner.program, log.data()), "log");
  FUSER_USER_CHECK(result != 5, "NVRTC does not take ", arch, ": ", log.c_str());  // NVRTC_ERROR_INVALID_OPTION
  FUSER_CHECK(result == 0, "printed kernels do not compile with NVRTC (", errorString(result), "):\n", log.c_str());
  const bool ptx = output == Output::Ptx;
  check(ptx ? getPtxSize(owner.program, &size) : getCubinSize(owner.program, &size), "size");
  std::string code(size, '\0');
  check(ptx ? getPtx(owner.program, code.data()) : getCubin(owner.program, code.data()), "code");
  if (ptx && !code.empty() && code.back() == '\0') code.pop_back();
  return {code, log};
}

Nvrtc::Nvrtc() : functions_(std::make_unique<Functions>()) {
  const std::vector<std::string> names = places();
  functions_->library = SharedLibrary(names, SharedLibrary::Unload::Never);
  FUSER_SET_UP_CHECK(
      functions_->library.isOpen(),
      "libnvrtc.so.13 was not found; run tests/run, which installs it, or add the folder of CUDA 13's libraries "
      "to LD_LIBRARY_PATH (",
      functions_->library.error(), ")");
  functions_->find(functions_->createProgram, "nvrtcCreateProgram");
  functions_->find(functions_->destroyProgram, "nvrtcDestroyProgram");
  functions_->find(functions_->compileProgram, "nvrtcCompileProgram");
  functions_->find(functions_->getLogSize, "nvrtcGetProgramLogSize");
  functions_->find(functions_->getLog, "nvrtcGetProgramLog");
  functions_->find(functions_->getPtxSize, "nvrtcGetPTXSize");
  functions_->find(functions_->getPtx, "nvrtcGetPTX");
  functions_->find(functions_->getCubinSize, "nvrtcGetCUBINSize");
  functions_->find(functions_->getCubin, "nvrtcGetCUBIN");
  functions_->find(functions_->version, "nvrtcVersion");
  functions_->find(functions_->errorString, "nvrtcGetErrorString");
}

Nvrtc::~Nvrtc() = default;
Nvrtc::Nvrtc(Nvrtc&&) noexcept = default;

std::string Nvrtc::compileToPtx(const std::string& text, const std::string& arch, Ptx form) const {
  return functions_->compile(text, "compute_" + arch, Functions::Output::Ptx, form).code;
}

std::string Nvrtc::settings(const std::string& arch, Ptx form) const {
  static const std::string kRelease = release();  // a process has one library
  std::string text = concat("NVRTC ", kRelease, " compute_", arch);
  for (const char* option : optionsOf(form)) text += concat(" ", option);
  return text;
}

std::string Nvrtc::compileToCubin(const std::string& text, const std::string& arch) const {
  return functions_->compile(text, "sm_" + arch, Functions::Output::Cubin).code;
}

namespace {

// The assembler's log has, for each kernel:
//   ptxas info    : Compiling entry function 'k0' for 'sm_90'
//   ptxas info    : Function properties for k0
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 18 registers, …
std::vector<KernelResources> resourcesIn(const std::string& log) {
  const std::regex line(
      "entry function '([^']+)'|(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes "
      "spill loads|Used (\\d+) registers");
  std::vector<KernelResources> found;
  for (std::sregex_iterator match(log.begin(), log.end(), line), end; match != end; ++match) {
    const std::smatch& parts = *match;
    const auto number = [&](size_t group) { return std::stoll(parts[group].str()); };
    if (parts[1].matched) found.push_back({parts[1].str(), 0, 0, 0});
    FUSER_CHECK(!found.empty(), "the assembler's log begins with no kernel: ", log);
    if (parts[2].matched) found.back().stackBytes += number(2);
    if (parts[2].matched) found.back().spilledBytes += number(3) + number(4);
    if (parts[5].matched) found.back().registers = number(5);
  }
  std::sort(found.begin(), found.end(),
            [](const KernelResources& a, const KernelResources& b) { return a.entry < b.entry; });
  return found;
}

// The compiler's are "kernels.cu(3): warning #177-D: …" and the lines that show the place; the assembler's have
// "ptxas warning : …". Whatever is no line of the assembler's about its work belongs to a warning.
std::string warningsIn(const std::string& log) {
  if (log.find("warning") == std::string::npos) return "";
  std::string warnings;
  std::istringstream lines(log.c_str());
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("ptxas info", 0) != 0 && line.find(" bytes stack frame") == std::string::npos) {
      warnings += line + "\n";
    }
  }
  return warnings;
}

}  // namespace

Examined Nvrtc::examine(const std::string& text, const std::string& arch) const {
  const std::string log = functions_->compile(text, "sm_" + arch, Functions::Output::CubinAndLog).log;
  return {resourcesIn(log), warningsIn(log)};
}

// Of an empty program, whose PTX begins with comments: "// Cuda compilation tools, release 13.0, V13.0.88".
std::string Nvrtc::release() const {
  const std::string ptx = compileToPtx("", "90", Ptx::WithLines);
  const size_t named = ptx.find("release "), end = ptx.find('\n', named);
  return named == ptx.npos ? version() : ptx.substr(named, end - named);
}

std::string Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  functions_->check(functions_->version(&major, &minor), "version");
  return concat(major, ".", minor);
}

}  // namespace fuser
