// Every row of the op table, for every dtype it takes, on tensors and on scalars: text and back.

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"
#include "fuser/ir/equality.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

TensorView* tensor(Fusion& fusion, DataType dtype, const std::string& name) {
  return build::input(fusion, dtype, {fusion.extentSymbol("i0"), fusion.ints().constant(1), fusion.extentSymbol("i2")},
                      name);
}

bool isScalarDtype(DataType dtype) {
  return dtype == DataType::Double || dtype == DataType::Int64 || dtype == DataType::Bool;
}

std::vector<Val*> operands(Fusion& fusion, OpKind op, DataType dtype, bool scalars) {
  std::vector<Val*> vals;
  for (size_t i = 0; i < operandCount(op); ++i) {
    const DataType own = takesCondition(op, i) ? DataType::Bool : dtype;
    const std::string name(1, static_cast<char>('a' + i));
    if (scalars || i + namedOperands(op).size() >= operandCount(op)) {
      vals.push_back(fusion.newScalar(
          isFloating(own) ? DataType::Double : own == DataType::Bool ? own : DataType::Int64, name));
      fusion.addInput(vals.back());
    } else {
      vals.push_back(tensor(fusion, own, name));
    }
  }
  return vals;
}

// The row on inputs of the dtype; null where the op has no such form.
Val* buildRow(Fusion& fusion, OpKind op, DataType dtype, bool scalars) {
  const OpInfo& info = opInfo(op);
  if (scalars && !isScalarDtype(dtype)) return nullptr;
  if (isPointwise(op)) {
    const bool promoted = info.promotion == Promotion::Float && !isFloating(dtype);
    if (!promoted && !acceptsDtype(op, dtype)) return nullptr;
    return build::pointwise(fusion, op, operands(fusion, op, dtype, scalars), "r");
  }
  if (scalars && op != OpKind::Cast) return nullptr;
  if (!acceptsDtype(op, dtype)) return nullptr;
  if (op == OpKind::Cast && scalars) {
    Scalar* a = fusion.newScalar(DataType::Double, "a");
    fusion.addInput(a);
    return build::cast(fusion, a, dtype, "r");
  }
  TensorView* a = tensor(fusion, dtype, "a");
  switch (info.family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: break;
    case Family::Cast: return build::cast(fusion, tensor(fusion, DataType::Float, "b"), dtype, "r");
    case Family::LoadStore: return op == OpKind::Set ? build::set(fusion, a, "r") : build::segmentSet(fusion, a, "r");
    case Family::Broadcast: return build::unsqueeze(fusion, a, {0, -1}, "r");
    case Family::Squeeze: return build::squeeze(fusion, a, {-2}, "r");
    case Family::Expand:
      return build::expand(fusion, a,
                           {fusion.ints().constant(-1), fusion.extentSymbol("i2"), fusion.extentSymbol("i2")}, "r");
    case Family::Permute: return build::permute(fusion, a, {2, 0, 1}, "r");
    case Family::Factory:
      return build::full(fusion, {fusion.extentSymbol("i2"), fusion.ints().constant(3)}, fusion.newConstant(1.0), dtype,
                         "r");
    case Family::Range:
      if (dtype == DataType::Bool) return nullptr;
      return build::arange(fusion, fusion.ints().constant(2), fusion.extentSymbol("i2"), fusion.ints().constant(3),
                           dtype, "r");
    case Family::Size: return build::size(fusion, a, -1, "r");
    case Family::Slice:
      return build::slice(fusion, a, -1, fusion.ints().constant(-3), fusion.extentSymbol("i2"),
                          fusion.ints().constant(2), "r");
    case Family::Pad:
      return build::pad(
          fusion, a,
          {fusion.ints().constant(-1), fusion.ints().constant(2), fusion.extentSymbol("i2"), fusion.ints().constant(0)},
          fusion.newConstant(1.0), "r");
    case Family::Cat: {
      Val* operands[] = {a, a};
      return build::cat(fusion, operands, 0, "r");
    }
    case Family::Reshape:
      return build::reshape(fusion, a, {fusion.ints().constant(-1), fusion.extentSymbol("i2")}, "r");
    case Family::Repeat:
      return build::repeat(
          fusion, a,
          {fusion.extentSymbol("i2"), fusion.ints().constant(2), fusion.ints().constant(3), fusion.ints().constant(1)},
          "r");
    case Family::Welford: return build::welford(fusion, op, a, {0, -1}, 2, true, {"r", "m"})[0];
    case Family::Item: return build::item(fusion, build::hostInput(fusion, dtype, "h"), "r");
    case Family::Reduction: return build::reduction(fusion, op, a, {0, -1}, true, "r");
  }
  ADD_FAILURE() << "no form for " << info.name;
  return nullptr;
}

TEST(OpTableTextTest, EveryRowOfEveryDtypeReadsBack) {
  size_t forms = 0;
  for (OpKind op : kAllOps) {
    size_t own = 0;
    for (DataType dtype : kAllDataTypes) {
      for (bool scalars : {false, true}) {
        Fusion fusion("f");
        Val* result = buildRow(fusion, op, dtype, scalars);
        if (!result) continue;
        fusion.addOutput(result);
        const std::string text = printFusion(fusion);
        EXPECT_NE(text.find(" = " + std::string(opInfo(op).mnemonic) + "("), std::string::npos) << text;
        EXPECT_NE(text.find(opInfo(op).variant), std::string::npos) << text;
        const std::unique_ptr<Fusion> again = parseFusion(text);
        EXPECT_EQ(firstDifference(*again, fusion), "") << text;
        EXPECT_EQ(printFusion(*again), text);
        ++own;
      }
    }
    EXPECT_GT(own, 0u) << opName(op);
    forms += own;
  }
  RecordProperty("forms", static_cast<int>(forms));
  EXPECT_GT(forms, std::size(kAllOps) * 4);
}

}  // namespace
}  // namespace fuser
