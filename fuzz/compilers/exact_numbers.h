#pragma once
// The numbers of a value, and which of them one result is made of.

#include <span>
#include <vector>

#include "fuser/types/dims.h"
#include "fuser/types/dtype.h"
#include "fuzz/compilers/exact_rules.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

struct Numbers {
  DataType dtype = DataType::Float;
  Dims sizes;                    // none of a number
  std::vector<double> elements;  // row-major
  NumberBounds bounds = {};      // of the elements
};
Numbers numbersOf(const reference::Value& value);
bool allFinite(const Numbers& numbers);

// The places of one element of each operand, walked in the row-major order of `sizes`: operands are aligned at the last
// axis, and axes of size 1 meet any size.
class Aligned {
 public:
  Aligned(const Dims& sizes, const std::vector<const Numbers*>& operands);
  // With these strides, each along all axes of `sizes`.
  Aligned(const Dims& sizes, std::vector<Dims> strides)
      : sizes_(sizes), strides_(std::move(strides)), index_(sizes.size(), 0), places_(strides_.size(), 0) {}

  const std::vector<size_t>& places() const { return places_; }
  void next();

 private:
  const Dims sizes_;
  std::vector<Dims> strides_;
  Dims index_;
  std::vector<size_t> places_;
};

// Of each row-major place of `sizes` the place of the result that reduces it along these axes.
std::vector<size_t> rowsOf(const Dims& sizes, const std::vector<int64_t>& reduced);

}  // namespace fuser::fuzz
