// Each check of the interpreter, on a kernel that breaks exactly it.
#include <numeric>

#include "tests/fuser/execute/interp_fixture.h"

namespace fuser {
namespace {

// One block of 4 threads over x (input), y (output), 4 floats each; `body` is what differs. Shared memory is declared
// where it is used only: without it, several blocks run in lockstep.
std::string kernelWith(const std::string& body, const std::string& shape = "block 4, 1, 1\n grid 1, 1, 1\n") {
  return "kernel broken {\n tensor x : f32 rank 1 argument 0\n tensor y : f32 rank 1 argument 1 written\n"
         " local t : f32 [2]\n local v : f32 [4]\n int n in [-4611686018427387904, 4611686018427387904]\n" +
         std::string(body.find("s[") == std::string::npos ? "" : " shared s : f32 [8]\n") + shape + body + "}\n";
}

// The same with another output, z.
std::string twoOutputs(const std::string& body) {
  std::string text = kernelWith(body);
  const std::string y = " tensor y : f32 rank 1 argument 1 written\n";
  return text.insert(text.find(y) + y.size(), " tensor z : f32 rank 1 argument 2 written\n");
}

struct Case {
  std::vector<float> x = std::vector<float>(16, 1.0f);
  std::vector<float> y = std::vector<float>(16, 0.0f);
  InterpRun run;
  explicit Case(const std::string& text, int64_t n = 4) : run(text) {
    run.tensor(0, x, {4}, {1}).tensor(1, y, {4}, {1}).ints({n});
  }
};

TEST(InterpChecks, FindsReadsPastATensorByItsStrides) {
  Case c(kernelWith("y[threadIdx.x] = move x[(threadIdx.x * n)]\n"), 1);
  c.run.run();
  c.run.ints({2});
  const std::string message = c.run.violation();
  EXPECT_TRUE(contains(message, "out of bounds: element 4 of x, which has 4"));
  EXPECT_TRUE(contains(message, "block (0, 0, 0), thread (2, 0, 0)"));
  EXPECT_TRUE(contains(message, "in: y[threadIdx.x] = move x[(n * threadIdx.x)]; value %y"));
  c.run.tensor(0, c.x, {4}, {2}).run();
}

TEST(InterpChecks, FindsNegativeIndicesAndWritesPastTheEnd) {
  EXPECT_TRUE(contains(Case(kernelWith("y[threadIdx.x] = move x[(threadIdx.x + -1)]\n")).run.violation(),
                       "out of bounds: element -1 of x"));
  EXPECT_TRUE(contains(Case(kernelWith("y[(threadIdx.x + 1)] = move x[threadIdx.x]\n")).run.violation(),
                       "out of bounds: element 4 of y"));
}

TEST(InterpChecks, FindsLocalAndSharedIndicesOutOfBounds) {
  EXPECT_TRUE(contains(Case(kernelWith("alloc t\nfor i < n {\nt[i] = Set f32 (1.0)\n}\n")).run.violation(),
                       "out of bounds: element 2 of t, which has 2"));
  EXPECT_TRUE(contains(Case(kernelWith("alloc t\nt[threadIdx.x] = Set f32 (1.0)\n")).run.violation(),
                       "out of bounds: element 2 of t"));
  EXPECT_TRUE(contains(Case(kernelWith("alloc s\ns[(threadIdx.x * 3)] = Set f32 (1.0)\n")).run.violation(),
                       "out of bounds: element 9 of s, which has 8"));
}

TEST(InterpChecks, LeavesMaskedLanesAlone) {
  Case c(kernelWith("if (threadIdx.x < 2) {\ny[threadIdx.x] = move x[(threadIdx.x * 3)]\n}\n"));
  c.run.run();
  EXPECT_EQ(c.y[1], 1.0f);
  EXPECT_EQ(c.y[2], 0.0f);
}

TEST(InterpChecks, FindsMisalignedVectors) {
  Case good(kernelWith("if (threadIdx.x < 1) {\nalloc v\nv[0] = move x[0] width 4\ny[0] = move v[0] width 4\n}\n"));
  ASSERT_EQ(reinterpret_cast<uintptr_t>(good.x.data()) % 16, 0u);
  good.run.run();
  EXPECT_EQ(good.y[3], 1.0f);
  Case index(kernelWith("alloc v\nv[0] = move x[threadIdx.x] width 2\n"));
  EXPECT_TRUE(contains(index.run.violation(), "misaligned vector: element 1 of x, width 2"));
  Case address(kernelWith("alloc v\nv[0] = move x[0] width 4\n"));
  address.run.shift(0, sizeof(float));
  EXPECT_TRUE(contains(address.run.violation(), "misaligned vector: the address of x is not a multiple of 16 bytes"));
  Case local(kernelWith("alloc v\nv[2] = move x[0] width 4\n"));
  EXPECT_TRUE(contains(local.run.violation(), "misaligned vector: element 2 of v, width 4"));
}

TEST(InterpChecks, FindsUninitialisedReads) {
  EXPECT_TRUE(
      contains(Case(kernelWith("alloc t\ny[threadIdx.x] = move t[0]\n")).run.violation(), "uninitialised read of t"));
  EXPECT_TRUE(contains(Case(kernelWith("alloc s\ny[threadIdx.x] = move s[threadIdx.x]\n")).run.violation(),
                       "uninitialised read of s"));
  EXPECT_TRUE(
      contains(Case(kernelWith("alloc t\nt[0] = move y[threadIdx.x]\n")).run.violation(), "uninitialised read of y"));
  // Written by lanes 0 and 1 only.
  const std::string message = Case(kernelWith("alloc t\nif (threadIdx.x < 2) {\nt[0] = Set f32 (1.0)\n}\n"
                                              "y[threadIdx.x] = Neg f32 (t[0])\n"))
                                  .run.violation();
  EXPECT_TRUE(contains(message, "uninitialised read of t"));
  EXPECT_TRUE(contains(message, "thread (2, 0, 0)"));
}

TEST(InterpChecks, ForgetsLocalsAtEachAllocate) {
  Case c(kernelWith("for i < n {\nalloc t\nif (i < 1) {\nt[0] = Set f32 (1.0)\n}\nt[1] = Neg f32 (t[0])\n}\n"));
  c.run.ints({1}).run();
  EXPECT_TRUE(contains(c.run.ints({2}).violation(), "uninitialised read of t"));
}

TEST(InterpChecks, ForgetsLocalsAndSharedFromBlockToBlock) {
  for (const char* body : {"alloc t\nif (blockIdx.x < 1) {\nt[0] = Set f32 (1.0)\n}\ny[blockIdx.x] = move t[0]\n",
                           "alloc s\nif (blockIdx.x < 1) {\ns[0] = Set f32 (1.0)\n}\ny[blockIdx.x] = move s[0]\n",
                           // No Allocate at all.
                           "if (blockIdx.x < 1) {\ns[0] = Set f32 (1.0)\n}\ny[blockIdx.x] = move s[0]\n"}) {
    const std::string message = Case(kernelWith(body, "block 1, 1, 1\n grid 2, 1, 1\n")).run.violation();
    EXPECT_TRUE(contains(message, "uninitialised read"));
    EXPECT_TRUE(contains(message, "block (1, 0, 0), thread (0, 0, 0)"));
  }
}

TEST(InterpChecks, FindsRacesInSharedMemory) {
  // Written by one thread, read by another, no barrier.
  EXPECT_TRUE(contains(Case(kernelWith("alloc s\ns[threadIdx.x] = move x[threadIdx.x]\n"
                                       "y[threadIdx.x] = move s[((threadIdx.x * -1) + 3)]\n"))
                           .run.violation(),
                       "race: reads element 3 of s, which block (0, 0, 0), thread (3, 0, 0) wrote"));
  // Both write, the same value.
  EXPECT_TRUE(contains(Case(kernelWith("alloc s\ns[(threadIdx.x // 2)] = Set f32 (1.0)\n")).run.violation(),
                       "race: writes element 0 of s, which block (0, 0, 0), thread (0, 0, 0) wrote"));
  // Read, then written by another without a barrier between.
  const std::string again =
      "alloc s\ns[threadIdx.x] = move x[threadIdx.x]\nbarrier\n"
      "y[threadIdx.x] = move s[((threadIdx.x * -1) + 3)]\nBARRIER"
      "s[threadIdx.x] = Set f32 (2.0)\n";
  const auto with = [&](const std::string& barrier) {
    std::string copy = again;
    return copy.replace(copy.find("BARRIER"), 7, barrier);
  };
  EXPECT_TRUE(contains(Case(kernelWith(with(""))).run.violation(), "race: writes element 0 of s, which"));
  Case(kernelWith(with("barrier\n"))).run.run();
}

TEST(InterpChecks, RemembersThatSeveralThreadsRead) {
  // Thread 0 reads, then thread 1; thread 1, or thread 0, writes.
  for (const char* writer : {"(threadIdx.x == 1)", "(threadIdx.x == 0)"}) {
    const std::string body =
        concat("alloc t\nalloc s\nif (threadIdx.x < 1) {\ns[0] = Set f32 (1.0)\n}\nbarrier\n",
               "if (threadIdx.x < 2) {\nt[0] = move s[0]\n}\nif ", writer, " {\ns[0] = Set f32 (2.0)\n}\n");
    EXPECT_TRUE(contains(Case(kernelWith(body)).run.violation(),
                         "race: writes element 0 of s, which several threads read with no barrier between"));
  }
}

// The engines take kernels that nothing has verified, too.
TEST(InterpChecks, AMissingBufferFailsACheck) {
  for (int wrong : {-1, 5}) {
    Case c(kernelWith("y[threadIdx.x] = move x[threadIdx.x]\n"));
    std::get<Move>(c.run.kernel().body.at(0).node).source.buffer = wrong;
    try {
      c.run.run();
      FAIL();
    } catch (const CheckError& error) {
      EXPECT_TRUE(contains(error.what(), concat("no buffer ", wrong, " among the kernel's 4")));
    }
  }
}

TEST(InterpChecks, FindsRacesInGlobalMemory) {
  EXPECT_TRUE(contains(Case(kernelWith("y[0] = Set f32 (1.0)\n")).run.violation(), "race: writes element 0 of y"));
  // One thread twice is none.
  Case(kernelWith("y[threadIdx.x] = Set f32 (1.0)\ny[threadIdx.x] = Set f32 (2.0)\n")).run.run();
  // In one block a barrier orders, between blocks nothing does.
  const std::string exchange =
      "y[((blockIdx.x * 2) + threadIdx.x)] = Set f32 (1.0)\nbarrier\n"
      "alloc t\nt[0] = move y[((blockIdx.x * OTHER) + (threadIdx.x * -1) + 1)]\n";
  const auto with = [&](const std::string& factor) {
    std::string copy = exchange;
    return copy.replace(copy.find("OTHER"), 5, factor);
  };
  Case(kernelWith(with("2"), "block 2, 1, 1\n grid 2, 1, 1\n")).run.run();
  EXPECT_TRUE(contains(Case(kernelWith(with("0"), "block 2, 1, 1\n grid 2, 1, 1\n")).run.violation(), "race: reads"));
  EXPECT_TRUE(
      contains(Case(kernelWith("y[threadIdx.x] = Set f32 (1.0)\n", "block 4, 1, 1\n grid 2, 1, 1\n")).run.violation(),
               "block (1, 0, 0), thread (0, 0, 0)"));
}

// An output may be stored over an input where each thread reads what it overwrites, and nobody else does.
TEST(InterpChecks, FindsRacesWithInputsInTheSameMemory) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto with = [&](const std::string& read, size_t behind) {
    Case c(kernelWith("alloc t\nt[0] = move x[" + read + "]\ny[threadIdx.x] = move t[0]\n"));
    c.run.tensor(0, data, {4}, {1}).tensor(1, data, {4}, {1}).shift(1, behind * sizeof(float));
    return c;
  };
  with("threadIdx.x", 0).run.run();
  EXPECT_TRUE(contains(with("((threadIdx.x * -1) + 3)", 0).run.violation(), "race: writes element 0 of y, which"));
  EXPECT_TRUE(contains(with("threadIdx.x", 2).run.violation(), "race: writes element 0 of y, which"));
  with("threadIdx.x", 4).run.run();
}

// Each of two written tensors covers a part of x, and thread 0 of it reads what another thread writes in the first
// part.
TEST(InterpChecks, FindsRacesWithAnInputThatTwoTensorsOverlap) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto with = [&](const std::string& read) {
    Case c(
        twoOutputs("alloc t\nt[0] = move x[" + read + "]\ny[threadIdx.x] = move t[0]\nz[threadIdx.x] = move t[0]\n"));
    c.run.tensor(0, data, {8}, {1}).tensor(1, data, {4}, {1}).tensor(2, data, {4}, {1});
    c.run.shift(2, 4 * sizeof(float));
    return c;
  };
  with("threadIdx.x").run.run();
  with("(threadIdx.x + 4)").run.run();
  EXPECT_TRUE(contains(with("((threadIdx.x * -1) + 3)").run.violation(), "race: writes element 0 of y, which"));
  EXPECT_TRUE(contains(with("((threadIdx.x * -1) + 7)").run.violation(), "race: writes element 0 of z, which"));
}

