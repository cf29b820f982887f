#pragma once
// RunScalars: the host scalars that the evaluators of one run have computed. A run binds several: one over the original
// fusion, which checks sizes, and one over each program that it asks or compiles. They hand values on through this, so
// that the run computes each scalar once.
//
// Not thread-safe: one per run, and per device of several.

#include <span>
#include <unordered_map>
#include <vector>

#include "fuser/evaluate/expression_evaluator.h"

namespace fuser {

class RunScalars {
 public:
  // `sizes` is over the original and bound to the run's inputs; both must outlive this object. What `sizes` knows is
  // handed on, and it is not written to. `evaluatedBefore`: the number of those that it evaluated before the run.
  RunScalars(const Fusion& original, const ExpressionEvaluator& sizes, size_t evaluatedBefore)
      : original_(original), sizes_(sizes), before_(evaluatedBefore) {}

  // The value of a computed scalar of a compiled fusion, if the run knows it: that of its origin, which it equals bit
  // for bit. One without an origin is known to the evaluators of its own fusion alone.
  std::optional<ScalarValue> find(const Val* scalar) const {
    const Val* whole = originOf(scalar);
    const auto found = values_.find(whole);
    if (found != values_.end()) return found->second;
    return whole == scalar ? std::nullopt : sizes_.known(whole);
  }
  void keep(const Val* scalar, ScalarValue value) {
    values_.emplace(originOf(scalar), value);
    evaluated_.push_back(scalar);
  }

  // The value of the original that the scalar names as its origin, else the scalar itself.
  const Val* originOf(const Val* scalar) const {
    return scalar->origin() ? original_.allVals().at(*scalar->origin()).get() : scalar;
  }

  const ExpressionEvaluator& sizes() const { return sizes_; }
  // The results of the expressions evaluated over compiled fusions, in order; a scalar evaluated twice is there twice.
  // Those evaluated over the original are sizes().evaluated().
  std::span<const Val* const> evaluated() const { return evaluated_; }
  // The number of evaluations in the run, by all its evaluators.
  size_t evaluations() const { return sizes_.evaluated().size() - before_ + evaluated_.size(); }

 private:
  const Fusion& original_;
  const ExpressionEvaluator& sizes_;
  const size_t before_;
  std::unordered_map<const Val*, ScalarValue> values_;  // by originOf; look-ups only
  std::vector<const Val*> evaluated_;
};

}  // namespace fuser
