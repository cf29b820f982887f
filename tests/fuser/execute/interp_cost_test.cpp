// What the interpreter counts of kernels whose costs a person can count: sectors, passes of banks, barriers.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

// Memory that begins at a multiple of 256 bytes, as a device's does.
struct alignas(256) Page {
  std::byte bytes[256] = {};
};

constexpr int64_t kPages = 1024;

// The cost of a kernel over x (an input) and y (an output), both at the beginning of memory of their own.
class Counted {
 public:
  // `body` as in kernel text; `declarations`: further buffers.
  Counted(const std::string& dtype, const std::string& shape, const std::string& declarations, const std::string& body)
      : kernel_(parseKernel("kernel counted {\n tensor x : " + dtype + " rank 1 argument 0\n tensor y : " + dtype +
                            " rank 1 argument 1 written\n" + declarations + "\n" + shape + "\n" + body + "\n}\n")) {
    for (size_t i = 0; i < 2; ++i) {
      const DataType type = kernel_->buffers[static_cast<size_t>(kernel_->tensors[i].buffer)].dtype;
      memory_[i].resize(kPages);
      const int64_t elements = kPages * static_cast<int64_t>(sizeof(Page) / dtypeSize(type)) / 2;
      arguments_.tensors.push_back({memory_[i].data(), type, {elements}, {1}, {}});
    }
  }

  Counted& offset(size_t argument, int64_t elements) {
    TensorRef& ref = arguments_.tensors[argument];
    ref.data = static_cast<std::byte*>(ref.data) + static_cast<size_t>(elements) * dtypeSize(ref.dtype);
    return *this;
  }
  Counted& shareMemory() {
    arguments_.tensors[1].data = arguments_.tensors[0].data;
    return *this;
  }
  Counted& warp(int64_t threads) {
    kernel_->device.warp = threads;
    return *this;
  }

  LaunchCost cost(int launches = 1, int64_t mostBlocks = 0) {
    const auto costs = std::make_shared<KernelCosts>();
    const std::unique_ptr<Engine> engine = makeCountingInterpEngine(costs, mostBlocks);
    const Kernel* kernels[] = {kernel_.get()};
    const auto compiled = engine->compile(kernels);
    for (int i = 0; i < launches; ++i) compiled[0]->launch(arguments_);
    EXPECT_EQ(costs->rows().at(0).kernel, kernel_.get());
    return costs->rows().at(0).cost;
  }

 private:
  std::unique_ptr<Kernel> kernel_;
  std::vector<Page> memory_[2];
  KernelArguments arguments_;
};

std::vector<int64_t> sectors(const LaunchCost& cost) { return {cost.requested, cost.perBlock, cost.compulsory}; }
using Sectors = std::vector<int64_t>;

constexpr const char* kCopy = "y[((blockIdx.x * 64) + threadIdx.x)] = move x[((blockIdx.x * 64) + threadIdx.x)]";

TEST(InterpCost, ACopyAsksForEachSectorOnce) {
  Counted copy("f32", "block 64, 1, 1\n grid 2, 1, 1", "", kCopy);
  const LaunchCost cost = copy.cost();
  EXPECT_EQ(sectors(cost), (Sectors{32, 32, 32}));  // 128 elements of 4 bytes, twice
  EXPECT_EQ(cost.launches, 1);
  EXPECT_EQ(cost.blocks, 2);
  EXPECT_EQ(cost.barriers, 0);
  EXPECT_EQ(cost.bankConflicts, 0);
}

TEST(InterpCost, LaunchesAddUp) {
  const LaunchCost cost = Counted("f32", "block 64, 1, 1\n grid 2, 1, 1", "", kCopy).cost(3);
  EXPECT_EQ(sectors(cost), (Sectors{96, 96, 96}));
  EXPECT_EQ(cost.launches, 3);
  EXPECT_EQ(cost.blocks, 6);
}

