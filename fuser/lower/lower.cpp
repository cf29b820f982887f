// Runs the steps of lowering in the order of steps.def.
#include "fuser/lower/lower.h"

#include <algorithm>

#include "fuser/analysis/compile_observer.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

// A grid size as an expression of the part's extents. Its arena grows; no expression changes.
IntExpr inExtents(const Kernel& kernel, const Fusion& part, IntExpr size) {
  return const_cast<Fusion&>(part).ints().import(size, [&](IntExpr symbol) {
    const auto param = std::find_if(kernel.intParams.begin(), kernel.intParams.end(),
                                    [&](const IntParam& p) { return p.symbol == symbol; });
    return param->extent;
  });
}

// Rule 21 of a schedule. Without sizes, the launch says it.
void checkGrid(const Kernel& kernel, const Fusion& part, SizeFacts* sizes, const ScheduleRules& rules) {
  const int64_t most[] = {0, kernel.device.gridY, kernel.device.gridZ};
  for (size_t d = 1; d < 3; ++d) {
    const IntExpr blocks = inExtents(kernel, part, kernel.gridDim[d]);
    const bool fits =
        blocks->isConstant() ? blocks->value <= most[d] : !sizes || sizes->atMost(blocks, most[d], SizeLimit::Grid);
    rules.require(fits, 21, "a grid has more than the ", most[d], " blocks along ", "xyz"[d], " that the device takes");
  }
}

// Rule 9 of a schedule.
void checkBlocksAtOnce(const Kernel& kernel, const Fusion& part, SizeFacts* sizes, const ScheduleRules& rules) {
  if (!hasGridBarrier(kernel)) return;
  const int64_t threads = kernel.blockDim[0] * kernel.blockDim[1] * kernel.blockDim[2];
  const int64_t most = blocksAtOnce(kernel.device, threads, static_cast<int64_t>(sharedMemoryBytes(kernel)));
  IntExprArena& ints = const_cast<Fusion&>(part).ints();
  IntExpr blocks = ints.constant(1);
  for (IntExpr size : kernel.gridDim) blocks = ints.mul(blocks, inExtents(kernel, part, size));
  const bool fits =
      blocks->isConstant() ? blocks->value <= most : sizes && sizes->atMost(blocks, most, SizeLimit::Grid);
  rules.require(fits, 9, "the blocks wait for each other, and may be more than the ", most,
                " that the device runs at once");
}

// Rule 26 of a schedule: where a loop has no turn, what each of its turns would store is never stored.
class StoresInLoops {
 public:
  StoresInLoops(const Kernel& kernel, const Fusion& part, SizeFacts& sizes, const ScheduleRules& rules)
      : kernel_(kernel), part_(part), sizes_(sizes), rules_(rules) {}

  void check(const Body& body) {
    for (const Statement& statement : body) {
      if (const For* loop = std::get_if<For>(&statement.node)) {
        loops_.push_back(loop);
        check(loop->body);
        loops_.pop_back();
      } else if (const If* condition = std::get_if<If>(&statement.node)) {
        check(condition->body);
      } else if (const Move* move = std::get_if<Move>(&statement.node)) {
        checkStore(move->target);
      } else if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
        checkStore(compute->target);
      }
    }
  }

 private:
  bool mayBeZero(IntExpr size) const { return size->isConstant() ? size->value == 0 : sizes_.isZero(size); }

  void checkStore(const Access& target) {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(target.buffer)];
    if (buffer.tensor < 0) return;
    for (const For* loop : loops_) {
      bool isAlong = loop->extent->isConstant();
      forEachSymbol(target.index, [&](IntExpr symbol) { isAlong |= symbol == loop->index; });
      if (isAlong || !mayBeZero(inExtents(kernel_, part_, loop->extent))) continue;
      const std::vector<IterDomain*> axes = buffer.source->axes();
      const bool isEmpty =
          std::any_of(axes.begin(), axes.end(), [&](const IterDomain* axis) { return mayBeZero(axis->size()); });
      rules_.require(isEmpty, 26, "%", buffer.source->name(), " is stored in a loop that has no turn");
    }
  }

  const Kernel& kernel_;
  const Fusion& part_;
  SizeFacts& sizes_;
  const ScheduleRules& rules_;
  std::vector<const For*> loops_;
};

}  // namespace

std::unique_ptr<Kernel> lower(const Fusion& part, const std::string& kernelName, const CompileContext& context,
                              int segment) {
  auto kernel = std::make_unique<Kernel>();
  const ScheduleRules rules(context.observers);
  kernel->name = kernelName;
  kernel->device = context.device();
  kernel->contraction = context.options.contraction;
  kernel->fixedWidth = part.indexType().has_value();
  kernel->narrowIndices = part.indexType() == DataType::Int32;
#define LOWER_STEP(name, file, summary) \
  run##name(part, *kernel, rules);      \
  for (CompileObserver * observer : context.observers) observer->afterLowerStep(segment, #name, *kernel);
#include "fuser/lower/steps.def"
#undef LOWER_STEP
  checkGrid(*kernel, part, context.sizes, rules);
  checkBlocksAtOnce(*kernel, part, context.sizes, rules);
  if (context.sizes) StoresInLoops(*kernel, part, *context.sizes, rules).check(kernel->body);
  return kernel;
}

const std::vector<LowerStep>& lowerSteps() {
  static const std::vector<LowerStep> steps = {
#define LOWER_STEP(name, file, summary) {#name, summary},
#include "fuser/lower/steps.def"
#undef LOWER_STEP
  };
  return steps;
}

}  // namespace fuser
