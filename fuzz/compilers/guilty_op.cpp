#include "fuzz/compilers/guilty_op.h"

#include "fuser/ops/op_table.h"
#include "fuzz/export/export.h"

namespace fuser::fuzz {
namespace {

// Values keep their ids, by which what is right of them is known.
Case withAllOutputs(const Case& testCase) {
  Case all = cloneCase(testCase);
  all.aliases.clear();
  all.preallocated.clear();
  const std::vector<Expr*> exprs = all.fusion->exprs();
  for (const Expr* expr : exprs) {
    for (Val* result : expr->outputs()) {
      if (result->isTensor() && !result->isFusionOutput()) all.fusion->addOutput(result);
    }
  }
  return all;
}

bool isWrong(const oracle::ValueJudgement& judged) { return !judged.problem.empty() || judged.counts.outside > 0; }

}  // namespace

std::optional<GuiltyOp> guiltyOp(const Case& testCase, const std::vector<JudgedRun>& runs, std::string_view format,
                                 const std::function<WorkerReply(const WorkerRequest&)>& ask) {
  const Case all = withAllOutputs(testCase);
  const Exported exported = exportFormat(format).write(all);
  if (exported.refusal) return std::nullopt;
  const TargetOutcome outcome = outcomeOf(ask(requestOf(exported, runs)), "", *all.fusion, runs);
  for (const Expr* expr : all.fusion->exprs()) {
    for (const oracle::Judgement& judgement : outcome.judgements) {
      for (size_t i = 0; i < judgement.outputs.size(); ++i) {
        const Val* output = all.fusion->outputs()[i];
        if (output->definition() == expr && isWrong(judgement.outputs[i]))
          return GuiltyOp{std::string(opName(expr->op())), output->dtype()};
      }
    }
  }
  return std::nullopt;
}

}  // namespace fuser::fuzz