// The compulsory sectors of a sample are all of the tensors' own.
TEST(InterpCost, ASampleOfBlocksThatAreAlikeCountsAsAllDo) {
  Counted copy("f32", "block 64, 1, 1\n grid 512, 1, 1", "", kCopy);
  const LaunchCost all = copy.cost(), sample = copy.cost(1, 96);
  EXPECT_EQ(all.sampled, 0);
  EXPECT_GT(sample.sampled, 0);
  EXPECT_LE(sample.sampled, 128);
  EXPECT_EQ(sample.blocks, 512);
  EXPECT_EQ(sample.requested, all.requested);
  EXPECT_EQ(sample.perBlock, all.perBlock);
  EXPECT_GE(sample.compulsory, all.compulsory);
  EXPECT_EQ(copy.cost(1, 512), all);
}

TEST(InterpCost, AnOffsetTakesAnotherSectorForEachWarpBlockAndLaunch) {
  Counted copy("f32", "block 64, 1, 1\n grid 2, 1, 1", "", kCopy);
  EXPECT_EQ(sectors(copy.offset(0, 1).cost()), (Sectors{4 * 5 + 16, 2 * 9 + 16, 17 + 16}));
  EXPECT_EQ(sectors(copy.offset(0, 7).cost()), (Sectors{32, 32, 32}));  // 8 elements in all: a sector
}

TEST(InterpCost, AlignmentBeyondASectorDoesNotMatter) {
  for (int64_t sectorsOn = 0; sectorsOn < 8; ++sectorsOn) {
    Counted copy("f32", "block 64, 1, 1\n grid 2, 1, 1", "", kCopy);
    EXPECT_EQ(sectors(copy.offset(0, 8 * sectorsOn).cost()), (Sectors{32, 32, 32}));
  }
}

TEST(InterpCost, VectorsAreOneInstruction) {
  const std::string shape = "block 32, 1, 1\n grid 1, 1, 1";
  Counted vectors("f32", shape, "local t : f32 [4]", "alloc t\nt[0] = move x[(threadIdx.x * 4)] width 4");
  EXPECT_EQ(sectors(vectors.cost()), (Sectors{16, 16, 16}));
  Counted scalars("f32", shape, "local t : f32 [4]", "alloc t\nfor i < 4 {\nt[i] = move x[((threadIdx.x * 4) + i)]\n}");
  EXPECT_EQ(sectors(scalars.cost()), (Sectors{64, 16, 16}));
}

TEST(InterpCost, VectorsBeyond16BytesAreSeveral) {
  Counted wide("f64", "block 32, 1, 1\n grid 1, 1, 1", "local t : f64 [4]",
               "alloc t\nt[0] = move x[(threadIdx.x * 4)] width 4");
  EXPECT_EQ(sectors(wide.cost()), (Sectors{64, 32, 32}));
}

TEST(InterpCost, OneElementForAllThreadsIsASectorAWarp) {
  Counted spread("f32", "block 64, 1, 1\n grid 40, 1, 1", "local t : f32 [1]", "alloc t\nt[0] = move x[0]");
  EXPECT_EQ(sectors(spread.cost()), (Sectors{80, 40, 1}));  // in several batches
}

TEST(InterpCost, InactiveThreadsAskForNothing) {
  const std::string shape = "block 64, 1, 1\n grid 1, 1, 1";
  Counted some("f32", shape, "local t : f32 [1]",
               "alloc t\nif (threadIdx.x < 40) {\nt[0] = move x[(threadIdx.x * 8)]\n}");
  EXPECT_EQ(sectors(some.cost()), (Sectors{40, 40, 40}));
  Counted scattered("f32", shape, "local t : f32 [1]",
                    "alloc t\nif ((threadIdx.x % 8) == 0) {\nt[0] = move x[(threadIdx.x * 8)]\n}");
  EXPECT_EQ(sectors(scattered.cost()), (Sectors{8, 8, 8}));
}

TEST(InterpCost, WarpsEndWithTheirBlock) {
  Counted copy("f32", "block 48, 1, 1\n grid 2, 1, 1", "local t : f32 [1]", "alloc t\nt[0] = move x[0]");
  EXPECT_EQ(sectors(copy.cost()), (Sectors{4, 2, 1}));
}

TEST(InterpCost, TheDeviceSaysWhatAWarpIs) {
  Counted copy("f32", "block 64, 1, 1\n grid 1, 1, 1", "local t : f32 [1]", "alloc t\nt[0] = move x[0]");
  EXPECT_EQ(sectors(copy.cost()), (Sectors{2, 1, 1}));
  EXPECT_EQ(sectors(copy.warp(16).cost()), (Sectors{4, 1, 1}));
}

