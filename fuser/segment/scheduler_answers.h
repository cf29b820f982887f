#pragma once
// SchedulerAnswers: what the schedulers say of parts of a fusion, each part asked once.

#include <unordered_map>
#include <vector>

#include "fuser/analysis/compile_context.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

class SchedulerAnswers {
 public:
  SchedulerAnswers(const SegmentedFusion& segmented, const CompileContext& context);

  // Expressions in any order. The reference stays valid.
  const SchedulerAnswer& ask(const std::vector<Expr*>& exprs);
  // Whether the expression must find this value in memory: it and the value's definition are never in one group.
  bool mustBeSegmentInput(const Expr* expr, const Val* val) const;
  size_t questions() const { return answers_.size(); }

 private:
  struct HashIds {
    size_t operator()(const std::vector<uint32_t>& ids) const;
  };

  const SegmentedFusion& segmented_;
  const SchedulerInterface& schedulers_;
  SizeFacts* sizes_;
  // By the ids of the part's expressions, in topological order.
  std::unordered_map<std::vector<uint32_t>, SchedulerAnswer, HashIds> answers_;
  std::vector<std::vector<Val*>> required_;  // by expression id
};

}  // namespace fuser
