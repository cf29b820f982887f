// CutAtRequiredInputsPass: says in the program where a fusion has to be cut: before an op that a scheduler takes only
// with its operand in memory. Which ops those are, the schedulers tell through their interface; without schedulers in
// the context there is nothing to say.
//
//   %a = exp(%x)                            %a = exp(%x)
//   %y = flip(%a)   (must find %a)   ->     %a.stored = segment_set(%a)
//                                           %y = flip(%a.stored)
//
// Where something else reads the value as well, or it is an output, it is left alone: two tensors would be stored. The
// segmenter cuts there in any case. Bit-exact: a move. Idempotent: what a segment_set made is left alone.

#include <algorithm>

#include "fuser/ir/builder.h"
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
    if (!val->isTensor() || val->isFusionOutput() || val->definition()->op() == OpKind::SegmentSet) return;
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
