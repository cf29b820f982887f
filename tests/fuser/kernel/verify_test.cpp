// The verifier's constraints, by number: a kernel that keeps all of them, and for each one that breaks it.
#include "fuser/kernel/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "fuser/kernel/text.h"

namespace fuser {
namespace {

constexpr const char* kGood = R"(
kernel good {
  scalar a : f64
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  local t : f32 [4]
  local u : f32 [1]
  shared s : f32 [32]
  int n in [0, 1000]
  int s0 in [0, 1000] = stride x 0
  block 32, 1, 1
  grid n, 1, 1

  alloc t
  alloc u
  alloc s
  t[0] = move x[((threadIdx.x * 4) + blockIdx.x)] width 4
  for i < n {
    u[0] = Add f32 (t[0], $a as f32)
  }
  s[threadIdx.x] = move u[0]
  if (blockIdx.x < 1) {
    barrier
    u[0] = shuffle xor 16 (u[0])
  }
  if (threadIdx.x < 4) {
    y[threadIdx.x] = Mul f32 (u[0], int(s0))
  }
}
)";

struct Broken {
  std::unique_ptr<Kernel> kernel = parseKernel(kGood);

  template <class Node>
  Node& node(size_t at) {
    return std::get<Node>(kernel->body.at(at).node);
  }
  Compute& add() { return std::get<Compute>(node<For>(4).body.at(0).node); }
  Shuffle& shuffle() { return std::get<Shuffle>(node<If>(6).body.at(1).node); }
  Buffer& buffer(size_t i) { return kernel->buffers.at(i); }

  // Exactly one constraint is broken.
  void expect(int constraint) {
    const std::vector<KernelViolation> found = findKernelViolations(*kernel);
    ASSERT_FALSE(found.empty()) << "constraint " << constraint << " is not checked";
    for (const KernelViolation& violation : found) EXPECT_EQ(violation.constraint, constraint) << violation.message;
    EXPECT_THROW(verifyKernel(*kernel), CheckError);
  }
};

// The good kernel with one piece of its text replaced.
std::unique_ptr<Kernel> replaced(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return parseKernel(text.replace(at, from.size(), to));
}

TEST(KernelVerifierTest, AcceptsAValidKernel) {
  const Broken good;
  for (const KernelViolation& violation : findKernelViolations(*good.kernel)) {
    ADD_FAILURE() << violation.constraint << ": " << violation.message;
  }
  EXPECT_NO_THROW(verifyKernel(*good.kernel));
}

TEST(KernelVerifierTest, Constraint1BuffersAndArgumentsNameEachOther) {
  Broken id;
  id.buffer(2).id = 3;
  id.expect(1);
  Broken tensor;
  tensor.buffer(0).tensor = 1;
  tensor.expect(1);
  Broken local;
  local.buffer(2).tensor = 0;
  local.expect(1);
  Broken argument;
  argument.kernel->tensors.push_back({});
  argument.expect(1);
}

TEST(KernelVerifierTest, Constraint2NamesAreIdentifiers) {
  Broken buffer;
  buffer.buffer(0).name = "x[0]; injected";
  buffer.expect(2);
  Broken kernel;
  kernel.kernel->name = "9lives";
  kernel.expect(2);
}

TEST(KernelVerifierTest, Constraint3SizesAreConstant) {
  Broken missing;
  missing.buffer(2).size = nullptr;
  missing.expect(3);
  Broken symbolic;
  symbolic.buffer(2).size = symbolic.kernel->intParams[0].symbol;
  symbolic.expect(3);
  Broken zero;
  zero.buffer(4).size = zero.kernel->ints->constant(0);
  zero.expect(3);
  Broken global;
  global.buffer(0).size = global.kernel->ints->constant(4);
  global.expect(3);
}

TEST(KernelVerifierTest, Constraint4LaunchShapesFit) {
  Broken large;
  large.kernel->blockDim[1] = 64;
  large.kernel->threadIdx[1] = large.kernel->ints->index("threadIdx.y", large.kernel->ints->constant(64));
  large.expect(4);
  Broken zero;
  zero.kernel->blockDim[2] = 0;
  zero.expect(4);
  Broken grid;
  grid.kernel->gridDim[1] = grid.kernel->threadIdx[0];
  grid.kernel->blockIdx[1] = grid.kernel->ints->index("blockIdx.y", grid.kernel->gridDim[1]);
  grid.expect(4);
}

TEST(KernelVerifierTest, Constraint5ThreadAndBlockIndicesRunOverTheLaunch) {
  Broken thread;
  thread.kernel->threadIdx[0] = thread.kernel->ints->index("threadIdx.x", thread.kernel->ints->constant(31));
  thread.expect(5);
  Broken block;
  block.kernel->blockIdx[0] = block.kernel->ints->symbol("blockIdx.x");
  block.expect(5);
  Broken constant;
  constant.kernel->threadIdx[1] = constant.kernel->ints->constant(1);
  constant.expect(5);
}

TEST(KernelVerifierTest, Constraint6ParametersAreComplete) {
  Broken twice;
  twice.kernel->intParams[1].symbol = twice.kernel->intParams[0].symbol;
  twice.expect(6);
  Broken axis;
  axis.kernel->intParams[1].axis = 1;
  axis.expect(6);
  Broken tensor;
  tensor.kernel->intParams[1].tensor = 2;
  tensor.expect(6);
  Broken scalar;
  scalar.kernel->scalars[0].dtype = DataType::Half;
  scalar.expect(6);
}

TEST(KernelVerifierTest, Constraint7BuffersHaveOneAllocate) {
  Broken twice;
  twice.node<Allocate>(1).buffer = 2;
  std::vector<KernelViolation> found = findKernelViolations(*twice.kernel);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].constraint, 7);
  Broken global;
  global.kernel->body.insert(global.kernel->body.begin(), Statement{Allocate{0}});
  global.expect(7);
}

