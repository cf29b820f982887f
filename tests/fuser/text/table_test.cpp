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

DataType scalarTypeFor(DataType dtype) {
  return isFloating(dtype) ? DataType::Double : dtype == DataType::Bool ? dtype : DataType::Int64;
}

std::vector<Val*> operands(Fusion& fusion, OpKind op, DataType dtype, bool scalars) {
  std::vector<Val*> vals;
  for (size_t i = 0; i < operandCount(op); ++i) {
    const DataType operandType = takesCondition(op, i) ? DataType::Bool : dtype;
    const std::string name(1, static_cast<char>('a' + i));
    if (scalars || i + namedOperands(op).size() >= operandCount(op)) {
      vals.push_back(fusion.newScalar(scalarTypeFor(operandType), name));
      fusion.addInput(vals.back());
    } else {
      vals.push_back(tensor(fusion, operandType, name));
    }
  }
  return vals;
}

void expectReadsBack(Fusion& fusion, Val* result, OpKind op) {
  if (!result->isFusionOutput()) fusion.addOutput(result);
  const std::string text = printFusion(fusion);
  const std::string written = op == OpKind::Update ? "update %" : concat(" = ", opInfo(op).mnemonic, "(");
  EXPECT_NE(text.find(written), std::string::npos) << text;
  EXPECT_NE(text.find(opInfo(op).variant), std::string::npos) << text;
  const std::unique_ptr<Fusion> again = parseFusion(text);
  EXPECT_EQ(firstDifference(*again, fusion), "") << text;
  EXPECT_EQ(printFusion(*again), text);
}

// Forms of a pointwise row: on tensors and on scalars of the dtype.
size_t checkPointwise(OpKind op, DataType dtype) {
  const bool promoted = promotedType(op, dtype, false) != dtype;
  if (!promoted && !acceptsDtype(op, dtype)) return 0;
  size_t forms = 0;
  for (bool scalars : {false, true}) {
    if (scalars && !isScalarDtype(dtype)) continue;
    Fusion fusion("f");
    Val* result = build::pointwise(fusion, op, operands(fusion, op, dtype, scalars), "r");
    expectReadsBack(fusion, result, op);
    ++forms;
  }
  return forms;
}

// The family's example with this op's name, this dtype wherever it names one.
std::string exampleOf(OpKind op, DataType dtype) {
  std::string line(familyInfo(opInfo(op).family).example);
  if (op == OpKind::Update) return line;  // a statement
  const size_t name = line.find(" = ") + 3;
  line.replace(name, line.find('(') - name, opInfo(op).mnemonic);
  if (opInfo(op).results == 2) line.replace(0, line.find(" ="), "%y, %z");
  if (const size_t named = line.find("dtype = "); named != line.npos) {
    line.replace(named, line.find_first_of(",}", named) - named,
                 concat("dtype = ", op == OpKind::Bitcast ? bitsDtype(dtype).value_or(dtype) : dtype));
  }
  return line;
}

size_t checkStructural(OpKind op, DataType dtype, bool scalar) {
  const std::string text = concat("fusion f(%x: ", scalar ? concat(scalarTypeFor(dtype)) : concat(dtype, "[i0, 1, i2]"),
                                  ", %i: i64[i0, 1, i2], %h: ", dtype, "[] {device = cpu}) {\n  ", exampleOf(op, dtype),
                                  "\n  return %y\n}\n");
  std::unique_ptr<Fusion> fusion;
  try {
    fusion = parseFusion(text);
  } catch (const UserError& error) {
    // The row says which dtypes an op has; arange has none of bool.
    const std::string message = error.what();
    if (op == OpKind::Bitcast && !bitsDtype(dtype)) return 0;
    const bool dtypeRefused = message.find("does not take") != message.npos ||
                              message.find("no bool result") != message.npos ||
                              message.find("a scalar is f64, i64 or bool") != message.npos;
    EXPECT_TRUE(dtypeRefused && (scalar || !acceptsDtype(op, dtype) || dtype == DataType::Bool)) << text << message;
    return 0;
  }
  expectReadsBack(*fusion, fusion->outputs().front(), op);
  return 1;
}

TEST(OpTableTextTest, EveryRowOfEveryDtypeReadsBack) {
  size_t forms = 0;
  for (OpKind op : kAllOps) {
    size_t count = 0;
    for (DataType dtype : kAllDataTypes) {
      if (isPointwise(op)) {
        count += checkPointwise(op, dtype);
      } else {
        count += checkStructural(op, dtype, false);
        if (takesScalars(opInfo(op).family)) count += checkStructural(op, dtype, true);
      }
    }
    EXPECT_GT(count, 0u) << opName(op);
    forms += count;
  }
  RecordProperty("forms", static_cast<int>(forms));
  EXPECT_GT(forms, std::size(kAllOps) * 4);
}

}  // namespace
}  // namespace fuser
