#include "fuzz/compilers/special_cases.h"

#include <algorithm>
#include <cmath>

#include "fuser/ops/op_table.h"
#include "fuzz/compilers/exact_numbers.h"

namespace fuser::fuzz {
namespace {

// A case in one run.
struct Subject {
  const Case& testCase;
  const std::vector<std::optional<reference::Value>>& values;

  const Fusion& fusion() const { return *testCase.fusion; }
  const TensorRef* tensorOf(const Val* val) const {
    const auto& value = values.at(val->id());
    return value ? std::get_if<TensorRef>(&value->value) : nullptr;
  }
  template <class Holds>
  bool anyTensor(Holds holds) const {
    const std::vector<Val*> vals = fusion().usedVals();
    return std::any_of(vals.begin(), vals.end(), [&](const Val* val) {
      const TensorRef* tensor = tensorOf(val);
      return tensor && holds(*tensor);
    });
  }
  template <class Holds>
  bool anyInput(Holds holds) const {
    return std::any_of(fusion().inputs().begin(), fusion().inputs().end(), [&](const Val* input) {
      const TensorRef* tensor = tensorOf(input);
      return tensor && numel(tensor->sizes) > 1 && holds(*tensor);
    });
  }
  template <class Holds>
  bool anyExpr(Holds holds) const {
    return std::any_of(fusion().exprs().begin(), fusion().exprs().end(), [&](const Expr* e) { return holds(*e); });
  }
  // Whether an expression reads what this op made.
  bool reads(OpKind op) const {
    return anyExpr([&](const Expr& expr) {
      return std::any_of(expr.inputs().begin(), expr.inputs().end(), [&](const Val* operand) {
        return operand->isTensor() && operand->definition() && operand->definition()->op() == op;
      });
    });
  }
  bool hasReductionOver(int64_t elements) const {
    return anyExpr([&](const Expr& expr) {
      if (!isReduction(expr.op())) return false;
      const TensorRef *operand = tensorOf(expr.input(0)), *result = tensorOf(expr.output());
      return operand && result && numel(operand->sizes) > elements * std::max<int64_t>(numel(result->sizes), 1);
    });
  }
  // Of an input; what ops make of it is theirs.
  bool hasNumber(bool (*is)(double)) const {
    return std::any_of(fusion().inputs().begin(), fusion().inputs().end(), [&](const Val* input) {
      if (!isFloating(input->dtype()) || !values.at(input->id())) return false;
      const std::vector<double> numbers = numbersOf(*values[input->id()]).elements;
      return std::any_of(numbers.begin(), numbers.end(), is);
    });
  }
};

bool hasIntegers(const Subject& subject) {
  return subject.anyTensor(
      [](const TensorRef& tensor) { return !isFloating(tensor.dtype) && tensor.dtype != DataType::Bool; });
}

bool hasSixteenBits(const Subject& subject) {
  return subject.anyTensor(
      [](const TensorRef& tensor) { return isFloating(tensor.dtype) && dtypeSize(tensor.dtype) == 2; });
}

bool hasEmptyAxis(const Subject& subject) {
  return subject.anyTensor([](const TensorRef& tensor) { return numel(tensor.sizes) == 0; });
}

bool hasLongReduction(const Subject& subject) { return subject.hasReductionOver(4096); }
bool hasVeryLongReduction(const Subject& subject) { return subject.hasReductionOver(65536); }

// Full, eye, arange, and literals.
bool isConstant(const Val* val) {
  if (val->isScalar()) return val->as<Scalar>()->isConstant();
  const Expr* maker = val->definition();
  if (!maker) return false;
  return std::none_of(maker->inputs().begin(), maker->inputs().end(), [](const Val* v) { return v->isTensor(); });
}

bool hasFolding(const Subject& subject) {
  return subject.anyExpr([](const Expr& expr) {
    const auto& operands = expr.inputs();
    const bool hasTensor = std::any_of(operands.begin(), operands.end(), [](const Val* v) { return v->isTensor(); });
    return hasTensor && std::all_of(operands.begin(), operands.end(), isConstant);
  });
}

bool hasHighRank(const Subject& subject) {
  return subject.anyTensor([](const TensorRef& tensor) { return tensor.sizes.size() > 4; });
}

bool hasMaximalRank(const Subject& subject) {
  return subject.anyTensor([](const TensorRef& tensor) { return tensor.sizes.size() == kMaxRank; });
}

// The axes that have a stride, from the slowest to the fastest.
std::vector<size_t> orderOf(const TensorRef& tensor) {
  std::vector<size_t> order;
  for (size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
    if (tensor.sizes[axis] > 1 && tensor.strides[axis] != 0) order.push_back(axis);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return tensor.strides[a] > tensor.strides[b]; });
  return order;
}

bool hasTransposedInput(const Subject& subject) {
  return subject.anyInput([](const TensorRef& tensor) {
    const std::vector<size_t> order = orderOf(tensor);
    return !std::is_sorted(order.begin(), order.end());
  });
}

bool hasChannelsLast(const Subject& subject) {
  return subject.anyInput([](const TensorRef& tensor) {
    const std::vector<size_t> order = orderOf(tensor);
    return tensor.sizes.size() >= 4 && order.size() > 1 && order.back() == 1;
  });
}

bool hasStridedInput(const Subject& subject) {
  return subject.anyInput([](const TensorRef& tensor) {
    int64_t reach = 1, elements = 1;
    for (const size_t axis : orderOf(tensor)) {
      reach += (tensor.sizes[axis] - 1) * tensor.strides[axis];
      elements *= tensor.sizes[axis];
    }
    return reach > elements;
  });
}

bool hasExpandedInput(const Subject& subject) {
  return subject.anyInput([](const TensorRef& tensor) {
    for (size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
      if (tensor.sizes[axis] > 1 && tensor.strides[axis] == 0) return true;
    }
    return false;
  });
}

bool hasTransposedProducer(const Subject& subject) { return subject.reads(OpKind::Permute); }
bool hasSlicedProducer(const Subject& subject) { return subject.reads(OpKind::Slice); }
bool hasExpandedProducer(const Subject& subject) { return subject.reads(OpKind::Expand); }

bool hasOutputInUse(const Subject& subject) {
  const std::vector<Val*>& outputs = subject.fusion().outputs();
  return std::any_of(outputs.begin(), outputs.end(), [&](const Val* output) {
    const bool isComputed = output->isTensor() && output->definition();
    return isComputed && (!output->uses().empty() || std::count(outputs.begin(), outputs.end(), output) > 1);
  });
}

bool isTiny(const Subject& subject) { return subject.fusion().exprs().size() <= 2; }
bool hasAnyReduction(const Subject& subject) { return hasReduction(subject.fusion()); }
bool hasChain(const Subject& subject) { return hasViewChain(subject.fusion()); }
bool hasNan(const Subject& subject) {
  return subject.hasNumber([](double number) { return std::isnan(number); });
}
bool hasInfinity(const Subject& subject) {
  return subject.hasNumber([](double number) { return std::isinf(number); });
}

struct SpecialCase {
  bool (*holds)(const Subject&);
  const char* name;
};
constexpr SpecialCase kSpecialCases[] = {
#define SPECIAL(function, name) {function, name},
#include "fuzz/compilers/special_cases.def"
#undef SPECIAL
};

bool onlyMoves(const Expr& expr) {
  const Family family = expr.family();
  const bool isTensor = expr.output()->isTensor() && !expr.inputs().empty();
  return isTensor && !isPointwise(expr.op()) && family != Family::Cast && family != Family::LoadStore &&
         family != Family::Factory && !isReduction(expr.op());
}

}  // namespace

std::vector<std::string> allSpecialCases() {
  std::vector<std::string> names;
  for (const SpecialCase& special : kSpecialCases) names.emplace_back(special.name);
  return names;
}

std::set<std::string> specialCases(const Case& testCase, const std::vector<std::optional<reference::Value>>& values) {
  const Subject subject{testCase, values};
  std::set<std::string> names;
  for (const SpecialCase& special : kSpecialCases) {
    if (special.holds(subject)) names.insert(special.name);
  }
  return names;
}

bool hasReduction(const Fusion& fusion) {
  const std::vector<Expr*>& exprs = fusion.exprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return isReduction(expr->op()); });
}

bool hasViewChain(const Fusion& fusion) {
  const std::vector<Expr*>& exprs = fusion.exprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) {
    return onlyMoves(*expr) && std::any_of(expr->inputs().begin(), expr->inputs().end(), [](const Val* operand) {
             return operand->definition() && onlyMoves(*operand->definition());
           });
  });
}

}  // namespace fuser::fuzz