TEST(InterpChecks, FindsRacesBetweenTensorsThatAreWritten) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto with = [&](size_t behind) {
    Case c(twoOutputs("y[threadIdx.x] = Set f32 (1.0)\nz[threadIdx.x] = Set f32 (2.0)\n"));
    c.run.tensor(1, data, {4}, {1}).tensor(2, data, {4}, {1}).shift(2, behind * sizeof(float));
    return c;
  };
  with(4).run.run();
  EXPECT_TRUE(contains(with(3).run.violation(), "race: writes element 0 of z, which"));
}

TEST(InterpChecks, FindsRacesBetweenBlocksOfDifferentBatches) {
  // 1024 threads are a batch of their own.
  Case c(kernelWith("y[(threadIdx.x // 1024)] = Set f32 (1.0)\n", "block 1, 1, 1\n grid 3000, 1, 1\n"));
  EXPECT_TRUE(contains(c.run.violation(), "race"));
  Case wide(kernelWith("if (threadIdx.x < 1) {\ny[0] = Set f32 (1.0)\n}\n", "block 1024, 1, 1\n grid 2, 1, 1\n"));
  EXPECT_TRUE(
      contains(wide.run.violation(), "race: writes element 0 of y, which block (0, 0, 0), thread (0, 0, 0) wrote"));
}

