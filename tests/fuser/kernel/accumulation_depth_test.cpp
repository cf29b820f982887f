// Depth of accumulation, on kernels in the shapes that schedules give.
#include "fuser/kernel/accumulation_depth.h"

#include <gtest/gtest.h>

#include <map>

#include "fuser/ir/builder.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

using Depths = std::map<std::string, int64_t>;

// Declarations for all kernels here; `body` is what differs.
std::string kernelWith(const std::string& body) {
  return "kernel k {\n tensor x : f32 rank 1 argument 0\n tensor y : f32 rank 1 argument 1 written\n"
         " tensor idx : i64 rank 1 argument 2\n"
         " local p : f32 [4]\n local q : f32 [4]\n local z : f32 [4]\n int n in [0, 100000]\n"
         " block 24, 4, 1\n grid n, 1, 1\n alloc p\n alloc q\n alloc z\n" + body + "}\n";
}

// p = sum(x), q = sum(p): statements that write p stand for the first, those that write q for the second.
struct TwoSums {
  Fusion fusion;
  TensorView* p;
  TensorView* q;
  std::unique_ptr<Kernel> kernel;

  explicit TwoSums(const std::string& body) : kernel(parseKernel(kernelWith(body))) {
    TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    p = build::reduction(fusion, OpKind::Sum, x, {1}, false, "p");
    q = build::reduction(fusion, OpKind::Sum, p, {0}, false, "q");
    fusion.addOutput(q);
    attach(kernel->body);
  }

  void attach(Body& body) {
    for (Statement& s : body) {
      if (For* loop = std::get_if<For>(&s.node)) attach(loop->body);
      if (If* branch = std::get_if<If>(&s.node)) attach(branch->body);
      if (Compute* compute = std::get_if<Compute>(&s.node)) compute->source = sourceOf(compute->target);
    }
  }

  const Expr* sourceOf(const Access& target) const {
    const std::string& name = kernel->buffers[static_cast<size_t>(target.buffer)].name;
    return name == "p" ? p->definition() : name == "q" ? q->definition() : nullptr;
  }

  ReductionDepth depthOf(const std::string& name, int64_t n) const {
    for (const auto& [view, depth] : accumulationDepth(*kernel, std::vector<int64_t>{n})) {
      if (view->name() == name) return depth;
    }
    return {};
  }

  Depths depths(int64_t n) const {
    Depths found;
    for (const auto& [view, depth] : accumulationDepth(*kernel, std::vector<int64_t>{n})) {
      found[view->name()] = depth.total();
    }
    return found;
  }
};

TEST(AccumulationDepthTest, CountsIterationsOfALoop) {
  const TwoSums k("p[0] = Set f32 (0.0)\nfor j < n {\np[0] = Add f32 (p[0], x[j])\n}\ny[0] = move p[0]\n");
  for (int64_t n : {1, 2, 3, 17, 1000, 100000}) EXPECT_EQ(k.depths(n), (Depths{{"p", n}})) << n;
  EXPECT_EQ(k.depths(0), Depths{});
}

TEST(AccumulationDepthTest, CountsNestedLoopsAndConditionsAsTaken) {
  const TwoSums k(
      "p[0] = Set f32 (0.0)\nfor j < n {\nfor i < 5 {\nif (i < n) {\np[0] = Add f32 (p[0], x[j])\n}\n}\n}\n");
  EXPECT_EQ(k.depths(300), (Depths{{"p", 1500}}));
}

// In each turn q may be what makes the target's element the same again.
TEST(AccumulationDepthTest, CountsEveryIterationIfALoadedIndexSelectsTheTarget) {
  const auto k = [](const std::string& before, const std::string& inside) {
    return TwoSums("p[0] = Set f32 (0.0)\n" + before + "for j < n {\n" + inside +
                   "p[(j + q)] = Add f32 (p[(j + q)], x[j])\n}\n");
  };
  const std::string load = "index q in [-9, 9) = idx[threadIdx.x]\n";
  EXPECT_EQ(k("", load).depths(50), (Depths{{"p", 50}}));
  EXPECT_EQ(k("for i < 2 {\n" + load + "y[q] = Set f32 (1.0)\n}\n" + load, "").depths(50), (Depths{{"p", 1}}));
}

// A scatter: all terms may go to one element.
TEST(AccumulationDepthTest, CountsTermsScatteredToAnElement) {
  const TwoSums k("p[0] = Set f32 (0.0)\nfor j < n {\nindex q in [0, 4) = idx[j]\np[q] = Add f32 (p[q], x[j])\n}\n");
  EXPECT_EQ(k.depths(300), (Depths{{"p", 300}}));
}

