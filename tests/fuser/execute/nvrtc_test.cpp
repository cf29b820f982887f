// The printed text through NVRTC, for the architectures that we support. No GPU is needed, and none is used.
#include "fuser/execute/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "fuser/case/options.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/kernel/text.h"
#include "tests/fuser/execute/pointwise_kernels.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// tests/setup.sh installs NVRTC, so that a machine without it is a broken set-up: the error says what to do.
class NvrtcTest : public ::testing::TestWithParam<std::string> {
 protected:
  // That of the architecture, in turn; FUSER_FULL=1 takes all.
  static std::vector<const Kernel*> thirdOf(const std::vector<const Kernel*>& all) {
    if (inFull()) return all;
    const auto* place = std::find(std::begin(kPtxArchitectures), std::end(kPtxArchitectures), GetParam());
    const auto own = static_cast<size_t>(place - std::begin(kPtxArchitectures));
    std::vector<const Kernel*> part;
    for (size_t i = own; i < all.size(); i += std::size(kPtxArchitectures)) part.push_back(all[i]);
    return part;
  }

  Nvrtc nvrtc_;
};

// Another third is compiled to PTX for it (RowOpcodesTest).
TEST_P(NvrtcTest, CompilesEveryOpAndDtype) {
  const std::vector<PointwiseCase> cases = pointwiseCases();
  const std::vector<const Kernel*> kernels = thirdOf(kernelsOf(cases));
  const std::string cubin = nvrtc_.compileToCubin(printModule(kernels), GetParam());
  for (size_t i = 0; i < kernels.size(); ++i) EXPECT_TRUE(contains(cubin, entryName(*kernels[i], i)));
}

TEST_P(NvrtcTest, CompilesEveryConversion) {
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> kernels;
  for (DataType from : kAllDataTypes) {
    for (DataType to : kAllDataTypes) {
      owners.push_back(castKernel(from, to));
      kernels.push_back(owners.back().get());
    }
  }
  kernels = thirdOf(kernels);
  const std::string cubin = nvrtc_.compileToCubin(printModule(kernels), GetParam());
  for (size_t i = 0; i < kernels.size(); ++i) EXPECT_TRUE(contains(cubin, entryName(*kernels[i], i)));
}

constexpr const char* kReduction = R"(kernel reduction {
  scalar a : f64
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  local t : f32 [4]
  local u : f32 [1]
  shared s : f32 [96]
  int n in [0, 1099511627776]
  block 96, 2, 1
  grid n, 1, 1

  alloc t
  alloc u
  alloc s
  t[0] = move x[((blockIdx.x * 384) + (threadIdx.x * 4))] width 4
  u[0] = Set f32 (0.0)
  for i < 4 unroll {
    u[0] = Add f32 (u[0], t[i])
  }
  t[0] = shuffle xor 16 (u[0])
  u[0] = Add f32 (u[0], t[0])
  u[0] = shuffle first 32 (u[0])
  s[threadIdx.x] = move u[0]
  barrier
  if (threadIdx.x < 1) {
    y[blockIdx.x] = Mul f32 (s[0], $a as f32)
  }
}
)";

TEST_P(NvrtcTest, CompilesReductionsSharedMemoryAndVectors) {
  const auto kernel = parseKernel(kReduction);
  const Kernel* const kernels[] = {kernel.get()};
  const std::string text = printModule(kernels);
  EXPECT_FALSE(nvrtc_.compileToCubin(text, GetParam()).empty());
  const std::string ptx = nvrtc_.compileToPtx(text, GetParam());
  EXPECT_TRUE(contains(ptx, ".visible .entry kernel_0_reduction(")) << ptx;
  EXPECT_TRUE(contains(ptx, "ld.global.v4")) << ptx;
  EXPECT_TRUE(contains(ptx, "bar")) << ptx;
  EXPECT_TRUE(contains(ptx, "shfl.sync")) << ptx;
}

