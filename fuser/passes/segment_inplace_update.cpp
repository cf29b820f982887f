// SegmentInplaceUpdatePass: gives an in-place output, one that overwrites an input, a segment of its own if another
// segment may still read the input.
//
//   fusion f(%x: f32[i0]) {                 alias %y -> %x
//     %s = sum(%x) {dims = [0]}
//     %y = add(%x, %s)
//     return %y
//   ->
//     %y = add(%x, %s)
//     %y.held = segment_set(%y)
//     %y.stored = set(%y.held)
//     return %y.stored
//
// The segment of %y.stored does not read %x and has no dependents, so it can run after all readers of %x. The pass
// skips an output that depends on every reader of the input, if everything derived from the input is pointwise, or if a
// scheduler makes one kernel of it that keeps rows: such a kernel reads each element before it overwrites it. The host
// program checks again once the segments are known and copies if it must; this pass turns the copy into a kernel. Runs
// after all passes that change the definitions of outputs.

#include "fuser/ir/builder.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/overwrites_in_one_kernel.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class IsolateUpdates : public Pass {
 public:
  IsolateUpdates(Fusion* fusion, const CompileContext& context) : Pass(fusion), context_(context) {}

  void runPass(Fusion* fusion) override {
    const std::map<size_t, Val*> aliases = fusion->aliases();
    for (const auto& [output, input] : aliases) {
      const Val* value = fusion->outputs().at(output);
      if (isPlaced(value)) continue;  // a loop over streams writes it elsewhere first
      if (value->as<TensorView>()->domain().inPlace) continue;  // kernels store its slices alone
      if (isIsolated(value) || overwritesInOneKernel(*fusion, output, input, context_)) continue;
      if (mayApply()) isolate(*fusion, output);
    }
  }

 private:
  static bool isIsolated(const Val* output) {
    const Expr* maker = output->definition();
    const Expr* before = maker && maker->op() == OpKind::Set ? maker->input(0)->definition() : nullptr;
    return before && before->op() == OpKind::SegmentSet;
  }

  void isolate(Fusion& fusion, size_t output) {
    auto* value = fusion.outputs().at(output)->as<TensorView>();
    TensorView* copy = build::segmentSet(fusion, value, value->name() + ".held");
    TensorView* stored = build::set(fusion, copy, value->name() + ".stored");
    copy->setOrigin(value->origin());
    stored->setOrigin(value->origin());
    std::vector<Val*> outputs = fusion.outputs();
    outputs[output] = stored;
    fusion.setOutputs(outputs);
    modified_ = true;
  }

  const CompileContext context_;
};

}  // namespace

const MakePasses SegmentInplaceUpdatePass::kPasses = passesOf<IsolateUpdates>;

}  // namespace fuser
