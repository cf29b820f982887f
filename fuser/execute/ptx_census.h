#pragma once
// What engines that execute PTX have done: the kernels that they compiled, the instructions in them, and where the time
// went.

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "fuser/ptx/module.h"

namespace fuser {

struct PtxWork {
  std::set<std::string> opcodes;  // with modifiers and types: "ld.global.v2.f32"
  std::set<uint64_t> kernels;     // the contents (fuser/ptx/content.h) of those compiled
  int64_t compiled = 0;           // kernels, equal ones too
  int64_t fromStore = 0;          // of them
  int64_t launches = 0;
  double compileSeconds = 0;  // of NVRTC, or of reading its results from a store
  double parseSeconds = 0;    // of making programs of PTX
  double runSeconds = 0;      // of launches
  PtxWork& operator+=(const PtxWork& other);
  bool operator==(const PtxWork&) const = default;
};

// Thread-safe.
class PtxCensus {
 public:
  void addModule(const ptx::Module& module, bool isFromStore);
  void addSeconds(double compile, double parse);
  void addLaunch(double seconds);
  PtxWork work() const;

 private:
  mutable std::mutex mutex_;
  PtxWork work_;
};

}  // namespace fuser
