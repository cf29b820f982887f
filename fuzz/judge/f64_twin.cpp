// Changes the dtypes of inputs, casts, factories and runs.

#include "fuzz/judge/f64_twin.h"

#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {
namespace {

DataType inTwin(DataType dtype) { return isFloating(dtype) ? DataType::Double : dtype; }

// A cast between floating types of the case has nothing to convert in the twin. One that has nothing to convert in the
// case either stays a cast, so that passes remove it from both.
bool isSetInTwin(const CaseEdit& edit, const EditLine& line) {
  if (line.op != OpKind::Cast || !isFloating(line.attributes.dtype())) return false;
  const EditValue* operand = edit.find(line.operands.at(0));
  return operand && operand->tensor && isFloating(operand->dtype) && operand->dtype != line.attributes.dtype();
}

}  // namespace

Case f64TwinOf(const Case& testCase) {
  CaseEdit edit = caseEditOf(testCase);
  edit.segmentSchedules.clear();
  std::vector<bool> isSet;
  for (const EditLine& line : edit.lines) isSet.push_back(isSetInTwin(edit, line));
  for (EditInput& input : edit.inputs) input.dtype = inTwin(input.dtype);
  for (size_t i = 0; i < edit.lines.size(); ++i) {
    EditLine& line = edit.lines[i];
    if (isSet[i]) {
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
