// Changes the dtypes of inputs, casts, factories and runs.

#include "fuzz/judge/f64_twin.h"

#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {
namespace {

DataType inTwin(DataType dtype) { return isFloating(dtype) ? DataType::Double : dtype; }

// A cast between floating types of the case has nothing to convert in the twin.
bool isSetInTwin(const CaseEdit& edit, const EditLine& line) {
  if (line.op != OpKind::Cast || !isFloating(line.attributes.dtype())) return false;
  const EditValue* operand = edit.find(line.operands.at(0));
  return operand && operand->tensor && isFloating(operand->dtype);
}

}  // namespace

Case f64TwinOf(const Case& testCase) {
  CaseEdit edit = caseEditOf(testCase);
  edit.segmentSchedules.clear();
  for (EditInput& input : edit.inputs) input.dtype = inTwin(input.dtype);
  for (EditLine& line : edit.lines) {
    if (isSetInTwin(edit, line)) {
      line.op = OpKind::Set;
      line.attributes = {};
    } else if (line.attributes.has(AttributeName::dtype)) {
      line.attributes.dtype(inTwin(line.attributes.dtype()));
    }
  }
  for (Run& run : edit.runs) {
    for (RunInput& input : run.inputs) {
      if (auto* tensor = std::get_if<TensorInput>(&input.value)) tensor->dtype = inTwin(tensor->dtype);
    }
  }
  return finish(edit);
}

}  // namespace fuser::fuzz
