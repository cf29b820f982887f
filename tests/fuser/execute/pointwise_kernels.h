#pragma once
// One kernel for every row of the op table and every dtype that it accepts.

#include <memory>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct PointwiseCase {
  OpKind op;
  DataType dtype;                       // of the operands in memory
  std::vector<DataType> operandDtypes;  // where: bool first
  DataType result;                      // in memory
  std::unique_ptr<Kernel> kernel;       // tensors a, b, c as the row has, then y; one integer: the element count
};

std::vector<PointwiseCase> pointwiseCases();

// A kernel that casts n elements from one dtype to another.
std::unique_ptr<Kernel> castKernel(DataType from, DataType to);

std::vector<const Kernel*> kernelsOf(const std::vector<PointwiseCase>& cases);

}  // namespace fuser
