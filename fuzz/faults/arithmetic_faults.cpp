// Faults in what a kernel computes.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool renameOps(Kernel& kernel, OpKind from, OpKind to, bool accumulations, const std::function<bool(DataType)>& when) {
  return editComputes(kernel, [&](Compute& compute) {
    if (compute.op != from || !when(compute.computeDtype) || (!accumulations && !isOwnOp(compute))) return false;
    compute.op = to;
    return true;
  });
}

bool always(DataType) { return true; }

// Ops whose operands have an order.
constexpr OpKind kOrdered[] = {OpKind::Sub,       OpKind::Div, OpKind::TruncDiv, OpKind::FloorDiv, OpKind::Fmod,
                               OpKind::Remainder, OpKind::Lt,  OpKind::Le,       OpKind::Gt,       OpKind::Ge};

// Replaces ops of one kind by two: register = first(operands), then the second one, from the register, to the target.
struct TwoSteps {
  OpKind op;
  std::function<Statement(Access result, const Compute&)> first;
  std::function<Statement(Access result, const Compute&)> second;
};

bool inTwoSteps(Kernel& kernel, const TwoSteps& steps) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || compute->op != steps.op || !isOwnOp(*compute)) return std::nullopt;
    Body body;
    const Access middle = newRegister(kernel, compute->computeDtype, body);
    body.push_back(steps.first(middle, *compute));
    body.push_back(steps.second(middle, *compute));
    return body;
  });
}

// A conversion goes through one op more, in the source's dtype: register = op(x); target = register.
bool beforeConversion(Kernel& kernel, OpKind op, const std::function<bool(DataType from, DataType to)>& when) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || compute->op != OpKind::Set || compute->operands[0].kind != Operand::Kind::Access) {
      return std::nullopt;
    }
    const DataType from = kernel.buffers[static_cast<size_t>(compute->operands[0].access.buffer)].dtype;
    if (!when(from, compute->computeDtype)) return std::nullopt;
    Body body;
    const Access middle = newRegister(kernel, from, body);
    body.push_back(computeOf(op, computeType(from), middle, compute->operands, compute->source));
    body.push_back(
        computeOf(OpKind::Set, compute->computeDtype, compute->target, {operandAt(middle)}, compute->source));
    return body;
  });
}

double smallestNormal(DataType dtype) {
  return dtype == DataType::Double ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
}

}  // namespace

bool dropNanInMax(Kernel& kernel) {
  bool changed = renameOps(kernel, OpKind::Maximum, OpKind::Fmax, true, isFloating);
  changed |= renameOps(kernel, OpKind::Minimum, OpKind::Fmin, true, isFloating);
  return changed;
}

bool dropNanInRelu(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::Relu || !isFloating(compute.computeDtype)) return false;
    compute.op = OpKind::Fmax;
    compute.operands.push_back(literalOperand(0.0));
    return true;
  });
}

bool swapOperands(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (!isOwnOp(compute) || std::find(std::begin(kOrdered), std::end(kOrdered), compute.op) == std::end(kOrdered)) {
      return false;
    }
    return swapped(compute.operands[0], compute.operands[1]);
  });
}

bool subForAdd(Kernel& kernel) {
  return renameOps(kernel, OpKind::Add, OpKind::Sub, false, [](DataType dtype) { return dtype != DataType::Bool; });
}

bool expm1ForExp(Kernel& kernel) { return renameOps(kernel, OpKind::Exp, OpKind::Expm1, false, always); }

bool roundHalfUp(Kernel& kernel) {
  return inTwoSteps(kernel, {OpKind::Round,
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Add, compute.computeDtype, result,
                                                {compute.operands[0], literalOperand(0.5)}, compute.source);
                             },
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Floor, compute.computeDtype, compute.target,
                                                {operandAt(result)}, compute.source);
                             }});
}

bool loseUpperBound(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::Clamp) return false;
    compute.op = OpKind::ClampMin;
    compute.operands.pop_back();
    return true;
  });
}

bool naiveExpm1(Kernel& kernel) {
  return inTwoSteps(kernel, {OpKind::Expm1,
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Exp, compute.computeDtype, result, compute.operands,
                                                compute.source);
                             },
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Sub, compute.computeDtype, compute.target,
                                                {operandAt(result), literalOperand(1.0)}, compute.source);
                             }});
}

