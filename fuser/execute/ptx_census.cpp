#include "fuser/execute/ptx_census.h"

#include "fuser/ptx/content.h"

namespace fuser {

PtxWork& PtxWork::operator+=(const PtxWork& other) {
  opcodes.insert(other.opcodes.begin(), other.opcodes.end());
  kernels.insert(other.kernels.begin(), other.kernels.end());
  compiled += other.compiled;
  fromStore += other.fromStore;
  launches += other.launches;
  compileSeconds += other.compileSeconds;
  parseSeconds += other.parseSeconds;
  runSeconds += other.runSeconds;
  return *this;
}

void PtxCensus::addModule(const ptx::Module& module, bool isFromStore) {
  const std::lock_guard lock(mutex_);
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (!work_.opcodes.contains(std::string(instruction.opcode))) work_.opcodes.emplace(instruction.opcode);
    }
    if (!function.isEntry) continue;
    work_.kernels.insert(ptx::contentOf(module, function));
    ++work_.compiled;
    work_.fromStore += isFromStore;
  }
}

void PtxCensus::addSeconds(double compile, double parse) {
  const std::lock_guard lock(mutex_);
  work_.compileSeconds += compile;
  work_.parseSeconds += parse;
}

void PtxCensus::addLaunch(double seconds) {
  const std::lock_guard lock(mutex_);
  ++work_.launches;
  work_.runSeconds += seconds;
}

PtxWork PtxCensus::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

}  // namespace fuser
