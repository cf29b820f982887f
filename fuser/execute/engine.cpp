// Creates engines by EngineKind, and has the defaults for engines without a device.
#include "fuser/execute/engine.h"

#include "fuser/execute/cpu_engine.h"
#include "fuser/execute/cuda_engine.h"
#include "fuser/execute/interp_engine.h"
#include "fuser/execute/ptx_engine.h"

namespace fuser {

void CompiledKernel::enqueue(const KernelArguments&, void*) { FUSER_CHECK(false, "this engine has no streams"); }

std::unique_ptr<Engine> makeEngine(EngineKind kind) {
  switch (kind) {
    case EngineKind::Interp: return makeInterpEngine();
    case EngineKind::Cpu: return makeCpuEngine();
    case EngineKind::Cuda: return makeCudaEngine();
    case EngineKind::Ptx: return makePtxEngine();
  }
  FUSER_CHECK(false, "bad EngineKind");
}

std::unique_ptr<Engine> makeEngine(const CompileOptions& options) {
  if (options.engine != EngineKind::Ptx) return makeEngine(options.engine);
  return makePtxEngine({.architecture = std::string(kPtxArchitectures[options.ptxArchitecture])});
}

}  // namespace fuser
