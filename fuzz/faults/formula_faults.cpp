// Faults of formulas: one that is equal to another in real numbers, and not in those that a kernel has; and what ops
// say of NaN, of equal elements and of signs.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/kernel/shared_layout.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Replaces floating ops of one kind by other steps.
bool replaceFloating(Kernel& kernel, OpKind op, const std::function<Body(const Compute&, Steps&, DataType)>& make) {
  return replaceComputes(kernel, [&](const Compute& compute, Steps& steps) -> std::optional<Body> {
    if (compute.op != op || !isOwnOp(compute) || takesScalar(compute) || !isFloating(compute.computeDtype))
      return std::nullopt;
    return make(compute, steps, compute.computeDtype);
  });
}

bool renamed(Compute& compute, OpKind from, OpKind to) {
  if (compute.op != from || !isOwnOp(compute)) return false;
  compute.op = to;
  return true;
}

}  // namespace

// where(c, a, b) is a * c + b * (1 - c).
bool chooseByArithmetic(Kernel& kernel) {
  return replaceFloating(kernel, OpKind::Where, [](const Compute& compute, Steps& steps, DataType dtype) {
    const Operand holds =
        steps.step(OpKind::Where, dtype, {compute.operands[0], literalOperand(1.0), literalOperand(0.0)});
    const Operand fails = steps.step(OpKind::Sub, dtype, {literalOperand(1.0), holds});
    const Operand first = steps.step(OpKind::Mul, dtype, {compute.operands[1], holds});
    const Operand second = steps.step(OpKind::Mul, dtype, {compute.operands[2], fails});
    return steps.last(OpKind::Add, dtype, {first, second});
  });
}

// pow(a, b) is exp(b * log(a)).
bool powerByLogarithm(Kernel& kernel) {
  return replaceFloating(kernel, OpKind::Pow, [](const Compute& compute, Steps& steps, DataType dtype) {
    const Operand logarithm = steps.step(OpKind::Log, dtype, {compute.operands[0]});
    const Operand product = steps.step(OpKind::Mul, dtype, {compute.operands[1], logarithm});
    return steps.last(OpKind::Exp, dtype, {product});
  });
}

// hypot(a, b) is sqrt(a * a + b * b).
bool naiveHypot(Kernel& kernel) {
  return replaceFloating(kernel, OpKind::Hypot, [](const Compute& compute, Steps& steps, DataType dtype) {
    const Operand a = steps.step(OpKind::Square, dtype, {compute.operands[0]});
    const Operand b = steps.step(OpKind::Square, dtype, {compute.operands[1]});
    return steps.last(OpKind::Sqrt, dtype, {steps.step(OpKind::Add, dtype, {a, b})});
  });
}

// logaddexp(a, b) is log(exp(a) + exp(b)).
bool naiveLogaddexp(Kernel& kernel) {
  return replaceFloating(kernel, OpKind::Logaddexp, [](const Compute& compute, Steps& steps, DataType dtype) {
    const Operand a = steps.step(OpKind::Exp, dtype, {compute.operands[0]});
    const Operand b = steps.step(OpKind::Exp, dtype, {compute.operands[1]});
    return steps.last(OpKind::Log, dtype, {steps.step(OpKind::Add, dtype, {a, b})});
  });
}

// lerp(a, b, w) is a + w * (b - a), for each w.
bool lerpFromOneEnd(Kernel& kernel) {
  return replaceFloating(kernel, OpKind::Lerp, [](const Compute& compute, Steps& steps, DataType dtype) {
    const Operand distance = steps.step(OpKind::Sub, dtype, {compute.operands[1], compute.operands[0]});
    const Operand part = steps.step(OpKind::Mul, dtype, {compute.operands[2], distance});
    return steps.last(OpKind::Add, dtype, {compute.operands[0], part});
  });
}

// exp(a - b) is exp(a) / exp(b), exp(a + b) is exp(a) * exp(b): what a softmax loses without the maximum of its row.
bool splitExponent(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const Compute* power = std::get_if<Compute>(&body[i].node);
      if (!power || (power->op != OpKind::Exp && power->op != OpKind::Exp2)) continue;
      const Operand exponent = power->operands[0];
      if (exponent.kind != Operand::Kind::Access) continue;
      const auto own = body.begin() + static_cast<std::ptrdiff_t>(i);
      const auto made = std::find_if(body.begin(), own, [&](const Statement& each) {
        const Compute* compute = std::get_if<Compute>(&each.node);
        return compute && (compute->op == OpKind::Sub || compute->op == OpKind::Add) && isOwnOp(*compute) &&
               !takesScalar(*compute) && compute->target.buffer == exponent.access.buffer &&
               compute->target.index == exponent.access.index && compute->computeDtype == power->computeDtype;
      });
      if (made == own) continue;
      const Compute& inner = std::get<Compute>(made->node);
      const DataType dtype = power->computeDtype;
      Steps steps(kernel, *power);
      const Operand a = steps.step(power->op, dtype, {inner.operands[0]});
      const Operand b = steps.step(power->op, dtype, {inner.operands[1]});
      Body instead = steps.last(inner.op == OpKind::Sub ? OpKind::Div : OpKind::Mul, dtype, {a, b});
      body.erase(own);
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), instead.begin(), instead.end());
      i += instead.size() - 1;
      changed = true;
    }
  });
  return changed;
}

