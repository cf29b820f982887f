// Reductions over the threads of a block, through lowering and two engines: each thread gets the result of the fixed
// tree, for any number of threads and any dimensions that are reduced.
#include <gtest/gtest.h>

#include "fuser/codegen/print_cuda.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/kernel/text.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

struct Shape {
  int64_t x, y, z;
  std::string dims;  // reduced: a subset of "xyz"
  int64_t warp = 32;
  int64_t threads() const { return x * y * z; }
  bool reduces(char dim) const { return dims.find(dim) != std::string::npos; }
  std::string text() const { return concat(x, ", ", y, ", ", z, " over ", dims, ", warps of ", warp); }
};

// Each thread loads one element, all reduce along the dims, and each stores the result that it got.
std::string caseOf(const Shape& shape, const std::string& op, const std::string& dtype, EngineKind engine) {
  std::string reduced, kept, steps;
  for (int axis = 0; axis < 3; ++axis) {  // z, y, x
    if (shape.reduces("zyx"[axis])) {
      reduced += concat(reduced.empty() ? "" : ", ", axis);
      kept += concat(kept.empty() ? "" : ", ", axis);
    }
    for (const char* name : {"r", "s", "z", "y"}) {
      steps += concat("  parallelize %", name, " {axis = ", axis, ", type = TID", "zyx"[axis], "}\n");
    }
  }
  const std::string axes = concat("[", shape.z, ", ", shape.y, ", ", shape.x, "]");
  return concat("fusion f(%x: ", dtype, axes, ") {\n  %r = ", op, "(%x) {dims = [", reduced,
                "]}\n  %s = unsqueeze(%r) {dims = [", kept, "]}\n  %z = ne(%x, %x)\n  %y = where(%z, %x, %s)\n  return",
                " %y\n}\noption engine = \"", engine == EngineKind::Cpu ? "cpu" : "interp",
                "\"\noption device_warp = ", shape.warp, "\nschedule {\n", steps,
                "  inlineMost\n}\nrun { %x = integers(seed = 3, low = ", dtype == "bool" ? 0 : -99,
                ", high = ", dtype == "bool" ? 2 : 100, ") : ", dtype, axes, " }\n");
}

// The tree, written down once more: neighbours that a warp has first, then what is left.
template <class T, class Combine>
T treeOf(std::vector<T> v, const Combine& combine) {
  size_t s = 1;
  while (s * 2 < v.size()) s *= 2;
  for (; s > 0 && v.size() > 1; s /= 2) {
    for (size_t t = 0; t < s && t + s < v.size(); ++t) v[t] = combine(v[t], v[t + s]);
  }
  return v[0];
}

int64_t lanesOf(const Shape& shape) {
  int64_t neighbours = 1;
  for (const auto& [size, dim] : {std::pair(shape.x, 'x'), std::pair(shape.y, 'y'), std::pair(shape.z, 'z')}) {
    if (size > 1 && !shape.reduces(dim)) break;
    neighbours *= size;
  }
  int64_t lanes = 1;
  while (lanes < 32 && neighbours % (2 * lanes) == 0 && shape.warp % (2 * lanes) == 0) lanes *= 2;
  return lanes;
}

const std::vector<Shape> kShapes = {
    {2, 1, 1, "x"},   {3, 1, 1, "x"},    {24, 1, 1, "x"},      {31, 1, 1, "x"},     {32, 1, 1, "x"},   {33, 1, 1, "x"},
    {64, 1, 1, "x"},  {96, 1, 1, "x"},   {100, 1, 1, "x"},     {127, 1, 1, "x"},    {128, 1, 1, "x"},  {160, 1, 1, "x"},
    {500, 1, 1, "x"}, {1000, 1, 1, "x"}, {1023, 1, 1, "x"},    {1024, 1, 1, "x"},   {1, 7, 1, "y"},    {1, 1, 9, "z"},
    {4, 6, 5, "x"},   {4, 6, 5, "y"},    {4, 6, 5, "z"},       {4, 6, 5, "xy"},     {4, 6, 5, "xz"},   {4, 6, 5, "yz"},
    {4, 6, 5, "xyz"}, {33, 31, 1, "y"},  {33, 31, 1, "xy"},    {2, 3, 64, "xz"},    {32, 8, 1, "xy"},  {16, 4, 2, "x"},
    {48, 3, 1, "x"},  {64, 4, 1, "xz"},  {32, 4, 1, "xy", 24}, {64, 2, 1, "x", 64}, {64, 1, 1, "x", 1}};

