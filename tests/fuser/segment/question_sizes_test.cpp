// What the segmenter asks the schedulers, in expressions: near-linear, on each shape that tests/bench times.

#include <gtest/gtest.h>

#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "tests/fuser/segment/shapes.h"

namespace fuser {
namespace {

class CountingSchedulers : public SchedulerInterface {
 public:
  SchedulerAnswer accepts(const FusionView& view) const override {
    exprs += view.exprs.size();
    return real_.accepts(view);
  }
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override { return real_.mustBeSegmentInputs(expr); }
  mutable size_t exprs = 0;  // of all questions

 private:
  Schedulers real_;
};

size_t askedOf(const shapes::Shape& shape, size_t exprs, bool topDown) {
  const std::unique_ptr<Fusion> fusion = shape.make(exprs);
  SizeFacts sizes([](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{32}; }); });
  const CountingSchedulers schedulers;
  CompileContext context;
  context.schedulers = &schedulers;
  context.sizes = &sizes;
  SegmentCandidateFinderOptions options;
  options.topDown = topDown;
  segment(*fusion, context, options);
  return schedulers.exprs;
}

// Eight times the expressions are asked about at most 8 * (1 + 3 / log2 n) times as much, n log n, and no more than 14.
TEST(QuestionSizesTest, GrowLikeNLogN) {
  for (const shapes::Shape& shape : shapes::kAll) {
    for (bool topDown : {false, true}) {
      const size_t few = askedOf(shape, 250, topDown), many = askedOf(shape, 2000, topDown);
      EXPECT_GT(few, 0u);
      EXPECT_LE(many, 14 * few) << shape.name << (topDown ? " top-down: " : " bottom-up: ") << few << ", " << many;
    }
  }
}

}  // namespace
}  // namespace fuser