TEST(KernelVerifierTest, Constraint8BuffersAreUsedInScope) {
  Broken before;
  std::swap(before.kernel->body[2], before.kernel->body[5]);
  before.expect(8);
  Broken inside;
  inside.kernel = replaced("  alloc u\n", "");
  Body& loop = inside.node<For>(3).body;
  loop.insert(loop.begin(), Statement{Allocate{3}});
  inside.expect(8);
}

TEST(KernelVerifierTest, Constraint9SymbolsAreInScope) {
  Broken after;
  after.node<Move>(5).source.index = after.node<For>(4).index;
  after.expect(9);
  Broken stray;
  stray.node<For>(4).extent = stray.kernel->ints->symbol("stray");
  stray.node<For>(4).index = stray.kernel->ints->index("i", stray.node<For>(4).extent);
  stray.expect(9);
  Broken foreign;
  IntExprArena other;
  for (int i = 0; i < 20; ++i) foreign.node<Move>(5).source.index = other.symbol("foreign");
  foreign.expect(9);
}

TEST(KernelVerifierTest, Constraint10LoopIndicesRunOverTheExtent) {
  Broken other;
  other.node<For>(4).index = other.kernel->ints->index("i", other.kernel->ints->constant(7));
  other.expect(10);
  Broken again;
  again.kernel->body.push_back(again.kernel->body[4]);
  again.expect(10);
  Broken constant;
  constant.node<For>(4).extent = constant.kernel->ints->constant(1);
  constant.node<For>(4).index = constant.kernel->ints->constant(0);
  constant.expect(10);
}

TEST(KernelVerifierTest, Constraint11LoopExtentsAreUniform) {
  Broken broken;
  broken.kernel = replaced("for i < n {", "for i < (n + threadIdx.x) {");
  broken.expect(11);
}

TEST(KernelVerifierTest, Constraint12MovesKeepTheDtypeAndFitAVector) {
  Broken dtype;
  dtype.buffer(4).dtype = DataType::Int32;
  dtype.expect(12);
  for (int width : {0, 3, 8, -4}) {
    Broken broken;
    broken.node<Move>(3).width = width;
    broken.expect(12);
  }
}

