// The map of coordinates of generated slices, pads, cats, reshapes and repeats: every element of a result is exactly
// one element of one operand, which lies inside of it; where an axis is said to stay, its coordinate does.

#include "fuser/analysis/axis_map.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "tests/properties/check_property.h"

namespace fuser {
namespace {

constexpr int kViewCases = 300;

class MapChecker {
 public:
  MapChecker(const Case& testCase, const Run& run) : evaluator_(*testCase.fusion) {
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      const Val* input = testCase.fusion->inputs()[i];
      if (const auto* tensor = std::get_if<TensorInput>(&run.inputs[i].value)) {
        evaluator_.bindSizes(input->as<TensorView>(), tensor->sizes);
      } else {
        evaluator_.bindScalar(input, std::get<ScalarValue>(run.inputs[i].value));
      }
    }
  }

  // The number of elements looked at.
  int64_t check(const Expr* expr) {
    const Dims sizes = evaluator_.sizes(expr->output()->as<TensorView>());
    const int64_t count = std::min<int64_t>(numel(sizes), 300);
    for (int64_t place = 0; place < count; ++place) {
      std::vector<int64_t> index(sizes.size());
      int64_t rest = place * std::max<int64_t>(numel(sizes) / count, 1);
      for (size_t axis = sizes.size(); axis-- > 0;) {
        index[axis] = rest % sizes[axis];
        rest /= sizes[axis];
      }
      checkElement(expr, index);
    }
    return count;
  }

 private:
  void checkElement(const Expr* expr, const std::vector<int64_t>& index) {
    IntExprArena ints;
    std::vector<IntExpr> coordinates;
    for (int64_t i : index) coordinates.push_back(ints.constant(i));
    const auto import = [&](IntExpr extent) { return ints.constant(evaluator_.evaluate(extent)); };
    int64_t chosen = 0;
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      const OperandElement element = operandElement(expr, i, coordinates, ints, import);
      RC_ASSERT(element.condition->isConstant());
      if (element.condition->value == 0) continue;
      ++chosen;
      if (expr->input(i)->isTensor()) checkInside(expr, expr->input(i)->as<TensorView>(), element, index);
    }
    RC_ASSERT(chosen == 1);
  }

  void checkInside(const Expr* expr, const TensorView* operand, const OperandElement& element,
                   const std::vector<int64_t>& index) {
    const Dims sizes = evaluator_.sizes(operand);
    const std::vector<int> kept = producerAxes(expr, operand);
    RC_ASSERT(element.coordinates.size() == sizes.size());
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      // A broadcast axis has one element, whatever its coordinate.
      if (operand->axes()[axis]->isBroadcast()) continue;
      const int64_t coordinate = element.coordinates[axis]->value;
      RC_ASSERT(coordinate >= 0);
      RC_ASSERT(coordinate < sizes[axis]);
      const auto stays = std::find(kept.begin(), kept.end(), static_cast<int>(axis));
      if (stays != kept.end()) RC_ASSERT(coordinate == index[static_cast<size_t>(stays - kept.begin())]);
    }
  }

  ExpressionEvaluator evaluator_;
};

TEST(ViewMapProperty, EveryElementIsOneElementOfOneOperand) {
  fuzz::GeneratorOptions options;
  options.only = {OpKind::Permute, OpKind::Size};
  for (OpKind op : kAllOps) {
    const FamilyInfo& family = familyInfo(opInfo(op).family);
    // Which element an index names is data.
    const bool isData = family.operands == FamilyOperands::Indexed || family.operands == FamilyOperands::Scattered;
    const bool isMap = family.elements == Elements::Move && !isData;
    if (isMap) options.only.insert(op);
  }
  int64_t elements = 0;
  checkProperty(kViewCases, [&] {
    const fuzz::ArbitraryCase testCase = *fuzz::arbitraryCase(options);
    for (const fuser::Run& run : testCase->runs) {
      MapChecker checker(*testCase, run);
      for (const Expr* expr : testCase->fusion->exprs()) {
        const Family family = expr->family();
        if (familyInfo(family).elements == Elements::Move) elements += checker.check(expr);
      }
    }
  });
  EXPECT_GT(elements, 20000);
}

}  // namespace
}  // namespace fuser
