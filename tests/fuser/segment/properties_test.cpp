// Properties of the segmenter on random graphs under random predicates: groups partition the live expressions, the
// graph is acyclic, edges agree with values, every group is one that the schedulers took, cuts hold, and the text
// round-trips.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/segment/invariants.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/support/split_mix.h"
#include "tests/fuser/segment/fake_schedulers.h"

namespace fuser {
namespace {

constexpr uint64_t kSeed = 20240607;

// SplitMix64: the test's own source of decisions, from one number that RapidCheck draws.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    const uint64_t drawn = splitMix64(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return drawn;
  }
  size_t below(size_t bound) { return bits() % bound; }

 private:
  uint64_t state_;
};

std::unique_ptr<Fusion> randomFusion(Random& random) {
  auto fusion = std::make_unique<Fusion>("random");
  const IntExpr extent = fusion->extentSymbol("i0");
  std::vector<Val*> tensors;
  for (size_t i = 0; i < 1 + random.below(3); ++i) {
    tensors.push_back(build::input(*fusion, DataType::Float, {extent}, concat("x", i)));
  }
  Scalar* input = fusion->newScalar(DataType::Double, "s");
  fusion->addInput(input);
  std::vector<Val*> scalars = {input};
  const size_t exprs = 1 + random.below(30);
  const size_t reach = 1 + random.below(10);  // long chains, or a tangle
  for (size_t i = 0; i < exprs; ++i) {
    const auto tensor = [&] { return tensors[tensors.size() - 1 - random.below(std::min(reach, tensors.size()))]; };
    const auto scalar = [&] { return scalars[random.below(scalars.size())]; };
    const std::string name = concat("v", i);
    switch (random.below(7)) {
      case 0: scalars.push_back(build::binary(*fusion, OpKind::Add, scalar(), scalar(), name)); break;
      case 1: tensors.push_back(build::binary(*fusion, OpKind::Mul, tensor(), scalar(), name)); break;
      case 2: tensors.push_back(build::segmentSet(*fusion, tensor()->as<TensorView>(), name)); break;
      case 3: tensors.push_back(build::unary(*fusion, OpKind::Neg, tensor(), name)); break;
      default: tensors.push_back(build::binary(*fusion, OpKind::Add, tensor(), tensor(), name)); break;
    }
  }
  std::vector<Val*> outputs = {tensors.back()};
  for (size_t i = 0; i < random.below(4); ++i) outputs.push_back(tensors[random.below(tensors.size())]);
  if (random.below(2)) outputs.push_back(scalars.back());
  fusion->setOutputs(outputs);
  return fusion;
}

// Takes every single expression, and some sets of several, by a hash of the set.
class RandomSchedulers : public SchedulerInterface {
 public:
  RandomSchedulers(uint64_t seed, size_t percent) : seed_(seed), percent_(percent) {}
  SchedulerAnswer accepts(const FusionView& view) const override {
    if (view.exprs.front()->isScalarExpr()) return {SchedulerType::ExprEval, ""};
    uint64_t hash = seed_;
    for (const Expr* expr : view.exprs) {
      EXPECT_FALSE(expr->isScalarExpr());
      hash = Random(hash ^ expr->id()).bits();
    }
    if (view.exprs.size() == 1 || hash % 100 < percent_) return {SchedulerType::PointWise, ""};
    return {SchedulerType::None, "the dice say no"};
  }
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override {
    if (Random(seed_ ^ (expr->id() + 1000)).below(10) == 0) return {expr->input(0)};
    return {};
  }

 private:
  uint64_t seed_;
  size_t percent_;
};

FusionView viewOf(const SegmentedGroup* group) {
  FusionView view;
  view.exprs = group->exprs();
  return view;
}

