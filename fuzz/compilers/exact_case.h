#pragma once
// ExactCase: what exact mode says of a case, summed over its runs, for the campaign's report.

#include "fuser/case/case.h"
#include "fuzz/compilers/exact_mode.h"

namespace fuser::fuzz {

class ExactCase {
 public:
  // The case must outlive this object.
  explicit ExactCase(const Case& testCase) : case_(testCase) {}

  void add(const std::vector<std::optional<reference::Value>>& values, const Exactness& exactness);
  // No cases if no run was added.
  const reports::ExactMode& counts() const { return counts_; }

 private:
  const Case& case_;
  reports::ExactMode counts_;
};

}  // namespace fuser::fuzz
