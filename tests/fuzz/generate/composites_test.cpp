// Names that are made of other ops: each of them is drawn, and none where a part of it is not allowed.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fuzz/generate/generate.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

// Names that other parts of the generator draw: products.cpp, random.cpp.
constexpr std::string_view kElsewhere[] = {
    "addmm", "addmv",  "baddbmm", "bernoulli", "bmm",       "dot",     "dropout", "linear",     "matmul", "mm",
    "mv",    "normal", "outer",   "rand",      "rand_like", "randint", "randn",   "randn_like", "uniform"};

using Drawn = std::map<std::string, std::set<OpKind>>;  // names, and the ops that they are made of

Drawn drawMany(const GeneratorOptions& options, uint64_t cases) {
  Drawn drawn;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    Choices choices(seed, 0);
    const Policy policy = drawPolicy(choices, options);
    Workspace work(choices, options, policy);
    for (int i = 0; i < 3; ++i) drawSource(work);
    for (int i = 0; i < 20; ++i) {
      const size_t before = work.fusion->exprs().size();
      if (!drawComposite(work)) continue;
      const std::vector<Expr*>& exprs = work.fusion->exprs();
      for (size_t k = before; k < exprs.size(); ++k) drawn[work.composed.back()].insert(exprs[k]->op());
    }
  }
  return drawn;
}

// All that the language has.
TEST(CompositesTest, DrawsEachName) {
  Drawn drawn = drawMany({}, 3000);
  for (std::string_view name : kElsewhere) drawn.try_emplace(std::string(name));
  for (const std::string& name : drawableNames()) EXPECT_EQ(drawn.erase(name), 1u) << name;
  for (const auto& [name, parts] : drawn) ADD_FAILURE() << name << " is not listed";
}

TEST(CompositesTest, DrawsExactNamesWithExactData) {
  GeneratorOptions options;
  options.exactData = true;
  const Drawn drawn = drawMany(options, 300);
  for (const char* name : {"sort", "topk", "max_pool2d", "reduce_window", "searchsorted", "one_hot", "mse_loss"}) {
    EXPECT_TRUE(drawn.contains(name)) << name;
  }
  for (const char* name : {"softmax", "layer_norm", "scaled_dot_product_attention", "avg_pool1d"}) {
    EXPECT_FALSE(drawn.contains(name)) << name;
  }
}

TEST(CompositesTest, DrawsNoNameOfAnExcludedOp) {
  for (OpKind op : {OpKind::Cast, OpKind::Unsqueeze, OpKind::Sum, OpKind::Gather, OpKind::Where, OpKind::Unfold,
                    OpKind::SliceScatter, OpKind::Full, OpKind::Expand, OpKind::Permute, OpKind::Size}) {
    GeneratorOptions options;
    options.exclude = {op};
    const Drawn drawn = drawMany(options, 100);
    EXPECT_FALSE(drawn.empty()) << opInfo(op).name;
    for (const auto& [name, parts] : drawn) EXPECT_FALSE(parts.contains(op)) << name << " has " << opInfo(op).name;
  }
}

}  // namespace
}  // namespace fuser::fuzz