// (a * b + b)^-1/2 / b; a kernel with contraction: what may be an fma was made one before.
std::string exactOps() {
  const auto kernel = parseKernel(R"(kernel exact contraction {
  tensor a : f32 rank 1 argument 0
  tensor b : f32 rank 1 argument 1
  tensor y : f32 rank 1 argument 2 written
  local t : f32 [1]
  block 32, 1, 1
  grid 1, 1, 1

  alloc t
  t[0] = Mul f32 (a[threadIdx.x], b[threadIdx.x])
  t[0] = Add f32 (t[0], b[threadIdx.x])
  t[0] = Rsqrt f32 (t[0])
  y[threadIdx.x] = Div f32 (t[0], b[threadIdx.x])
}
)");
  const Kernel* const kernels[] = {kernel.get()};
  return printModule(kernels);
}

TEST_P(NvrtcTest, RoundsOncePerOp) {
  const std::string ptx = nvrtc_.compileToPtx(exactOps(), GetParam());
  for (const char* part : {"mul.f32", "add.f32", "sqrt.rn.f32", "rcp.rn.f32", "div.rn.f32"}) {
    EXPECT_TRUE(contains(ptx, part) || contains(ptx, std::string(part).insert(3, ".rn"))) << part << "\n" << ptx;
  }
  for (const char* part : {"fma", ".approx", ".ftz"}) EXPECT_FALSE(contains(ptx, part)) << part << "\n" << ptx;
}

// The lines of PTX, without the directives that say where they come from.
std::vector<std::string> instructionsOf(const std::string& ptx) {
  std::vector<std::string> lines;
  std::istringstream text(ptx);
  for (std::string line; std::getline(text, line);) {
    const size_t start = line.find_first_not_of(" \t");
    if (start == line.npos) continue;
    line.erase(0, start);
    if (line.starts_with(".loc")) continue;
    if (line.starts_with(".file")) break;  // what follows tells debuggers of files
    lines.push_back(line);
  }
  return lines;
}

TEST_P(NvrtcTest, LinesOfTheTextChangeNoInstruction) {
  const auto kernel = parseKernel(kReduction);
  const Kernel* const kernels[] = {kernel.get()};
  for (const std::string& text : {exactOps(), printModule(kernels)}) {
    const std::string with = nvrtc_.compileToPtx(text, GetParam(), Nvrtc::Ptx::WithLines);
    EXPECT_TRUE(contains(with, ".loc"));
    EXPECT_EQ(instructionsOf(with), instructionsOf(nvrtc_.compileToPtx(text, GetParam())));
  }
}

TEST_P(NvrtcTest, AnFmaIsOneInstruction) {
  const auto kernel = parseKernel(R"(kernel fused {
  tensor a : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  block 32, 1, 1
  grid 1, 1, 1

  y[threadIdx.x] = Fma f32 (a[threadIdx.x], a[threadIdx.x], 1.0)
}
)");
  const Kernel* const kernels[] = {kernel.get()};
  const std::string ptx = nvrtc_.compileToPtx(printModule(kernels), GetParam());
  EXPECT_TRUE(contains(ptx, "fma.rn.f32")) << ptx;
  EXPECT_FALSE(contains(ptx, "mul.rn") || contains(ptx, "add.rn")) << ptx;
}

TEST_P(NvrtcTest, ShowsTheCompilersWordsAboutTextThatDoesNotCompile) {
  try {
    nvrtc_.compileToPtx("int broken(", GetParam());
    FAIL();
  } catch (const CheckError& error) {
    EXPECT_TRUE(contains(error.what(), "expected")) << error.what();
  }
}

TEST_P(NvrtcTest, ShowsTheWarningsOfWhatItCompiles) {
  const std::string start = "extern \"C\" __global__ void k(float* x) { ";
  EXPECT_EQ(nvrtc_.examine(start + "x[threadIdx.x] = 1.0f; }", GetParam()).warnings, "");
  const Examined unused = nvrtc_.examine(start + "int unused; x[threadIdx.x] = 1.0f; }", GetParam());
  EXPECT_TRUE(contains(unused.warnings, "warning")) << unused.warnings;
  EXPECT_EQ(unused.kernels.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcTest,
                         ::testing::ValuesIn(std::vector<std::string>(std::begin(kPtxArchitectures),
                                                                      std::end(kPtxArchitectures))),
                         [](const auto& info) { return concat("sm_", info.param); });

}  // namespace
}  // namespace fuser
