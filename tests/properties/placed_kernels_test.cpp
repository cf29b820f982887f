// How many kernels a case has on streams or devices, beside those that it has without.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fuser/analysis/resharding.h"
#include "fuser/analysis/standalone_op.h"
#include "fuser/case/functional_updates.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/support/disjoint_sets.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/devices.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"

namespace fuser {
namespace {

struct Kernels {
  size_t views = 0;        // segments that no kernel computes
  size_t count = 0;        // segments that a kernel computes, but for those that move a value to other devices
  size_t reshardings = 0;  // (value, reader) pairs of which the reader's results are placed otherwise
  size_t partials = 0;     // reductions over a sharded axis: each device's part lies in memory before and after it
  size_t exprs = 0;        // live ones after the passes, but for sets
  size_t components = 0;   // sets of expressions that no value connects
};

// The kernels of the first device, for the case's first run.
Kernels kernelsOf(const Case& testCase) {
  FusionExecutorCache::Settings settings = interpSettings(testCase);
  if (testCase.fusion->hasDevices()) settings.device = testCase.fusion->mesh().devices().front();
  Kernels kernels;
  const auto isPlacedAnew = [](const Expr* expr, const Val* val) {
    return val->isTensor() && shardingOf(val->as<TensorView>()) != shardingOf(expr->output()->as<TensorView>());
  };
  AfterSegment counting([&](const std::unique_ptr<SegmentedFusion>& segmented) {
    for (const SegmentedGroup* group : segmented->groups()) {
      const bool moves =
          group->exprs().size() == 1 && group->exprs()[0]->op() == OpKind::Set && isResharding(group->exprs()[0]);
      kernels.views += group->schedulerType() == SchedulerType::NoOp;
      kernels.count += !moves && !group->isScalarGroup() && group->schedulerType() != SchedulerType::NoOp;
    }
    DisjointSets connected(segmented->completeFusion().exprIdCount());
    kernels.components = segmented->liveTensorExprs().size();
    for (const Expr* expr : segmented->liveTensorExprs()) {
      kernels.exprs += expr->op() != OpKind::Set;
      kernels.partials += isReduction(expr->op()) && isResharding(expr);
      for (const Val* input : expr->inputs()) {
        if (!input->isTensor() || !input->definition()) continue;
        kernels.components -= !connected.same(input->definition()->id(), expr->id());
        connected.unite(input->definition()->id(), expr->id());
      }
      const auto& inputs = expr->inputs();
      kernels.reshardings += static_cast<size_t>(
          std::count_if(inputs.begin(), inputs.end(), [&](const Val* val) { return isPlacedAnew(expr, val); }));
    }
  });
  settings.context.observers = {&counting};
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts(inputs.size(), InputLayout{1});
  buildProgram(*testCase.fusion, settings, layouts, inputs);
  return kernels;
}

// Of the seeds that have no schedule and are not placed yet: name and text.
std::map<std::string, std::string> plainSeeds() {
  std::map<std::string, std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() != ".fusion") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    const Case seed = functionalCase(parseCase(text.str(), entry.path().string()));
    const bool plain = !seed.schedule && seed.segmentSchedules.empty() && !seed.fusion->hasStreams() &&
                       !seed.fusion->hasDevices() && seed.aliases.empty() && seed.preallocated.empty();
    if (plain) seeds[entry.path().stem().string()] = text.str();
  }
  return seeds;
}

// Seeds of which a stream axis makes more than twice as many kernels, and how many of their axes do. A named tensor
// keeps a pass from cancelling what it is part of, a reduction cannot be told to have the axes of another one, several
// tensors that are made of nothing come before it; or it runs along a row that one kernel keeps whole without it.
const std::map<std::string, size_t> kMore = {{"adafactor", 4},
                                             {"attention_causal", 1},
                                             {"attention_heads", 12},
                                             {"attention_mask_dropout", 66},
                                             {"autocast_rms_residual", 8},
                                             {"batch_norm_backward", 24},
                                             {"batch_norm_training", 2},
                                             {"bilinear_resize", 46},
                                             {"cross_correlation_loss", 8},
                                             {"cross_entropy", 4},
                                             {"depthwise_convolution", 4},
                                             {"embedding_norm", 2},
                                             {"f32_residual_stream", 3},
                                             {"gate_up_halves", 4},
                                             {"group_norm", 22},
                                             {"group_norm_backward", 21},
                                             {"grouped_keys", 6},
                                             {"hinge_loss", 9},
                                             {"kl_divergence", 6},
                                             {"l2_normalize", 2},
                                             {"l2_normalize_backward", 6},
                                             {"label_smoothing", 8},
                                             {"layer_norm", 2},
                                             {"log1p_standardize_bf16", 2},
                                             {"log_softmax", 2},
                                             {"masked_attention", 2},
                                             {"pixel_shuffle", 2},
                                             {"quantize_and_calibrate", 9},
                                             {"quantize_bf16_rows", 1},
                                             {"quantize_channels_bf16", 1},
                                             {"quantize_i8", 2},
                                             {"residual_rms_norm_backward_bf16", 3},
                                             {"residual_rms_norm_bf16", 3},
                                             {"rms_norm", 2},
                                             {"rms_norm_backward", 6},
                                             {"rotary_interleaved", 6},
                                             {"rotary_tables", 7},
                                             {"softmax", 2},
                                             {"token_loss", 2},
                                             {"unfold_convolution", 2}};