// sqrt(x + c) is sqrt(x) + c: an eps that a norm adds too late.
bool addBehindRoot(Fusion& fusion) {
  bool applied = false;
  for (Expr* root : std::vector<Expr*>(fusion.exprs())) {
    if (root->op() != OpKind::Sqrt && root->op() != OpKind::Rsqrt) continue;
    Expr* sum = root->input(0)->definition();
    if (!sum || sum->op() != OpKind::Add || !root->output()->isTensor()) continue;
    if (root->output()->uses().empty() && !root->output()->isFusionOutput()) continue;
    Val *a = sum->input(0), *b = sum->input(1);
    if (a->isScalar() == b->isScalar()) continue;
    Val *tensor = a->isScalar() ? b : a, *constant = a->isScalar() ? a : b;
    if (tensor->dtype() != root->output()->dtype()) continue;
    Val* early = build::unary(fusion, root->op(), tensor, root->output()->name() + ".early");
    fusion.replaceAllUses(root->output(),
                          build::binary(fusion, OpKind::Add, early, constant, root->output()->name() + ".wrong"));
    applied = true;
  }
  return applied;
}

// A clamp of NaN is a bound.
bool clampNan(Kernel& kernel) {
  const bool ends = editComputes(kernel, [](Compute& compute) {
    return isFloating(compute.computeDtype) &&
           (renamed(compute, OpKind::ClampMin, OpKind::Fmax) || renamed(compute, OpKind::ClampMax, OpKind::Fmin));
  });
  return replaceFloating(
             kernel, OpKind::Clamp,
             [](const Compute& compute, Steps& steps, DataType dtype) {
               const Operand low = steps.step(OpKind::Fmax, dtype, {compute.operands[0], compute.operands[1]});
               return steps.last(OpKind::Fmin, dtype, {low, compute.operands[2]});
             }) ||
         ends;
}

// Nothing is NaN, as of a compiler that may take it so.
bool foldIsNan(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::IsNan || !isFloating(compute.computeDtype)) return false;
    compute.op = OpKind::Set;
    compute.computeDtype = DataType::Bool;
    compute.operands = {literalOperand(false)};
    return true;
  });
}

bool refuseEqual(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool isProgram = compute.source && compute.source->op() == compute.op;
    return isProgram && (renamed(compute, OpKind::Le, OpKind::Lt) || renamed(compute, OpKind::Ge, OpKind::Gt));
  });
}

// Remainder and quotient of numbers of two signs are those of a division that rounds down.
bool floorForTrunc(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    return renamed(compute, OpKind::Fmod, OpKind::Remainder) || renamed(compute, OpKind::TruncDiv, OpKind::FloorDiv);
  });
}

// Where places are compared, the other one is greater: of equal elements the last is the first, of a mask the upper
// triangle the lower one.
bool turnPlaces(Kernel& kernel) {
  std::vector<bool> isPlace(kernel.buffers.size(), false);
  const auto isOne = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::Int ||
           (operand.kind == Operand::Kind::Access && isPlace[static_cast<size_t>(operand.access.buffer)]);
  };
  bool grows = true;
  const auto note = [&](const Access& target, bool holds) {
    if (!holds || isPlace[static_cast<size_t>(target.buffer)]) return;
    isPlace[static_cast<size_t>(target.buffer)] = grows = true;
  };
  while (grows) {
    grows = false;
    forEachStatement(kernel.body, [&](const Statement& statement) {
      if (const Move* move = std::get_if<Move>(&statement.node)) note(move->target, isOne(operandAt(move->source)));
      const Compute* compute = std::get_if<Compute>(&statement.node);
      if (compute && compute->op == OpKind::Set) note(compute->target, isOne(compute->operands[0]));
    });
  }
  return editComputes(kernel, [&](Compute& compute) {
    const bool compares =
        compute.op == OpKind::Lt || compute.op == OpKind::Le || compute.op == OpKind::Gt || compute.op == OpKind::Ge;
    const bool isProgram = compute.source && compute.source->op() == compute.op;
    if (!compares || !isProgram || (!isOne(compute.operands[0]) && !isOne(compute.operands[1]))) return false;
    return swapped(compute.operands[0], compute.operands[1]);
  });
}

// `any` begins with true, `all` with false.
bool wrongTruthIdentity(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (!isInit(compute)) return false;
    const OpKind op = compute.source->op();
    if (op != OpKind::Any && op != OpKind::All) return false;
    ScalarValue& start = compute.operands[0].literal;
    start = ScalarValue(!start.as<bool>());
    return true;
  });
}

}  // namespace fuser::fuzz::faults
