// MarkAliasesPreparePass: marks an output that is a view of an input, so that it shares memory and no kernel copies it.
//
//   %a = permute(%x) {dims = [1, 0]} : f32[i1, i0]
//   %y = unsqueeze(%a) {dims = [0]} : f32[1, i1, i0]
//   return %y
//   ->
//   %a = permute(%x) {dims = [1, 0]} : f32[i1, i0] {view = true}
//   %y = unsqueeze(%a) {dims = [0]} : f32[1, i1, i0] {view = true}
//   return %y
//
// The base may also be another output, which lives as long. Conditions: nothing else reads the output or the values in
// between, the program specifies no layout for it, and no output overwrites the input. A scheduler requires the base of
// a view as a segment input, so that the view has a segment of its own and needs no segment_set. Runs after all passes
// that change the definitions of outputs.

#include <algorithm>

#include "fuser/ir/sharding.h"
#include "fuser/ir/verify.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class MarkViews : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    const std::vector<Val*>& outputs = fusion->outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i]->isTensor() || isWritten(*fusion, outputs[i])) continue;
      mark(*fusion, outputs[i]->as<TensorView>());
    }
  }

 private:
  // Whether an alias writes the output over an input, even if the output is returned at other positions, too.
  static bool isWritten(const Fusion& fusion, const Val* output) {
    return std::any_of(fusion.aliases().begin(), fusion.aliases().end(),
                       [&](const auto& alias) { return fusion.outputs().at(alias.first) == output; });
  }

  void mark(const Fusion& fusion, TensorView* output) {
    if (output->domain().view || !output->uses().empty()) return;
    std::vector<TensorView*> chain;
    for (TensorView* tensor = output;;) {
      const Expr* maker = tensor->definition();
      if (!maker || !movesElements(maker->op()) || tensor->domain().hasFixedLayout || isPlaced(tensor)) return;
      chain.push_back(tensor);
      tensor = maker->input(0)->as<TensorView>();
      if (tensor->shardAxis() || !tensor->domain().mesh.empty()) return;  // a device holds other elements of it
      if (tensor->isFusionInput()) {
        if (fusion.isOverwritten(tensor)) return;
        break;
      }
      if (tensor->isFusionOutput() && !isAliased(fusion, tensor)) break;
      if (tensor->isFusionOutput() || tensor->uses().size() != 1) return;
    }
    if (!mayApply()) return;
    for (TensorView* tensor : chain) tensor->domain().view = true;
    modified_ = true;
  }

  static bool isAliased(const Fusion& fusion, const Val* val) {
    for (const auto& [output, input] : fusion.aliases()) {
      if (fusion.outputs().at(output) == val) return true;
    }
    return false;
  }
};

}  // namespace

const MakePasses MarkAliasesPreparePass::kPasses = passesOf<MarkViews>;

}  // namespace fuser