TEST(InterpChecks, FindsDivergentBarriersShufflesAndLoops) {
  EXPECT_TRUE(contains(Case(kernelWith("if (threadIdx.x < 3) {\nbarrier\n}\n")).run.violation(), "divergent barrier"));
  EXPECT_TRUE(contains(Case(kernelWith("alloc t\nt[0] = Set f32 (1.0)\nif (threadIdx.x < 3) {\n"
                                       "t[1] = shuffle xor 1 (t[0])\n}\n"))
                           .run.violation(),
                       "divergent shuffle"));
  EXPECT_TRUE(
      contains(Case(kernelWith("for i < (threadIdx.x + 1) {\nalloc t\n}\n")).run.violation(), "divergent loop"));
  // Whole blocks may stay away.
  Case(kernelWith("if (blockIdx.x < 1) {\nbarrier\n}\n", "block 4, 1, 1\n grid 3, 1, 1\n")).run.run();
}

TEST(InterpChecks, FindsAReadOfWhatNoPartnerGave) {
  const auto shuffled = [](int threads) {
    return Case(kernelWith("alloc t\nt[0] = Set f32 (1.0)\nt[1] = shuffle xor 2 (t[0])\nt[0] = move t[1]\n",
                           concat("block ", threads, ", 1, 1\n grid 2, 1, 1\n")));
  };
  shuffled(4).run.run();
  EXPECT_TRUE(contains(shuffled(6).run.violation(), "uninitialised read of t; block (0, 0, 0), thread (4, 0, 0)"));
}