TEST(KernelVerifierTest, Constraint13ComputesFitTheTable) {
  Broken count;
  count.add().operands.pop_back();
  count.expect(13);
  Broken dtype;
  dtype.add().computeDtype = DataType::BFloat16;
  dtype.expect(13);
  Broken accepts;
  accepts.add().op = OpKind::Div;
  accepts.add().computeDtype = DataType::Int64;
  accepts.expect(13);
  Broken structural;
  structural.add().op = OpKind::Sum;
  structural.expect(13);
  Broken conversion;
  conversion.add().op = OpKind::Cast;
  conversion.add().operands.pop_back();
  conversion.add().computeDtype = DataType::Double;
  conversion.expect(13);
}

TEST(KernelVerifierTest, Constraint14InputsAreNeverWritten) {
  Broken broken;
  broken.kernel->tensors[1].written = false;
  broken.expect(14);
}

TEST(KernelVerifierTest, Constraint15BarriersAreNotDivergent) {
  Broken broken;
  broken.kernel = replaced("if (blockIdx.x < 1) {", "if (threadIdx.x < 1) {");
  broken.expect(15);
  EXPECT_EQ(findKernelViolations(*broken.kernel).size(), 2u);  // the barrier and the shuffle
  Broken nested;
  nested.kernel = replaced("    barrier\n", "    if (threadIdx.x < n) {\n if (blockIdx.x < 2) {\n barrier\n}\n}\n");
  nested.expect(15);
}

TEST(KernelVerifierTest, Constraint16ShufflesStayInAWarpAndInRegisters) {
  for (int64_t lanes : {-1, 0, 3, 32, 64}) {
    Broken broken;
    broken.shuffle().lanes = lanes;
    broken.expect(16);
  }
  Broken first;
  first.shuffle().from = Shuffle::From::First;
  first.shuffle().lanes = 32;
  EXPECT_TRUE(findKernelViolations(*first.kernel).empty());
  first.shuffle().lanes = 64;
  first.expect(16);
  Broken narrow;
  narrow.kernel->device.warp = 24;  // of which 8 divides the warp
  narrow.expect(16);
  narrow.shuffle().lanes = 4;
  EXPECT_TRUE(findKernelViolations(*narrow.kernel).empty());
  Broken dtype;
  dtype.buffer(3).dtype = DataType::Double;
  dtype.shuffle().target.buffer = 2;
  std::vector<KernelViolation> found = findKernelViolations(*dtype.kernel);
  std::erase_if(found, [](const KernelViolation& violation) { return violation.constraint == 12; });
  ASSERT_EQ(found.size(), 1u) << "a Move of the buffer breaks 12, too";
  EXPECT_EQ(found[0].constraint, 16);
  Broken shared;
  shared.shuffle().source.buffer = 4;
  shared.expect(16);
}

TEST(KernelVerifierTest, Constraint17OperandsAreComplete) {
  Broken param;
  param.add().operands[1].param = 1;
  param.expect(17);
  Broken integer;
  integer.add().operands[1] = {};
  integer.add().operands[1].kind = Operand::Kind::Int;
  integer.expect(17);
  Broken access;
  access.add().operands[0].access.buffer = 9;
  access.expect(17);
  Broken rounded;
  rounded.add().operands[0].roundTo = DataType::Half;
  rounded.expect(17);
}

TEST(KernelVerifierTest, Constraint18ConditionsAreTruthValues) {
  Broken broken;
  broken.node<If>(6).condition = broken.kernel->intParams[0].symbol;
  broken.expect(18);
}

TEST(KernelVerifierTest, Constraint19SharedMemoryIsLimited) {
  Broken broken;
  const int64_t most = broken.kernel->device.optInShared / 4;
  broken.buffer(4).size = broken.kernel->ints->constant(most);
  EXPECT_TRUE(findKernelViolations(*broken.kernel).empty());
  broken.buffer(4).size = broken.kernel->ints->constant(most + 1);
  broken.expect(19);
}

constexpr const char* kWelford = R"(
kernel good {
  local m : f32 [1]
  local s : f32 [1]
  local c : i64 [1]
  local d : f64 [1]
  shared h : f32 [32]
  shared g : f32 [32]
  shared k : i64 [32]
  block 32, 1, 1
  grid 1, 1, 1

  alloc m
  alloc s
  alloc c
  alloc d
  alloc h
  alloc g
  alloc k
  join f32 (m[0], s[0], c[0]) (h[0], g[0], k[0])
}
)";