RC_GTEST_PROP(SegmentPropertyTest, EveryInvariantHoldsUnderRandomSchedulers, ()) {
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  Random random(seed ^ kSeed);
  const auto fusion = randomFusion(random);
  const RandomSchedulers schedulers(random.bits(), random.below(101));
  CompileContext context;
  context.schedulers = &schedulers;
  context.checkInvariants = true;
  SegmentCandidateFinderOptions options;
  options.topDown = random.below(4) != 0;
  const auto segmented = segment(*fusion, context, options);
  RC_ASSERT(findBrokenInvariants(*segmented) == std::vector<std::string>{});
  size_t scalarGroups = 0;
  for (const SegmentedGroup* group : segmented->groups()) {
    scalarGroups += group->isScalarGroup();
    RC_ASSERT((group->schedulerType() == SchedulerType::ExprEval) == group->isScalarGroup());
    if (!group->isScalarGroup()) RC_ASSERT(schedulers.accepts(viewOf(group)).accepted());
    for (const Expr* expr : group->exprs()) {
      for (const Val* required : schedulers.mustBeSegmentInputs(expr)) {
        if (!group->isScalarGroup() && required->isTensor()) RC_ASSERT(segmented->producerOf(required) != group);
      }
    }
  }
  RC_ASSERT(scalarGroups <= 1);
  const std::string text = toString(*segmented);
  RC_ASSERT(toString(*parseSegmentedFusion(text, *fusion)) == text);
  RC_ASSERT(toString(*segment(*fusion, context, options)) == text);
}

RC_GTEST_PROP(SegmentPropertyTest, EveryInvariantHoldsUnderRandomPredicates, ()) {
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  Random random(seed ^ kSeed);
  const auto fusion = randomFusion(random);
  const uint64_t dice = random.bits();
  const size_t percent = random.below(101);
  CompileContext context;
  context.checkInvariants = true;
  SegmentCandidateFinderOptions options;
  options.custom_should_merge_groups = [&](const SegmentedGroup* a, const SegmentedGroup* b) {
    RC_ASSERT(!a->isScalarGroup() && !b->isScalarGroup());
    return Random(dice ^ (a->exprs().front()->id() * 64u + b->exprs().front()->id())).below(100) < percent;
  };
  const auto segmented = segment(*fusion, context, options);
  RC_ASSERT(findBrokenInvariants(*segmented) == std::vector<std::string>{});
  const std::string text = toString(*segmented);
  RC_ASSERT(toString(*parseSegmentedFusion(text, *fusion)) == text);
}

// Whether a path of at least one group between them leads from one group to another.
bool hasWayRound(const SegmentedGroup* from, const SegmentedGroup* to) {
  std::vector<const SegmentedGroup*> work;
  std::vector<const SegmentedGroup*> seen;
  const auto visitConsumers = [&](const SegmentedGroup* group) {
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (group == from && edge->to() == to) continue;
      if (std::find(seen.begin(), seen.end(), edge->to()) != seen.end()) continue;
      seen.push_back(edge->to());
      work.push_back(edge->to());
    }
  };
  visitConsumers(from);
  while (!work.empty()) {
    const SegmentedGroup* group = work.back();
    work.pop_back();
    if (group == to) return true;
    visitConsumers(group);
  }
  return false;
}

RC_GTEST_PROP(SegmentPropertyTest, NoMergeIsMissedWhereSchedulersTakeEverything, ()) {
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  Random random(seed ^ kSeed);
  const auto fusion = randomFusion(random);
  const FakeSchedulers schedulers;
  CompileContext context;
  context.schedulers = &schedulers;
  context.checkInvariants = true;
  SegmentCandidateFinderOptions options;
  options.topDown = random.below(2) != 0;
  const auto segmented = segment(*fusion, context, options);
  for (const SegmentedEdgePtr& edge : segmented->edges()) {
    if (edge->val()->isScalar()) continue;
    const std::vector<SegmentedEdgePtr> between = segmented->getEdgesBetween(edge->from(), edge->to());
    const bool cut = std::any_of(between.begin(), between.end(), [](const SegmentedEdgePtr& other) {
      return other->val()->definition()->op() == OpKind::SegmentSet;
    });
    RC_ASSERT(cut || hasWayRound(edge->from(), edge->to()));
  }
}

}  // namespace
}  // namespace fuser