// `b` takes the bytes of `a` while it is in use, and is of another size.
TEST(InterpChecks, SeesThatABufferIsStoredOverAnother) {
  const auto with = [](const std::string& second) {
    return Case(
        "kernel k {\n tensor x : f32 rank 1 argument 0\n tensor y : f32 rank 1 argument 1 written\n"
        " shared a : f32 [4] at 0\n shared b : f64 [2] at 0\n int n in [0, 100]\n block 4, 1, 1\n"
        " grid 1, 1, 1\n alloc a\n alloc b\n a[threadIdx.x] = Set f32 (1.0)\n" +
        second + "}\n");
  };
  const std::string load = "barrier\n y[threadIdx.x] = move a[threadIdx.x]\n";
  const std::string store = "if (threadIdx.x < 1) {\n b[1] = Set f64 (2.0)\n }\n";
  with(load).run.run();
  EXPECT_TRUE(
      contains(with(store).run.violation(), "race: writes element 1 of b, which block (0, 0, 0), thread (2, 0, 0)"));
  EXPECT_TRUE(contains(with("barrier\n" + store + load).run.violation(),
                       "uninitialised read of a; block (0, 0, 0), thread (2, 0, 0)"));
  EXPECT_TRUE(contains(with("barrier\n y[threadIdx.x] = Cast f32 (b[0])\n").run.violation(),
                       "uninitialised read of b; block (0, 0, 0), thread (0, 0, 0)"));
}

