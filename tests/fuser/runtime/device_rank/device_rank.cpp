// One device of an MPI job that runs cases: mpirun -np 4 device_rank FILE…
//
// Each rank of a case's mesh is given its parts of the inputs, runs its program, and compares what it has of each
// output, byte for byte, with what all devices make in one process; the others do nothing. The job fails where one
// differs.

#include <cstdio>
#include <string>

#include "fuser/communicate/mpi/mpi_communicator.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/device_inputs.h"
#include "fuser/runtime/multi_device_executor.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"

namespace {

using namespace fuser;

void runCase(Communicator& communicator, const std::string& file) {
  const Case testCase = parseCase(readFusionFile(file), file);
  const Fusion& fusion = *testCase.fusion;
  if (!fusion.mesh().contains(communicator.rank())) return;
  const std::shared_ptr<const Fusion> shared(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  MultiDeviceExecutor executor(shared, communicator, settingsOf(testCase));
  size_t bytes = 0;
  for (const Run& run : testCase.runs) {
    const RunData data = materialize(testCase, run);
    std::vector<HostValue> inputs = hostValues(data);
    const RunRecord expected = FusionExecutorCache(shared, settingsOf(testCase)).run(inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto* tensor = std::get_if<TensorRef>(&inputs[i]);
      if (tensor) *tensor = partOnDevice(fusion.inputs()[i]->as<TensorView>(), communicator.rank(), *tensor);
    }
    const RunRecord record = executor.run(inputs);
    for (size_t i = 0; i < fusion.outputs().size(); ++i) {
      const Val* output = fusion.outputs()[i];
      if (output->isScalar() || !output->as<TensorView>()->mesh().contains(communicator.rank())) continue;
      const TensorRef wanted =
          partOnDevice(output->as<TensorView>(), communicator.rank(), std::get<TensorRef>(expected.outputs[i]));
      const std::vector<std::byte> elements = elementsOf(std::get<TensorRef>(record.outputs[i]));
      FUSER_USER_CHECK(elements == elementsOf(wanted), file, ": %", output->name(), " on rank ", communicator.rank(),
                       " is not what all devices make in one process");
      bytes += elements.size();
    }
  }
  if (communicator.rank() == fusion.mesh().devices().front()) {
    std::printf("%s: %zu bytes of rank %d agree\n", file.c_str(), bytes, communicator.rank());
  }
}

}  // namespace

int main(int argc, char** argv) {
  return runMpiRank(
      [&](Communicator& communicator) {
        for (int i = 1; i < argc; ++i) runCase(communicator, argv[i]);
      },
      logToStderr(LogLevel::Error).get());
}