TEST(InterpCost, OperandsAndTargetsAreInstructions) {
  Counted add("f32", "block 32, 1, 1\n grid 1, 1, 1", "",
              "y[threadIdx.x] = Add f32 (x[threadIdx.x], x[(threadIdx.x + 32)])");
  EXPECT_EQ(sectors(add.cost()), (Sectors{12, 12, 12}));
  Counted index("i32", "block 32, 1, 1\n grid 1, 1, 1", "",
                "index j in [0, 64) = x[threadIdx.x]\ny[(j + threadIdx.x)] = Set i32 (1)");
  EXPECT_EQ(sectors(index.cost()), (Sectors{8, 8, 8}));
}

TEST(InterpCost, TensorsInOneMemoryShareItsSectors) {
  Counted copy("f32", "block 64, 1, 1\n grid 2, 1, 1", "", kCopy);
  EXPECT_EQ(sectors(copy.shareMemory().cost()), (Sectors{32, 16, 16}));
}

// The bank conflicts of the second of two statements: a store of all of s, then a load by one warp.
int64_t conflictsOf(const std::string& dtype, const std::string& index, int width = 1) {
  const std::string move = width > 1 ? concat(" width ", width) : "";
  Counted load(dtype, "block 32, 1, 1\n grid 1, 1, 1",
               concat("shared s : ", dtype, " [1024]\nlocal t : ", dtype, " [4]"),
               concat("alloc t\nalloc s\nfor i < 32 {\ns[((i * 32) + threadIdx.x)] = move x[threadIdx.x]\n}\nbarrier\n",
                      "t[0] = move s[", index, "]", move));
  return load.cost().bankConflicts;
}

TEST(InterpCost, BankConflictsAreFurtherPasses) {
  EXPECT_EQ(conflictsOf("f32", "threadIdx.x"), 0);
  EXPECT_EQ(conflictsOf("f32", "0"), 0);  // one word for all
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x // 2)"), 0);
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 2)"), 1);
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 3)"), 0);
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 32)"), 31);
  EXPECT_EQ(conflictsOf("f16", "threadIdx.x"), 0);          // two threads a word
  EXPECT_EQ(conflictsOf("f16", "(threadIdx.x * 32)"), 15);  // 16 words: every other bank
}

TEST(InterpCost, VectorsPassInPartsOfAWarp) {
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 4)", 4), 0);    // quarters of 128 bytes
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 8)", 4), 4);    // one pass more for each quarter
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 2)", 2), 0);    // halves
  EXPECT_EQ(conflictsOf("f32", "(threadIdx.x * 32)", 2), 30);  // 15 more for each half
}

TEST(InterpCost, EachBlockPassesItsBarriers) {
  const std::string shape = "block 6, 1, 1\n grid 5, 1, 1";
  EXPECT_EQ(Counted("f32", shape, "", "for i < 3 {\nbarrier\n}").cost().barriers, 15);
  EXPECT_EQ(Counted("f32", shape, "", "if (blockIdx.x < 2) {\nbarrier\n}").cost().barriers, 2);
}

// No count is believed that is below what any counting of the same accesses gives.
TEST(InterpCost, SectorsBelowTheCompulsoryOnesAreABug) {
  KernelCosts costs;
  const Kernel kernel;
  const size_t number = costs.addKernel(kernel);
  LaunchCost cost;
  cost.requested = cost.perBlock = cost.compulsory = 3;
  EXPECT_NO_THROW(costs.add(number, cost));
  cost.requested = 2;
  EXPECT_THROW(costs.add(number, cost), CheckError);
  cost.requested = 4;
  cost.compulsory = 4;
  EXPECT_THROW(costs.add(number, cost), CheckError);
  EXPECT_EQ(costs.rows().at(0).cost.requested, 3) << "what is refused is not added";
}

TEST(InterpCost, AnEmptyGridCostsNothing) {
  EXPECT_EQ(Counted("f32", "block 64, 1, 1\n grid 0, 1, 1", "", kCopy).cost(), LaunchCost{});
}

}  // namespace
}  // namespace fuser
