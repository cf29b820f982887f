// MarkAliasesPreparePass: an output that is an input seen in another way is marked as a view, and no kernel copies it.
//
//   %a = permute(%x) {dims = [1, 0]} : f32[i1, i0]
//   %y = unsqueeze(%a) {dims = [0]} : f32[1, i1, i0]
//   return %y
//   ->
//   %a = permute(%x) {dims = [1, 0]} : f32[i1, i0] {view = true}
//   %y = unsqueeze(%a) {dims = [0]} : f32[1, i1, i0] {view = true}
//   return %y
//
// Of other outputs too, whose memory stays as long. Only where nobody reads the output or what lies between but for it,
// where the program writes no layout behind its type, and never of an input that an output overwrites. A scheduler asks
// for the source of a view as a segment input, so that its segment holds nothing else: no segment_set is needed. After
// all passes that change what outputs are made of.

#include <algorithm>

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
  // To an input's memory, be it returned at other places, too.
  static bool isWritten(const Fusion& fusion, const Val* output) {
    return std::any_of(fusion.aliases().begin(), fusion.aliases().end(),
                       [&](const auto& alias) { return fusion.outputs().at(alias.first) == output; });
  }

  void mark(const Fusion& fusion, TensorView* output) {
    if (output->domain().view || !output->uses().empty()) return;
    std::vector<TensorView*> chain;
    for (TensorView* tensor = output;;) {
      const Expr* maker = tensor->definition();
      if (!maker || !movesElements(maker->op()) || tensor->domain().layoutGiven) return;
      chain.push_back(tensor);
      tensor = maker->input(0)->as<TensorView>();
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
