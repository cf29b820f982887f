// Loaded indices in the interpreter: what they read and when, and each thing that no correct kernel does with them.
#include "fuser/execute/interp_program.h"
#include "tests/fuser/execute/interp_fixture.h"

namespace fuser {
namespace {

// One block of 4 threads over 8 elements each of: idx and x (inputs), w and y (outputs, w of integers). `body` is what
// differs; shared memory is declared where it is used only.
std::string kernelWith(const std::string& body, const std::string& shape = "block 4, 1, 1\n grid 1, 1, 1\n",
                       const std::string& dtype = "i64") {
  return "kernel gather {\n tensor idx : " + dtype +
         " rank 1 argument 0\n tensor x : f32 rank 1 argument 1\n"
         " tensor w : i64 rank 1 argument 2 written\n tensor y : f32 rank 1 argument 3 written\n local t : i64 [2]\n" +
         std::string(body.find("s[") == std::string::npos ? "" : " shared s : i64 [8]\n") +
         " int n in [-1099511627776, 1099511627776]\n " + shape + body + "}\n";
}

template <class Index = int64_t>
struct Case {
  std::vector<Index> idx;
  std::vector<float> x;
  std::vector<int64_t> w = std::vector<int64_t>(8, -1);
  std::vector<float> y = std::vector<float>(8, -1);
  InterpRun run;
  Case(const std::string& text, std::vector<Index> indices, int64_t n = 8)
      : idx(std::move(indices)), x{10, 11, 12, 13, 14, 15, 16, 17}, run(text) {
    idx.resize(8);
    verifyKernel(run.kernel());
    run.tensor(0, idx).tensor(1, x).tensor(2, w).tensor(3, y).ints({n});
  }
};

using Floats = std::vector<float>;

std::string violationOf(const std::string& body, std::vector<int64_t> idx, int64_t n = 8) {
  return Case(kernelWith(body), std::move(idx), n).run.violation();
}

TEST(InterpLoadedIndexTest, GathersAndScatters) {
  Case c(kernelWith("index q in [0, 2) = idx[threadIdx.x]\ny[threadIdx.x] = move x[((q * 3) + threadIdx.x)]\n"
                    "index r in [4, 8) = idx[(threadIdx.x + 4)]\ny[r] = move x[q]\n"),
         {1, 0, 0, 1, 7, 4, 6, 5});
  c.run.run();
  EXPECT_EQ(c.y, (Floats{13, 11, 12, 16, 10, 11, 10, 11}));
}

TEST(InterpLoadedIndexTest, LoadsAnIndexFromAPlaceThatAnIndexGives) {
  Case c(kernelWith("index q in [0, 4) = idx[threadIdx.x]\nindex r in [0, 4) = idx[((q * -1) + 3)]\n"
                    "index s in [0, 8) = idx[((r // 2) + 4)]\ny[threadIdx.x] = move x[s]\n"),
         {3, 1, 0, 2, 7, 5});
  c.run.run();
  // q: 3 1 0 2; r = idx[3 - q]: 3 0 2 1; s = idx[4 + r / 2]: 5 7 5 7
  EXPECT_EQ(c.y, (Floats{15, 17, 15, 17, -1, -1, -1, -1}));
}

TEST(InterpLoadedIndexTest, DecidesConditionsAndIsAnOperand) {
  Case c(kernelWith("index q in [-8, 8) = idx[threadIdx.x]\nif (((q % 3) == 1) && (threadIdx.x < 3)) {\n"
                    "y[threadIdx.x] = Set f32 (int((q * 2)))\n}\n"),
         {1, -2, 3, 1});
  c.run.run();
  EXPECT_EQ(c.y, (Floats{2, -4, -1, -1, -1, -1, -1, -1}));
}

TEST(InterpLoadedIndexTest, ReadsTheElementOnceWhateverIsStoredLater) {
  Case c(kernelWith("alloc t\nt[0] = Set i64 (int(threadIdx.x))\nindex q in [0, 4) = t[0]\nt[0] = Set i64 (7)\n"
                    "w[threadIdx.x] = Set i64 (int(q))\ny[q] = Set f32 (t[0])\n"),
         {});
  c.run.run();
  EXPECT_EQ(c.w, (std::vector<int64_t>{0, 1, 2, 3, -1, -1, -1, -1}));
  EXPECT_EQ(c.y, (Floats{7, 7, 7, 7, -1, -1, -1, -1}));
}

TEST(InterpLoadedIndexTest, LoadsAgainInEachIteration) {
  Case c(kernelWith("for i < 4 {\nindex q in [0, 8) = idx[i]\nif ((threadIdx.x < q) && (q < 4)) {\n"
                    "y[threadIdx.x] = Set f32 (int(((q * 10) + i)))\n}\n}\n"),
         {3, 2, 7, 1});
  c.run.run();
  EXPECT_EQ(c.y, (Floats{13, 21, 30, -1, -1, -1, -1, -1}));
}

TEST(InterpLoadedIndexTest, TakesIntegersOf32Bits) {
  const std::string body = "index q in [-2, 8) = idx[threadIdx.x]\ny[threadIdx.x] = move x[max(q, 0)]\n";
  Case<int32_t> c(kernelWith(body, "block 4, 1, 1\n grid 1, 1, 1\n", "i32"), {7, -2, 3, -1});
  c.run.run();
  EXPECT_EQ(c.y, (Floats{17, 10, 13, 10, -1, -1, -1, -1}));
  c.idx[1] = -3;
  EXPECT_TRUE(contains(c.run.violation(), "index out of range: -3 is not in [-2, 8)"));
}

TEST(InterpLoadedIndexTest, FindsValuesOutsideTheRange) {
  const std::string body = "index q in [0, n) = idx[threadIdx.x]\ny[threadIdx.x] = move x[q]\n";
  Case c(kernelWith(body), {0, 4, 2, 0}, 5);
  c.run.run();
  const std::string message = c.run.ints({4}).violation();
  EXPECT_TRUE(
      contains(message, "kernel gather: index out of range: 4 is not in [0, 4); block (0, 0, 0), thread (1, 0, 0)"));
  EXPECT_TRUE(contains(message, "; in: index q in [0, n) = idx[threadIdx.x]; value %idx"));
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  for (int64_t value : {int64_t{-1}, int64_t{8}, least, most}) {
    EXPECT_TRUE(
        contains(violationOf(body, {0, 0, 0, value}), concat("index out of range: ", value, " is not in [0, 8)")));
  }
}

// A wrong index alone, which nothing uses, is one.
TEST(InterpLoadedIndexTest, FindsAnUnusedIndexOutsideItsRange) {
  EXPECT_TRUE(contains(violationOf("index q in [3, n) = idx[0]\n", {2}), "index out of range: 2 is not in [3, 8)"));
}

TEST(InterpLoadedIndexTest, FindsAnyValueInARangeThatIsEmptyAtTheLaunch) {
  const std::string load = "index q in [0, n) = idx[threadIdx.x]\ny[threadIdx.x] = move x[q]\n";
  EXPECT_TRUE(contains(violationOf(load, {}, 0), "index out of range: 0 is not in [0, 0)"));
  EXPECT_TRUE(contains(violationOf(load, {}, -5), "index out of range: 0 is not in [0, -5)"));
  Case(kernelWith("if (threadIdx.x < n) {\n" + load + "}\n"), {}, 0).run.run();
}

TEST(InterpLoadedIndexTest, ChecksActiveThreadsAlone) {
  Case c(kernelWith("if ((threadIdx.x % 2) == 1) {\nindex q in [0, n) = idx[threadIdx.x]\n"
                    "y[threadIdx.x] = move x[(q * q)]\nif (q < 2) {\nw[q] = Set i64 (int(q))\n}\n}\n"),
         {99, 2, -1, 1});
  c.run.run();
  EXPECT_EQ(c.y, (Floats{-1, 14, -1, 11, -1, -1, -1, -1}));
  EXPECT_EQ(c.w, (std::vector<int64_t>{-1, 1, -1, -1, -1, -1, -1, -1}));
}

TEST(InterpLoadedIndexTest, FindsUninitialisedLoads) {
  const std::string from = violationOf("alloc t\nindex q in [0, n) = t[1]\n", {});
  EXPECT_TRUE(contains(from, "uninitialised read of t; block (0, 0, 0), thread (0, 0, 0)"));
  EXPECT_TRUE(contains(from, "; in: index q in [0, n) = t[1]; value %t"));
  EXPECT_TRUE(contains(violationOf("alloc s\nindex q in [0, n) = s[threadIdx.x]\n", {}), "uninitialised read of s"));
  EXPECT_TRUE(contains(violationOf("index q in [0, n) = w[threadIdx.x]\n", {}), "uninitialised read of w"));
  // By the data: thread 2 asks for what nobody wrote.
  const std::string some =
      "alloc s\nif (threadIdx.x == 0) {\ns[0] = Set i64 (1)\n}\nbarrier\n"
      "index q in [0, 2) = idx[threadIdx.x]\nindex r in [0, n) = s[q]\n";
  EXPECT_TRUE(contains(violationOf(some, {0, 0, 1, 0}), "uninitialised read of s; block (0, 0, 0), thread (2, 0, 0)"));
}

TEST(InterpLoadedIndexTest, FindsLoadsThatRaceWithWrites) {
  const auto exchange = [](const std::string& barrier) {
    return "alloc s\ns[threadIdx.x] = Set i64 (int(threadIdx.x))\n" + barrier +
           "index q in [0, 4) = s[((threadIdx.x * -1) + 3)]\nw[q] = Set i64 (int(q))\n";
  };
  const std::string message = violationOf(exchange(""), {});
  EXPECT_TRUE(
      contains(message, "race: reads element 3 of s, which block (0, 0, 0), thread (3, 0, 0) wrote with no barrier"));
  EXPECT_TRUE(contains(message, "; in: index q in [0, 4) = s[((threadIdx.x * -1) + 3)]; value %s"));
  Case good(kernelWith(exchange("barrier\n")), {});
  good.run.run();
  EXPECT_EQ(good.w, (std::vector<int64_t>{0, 1, 2, 3, -1, -1, -1, -1}));
  // A write after the load that another thread made.
  EXPECT_TRUE(contains(violationOf(exchange("barrier\n") + "s[threadIdx.x] = Set i64 (0)\n", {}),
                       "race: writes element 0 of s, which"));
  Case later(kernelWith(exchange("barrier\n") + "barrier\ns[threadIdx.x] = Set i64 (0)\n"), {});
  later.run.run();
}

TEST(InterpLoadedIndexTest, FindsLoadsThatRaceInGlobalMemory) {
  const std::string written = "w[threadIdx.x] = Set i64 (0)\nindex q in [0, n) = w[((threadIdx.x * -1) + 3)]\n";
  EXPECT_TRUE(
      contains(violationOf(written, {}), "race: reads element 3 of w, which block (0, 0, 0), thread (3, 0, 0) wrote"));
  // What the thread itself wrote is no race; another thread's write after the load is one.
  const std::string load = "w[threadIdx.x] = Set i64 (3)\nindex q in [0, n) = w[threadIdx.x]\n";
  Case good(kernelWith(load + "y[threadIdx.x] = move x[q]\n"), {});
  good.run.run();
  EXPECT_EQ(good.y, (Floats{13, 13, 13, 13, -1, -1, -1, -1}));
  const std::string later =
      "if (threadIdx.x < 1) {\nw[0] = Set i64 (3)\n}\nbarrier\nindex q in [0, n) = w[0]\n"
      "if (threadIdx.x == 2) {\nw[0] = Set i64 (1)\n}\n";
  EXPECT_TRUE(contains(violationOf(later, {}), "race: writes element 0 of w, which several threads read"));
  // Blocks have no order, with a barrier or without.
  const std::string blocks = "w[blockIdx.x] = Set i64 (0)\nbarrier\nindex q in [0, n) = w[((blockIdx.x * -1) + 1)]\n";
  Case c(kernelWith(blocks, "block 1, 1, 1\n grid 2, 1, 1\n"), {});
  EXPECT_TRUE(contains(c.run.violation(), "race: reads element 1 of w, which block (1, 0, 0), thread (0, 0, 0) wrote"));
}

TEST(InterpLoadedIndexTest, FindsScattersOfTwoThreadsToOneElement) {
  const std::string scatter = "index q in [0, n) = idx[threadIdx.x]\ny[q] = Set f32 (1.0)\n";
  EXPECT_TRUE(
      contains(violationOf(scatter, {3, 1, 3, 0}), "race: writes element 3 of y, which block (0, 0, 0), thread (0"));
}

TEST(InterpLoadedIndexTest, FindsLoadsAndAccessesOutOfBounds) {
  EXPECT_TRUE(contains(violationOf("index q in [0, n) = idx[(threadIdx.x + 5)]\n", {}),
                       "out of bounds: element 8 of idx, which has 8; block (0, 0, 0), thread (3, 0, 0)"));
  const std::string chain = "index q in [0, n) = idx[threadIdx.x]\nindex r in [0, n) = idx[(q * 3)]\n";
  EXPECT_TRUE(
      contains(violationOf(chain, {0, 3}), "out of bounds: element 9 of idx, which has 8; block (0, 0, 0), thread (1"));
  const std::string access = "index q in [-3, n) = idx[threadIdx.x]\ny[threadIdx.x] = move x[q]\n";
  EXPECT_TRUE(contains(violationOf(access, {0, -3}), "out of bounds: element -3 of x"));
}

TEST(InterpLoadedIndexTest, FindsOverflowInIndicesAndRanges) {
  const int64_t huge = int64_t{1} << 40;
  const std::string index = "index q in [0, n) = idx[threadIdx.x]\ny[threadIdx.x] = move x[(q * n)]\n";
  EXPECT_TRUE(
      contains(violationOf(index, {0, huge - 1}, huge), "index overflow on x; block (0, 0, 0), thread (1, 0, 0)"));
  EXPECT_TRUE(
      contains(violationOf("index q in [0, (n * n)) = idx[0]\n", {}, huge), "index overflow in the range of an index"));
  const std::string branch = "index q in [0, n) = idx[0]\nif ((q * n) < (n * 2)) {\ny[0] = Set f32 (1.0)\n}\n";
  EXPECT_TRUE(contains(violationOf(branch, {huge - 1}, huge), "index overflow in a condition"));
}

TEST(InterpLoadedIndexTest, FindsMisalignedVectors) {
  const std::string body =
      "alloc t\nindex q in [0, n) = idx[threadIdx.x]\nt[0] = move idx[(q * 2)] width 2\nt[0] = move idx[q] width 2\n";
  EXPECT_TRUE(contains(violationOf(body, {0, 2, 3, 0}), "misaligned vector: element 3 of idx, width 2"));
}

// A barrier under a condition that data decides: the verifier refuses the kernel, and so does the interpreter.
TEST(InterpLoadedIndexTest, FindsBarriersThatDivergeOnData) {
  const std::string text = kernelWith("index q in [0, n) = idx[threadIdx.x]\nif (q < 2) {\nbarrier\n}\n");
  EXPECT_FALSE(findKernelViolations(*parseKernel(text)).empty());
  InterpRun run(text);
  std::vector<int64_t> idx{0, 1, 2, 1}, w(1);
  std::vector<float> x(1), y(1);
  run.tensor(0, idx).tensor(1, x).tensor(2, w).tensor(3, y).ints({8});
  EXPECT_TRUE(contains(run.violation(), "divergent barrier"));
  EXPECT_EQ(interp::compileKernel(run.kernel()).blocksTogether, 1) << "blocks do not reach the barrier alike";
}

// Lowering's guard: what may hold anything is brought into the range as data, or a condition keeps the thread away.
TEST(InterpLoadedIndexTest, GuardsAreDataBeforeTheLoad) {
  const std::string clamp =
      "alloc t\nt[0] = Maximum i64 (idx[threadIdx.x], 0)\nt[0] = Minimum i64 (t[0], 7)\n"
      "index q in [0, 8) = t[0]\ny[threadIdx.x] = move x[q]\n";
  const std::string skip =
      "alloc t\nt[0] = Ge i64 (idx[threadIdx.x], 0)\nt[1] = Lt i64 (idx[threadIdx.x], int(n))\n"
      "t[0] = BitwiseAnd i64 (t[0], t[1])\nindex inside in [0, 2) = t[0]\nif (inside == 1) {\n"
      "index q in [0, n) = idx[threadIdx.x]\ny[threadIdx.x] = move x[q]\n}\n";
  const std::vector<int64_t> any{-1, std::numeric_limits<int64_t>::min(), 3, std::numeric_limits<int64_t>::max()};
  Case clamped(kernelWith(clamp), any), skipped(kernelWith(skip), any);
  clamped.run.run();
  EXPECT_EQ(clamped.y, (Floats{10, 10, 13, 17, -1, -1, -1, -1}));
  skipped.run.run();
  EXPECT_EQ(skipped.y, (Floats{-1, -1, 13, -1, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace fuser
