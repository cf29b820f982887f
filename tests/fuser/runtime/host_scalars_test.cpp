// Host and device agree on scalars: random chains of scalar ops, evaluated by the ExpressionEvaluator on one set of
// inputs after the other, against the same chains on tensors, whose elements are those inputs, on the engines. Integers
// meet their extremes, shifts their width, casts what no integer holds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/builder.h"
#include "fuser/ops/op_eval.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {
namespace {

constexpr DataType kScalarTypes[] = {DataType::Int64, DataType::Double, DataType::Bool};
constexpr int kInputsOfEach[] = {3, 2, 1};
constexpr int64_t kLow = std::numeric_limits<int64_t>::min(), kHigh = std::numeric_limits<int64_t>::max();

// Draws numbers below a bound.
using Draw = std::function<size_t(size_t bound)>;

ScalarValue drawValue(DataType dtype, const Draw& draw) {
  constexpr int64_t kWhole[] = {kLow, kLow + 1, kHigh, kHigh - 1, -1, 0,  1,  2,   3,
                                -7,   10,       31,    62,        63, 64, 65, -64, int64_t{1} << 40};
  constexpr double kReal[] = {0.0, -0.0, 1.0, -1.0, 0.5, -7.5, 2.5, 1e300, -1e300, 9.2233720368547748e18,
                              9.2233720368547758e18, -9.2233720368547758e18, 1e19, 5e-324, HUGE_VAL, -HUGE_VAL, NAN};
  if (dtype == DataType::Bool) return draw(2) == 1;
  if (dtype == DataType::Double) return kReal[draw(std::size(kReal))];
  if (draw(4) > 0) return kWhole[draw(std::size(kWhole))];
  return static_cast<int64_t>(draw(2001)) - 1000;
}

// One chain, twice: on scalars, and on tensors of one axis.
struct Twins {
  Fusion scalars{"scalars"}, tensors{"tensors"};
  std::vector<Val*> scalar, tensor;  // in the same order; inputs first
  size_t inputs = 0;

  void addInput(DataType dtype) {
    const std::string name = concat("a", scalar.size());
    scalar.push_back(scalars.newScalar(dtype, name));
    scalars.addInput(scalar.back());
    tensor.push_back(build::input(tensors, dtype, {tensors.extentSymbol("i0")}, name));
    ++inputs;
  }

  // False where the op takes no such operands, or takes them as other types on tensors.
  bool addOp(OpKind op, const std::vector<size_t>& operands) {
    std::vector<DataType> dtypes;
    std::vector<Val*> ofScalars, ofTensors;
    for (size_t operand : operands) {
      dtypes.push_back(scalar[operand]->dtype());
      ofScalars.push_back(scalar[operand]);
      ofTensors.push_back(tensor[operand]);
    }
    if (takesCondition(op, 0) && dtypes[0] != DataType::Bool) return false;
    const DataType common = scalarCommonType(op, dtypes);
    const bool toFloat =
        opInfo(op).promotion == Promotion::Float && promoteTypes(dtypes.front(), dtypes.back()) != DataType::Double;
    if (!acceptsDtype(op, common) || toFloat) return false;
    const std::string name = concat("t", scalar.size());
    keep(build::pointwise(scalars, op, ofScalars, name), build::pointwise(tensors, op, ofTensors, name));
    return true;
  }

  void addCast(size_t operand, DataType dtype) {
    const std::string name = concat("t", scalar.size());
    keep(build::cast(scalars, scalar[operand], dtype, name), build::cast(tensors, tensor[operand], dtype, name));
  }

