// CutAtRequiredInputsPass: inserts a segment_set before each op whose operand must be in memory, so that the program
// itself shows where it has to be cut. Schedulers name those ops through their interface; without schedulers in the
// context the pass does nothing.
//
//   %a = exp(%x)                            %a = exp(%x)
//   %y = flip(%a)   (must find %a)   ->     %a.stored = segment_set(%a)
//                                           %y = flip(%a.stored)
//
// A value with other uses, or one that is an output, is left alone: it would be stored twice, and the segmenter cuts
// there anyway. Bit-exact: it only copies. Idempotent: the result of a segment_set is left alone.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class CutAtRequiredInputs : public Pass {
 public:
  CutAtRequiredInputs(Fusion* fusion, const CompileContext& context) : Pass(fusion), schedulers_(context.schedulers) {}

  void runPass(Fusion* fusion) override {
    if (!schedulers_) return;
    const std::vector<Expr*> exprs = fusion->exprs();
    for (const Expr* expr : exprs) {
      for (Val* output : expr->outputs()) cutBehind(fusion, output);
    }
  }

 private:
  bool isRequired(const Expr* reader, const Val* val) const {
    const std::vector<Val*> required = schedulers_->mustBeSegmentInputs(reader);
    return std::find(required.begin(), required.end(), val) != required.end();
  }

  void cutBehind(Fusion* fusion, Val* val) {
    if (!val->isTensor() || isPlaced(val) || val->isFusionOutput() || val->definition()->op() == OpKind::SegmentSet)
      return;
    if (val->as<TensorView>()->domain().inPlace) return;  // it has memory already
    const std::vector<Expr*> readers = val->uses();
    const bool all = !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const Expr* reader) {
      return isRequired(reader, val);
    });
    if (!all || !mayApply()) return;
    TensorView* stored = build::segmentSet(*fusion, val->as<TensorView>(), val->name() + ".stored");
    stored->setOrigin(val->origin());  // the same elements
    for (Expr* reader : readers) {
      for (size_t i = 0; i < reader->inputs().size(); ++i) {
        if (reader->input(i) == val) fusion->replaceInput(reader, i, stored);
      }
    }
    modified_ = true;
  }

  const SchedulerInterface* schedulers_;
};

}  // namespace

const MakePasses CutAtRequiredInputsPass::kPasses = passesOf<CutAtRequiredInputs>;

}  // namespace fuser