// With contraction. The partial results of other blocks are no products.
TEST(AccumulationDepthTest, CountsTermsThatAnFmaAdds) {
  const TwoSums k(
      "p[0] = Set f32 (0.0)\nfor j < n {\np[0] = Fma f32 (x[j], x[j], p[0])\n}\nz[0] = move p[0]\n"
      "p[0] = Add f32 (p[0], z[0])\n");
  EXPECT_EQ(k.depthOf("p", 300), (ReductionDepth{300, 1}));
}

TEST(AccumulationDepthTest, RestartsAtTheIdentity) {
  const TwoSums k(
      "for i < 100 {\np[0] = Set f32 (0.0)\nfor j < n {\np[0] = Add f32 (p[0], x[j])\n}\ny[i] = move p[0]\n}\n");
  EXPECT_EQ(k.depths(9), (Depths{{"p", 9}}));
}

TEST(AccumulationDepthTest, CountsVectorAccumulatorsSeparately) {
  const TwoSums k("for v < 4 {\np[v] = Set f32 (0.0)\n}\nfor j < n {\nfor w < 4 {\n"
                  "p[w] = Add f32 (p[w], x[((j * 4) + w)])\n}\n}\n");
  EXPECT_EQ(k.depths(50), (Depths{{"p", 50}}));
}

TEST(AccumulationDepthTest, CountsEveryIterationIfTheAccumulatorRecurs) {
  const TwoSums k("for v < 4 {\np[v] = Set f32 (0.0)\n}\nfor j < n {\np[(j % 4)] = Add f32 (p[(j % 4)], x[j])\n}\n");
  EXPECT_GE(k.depths(40).at("p"), 10);
}

// Two levels of a tree: between lanes, then through an element that another thread may have stored.
const char* const kTree =
    "z[0] = shuffle xor 1 (p[0])\np[0] = Add f32 (p[0], z[0])\nz[3] = move p[0]\n"
    "if (threadIdx.x < 1) {\np[0] = Add f32 (p[0], z[3])\n}\n";

TEST(AccumulationDepthTest, AddsTheLevelsOfATree) {
  const std::string loop = "p[0] = Set f32 (0.0)\nfor j < n {\np[0] = Add f32 (p[0], x[j])\n}\n";
  EXPECT_EQ(TwoSums(loop + kTree).depths(10), (Depths{{"p", 12}}));
  EXPECT_EQ(TwoSums(loop + kTree).depthOf("p", 10), (ReductionDepth{10, 2}));
}

const char* const kChain =
    "p[0] = Set f32 (0.0)\nfor j < n {\np[0] = Add f32 (p[0], x[j])\n}\n"
    "q[0] = Set f32 (0.0)\nfor i < 3 {\nq[0] = Add f32 (q[0], p[0])\n}\nz[0] = Neg f32 (q[0])\n";

TEST(AccumulationDepthTest, ContinuesFromPartialResults) {
  // p has no origin: it is the partial result that an rFactor made of q.
  EXPECT_EQ(TwoSums(kChain).depths(10), (Depths{{"p", 10}, {"q", 13}}));
}

TEST(AccumulationDepthTest, CountsAReductionOfAReductionSeparately) {
  TwoSums k(kChain);
  k.fusion.markOrigins();
  EXPECT_EQ(k.depths(10), (Depths{{"p", 10}, {"q", 3}}));
}

TEST(AccumulationDepthTest, FollowsPartialResultsThroughMoves) {
  const TwoSums k(
      "p[0] = Set f32 (0.0)\nfor j < n {\np[0] = Add f32 (p[0], x[j])\n}\nz[0] = move p[0]\n"
      "q[0] = Set f32 (0.0)\nq[0] = Add f32 (q[0], z[0])\nz[1] = shuffle xor 8 (q[0])\n"
      "q[0] = Add f32 (q[0], z[1])\n");
  EXPECT_EQ(k.depths(10), (Depths{{"p", 10}, {"q", 12}}));
}

TEST(AccumulationDepthTest, UsesTheLargestExtentThatDependsOnIndices) {
  const TwoSums k("p[0] = Set f32 (0.0)\nfor j < (blockIdx.x + 1) {\np[0] = Add f32 (p[0], x[j])\n}\n");
  EXPECT_EQ(k.depths(64), (Depths{{"p", 64}}));
}

}  // namespace
}  // namespace fuser