  void keep(Val* ofScalars, Val* ofTensors) {
    EXPECT_EQ(ofScalars->dtype(), ofTensors->dtype()) << ofScalars->name();
    scalar.push_back(ofScalars);
    tensor.push_back(ofTensors);
    scalars.addOutput(ofScalars);
    tensors.addOutput(ofTensors);
  }
};

// Whatever engines promise to the bit; named operands are scalars on tensors too.
std::vector<OpKind> comparedOps() {
  std::vector<OpKind> ops;
  for (OpKind op : kAllOps) {
    if (isPointwise(op) && opInfo(op).agreement == Agreement::Exact && namedOperands(op).empty()) ops.push_back(op);
  }
  return ops;
}

std::unique_ptr<Twins> drawTwins(size_t steps, const Draw& draw) {
  static const std::vector<OpKind> ops = comparedOps();
  auto twins = std::make_unique<Twins>();
  for (size_t type = 0; type < std::size(kScalarTypes); ++type) {
    for (int i = 0; i < kInputsOfEach[type]; ++i) twins->addInput(kScalarTypes[type]);
  }
  for (size_t count = 0, tries = 0; count < steps && tries < 20 * steps; ++tries) {
    if (draw(6) == 0) {
      twins->addCast(draw(twins->scalar.size()), kScalarTypes[draw(3)]);
      ++count;
      continue;
    }
    const OpKind op = ops[draw(ops.size())];
    std::vector<size_t> operands;
    for (size_t i = 0; i < operandCount(op); ++i) operands.push_back(draw(twins->scalar.size()));
    count += twins->addOp(op, operands);
  }
  return twins;
}

struct Column {
  std::vector<uint64_t> memory;  // 8 bytes an element are enough for each dtype
  TensorRef ref;
};

// One element a lane.
std::vector<Column> columnsOf(const std::vector<Val*>& inputs, const std::vector<std::vector<ScalarValue>>& lanes) {
  std::vector<Column> columns(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    columns[i].memory.resize(lanes.size());
    const int64_t count = static_cast<int64_t>(lanes.size());
    columns[i].ref = {columns[i].memory.data(), inputs[i]->dtype(), {count}, {1}, {}};
    dispatch(inputs[i]->dtype(), [&]<class T>() {
      for (size_t lane = 0; lane < lanes.size(); ++lane)
        static_cast<T*>(columns[i].ref.data)[lane] = lanes[lane][i].as<T>();
    });
  }
  return columns;
}

// "" or the first lane and value on which the engine and the evaluator differ.
std::string firstDisagreement(const std::shared_ptr<Twins>& twins, const std::vector<std::vector<ScalarValue>>& lanes,
                              EngineKind engine) {
  FusionExecutorCache::Settings settings;
  settings.context.options.engine = engine;
  FusionExecutorCache cache(std::shared_ptr<const Fusion>(twins, &twins->tensors), settings);
  const std::vector<Val*> inputs(twins->scalar.begin(), twins->scalar.begin() + static_cast<ptrdiff_t>(twins->inputs));
  const std::vector<Column> columns = columnsOf(inputs, lanes);
  std::vector<HostValue> values;
  for (const Column& column : columns) values.push_back(column.ref);
  const RunRecord record = cache.run(values);
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    ExpressionEvaluator evaluator(twins->scalars);
    for (size_t i = 0; i < inputs.size(); ++i) evaluator.bindScalar(inputs[i], lanes[lane][i]);
    for (size_t i = 0; i < record.outputs.size(); ++i) {
      const Val* val = twins->scalars.outputs()[i];
      const TensorRef& ref = std::get<TensorRef>(record.outputs[i]);
      const auto* element = static_cast<const std::byte*>(ref.data) + lane * dtypeSize(ref.dtype);
      const ScalarValue onDevice = elementAt(ref.dtype, element), onHost = evaluator.evaluate(val);
      if (onDevice == onHost) continue;
      std::string text = concat("%", val->name(), " = ", opName(val->definition()->op()), "(");
      for (const Val* operand : val->definition()->inputs()) text += concat(" ", evaluator.evaluate(operand));
      return concat(text, " ) is ", onHost, " on the host and ", onDevice, " on the device");
    }
  }
  return "";
}

std::vector<std::vector<ScalarValue>> drawLanes(size_t count, const Draw& draw) {
  std::vector<std::vector<ScalarValue>> lanes(count);
  for (std::vector<ScalarValue>& lane : lanes) {
    for (size_t type = 0; type < std::size(kScalarTypes); ++type) {
      for (int i = 0; i < kInputsOfEach[type]; ++i) lane.push_back(drawValue(kScalarTypes[type], draw));
    }
  }
  return lanes;
}

RC_GTEST_PROP(HostScalarsTest, AgreeWithTheInterpreter, ()) {
  const Draw draw = [](size_t bound) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<size_t>(0, bound)); };
  const std::shared_ptr<Twins> twins = drawTwins(1 + draw(12), draw);
  const std::string difference = firstDisagreement(twins, drawLanes(1 + draw(24), draw), EngineKind::Interp);
  if (!difference.empty()) RC_FAIL(difference);
}

// Each run of the compiler takes long, so that a few long chains stand for many short ones.
TEST(HostScalarsTest, AgreeWithTheCpuEngine) {
  uint64_t state = 20260101;
  const Draw draw = [&](size_t bound) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;  // Knuth's MMIX generator
    return static_cast<size_t>((state >> 33) % bound);
  };
  for (int i = 0; i < 3; ++i) {
    const std::shared_ptr<Twins> twins = drawTwins(120, draw);
    EXPECT_EQ(firstDisagreement(twins, drawLanes(100, draw), EngineKind::Cpu), "");
  }
}

TEST(HostScalarsTest, EveryExactOpIsCompared) {
  const std::vector<OpKind> ops = comparedOps();
  for (OpKind op :
       {OpKind::TruncDiv, OpKind::FloorDiv, OpKind::Fmod, OpKind::Remainder, OpKind::LeftShift, OpKind::RightShift,
        OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Neg, OpKind::Abs, OpKind::Gcd, OpKind::Where}) {
    EXPECT_NE(std::find(ops.begin(), ops.end(), op), ops.end()) << opName(op);
  }
}

}  // namespace
}  // namespace fuser
