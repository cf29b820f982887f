// A case into lines, and edits of them.

#include "fuzz/mutate/draft.h"

#include <algorithm>

#include "fuser/text/value_names.h"

namespace fuser::fuzz {
namespace {

// A case's fusion, value by value.
class Taker {
 public:
  Taker(const Fusion& fusion, Draft& draft) : fusion_(fusion), names_(fusion), draft_(draft) {}

  void take() {
    for (const Val* input : fusion_.inputs()) {
      draft_.inputs.push_back(inputOf(input));
      describe(input);
    }
    for (const Expr* expr : fusion_.exprs()) {
      draft_.lines.push_back(lineOf(expr));
      for (const Val* output : expr->outputs()) describe(output);
    }
    for (const Val* output : fusion_.outputs()) draft_.outputs.push_back(operandOf(output));
    for (const Val* val : fusion_.usedVals()) {
      if (val->isTensor()) draft_.placements.emplace(names_.of(val), placementOf(val->as<TensorView>()));
    }
  }

 private:
  DraftOperand operandOf(const Val* val) const {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) return *val->as<Scalar>()->constant();
    return names_.of(val);
  }

  IntExpr sizeOf(IntExpr size) {
    return draft_.extents.import(size, [&](IntExpr symbol) {
      const Val* scalar = fusion_.scalarOf(symbol);
      if (!scalar) return draft_.extents.named(names_.ofSymbol(symbol));
      const DraftOperand operand = operandOf(scalar);
      return operand.name() ? draft_.extents.named("%" + *operand.name())
                            : draft_.extents.constant(operand.literal().as<int64_t>());
    });
  }

  DraftInput inputOf(const Val* val) {
    DraftInput input{names_.of(val), val->isTensor(), val->dtype()};
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

  DraftLine lineOf(const Expr* expr) {
    DraftLine line{{}, expr->op(), {}};
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
    const size_t rank = val->isTensor() ? val->as<TensorView>()->rank() : 0;
    draft_.values.push_back({names_.of(val), val->isTensor(), val->dtype(), rank, draft_.lines.size()});
  }

  const Fusion& fusion_;
  const ValueNames names_;
  Draft& draft_;
};

}  // namespace

std::vector<const DraftValue*> Draft::valuesBefore(size_t line) const {
  std::vector<const DraftValue*> found;
  for (const DraftValue& value : values) {
    if (value.line <= line) found.push_back(&value);
  }
  return found;
}

const DraftValue* Draft::find(const DraftOperand& operand) const {
  for (const DraftValue& value : values) {
    if (operand.is(value.name)) return &value;
  }
  return nullptr;
}

std::string Draft::freshName(const std::string& base) const {
  for (int number = 0;; ++number) {
    const std::string name = base + ".m" + std::to_string(number);
    if (std::none_of(values.begin(), values.end(), [&](const DraftValue& value) { return value.name == name; }))
      return name;
  }
}

void Draft::insertBehind(const DraftValue& former, DraftLine line) {
  const std::string name = line.results.at(0);
  const auto redirect = [&](DraftOperand& operand) {
    if (operand.is(former.name)) operand = name;
  };
  for (size_t i = former.line; i < lines.size(); ++i) {
    for (DraftOperand& operand : lines[i].operands) redirect(operand);
  }
  for (DraftOperand& output : outputs) redirect(output);
  for (auto& [output, input] : aliases) output = output == former.name ? name : output;
  for (PreallocatedOutput& given : preallocated) given.output = given.output == former.name ? name : given.output;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(former.line), std::move(line));
}

Draft draftOf(const Case& testCase) {
  Draft draft;
  draft.name = testCase.fusion->name();
  Taker(*testCase.fusion, draft).take();
  draft.mesh = testCase.fusion->mesh();
  draft.aliases = testCase.aliases;
  draft.preallocated = testCase.preallocated;
  draft.options = testCase.options;
  draft.runs = testCase.runs;
  for (Run& run : draft.runs) {
    run.expectation = Expectation::AgreesOrRejected;  // sizes may meet that do not fit
    for (size_t i = 0; i < run.inputs.size(); ++i) run.inputs[i].name = draft.inputs.at(i).name;
  }
  return draft;
}

bool changeCase(Draft& draft, Choices& choices, bool (*change)(Case& testCase, Choices& choices)) {
  try {
    Case testCase = finish(draft);
    if (!change(testCase, choices)) return false;
    draft = draftOf(testCase);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace fuser::fuzz
