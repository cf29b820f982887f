// A case into lines, and edits of them.

#include "fuzz/edit/case_edit.h"

#include <algorithm>
#include <set>

#include "fuser/evaluate/concretize.h"
#include "fuser/text/value_names.h"

namespace fuser::fuzz {
namespace {

// A case's fusion, value by value.
class EditBuilder {
 public:
  EditBuilder(const Fusion& fusion, CaseEdit& edit) : fusion_(fusion), names_(fusion), edit_(edit) {}

  void build() {
    for (const Val* input : fusion_.inputs()) {
      edit_.inputs.push_back(inputOf(input));
      describe(input);
    }
    for (const Expr* expr : fusion_.exprs()) {
      edit_.lines.push_back(lineOf(expr));
      for (const Val* output : expr->outputs()) describe(output);
    }
    for (const Val* output : fusion_.outputs()) edit_.outputs.push_back(operandOf(output));
    for (const Val* val : fusion_.usedVals()) {
      if (val->isTensor()) edit_.placements.emplace(names_.of(val), placementOf(val->as<TensorView>()));
    }
  }

 private:
  EditOperand operandOf(const Val* val) const {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) return *val->as<Scalar>()->constant();
    return names_.of(val);
  }

  IntExpr sizeOf(IntExpr size) {
    return edit_.extents.import(size, [&](IntExpr symbol) {
      const Val* scalar = fusion_.scalarOf(symbol);
      if (!scalar) return edit_.extents.named(names_.ofSymbol(symbol));
      const EditOperand operand = operandOf(scalar);
      return operand.name() ? edit_.extents.named("%" + *operand.name())
                            : edit_.extents.constant(operand.literal().as<int64_t>());
    });
  }

  EditInput inputOf(const Val* val) {
    EditInput input{names_.of(val), val->isTensor(), val->dtype()};
    if (val->isScalar()) return input;
    const auto* tensor = val->as<TensorView>();
    for (const IterDomain* axis : tensor->axes()) {
      input.axes.push_back({axis->type(), sizeOf(axis->extent()), sizeOf(axis->expandedExtent())});
    }
    input.allocationOrder = tensor->domain().allocationOrder;
    input.contiguity = tensor->domain().contiguity;
    input.onHost = tensor->isCpuScalar();
    return input;
  }

  EditLine lineOf(const Expr* expr) {
    EditLine line{{}, expr->op(), {}};
    for (const Val* output : expr->outputs()) line.results.push_back(names_.of(output));
    for (const Val* input : expr->inputs()) line.operands.push_back(operandOf(input));
    const std::vector<FamilyAttribute>& attributes = familyAttributes(expr->family());
    const auto isOperand = [](const FamilyAttribute& attribute) { return attribute.kind == AttributeKind::Operand; };
    const auto braced = static_cast<std::ptrdiff_t>(namedOperands(expr->op()).size()) +
                        std::count_if(attributes.begin(), attributes.end(), isOperand);
    line.braced.assign(line.operands.end() - braced, line.operands.end());
    line.operands.erase(line.operands.end() - braced, line.operands.end());
    line.attributes = withExtents(expr->attributes(), [&](IntExpr size) { return sizeOf(size); });
    return line;
  }

  void describe(const Val* val) {
    // Nobody reads the result of an update.
    if (val->definition() && val->definition()->family() == Family::Update) return;
    const size_t rank = val->isTensor() ? val->as<TensorView>()->rank() : 0;
    edit_.values.push_back({names_.of(val), val->isTensor(), val->dtype(), rank, edit_.lines.size()});
  }

  const Fusion& fusion_;
  const ValueNames names_;
  CaseEdit& edit_;
};

}  // namespace

std::vector<const EditValue*> CaseEdit::valuesBefore(size_t line) const {
  std::vector<const EditValue*> found;
  for (const EditValue& value : values) {
    if (value.line <= line) found.push_back(&value);
  }
  return found;
}

const EditValue* CaseEdit::find(const EditOperand& operand) const {
  for (const EditValue& value : values) {
    if (operand.is(value.name)) return &value;
  }
  return nullptr;
}

std::string CaseEdit::freshName(const std::string& base) const {
  std::set<std::string> taken;
  for (const EditValue& value : values) taken.insert(value.name);
  for (const EditInput& input : inputs) taken.insert(input.name);
  for (const EditLine& line : lines) taken.insert(line.results.begin(), line.results.end());
  for (int number = 0;; ++number) {
    std::string name = base + ".m" + std::to_string(number);
    if (!taken.count(name)) return name;
  }
}

void CaseEdit::insertBehind(const EditValue& former, EditLine line) {
  const std::string name = line.results.at(0);
  const auto redirect = [&](EditOperand& operand) {
    if (operand.is(former.name)) operand = name;
  };
  const auto redirectSize = [&](IntExpr size) {
    return extents.import(size, [&](IntExpr symbol) {
      const bool isFormer = extents.nameOf(symbol) == "%" + former.name;
      return isFormer ? extents.named("%" + name) : symbol;
    });
  };
  for (size_t i = former.line; i < lines.size(); ++i) {
    for (EditOperand& operand : lines[i].operands) redirect(operand);
    for (EditOperand& operand : lines[i].braced) redirect(operand);
    lines[i].attributes = withExtents(std::move(lines[i].attributes), redirectSize);
  }
  for (EditOperand& output : outputs) redirect(output);
  for (auto& [output, input] : aliases) output = output == former.name ? name : output;
  for (PreallocatedOutput& memory : preallocated) memory.output = memory.output == former.name ? name : memory.output;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(former.line), std::move(line));
}

CaseEdit caseEditOf(const Case& testCase) {
  CaseEdit edit;
  edit.name = testCase.fusion->name();
  edit.equalSizes = assumesEqualSizes(*testCase.fusion);
  EditBuilder(*testCase.fusion, edit).build();
  edit.mesh = testCase.fusion->mesh();
  edit.aliases = testCase.aliases;
  edit.preallocated = testCase.preallocated;
  edit.options = testCase.options;
  edit.metadata = testCase.metadata;
  edit.schedule = testCase.schedule;
  edit.segmentSchedules = testCase.segmentSchedules;
  edit.runs = testCase.runs;
  for (Run& run : edit.runs) {
    for (size_t i = 0; i < run.inputs.size(); ++i) run.inputs[i].name = edit.inputs.at(i).name;
  }
  return edit;
}

}  // namespace fuser::fuzz