TEST(InterpChecks, CountsABarrierForTheBlocksThatReachItOnly) {
  // Block 1 does not pass the barrier, so its exchange races.
  const std::string message =
      Case(kernelWith("y[((blockIdx.x * 2) + threadIdx.x)] = Set f32 (1.0)\nif (blockIdx.x < 1) {\nbarrier\n}\n"
                      "alloc t\nt[0] = move y[((blockIdx.x * 2) + (threadIdx.x * -1) + 1)]\n",
                      "block 2, 1, 1\n grid 2, 1, 1\n"))
          .run.violation();
  EXPECT_TRUE(contains(message, "race: reads"));
  EXPECT_TRUE(contains(message, "block (1, 0, 0)"));
}

TEST(InterpChecks, FindsIndexOverflow) {
  const int64_t big = int64_t{1} << 61;
  EXPECT_TRUE(contains(Case(kernelWith("y[threadIdx.x] = move x[((threadIdx.x * n) * n)]\n"), big).run.violation(),
                       "index overflow on x"));
  EXPECT_TRUE(contains(Case(kernelWith("for i < (n * n) {\nalloc t\n}\n"), big).run.violation(),
                       "index overflow in a loop's extent"));
  EXPECT_TRUE(contains(Case(kernelWith("if ((n * n) < 5) {\nalloc t\n}\n"), big).run.violation(),
                       "index overflow in a condition"));
  // Computed, but by no lane that runs.
  Case(kernelWith("if (threadIdx.x < 1) {\ny[0] = move x[((threadIdx.x * n) * 4)]\n}\n"), big).run.run();
}

TEST(InterpChecks, FindsWrittenInputs) {
  EXPECT_TRUE(contains(Case(kernelWith("x[threadIdx.x] = Set f32 (1.0)\n")).run.violation(), "the input x is written"));
}

TEST(InterpChecks, FindsGridsThatCudaDoesNotTake) {
  EXPECT_TRUE(contains(Case(kernelWith("barrier\n", "block 1, 1, 1\n grid 1, 65536, 1\n")).run.violation(),
                       "grid size 65536 along y"));
}

TEST(InterpChecks, RefusesKernelsThatCannotRun) {
  Case c(kernelWith("y[threadIdx.x] = move x[threadIdx.x]\n"));
  Kernel& kernel = c.run.kernel();
  std::get<Move>(kernel.body[0].node).source.index = kernel.ints->symbol("stray");
  EXPECT_THROW(c.run.run(), CheckError);
}

TEST(InterpChecks, RefusesArgumentsThatDoNotMatch) {
  Case c(kernelWith("y[threadIdx.x] = move x[threadIdx.x]\n"));
  std::vector<double> wrong(4);
  c.run.tensor(0, wrong);
  EXPECT_THROW(c.run.run(), CheckError);
}

}  // namespace
}  // namespace fuser
