#pragma once
// FreeSizes: the symbols of a case's inputs, which say all sizes of a run, and runs in which they have other values.

#include <optional>
#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

class FreeSizes {
 public:
  using Values = std::vector<int64_t>;  // by number of the symbol

  // The case must outlive this object.
  explicit FreeSizes(const Case& testCase);

  size_t count() const { return symbols_.size(); }
  const std::string& nameOf(size_t number) const;
  // The symbol that stands as this axis of an input, or is this scalar input; nullopt if none does.
  std::optional<size_t> ofAxis(size_t input, size_t axis) const;
  std::optional<size_t> ofScalar(size_t input) const;

  Values valuesIn(const Run& run) const;
  // Sets of symbols that may get another value together. First those of one symbol; then those that have one value in
  // each run, because what meets in an op must. None has a symbol whose number the program reads, as a scalar or an
  // operand.
  std::vector<std::vector<size_t>> groups() const;

  // The run with other sizes; strides keep their gaps. nullopt if some data has its sizes alone (values, views of
  // others), if the program refuses these sizes, or if the tensors of the program would have more elements than that.
  std::optional<Run> resized(const Run& run, const Values& values, int64_t mostElements) const;
  // The elements of all tensors of the program.
  int64_t elementsIn(const Run& run) const;

 private:
  std::optional<size_t> numberOf(IntExpr symbol) const;
  bool isRead(size_t number) const;
  std::optional<TensorInput> resized(const TensorView* tensor, const TensorInput& input, const Values& values) const;

  const Case& case_;
  const std::unique_ptr<Fusion> functional_;  // of a case with updates, whose form it is that runs
  std::vector<IntExpr> symbols_;              // of the case's fusion
};

}  // namespace fuser::fuzz
