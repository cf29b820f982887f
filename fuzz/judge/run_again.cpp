#include "fuzz/judge/run_again.h"

#include "fuser/execute/engine.h"
#include "fuzz/judge/same_bits.h"

namespace fuser::fuzz {

void OrderOfAdds::beforeLaunch(const Kernel&, KernelArguments& arguments) { arguments.addsFirstLaneFirst = on; }

RunAgain judgeAgain(const Fusion& fusion, std::span<const HostValue> inputs, const RunRecord& first, RunRecord again,
                    const oracle::JudgeOptions& options) {
  size_t other = 0;
  while (other < first.outputs.size() && sameBits(first.outputs[other], again.outputs.at(other))) ++other;
  if (other == first.outputs.size()) return {};
  if (!first.addsByAtomics()) {
    return {false,
            VerdictKind::Invariant,
            concat("output ", other, " has other bits when the same kernels run on the same data again"),
            {}};
  }
  // The same kernels add as many terms one after another.
  for (const SegmentRecord& segment : first.segments) {
    SegmentRecord& same = again.segments.emplace_back();
    same.index = segment.index;
    same.reductionDepths = segment.reductionDepths;
  }
  again.extents = first.extents;
  const oracle::Judgement judgement = oracle::judge(fusion, inputs, again, options);
  if (judgement.verdict != oracle::Verdict::Differs) return {true, VerdictKind::Agrees, {}, {}};
  const std::string_view when = "run again on the same data: ";
  return {true, VerdictKind::Differs, concat(when, worstLine(judgement)), concat(when, oracle::toString(judgement))};
}

}  // namespace fuser::fuzz