// Sums of numbers that another order would round otherwise.
TEST(BlockReductionTest, EachThreadGetsTheFixedTree) {
  for (size_t i = 0; i < kShapes.size(); ++i) {
    const Shape& shape = kShapes[i];
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Cpu}) {
      if (engine == EngineKind::Cpu && i % 3 != 0) continue;  // clang takes its time
      Session session(caseOf(shape, "sum", "f32", engine));
      session.data.push_back(materialize(session.testCase, session.testCase.runs[0]));
      float* x = static_cast<float*>(session.data.back().tensors.at(0).ref.data);
      for (int64_t t = 0; t < shape.threads(); ++t) x[t] = static_cast<float>(t * 2654435761 % 1000003) * 1e-3f;
      const std::vector<double> y = elements(session.cache->run(hostValues(session.data.back())).outputs.at(0));
      ASSERT_EQ(y.size(), static_cast<size_t>(shape.threads()));
      std::map<int64_t, std::vector<int64_t>> groups;
      for (int64_t t = 0; t < shape.threads(); ++t) {
        const int64_t at[] = {t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y};
        int64_t key = 0;
        for (size_t d = 0; d < 3; ++d) key = key * 1024 + (shape.reduces("xyz"[d]) ? 0 : at[d]);
        groups[key].push_back(t);
      }
      const auto add = [](float a, float b) { return a + b; };
      const size_t lanes = static_cast<size_t>(lanesOf(shape));
      for (const auto& [key, group] : groups) {
        std::vector<float> left;
        for (size_t first = 0; first < group.size(); first += lanes) {
          std::vector<float> warp;
          for (size_t k = first; k < first + lanes; ++k) warp.push_back(x[group[k]]);
          left.push_back(treeOf(warp, add));
        }
        const float expected = treeOf(left, add);
        for (int64_t t : group) ASSERT_EQ(y[static_cast<size_t>(t)], expected) << shape.text() << ", thread " << t;
      }
    }
  }
}

TEST(BlockReductionTest, EachThreadGetsTheSameBits) {
  const std::pair<std::string, std::string> ops[] = {{"amax", "f32"}, {"amin", "f64"}, {"prod", "f64"}, {"var", "f32"},
                                                     {"amax", "i8"},  {"any", "bool"}, {"sum", "i64"}};
  for (size_t i = 0; i < kShapes.size(); ++i) {
    const auto [op, dtype] = ops[i % std::size(ops)];
    std::vector<double> first;
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Cpu}) {
      if (engine == EngineKind::Cpu && i % 3 != 1) continue;
      Session session(caseOf(kShapes[i], op, dtype, engine));
      const std::vector<double> y = elements(session.run().outputs.at(0));
      if (first.empty()) first = y;
      EXPECT_EQ(y, first) << op << " " << dtype << " " << kShapes[i].text();
    }
    if (kShapes[i].dims.size() < 3 && kShapes[i].threads() != kShapes[i].x) continue;
    for (double value : first) EXPECT_EQ(value, first[0]) << op << " " << dtype << " " << kShapes[i].text();
  }
}

// What one block passes and keeps: barriers and bytes.
std::pair<size_t, size_t> costOf(const Shape& shape) {
  std::pair<size_t, size_t> cost;
  AfterLower counts([&](int, Kernel& kernel) {
    forEachStatement(kernel.body, [&](const Statement& statement) {
      cost.first += std::holds_alternative<Barrier>(statement.node);
    });
    cost.second = sharedMemoryBytes(kernel);
  });
  Session session(caseOf(shape, "sum", "f32", EngineKind::Interp),
                  [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&counts); });
  session.run();
  return cost;
}

TEST(BlockReductionTest, WaitsForWhatAWarpDoesNotHold) {
  using Cost = std::pair<size_t, size_t>;
  EXPECT_EQ(costOf({32, 1, 1, "x"}), Cost(0, 0));
  EXPECT_EQ(costOf({32, 8, 1, "x"}), Cost(0, 0));
  EXPECT_EQ(costOf({8, 16, 1, "x"}), Cost(0, 0));
  EXPECT_EQ(costOf({128, 1, 1, "x"}), Cost(1, 16));
  EXPECT_EQ(costOf({1024, 1, 1, "x"}), Cost(1, 128));
  EXPECT_EQ(costOf({96, 2, 1, "x"}), Cost(1, 32));
  EXPECT_EQ(costOf({32, 16, 1, "y"}), Cost(5, 2048));
}

}  // namespace
}  // namespace fuser
