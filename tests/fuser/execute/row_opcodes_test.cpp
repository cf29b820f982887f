// What NVRTC makes of every op, dtype and conversion, for each architecture that we support, is made a program of the
// ptx engine, and holds no other instructions than those of row_opcodes.txt.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "fuser/case/options.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/ptx/program.h"
#include "tests/fuser/execute/pointwise_kernels.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

constexpr const char* kList = "tests/fuser/execute/row_opcodes.txt";

// ctest takes a third of the kernels for each architecture; FUSER_FULL=1 all, and FUSER_UPDATE=1 writes the list then.
TEST(RowOpcodesTest, AreListedAndAllExecuted) {
  const std::vector<PointwiseCase> cases = pointwiseCases();
  std::vector<const Kernel*> kernels = kernelsOf(cases);
  std::vector<std::unique_ptr<Kernel>> casts;
  for (const DataType from : kAllDataTypes) {
    for (const DataType to : kAllDataTypes) casts.push_back(castKernel(from, to));
  }
  for (const auto& cast : casts) kernels.push_back(cast.get());
  const Nvrtc nvrtc;
  std::set<std::string> found;
  for (size_t place = 0; place < std::size(kPtxArchitectures); ++place) {
    const std::string architecture(kPtxArchitectures[place]);
    std::vector<const Kernel*> own;
    for (size_t i = inFull() ? 0 : place; i < kernels.size(); i += sampleStep(std::size(kPtxArchitectures)))
      own.push_back(kernels[i]);
    const ptx::Module module = ptx::parsePtx(nvrtc.compileToPtx(printModule(own), architecture), architecture);
    size_t entries = 0;
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Instruction& instruction : function.instructions) found.emplace(instruction.opcode);
      if (!function.isEntry) continue;
      ++entries;
      EXPECT_NO_THROW(makeProgram(module, function.name, architecture)) << function.name;
    }
    EXPECT_EQ(entries, own.size());
  }
  if (inFull() && std::getenv("FUSER_UPDATE") != nullptr) {
    std::ofstream file(kList);
    for (const std::string& opcode : found) file << opcode << "\n";
  }
  std::set<std::string> listed;
  std::ifstream file(kList);
  for (std::string line; std::getline(file, line);) listed.insert(line);
  for (const std::string& opcode : found) EXPECT_TRUE(listed.count(opcode)) << opcode;
  if (inFull()) {
    EXPECT_EQ(listed, found);
  }
}

}  // namespace
}  // namespace fuser
