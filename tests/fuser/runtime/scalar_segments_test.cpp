// How host scalars reach segments: one group of their own, an edge to each segment that takes a value, an argument
// there, and no copy of an expression; as text.
#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/kernel/text.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

struct Built {
  explicit Built(const std::string& text) : made(parseCase(text, "test")) {
    FusionExecutorCache::Settings settings = settingsOf(made);
    settings.context.checkInvariants = true;
    data = materialize(made, made.runs.front());
    program = buildProgram(*made.fusion, settings, {}, hostValues(data));
  }
  Case made;
  RunData data;
  std::unique_ptr<CompiledProgram> program;
};

constexpr const char* kShared = R"(
fusion f(%x: f32[i0, i1], %a: f64, %h: i64[] {device = cpu}) {
  %k = item(%h)
  %n = size(%x) {dim = 1}
  %m = mul(%n, %k)
  %b = mul(%a, %m)
  %s = sum(%x) {dims = [1]}
  %c = segment_set(%s)
  %y = mul(%c, %b)
  %d = segment_set(%y)
  %z = add(%d, %b)
  %u = full() {shape = [%m], fill_value = %b, dtype = f32}
  %r = arange() {end = %m, dtype = f32}
  %w = add(%u, %r)
  return %z, %w, %b
}
run { %x = normal(seed = 1) : f32[4, 3]  %a = 0.5  %h = values [2] : i64[] }
)";

TEST(ScalarSegmentsTest, SegmentsShareTheGroupOfHostScalars) {
  const Built built(kShared);
  EXPECT_EQ(toString(*built.program->segmented), R"(segmented {
  group 0 ExprEval {%n, %k, %m, %b} inputs {%h, %a} outputs {%m, %b}
  group 1 Reduction {%s, %c} inputs {%x} outputs {%c}
  group 2 PointWise {%y, %d} inputs {%c, %b} outputs {%d}
  group 3 PointWise {%z} inputs {%d, %b} outputs {%z}
  group 4 PointWise {%u, %r, %w} inputs {%b, %m} outputs {%w}
  edge 0 -> 2 %b
  edge 0 -> 3 %b
  edge 0 -> 4 %m
  edge 0 -> 4 %b
  edge 1 -> 2 %c
  edge 2 -> 3 %d
}
)");
  EXPECT_EQ(toString(*built.program->host), R"(host f(%x: f32[i0, i1], %a: f64, %h: i64[]) {
  kernel k0_reduction
  kernel k1_pointwise
  kernel k2_pointwise
  kernel k3_pointwise
  segment 0 ExprEval (%h, %a) -> (%m, %b) {
    evaluate %n, %k, %m, %b
  }
  segment 1 Reduction (%x) -> (%c) {
    allocate %c: f32[i0]
    launch k0_reduction(%x, %c; i0, i1, stride(%x, 0); )
  }
  segment 2 PointWise (%c, %b) -> (%d) {
    allocate %d: f32[i0]
    launch k1_pointwise(%c, %d; i0; %b)
  }
  free %c
  segment 3 PointWise (%d, %b) -> (%z) {
    allocate %z: f32[i0]
    launch k2_pointwise(%d, %z; i0; %b)
  }
  free %d
  segment 4 PointWise (%b, %m) -> (%w) {
    allocate %w: f32[%m]
    launch k3_pointwise(%w; %m; %b)
  }
  return %z, %w, %b
}
)");
}

// Nothing of the scalars is left in a kernel but arguments: an i64 where an extent or a bound names it.
TEST(ScalarSegmentsTest, KernelsTakeScalarsAsArguments) {
  const Built built(kShared);
  for (const auto& part : built.program->parts) {
    for (const Expr* expr : part->fusion->exprs()) EXPECT_FALSE(expr->isScalarExpr()) << expr->output()->name();
  }
  size_t scalars = 0;
  for (const auto& kernel : built.program->kernels) scalars += kernel->scalars.size();
  EXPECT_EQ(scalars, 3u) << "%b, in three kernels";
}

TEST(ScalarSegmentsTest, ItemWaitsForNoTensor) {
  const Built built(R"(
fusion f(%x: f32[i0], %h: bf16[] {device = cpu}) {
  %e = exp(%x)
  %c = segment_set(%e)
  %s = item(%h)
  %y = mul(%c, %s)
  return %y, %s, %h
}
run { %x = normal(seed = 1) : f32[4]  %h = values [0.5] : bf16[] }
)");
  EXPECT_EQ(toString(*built.program->host), R"(host f(%x: f32[i0], %h: bf16[]) {
  kernel k0_pointwise
  kernel k1_pointwise
  segment 0 ExprEval (%h) -> (%s) {
    evaluate %s
  }
  segment 1 PointWise (%x) -> (%c) {
    allocate %c: f32[i0]
    launch k0_pointwise(%x, %c; i0; )
  }
  segment 2 PointWise (%c, %s) -> (%y) {
    allocate %y: f32[i0]
    launch k1_pointwise(%c, %y; i0; %s)
  }
  free %c
  return %y, %s, %h
}
)");
}

}  // namespace
}  // namespace fuser
