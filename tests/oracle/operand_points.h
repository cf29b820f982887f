#pragma once
// Operands at which rows are measured: all numbers of 16 bits; of f32 and f64 a sample that is dense where functions
// change their method, and the same in every run.

#include <cstdint>
#include <vector>

#include "fuser/ops/op_kind.h"
#include "fuser/types/dtype.h"

namespace oracle_test {

class OperandPoints {
 public:
  // All 65,536 numbers of a dtype of 16 bits, by their bits.
  explicit OperandPoints(fuser::DataType dtype);
  // `count` numbers of f32 or f64, for an op: a quarter of them in runs of neighbours around its breakpoints, three
  // eighths at even distances among all bit patterns (NaNs too), and as many among magnitudes from 2^-14 to 2^8.
  OperandPoints(fuser::OpKind op, fuser::DataType dtype, uint64_t count);

  fuser::DataType dtype() const { return dtype_; }
  uint64_t count() const { return count_; }
  // The bits of the index-th number.
  uint64_t bits(uint64_t index) const;

 private:
  // Neighbours of a number, it in their middle; where they begin among all points.
  struct Run {
    uint64_t middle;  // in the order of the numbers
    uint64_t begin;
  };

  fuser::DataType dtype_;
  uint64_t count_;
  std::vector<Run> runs_;  // in the order of `begin`; one more stands for their end
};

}  // namespace oracle_test
