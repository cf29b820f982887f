#pragma once
// One row of the op table as a program of its own on an engine: operands in, results out, through the whole compiler.

#include <memory>
#include <span>
#include <vector>

#include "fuser/case/options.h"
#include "fuser/ir/fusion.h"
#include "fuser/ops/op_kind.h"
#include "fuser/ptx/instruction_table.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace oracle_test {

// Rows of one ordinary operand whose named ones all have defaults, and that take floats.
std::vector<fuser::OpKind> rowsOfOneOperand();

// One array of numbers of a dtype.
struct Numbers {
  fuser::DataType dtype = fuser::DataType::Float;
  std::vector<std::byte> memory;
  std::vector<double> values;

  // From their bits.
  Numbers(fuser::DataType dtype, std::span<const uint64_t> bits);
  fuser::TensorRef tensor();
};

struct RowResults {
  std::vector<double> stored;    // in the dtype of the operands; truths as 0 and 1
  std::vector<double> computed;  // of the operands in the compute dtype: not rounded to 16 bits
};

// The fusion: y = op(a), and of 16 bits also op(cast(a)) in f32. Named operands have their defaults.
class RowFusion {
 public:
  RowFusion(fuser::OpKind op, fuser::DataType dtype);
  std::shared_ptr<const fuser::Fusion> fusion() const { return fusion_; }
  const fuser::Expr& expr() const { return *expr_; }  // in the compute dtype
  size_t arity() const { return fusion_->inputs().size(); }
  // Of the expression, behind the ordinary operands.
  const std::vector<fuser::ScalarValue>& named() const { return named_; }

 private:
  std::shared_ptr<fuser::Fusion> fusion_;
  std::vector<fuser::ScalarValue> named_;
  const fuser::Expr* expr_ = nullptr;
};

class RowProgram {
 public:
  // `approximation`: of the ptx engine.
  RowProgram(const RowFusion& row, fuser::EngineKind engine,
             fuser::ptx::Approximation approximation = fuser::ptx::Approximation::Nearest);
  // As many arrays as operands, of one length. Throws what the cache throws.
  RowResults run(std::span<Numbers> operands);

 private:
  fuser::FusionExecutorCache cache_;
};

}  // namespace oracle_test