bool naiveLog1p(Kernel& kernel) {
  return inTwoSteps(kernel, {OpKind::Log1p,
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Add, compute.computeDtype, result,
                                                {compute.operands[0], literalOperand(1.0)}, compute.source);
                             },
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Log, compute.computeDtype, compute.target, {operandAt(result)},
                                                compute.source);
                             }});
}

bool reciprocalForDiv(Kernel& kernel) {
  return inTwoSteps(kernel, {OpKind::Div,
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Reciprocal, compute.computeDtype, result, {compute.operands[1]},
                                                compute.source);
                             },
                             [](Access result, const Compute& compute) {
                               return computeOf(OpKind::Mul, compute.computeDtype, compute.target,
                                                {compute.operands[0], operandAt(result)}, compute.source);
                             }});
}

bool negateFromZero(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::Neg || !isFloating(compute.computeDtype)) return false;
    compute.op = OpKind::Sub;
    compute.operands.insert(compute.operands.begin(), literalOperand(0.0));
    return true;
  });
}

bool acceptEqual(Kernel& kernel) {
  const bool less = renameOps(kernel, OpKind::Lt, OpKind::Le, false, always);
  return renameOps(kernel, OpKind::Gt, OpKind::Ge, false, always) || less;
}

bool swapBranches(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    return compute.op == OpKind::Where && swapped(compute.operands[1], compute.operands[2]);
  });
}

bool truncForFloor(Kernel& kernel) {
  const bool division = renameOps(kernel, OpKind::FloorDiv, OpKind::TruncDiv, false, always);
  return renameOps(kernel, OpKind::Remainder, OpKind::Fmod, false, always) || division;
}

bool keepScalarPrecision(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    bool changed = false;
    for (Operand& operand : compute.operands) {
      changed |= operand.roundTo.has_value();
      operand.roundTo.reset();
    }
    return changed;
  });
}

bool narrowConstants(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (!isOwnOp(compute) || !isFloating(compute.computeDtype)) return false;
    bool changed = false;
    for (Operand& operand : compute.operands) {
      if (operand.kind != Operand::Kind::Literal || operand.literal.dtype() != DataType::Double) continue;
      const ScalarValue narrow(convert<double>(convert<BFloat16>(operand.literal.as<float>())));
      changed |= narrow != operand.literal;
      operand.literal = narrow;
    }
    return changed;
  });
}

bool floorInCasts(Kernel& kernel) {
  return beforeConversion(kernel, OpKind::Floor, [](DataType from, DataType to) {
    return isFloating(from) && category(to) == Category::Int;
  });
}

bool truncateInBoolCasts(Kernel& kernel) {
  return beforeConversion(kernel, OpKind::Trunc,
                          [](DataType from, DataType to) { return isFloating(from) && to == DataType::Bool; });
}

bool bitcastsConvert(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::Bitcast) return false;
    compute.op = OpKind::Set;
    return true;
  });
}

// y = op(x) becomes t = op(x); a = |t|; s = a < smallest normal; y = s ? 0 : t.
bool flushDenormals(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || !isOwnOp(*compute)) return std::nullopt;
    const DataType dtype = compute->computeDtype;
    if (kernel.buffers[static_cast<size_t>(compute->target.buffer)].dtype != dtype || !isFloating(dtype)) {
      return std::nullopt;
    }
    Body body;
    const Access target = compute->target;
    const Access result = newRegister(kernel, dtype, body), size = newRegister(kernel, dtype, body);
    const Access small = newRegister(kernel, DataType::Bool, body);
    Compute first = *compute;
    first.target = result;
    body.push_back({first});
    body.push_back(computeOf(OpKind::Abs, dtype, size, {operandAt(result)}, compute->source));
    body.push_back(computeOf(OpKind::Lt, dtype, small, {operandAt(size), literalOperand(smallestNormal(dtype))},
                             compute->source));
    body.push_back(computeOf(OpKind::Where, dtype, target,
                             {operandAt(small), literalOperand(0.0), operandAt(result)}, compute->source));
    return body;
  });
}

}  // namespace fuser::fuzz::faults
