#include "tests/oracle/row_program.h"

#include <cstring>

#include "fuser/execute/ptx_engine.h"
#include "fuser/ir/builder.h"
#include "fuser/ops/op_table.h"
#include "oracle/rounding.h"

namespace oracle_test {

using fuser::DataType;
using fuser::OpKind;

namespace {

size_t ordinaryOperands(OpKind op) { return fuser::operandCount(op) - fuser::namedOperands(op).size(); }

fuser::FusionExecutorCache::Settings settingsFor(fuser::EngineKind engine, fuser::ptx::Approximation approximation) {
  fuser::FusionExecutorCache::Settings settings;
  settings.context.options.engine = engine;
  if (engine == fuser::EngineKind::Ptx) settings.engine = fuser::makePtxEngine({.approximation = approximation});
  return settings;
}

std::vector<double> numbersOf(const fuser::HostValue& value) {
  const auto& ref = std::get<fuser::TensorRef>(value);
  FUSER_CHECK(ref.sizes.size() == 1 && (ref.strides[0] == 1 || ref.sizes[0] == 1), "not an array");
  std::vector<double> numbers(static_cast<size_t>(ref.sizes[0]));
  fuser::dispatch(ref.dtype, [&]<class T>() {
    const T* from = static_cast<const T*>(ref.data);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if constexpr (requires { from->bits; }) {
        numbers[i] = oracle::numberOfNarrow(from[i].bits, ref.dtype);
      } else {
        numbers[i] = static_cast<double>(from[i]);
      }
    }
  });
  return numbers;
}

}  // namespace

std::vector<OpKind> rowsOfOneOperand() {
  std::vector<OpKind> rows;
  for (OpKind op : fuser::kAllOps) {
    if (!fuser::isPointwise(op) || fuser::takesCondition(op, 0) || !fuser::acceptsDtype(op, DataType::Half)) continue;
    bool hasDefaults = true;
    for (const fuser::NamedOperand& named : fuser::namedOperands(op)) hasDefaults &= named.ifAbsent.has_value();
    if (hasDefaults && ordinaryOperands(op) == 1) rows.push_back(op);
  }
  return rows;
}

Numbers::Numbers(DataType type, std::span<const uint64_t> bits) : dtype(type) {
  const size_t size = fuser::dtypeSize(type);
  memory.resize(size * bits.size());
  values.reserve(bits.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(memory.data() + size * i, &bits[i], size);
    double number = 0;
    float single = 0;
    if (size == 8) std::memcpy(&number, &bits[i], 8);
    if (size == 4) std::memcpy(&single, &bits[i], 4);
    values.push_back(size == 8   ? number
                     : size == 4 ? static_cast<double>(single)
                                 : oracle::numberOfNarrow(static_cast<uint16_t>(bits[i]), type));
  }
}

fuser::TensorRef Numbers::tensor() { return {memory.data(), dtype, {static_cast<int64_t>(values.size())}, {1}, {}}; }

RowFusion::RowFusion(OpKind op, DataType dtype) : fusion_(std::make_shared<fuser::Fusion>("row")) {
  fuser::Fusion& fusion = *fusion_;
  const fuser::IntExpr n = fusion.extentSymbol("i0");
  std::vector<fuser::Val*> operands, wide;
  for (size_t i = 0; i < ordinaryOperands(op); ++i) {
    operands.push_back(fuser::build::input(fusion, dtype, {n}, fuser::concat("x", i)));
  }
  const DataType compute = fuser::computeType(dtype);
  if (compute != dtype) {
    for (fuser::Val* operand : operands) wide.push_back(fuser::build::cast(fusion, operand, compute));
  }
  for (const fuser::NamedOperand& named : fuser::namedOperands(op)) {
    named_.push_back(*named.ifAbsent);
    operands.push_back(fusion.newConstant(*named.ifAbsent));
    wide.push_back(operands.back());
  }
  std::vector<fuser::Val*> outputs{fuser::build::pointwise(fusion, op, operands)};
  if (compute != dtype) outputs.push_back(fuser::build::pointwise(fusion, op, wide));
  expr_ = outputs.back()->definition();
  fusion.setOutputs(outputs);
  fusion.markOrigins();
}

RowProgram::RowProgram(const RowFusion& row, fuser::EngineKind engine, fuser::ptx::Approximation approximation)
    : cache_(row.fusion(), settingsFor(engine, approximation)) {}

RowResults RowProgram::run(std::span<Numbers> operands) {
  std::vector<fuser::HostValue> inputs;
  for (Numbers& operand : operands) inputs.push_back(operand.tensor());
  const fuser::RunRecord record = cache_.run(inputs);
  RowResults results{numbersOf(record.outputs[0]), {}};
  results.computed = record.outputs.size() > 1 ? numbersOf(record.outputs[1]) : results.stored;
  return results;
}

}  // namespace oracle_test