TEST(PlacedKernelsTest, OneStreamAxisAtMostDoublesTheKernelsOfOtherSeeds) {
  size_t without = 0, with = 0, cases = 0;
  std::map<std::string, size_t> more;
  for (const auto& [name, text] : plainSeeds()) {
    Case seed = parseCase(text, name);
    seed.options.deterministic = true;  // atomics have kernels of their own, on streams and off
    const size_t plain = kernelsOf(seed).count;
    for (const Expr* expr : seed.fusion->exprs()) {
      if (expr->isScalarExpr()) continue;
      const size_t rank = expr->output()->as<TensorView>()->rank();
      for (size_t axis = 0; axis < std::min<size_t>(rank, 2); ++axis) {
        if (!whyNoSlices(expr, axis).empty()) continue;
        Case onStreams = cloneCase(seed);
        // Expressions have the same order in a clone.
        Expr* copy = onStreams.fusion->exprs().at(static_cast<size_t>(
            std::find(seed.fusion->exprs().begin(), seed.fusion->exprs().end(), expr) - seed.fusion->exprs().begin()));
        copy->output()->as<TensorView>()->axes()[axis]->parallelize(ParallelType::Stream);
        const size_t kernels = kernelsOf(onStreams).count;
        without += plain;
        with += kernels;
        ++cases;
        if (kernels > 2 * plain) ++more[name];
      }
    }
  }
  std::printf("%zu stream axes: %zu kernels without, %zu with\n", cases, without, with);
  for (const auto& [name, count] : more) {
    std::printf("  %s: %zu axes make more than twice as many\n", name.c_str(), count);
  }
  EXPECT_EQ(more, kMore);
  EXPECT_GT(cases, 500u);
  EXPECT_LE(with, 6514u);
}

TEST(PlacedKernelsTest, AMeshThatShardsNothingChangesNoKernel) {
  size_t seeds = 0;
  for (const auto& [name, text] : plainSeeds()) {
    const Case seed = parseCase(text, name);
    Case onDevices = cloneCase(seed);
    onDevices.fusion->setMesh(DeviceMesh({0, 1}));
    // A predicate of the case's is not asked on devices.
    const bool bySchedulers = seed.options.mergePredicate == MergePredicate::Schedulers;
    const size_t without = kernelsOf(seed).count, with = kernelsOf(onDevices).count;
    EXPECT_TRUE(with == without || (!bySchedulers && with < without)) << name << ": " << with << ", not " << without;
    ++seeds;
  }
  EXPECT_GT(seeds, 40u);
}

TEST(PlacedKernelsTest, DevicesAddNoMoreKernelsThanReshardings) {
  size_t cases = 0, resharded = 0, cancelled = 0;
  checkProperty(200, [&](const fuzz::ArbitraryCase& generated) {
    const Case plain = cloneCase(*generated);
    Case onDevices = cloneCase(*generated);
    fuzz::Choices choices(*rc::gen::inRange<uint64_t>(0, 1000), 0);
    if (!fuzz::spreadOverDevices(onDevices, choices)) return;
    const Kernels before = kernelsOf(plain), after = kernelsOf(onDevices);
    RC_LOG() << before.count << " kernels, then " << after.count << " and " << after.reshardings
             << " reshardings on devices:\n"
             << printCase(onDevices);
    // A pass cancels nothing that is placed, such as slices with the cat that joins them again.
    if (before.exprs < after.exprs) {
      ++cancelled;
      return;
    }
    // Without devices, one kernel may compute what no value connects. Where something is cut, only what is connected
    // is tried together. And what is a view without devices is computed where it is placed.
    RC_ASSERT(after.count <= before.count + before.views + after.reshardings + after.partials + before.components - 1);
    ++cases;
    resharded += after.reshardings > 0;
  });
  std::printf("%zu cases on devices, %zu with reshardings; not compared: %zu with more expressions than without\n",
              cases, resharded, cancelled);
  EXPECT_GT(cases, 60u);
  EXPECT_GT(resharded, 30u);
}

}  // namespace
}  // namespace fuser