TEST(KernelVerifierTest, Constraint20AJoinIsOfTwoPartialResults) {
  std::string text = kWelford;
  text.replace(text.find("  join"), std::string::npos, "  join f32 (m[0], s[0], c[0]) (m[1], h[0], c[0])\n}\n");
  text.replace(text.find("m : f32 [1]"), 11, "m : f32 [2]");
  const auto problem = [&](const std::function<void(JoinWelford&)>& edit) {
    const std::unique_ptr<Kernel> kernel = parseKernel(text);
    edit(std::get<JoinWelford>(kernel->body.back().node));
    const std::vector<KernelViolation> found = findKernelViolations(*kernel);
    return found.empty() ? 0 : found.front().constraint;
  };
  EXPECT_EQ(problem([](JoinWelford&) {}), 0);
  EXPECT_EQ(problem([](JoinWelford& join) { join.squares = join.otherSquares; }), 20) << "written, and shared";
  EXPECT_EQ(problem([](JoinWelford& join) { join.otherCount = join.otherMean; }), 20) << "no i64";
  EXPECT_EQ(problem([](JoinWelford& join) { join.otherSquares = join.otherMean; }), 20) << "given twice";
  EXPECT_EQ(problem([](JoinWelford& join) { join.dtype = DataType::Double; }), 20);
}

// The blocks store, wait for each other, and load.
constexpr const char* kGrid = R"(
kernel good {
  tensor y : f32 rank 1 argument 0 written
  int n in [0, 1000]
  workspace w : f32 [n]
  semaphore s
  block 1, 1, 1
  grid n, 1, 1

  w[blockIdx.x] = Set f32 (1.0)
  for i < n {
    grid barrier s (w stored)
  }
  y[blockIdx.x] = move w[0]
  release s
}
)";

struct BrokenGrid : Broken {
  explicit BrokenGrid(const std::string& from = "", const std::string& to = "") {
    std::string text = kGrid;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    kernel = parseKernel(text.replace(at, from.size(), to));
  }
};

TEST(KernelVerifierTest, AcceptsBarriersOfTheGrid) { EXPECT_NO_THROW(verifyKernel(*BrokenGrid().kernel)); }

TEST(KernelVerifierTest, Constraint1WorkspacesHaveBuffersOfTheirOwn) {
  BrokenGrid twice;
  twice.kernel->workspaces.push_back(twice.kernel->workspaces.front());
  twice.expect(1);
  BrokenGrid tensor;
  tensor.kernel->workspaces.push_back({0, Workspace::Kind::Scratch});
  tensor.expect(1);
}

TEST(KernelVerifierTest, Constraint3AWorkspaceHasASizeOfParameters) {
  BrokenGrid none;
  none.buffer(1).size = nullptr;
  none.expect(3);
  BrokenGrid unknown;
  unknown.buffer(1).size = unknown.kernel->blockIdx[0];
  unknown.expect(3);
}

TEST(KernelVerifierTest, Constraint15AllBlocksReachABarrierOfTheGrid) {
  BrokenGrid("for i < n {", "if (n < 7) {").expect(15);
  BrokenGrid("for i < n {", "for i < (blockIdx.x + 2) {").expect(15);
}

TEST(KernelVerifierTest, Constraint24NarrowIndicesHave32Bits) {
  Broken broken;
  broken.kernel->device.indexBound = (int64_t{1} << 31) + 1;
  EXPECT_TRUE(findKernelViolations(*broken.kernel).empty()) << "a wide kernel does not ask";
  broken.kernel->narrowIndices = true;
  broken.expect(24);
  broken.kernel->device.indexBound = 0;
  broken.expect(24);
  broken.kernel->device.indexBound = int64_t{1} << 31;
  EXPECT_TRUE(findKernelViolations(*broken.kernel).empty());
}

