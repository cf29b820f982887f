#include "fuzz/judge/run_again.h"

#include "fuser/execute/engine.h"
#include "fuzz/judge/same_bits.h"

namespace fuser::fuzz {

RunningAgain::RunningAgain(FusionExecutorCache& cache, OrderOfAdds& order) : cache_(cache), order_(order) {
  cache_.setRecord(false);
  order_.on = true;
}

RunningAgain::~RunningAgain() {
  order_.on = false;
  cache_.setRecord(true);
}

void OrderOfAdds::beforeLaunch(const Kernel&, KernelArguments& arguments) { arguments.addsFirstLaneFirst = on; }

namespace {

// By value: whether it is computed of what a scatter_add makes of floats, which a kernel may add in any order.
std::vector<bool> ofSumsInAnyOrder(const Fusion& fusion) {
  std::vector<bool> has(fusion.valCount(), false);
  for (const Expr* expr : fusion.exprs()) {
    bool any = expr->op() == OpKind::ScatterAdd && isFloating(expr->output()->dtype());
    for (const Val* input : expr->inputs()) any |= has[input->id()];
    for (const Val* output : expr->outputs()) has[output->id()] = any;
  }
  return has;
}

}  // namespace

RunAgain judgeAgain(const Fusion& fusion, std::span<const HostValue> inputs, const RunRecord& first, RunRecord again,
                    const oracle::JudgeOptions& options) {
  const bool inAnyOrder = first.addsByAtomics();
  const std::vector<bool> mayDiffer = inAnyOrder ? ofSumsInAnyOrder(fusion) : std::vector<bool>();
  bool differs = false;
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    if (sameBits(first.outputs[i], again.outputs.at(i))) continue;
    differs = true;
    if (inAnyOrder && mayDiffer[fusion.outputs()[i]->id()]) continue;
    return {false,
            VerdictKind::Invariant,
            concat("output ", i, " has other bits when the same kernels run on the same data again"),
            {}};
  }
  if (!differs) return {};
  // The same kernels add as many terms one after another, and in the same forms.
  for (const SegmentRecord& segment : first.segments) {
    SegmentRecord& same = again.segments.emplace_back();
    same.index = segment.index;
    same.reductionDepths = segment.reductionDepths;
    same.sums = segment.sums;
  }
  again.extents = first.extents;
  const oracle::Judgement judgement = oracle::judge(fusion, inputs, again, options);
  if (judgement.verdict != oracle::Verdict::Differs) return {true, VerdictKind::Agrees, {}, {}};
  const std::string_view when = "run again on the same data: ";
  return {true, VerdictKind::Differs, concat(when, worstLine(judgement)), concat(when, oracle::toString(judgement))};
}

}  // namespace fuser::fuzz