TEST(KernelVerifierTest, Constraint23SemaphoresAreForBarriersAlone) {
  BrokenGrid("move w[0]", "Set f32 (s[0])").expect(23);
  BrokenGrid("  release s\n", "").expect(23);
  BrokenGrid("  y[blockIdx.x] = move w[0]\n  release s\n", "  release s\n  y[blockIdx.x] = move w[0]\n").expect(23);
  BrokenGrid("grid barrier s", "grid barrier w").expect(23);
  BrokenGrid longer;
  longer.buffer(2).size = longer.kernel->ints->constant(3);
  longer.expect(23);
}

// Gathers x by idx, and scatters to y.
constexpr const char* kGather = R"(
kernel good {
  tensor idx : i32 rank 1 argument 0
  tensor x : f32 rank 1 argument 1
  tensor y : f32 rank 1 argument 2 written
  shared t : i64 [4]
  int n in [1, 1000]
  block 32, 1, 1
  grid n, 1, 1

  alloc t
  index q in [0, n) = idx[threadIdx.x]
  index r in [(n * -1), n) = idx[(q * 3)]
  if (r < q) {
    t[(threadIdx.x % 4)] = Set i64 (int(r))
    index s in [0, 4) = t[(threadIdx.x % 4)]
    y[((q * 3) + s)] = move x[q]
  }
}
)";

// The constraint that the kernel with one piece of kGather replaced breaks; 0 for none, -1 for several.
int brokenInGather(const std::string& from, const std::string& to,
                   const std::function<void(Kernel&)>& edit = [](Kernel&) {}) {
  std::string text = kGather;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const std::unique_ptr<Kernel> kernel = parseKernel(text.replace(at, from.size(), to));
  edit(*kernel);
  int constraint = 0;
  for (const KernelViolation& violation : findKernelViolations(*kernel)) {
    constraint = constraint == 0 || constraint == violation.constraint ? violation.constraint : -1;
  }
  return constraint;
}

TEST(KernelVerifierTest, AcceptsLoadedIndicesInAccessesConditionsAndOperands) {
  EXPECT_EQ(brokenInGather("", ""), 0);
}

TEST(KernelVerifierTest, Constraint9LoadedIndicesAreUsedAfterTheirLoadInItsBody) {
  EXPECT_EQ(brokenInGather("", "", [](Kernel& kernel) { std::swap(kernel.body[1], kernel.body[2]); }), 9);
  EXPECT_EQ(brokenInGather("", "", [](Kernel& kernel) {
              Body& inner = std::get<If>(kernel.body[3].node).body;
              Move after = std::get<Move>(inner[2].node);
              after.source.index = std::get<LoadIndex>(inner[1].node).index;
              kernel.body.push_back({after});
            }), 9);
}

TEST(KernelVerifierTest, Constraint11LoopExtentsHoldNoLoadedIndex) {
  EXPECT_EQ(brokenInGather("if (r < q) {\n", "for i < (q + 2) {\n"), 11);
}

TEST(KernelVerifierTest, Constraint15BarriersDependOnNoLoadedIndex) {
  EXPECT_EQ(brokenInGather("if (r < q) {\n", "if (r < q) {\n barrier\n"), 15);
  EXPECT_EQ(brokenInGather("if (r < q) {\n", "barrier\n if (r < q) {\n"), 0);
}

TEST(KernelVerifierTest, Constraint21LoadedIndicesAreIntegersOfARangeOfTheirOwn) {
  for (const char* dtype : {"f32", "i8", "bool", "f64"}) {
    EXPECT_EQ(brokenInGather("idx : i32", concat("idx : ", dtype)), 21) << dtype;
  }
  EXPECT_EQ(brokenInGather("idx : i32", "idx : i64"), 0);
  EXPECT_EQ(brokenInGather("r in [(n * -1), n)", "r in [q, n)"), 21) << "no parameter";
  EXPECT_EQ(brokenInGather("r in [(n * -1), n)", "r in [(n * -1), (threadIdx.x + 1))"), 21) << "no parameter";
  EXPECT_EQ(brokenInGather("s in [0, 4)", "s in [4, 4)"), 21) << "empty";
  EXPECT_EQ(brokenInGather("q in [0, n)", "q in [n, n)"), 21) << "empty";
  EXPECT_EQ(brokenInGather("s in [0, 4)", "s in [0, 4611686018427387904)"), 21) << "large";
  EXPECT_EQ(brokenInGather("s in [0, 4)", "s in [-4611686018427387904, 4)"), 21) << "large";
  EXPECT_EQ(brokenInGather("s in [0, 4)", concat("s in [", kRangeMin, ", ", kRangeMax, ")")), 0);
  EXPECT_EQ(brokenInGather("", "", [](Kernel& kernel) { kernel.body.push_back(kernel.body[1]); }), 21) << "twice";
  const auto brokenIn = [](const std::function<void(Kernel&, LoadIndex&)>& edit) {
    return brokenInGather("  index q", "  index unused in [0, n) = idx[0]\n  index q", [&](Kernel& kernel) {
      edit(kernel, std::get<LoadIndex>(kernel.body[1].node));
    });
  };
  EXPECT_EQ(brokenIn([](Kernel&, LoadIndex&) {}), 0);
  EXPECT_EQ(brokenIn([](Kernel& kernel, LoadIndex& load) { load.extent = kernel.ints->constant(7); }), 21);
  EXPECT_EQ(brokenIn([](Kernel&, LoadIndex& load) { load.low = nullptr; }), 21);
  EXPECT_EQ(brokenIn([](Kernel& kernel, LoadIndex& load) { load.index = kernel.ints->index("i", load.extent); }), 21);
  EXPECT_EQ(brokenIn([](Kernel& kernel, LoadIndex& load) { load.index = kernel.intParams[0].symbol; }), 21);
}

TEST(KernelVerifierTest, Constraint10LoopIndicesAreNotLoaded) {
  EXPECT_EQ(brokenInGather("if (r < q) {\n", "for i < 4 {\n", [](Kernel& kernel) {
              For& loop = std::get<For>(kernel.body[3].node);
              loop.index = kernel.ints->loaded("i", kernel.ints->constant(0), loop.extent);
            }), 10);
}

TEST(KernelVerifierTest, Constraint22AccessesByLoadedIndicesMayBeInBounds) {
  EXPECT_EQ(brokenInGather("t[(threadIdx.x % 4)] = Set", "t[(q + 4)] = Set"), 22);
  EXPECT_EQ(brokenInGather("t[(threadIdx.x % 4)] = Set", "t[(q + 3)] = Set"), 0);
  EXPECT_EQ(brokenInGather("move x[q]", "move x[((q * -1) + -1)]"), 22);
  EXPECT_EQ(brokenInGather("move x[q]", "move x[(q * -1)]"), 0);
  EXPECT_EQ(brokenInGather("idx[(q * 3)]", "idx[((q * -3) + -1)]"), 22);
  // What no data decides is left to the interpreter.
  EXPECT_EQ(brokenInGather("t[(threadIdx.x % 4)] = Set", "t[(threadIdx.x + 4)] = Set"), 0);
}

TEST(KernelVerifierTest, Constraint25RegistersAreIndexedByConstants) {
  const auto indexedBy = [](const std::string& loop, const std::string& index) {
    Broken each;
    each.kernel = replaced("for i < n {\n    u[0] = Add f32 (t[0], $a as f32)",
                           "for i < " + loop + " {\n    u[0] = Add f32 (t[" + index + "], $a as f32)");
    return each;
  };
  indexedBy("4", "i").expect(25);
  indexedBy("n unroll", "min(i, 3)").expect(25);
  indexedBy("4 unroll", "(threadIdx.x % 4)").expect(25);
  EXPECT_NO_THROW(verifyKernel(*indexedBy("4 unroll", "i").kernel));
  EXPECT_NO_THROW(verifyKernel(*indexedBy("8 unroll", "(i % 4)").kernel));
}

TEST(KernelVerifierTest, Constraint26LoopsAreUnswitchedAndLoadAhead) {
  Broken broken;
  broken.kernel = replaced("for i < n {", "for i < n unswitch (n < 3) {");
  broken.expect(26);
  broken.kernel = replaced("for i < n {", "for i < n ahead t {");
  broken.expect(26);
}

}  // namespace
}  // namespace fuser
