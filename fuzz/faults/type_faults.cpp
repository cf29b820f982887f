// Faults in which dtype a kernel computes in, and in how numbers of one become those of another.

#include <algorithm>
#include <limits>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isInteger(DataType dtype) { return category(dtype) == Category::Int; }

DataType typeOf(const Kernel& kernel, const Access& access) {
  return kernel.buffers.at(static_cast<size_t>(access.buffer)).dtype;
}

// The dtype that a conversion reads; nullopt: it is no conversion of an element.
std::optional<DataType> convertedFrom(const Kernel& kernel, const Compute& compute) {
  const bool converts = compute.op == OpKind::Set && compute.operands[0].kind == Operand::Kind::Access;
  return converts ? std::optional(typeOf(kernel, compute.operands[0].access)) : std::nullopt;
}

int64_t bitsOf(DataType dtype) { return 8 * static_cast<int64_t>(dtypeSize(dtype)); }
int64_t leastOf(DataType integer) { return std::numeric_limits<int64_t>::min() >> (64 - bitsOf(integer)); }

// Whether the op is the program's: not one of those with which a kernel checks an index.
bool isNamedInProgram(const Compute& compute) { return compute.source && compute.source->op() == compute.op; }

// The f32 that is to become a number of 16 bits; `make` says what it becomes first.
bool beforeNarrowing(Kernel& kernel, DataType narrow, const std::function<Operand(Steps&, Operand)>& make) {
  return replaceComputes(kernel, [&](const Compute& compute, Steps& steps) -> std::optional<Body> {
    if (typeOf(kernel, compute.target) != narrow) return std::nullopt;
    if (convertedFrom(kernel, compute) == DataType::Float)
      return steps.last(OpKind::Set, narrow, {make(steps, compute.operands[0])});
    const bool isWide =
        isOwnOp(compute) && compute.computeDtype == DataType::Float && opInfo(compute.op).result == Result::Same;
    if (!isWide) return std::nullopt;
    const Operand result = steps.step(compute.op, DataType::Float, compute.operands);
    return steps.last(OpKind::Set, narrow, {make(steps, result)});
  });
}

}  // namespace

// The low half of an f32 is cut off.
bool truncateToBFloat16(Kernel& kernel) {
  return beforeNarrowing(kernel, DataType::BFloat16, [](Steps& steps, Operand wide) {
    const Operand bits = steps.step(OpKind::Bitcast, DataType::Int32, {wide});
    const Operand high = steps.step(OpKind::BitwiseAnd, DataType::Int32, {bits, literalOperand(int64_t{-65536})});
    return steps.step(OpKind::Bitcast, DataType::Float, {high});
  });
}

// Beyond the largest f16 there is that one, and no infinity.
bool saturateHalf(Kernel& kernel) {
  return beforeNarrowing(kernel, DataType::Half, [](Steps& steps, Operand wide) {
    const Operand low = steps.step(OpKind::Maximum, DataType::Float, {wide, literalOperand(-65504.0)});
    return steps.step(OpKind::Minimum, DataType::Float, {low, literalOperand(65504.0)});
  });
}

bool saturateIntegers(Kernel& kernel) {
  return replaceComputes(kernel, [&](const Compute& compute, Steps& steps) -> std::optional<Body> {
    const std::optional<DataType> from = convertedFrom(kernel, compute);
    const DataType to = compute.computeDtype;
    if (!from || !isInteger(*from) || !isInteger(to) || dtypeSize(to) >= dtypeSize(*from)) return std::nullopt;
    const Operand low = steps.step(OpKind::Maximum, *from, {compute.operands[0], literalOperand(leastOf(to))});
    const Operand both = steps.step(OpKind::Minimum, *from, {low, literalOperand(-1 - leastOf(to))});
    return steps.last(OpKind::Set, to, {both});
  });
}

// An integer is true if its low byte is not 0.
bool castLowByte(Kernel& kernel) {
  return replaceComputes(kernel, [&](const Compute& compute, Steps& steps) -> std::optional<Body> {
    const std::optional<DataType> from = convertedFrom(kernel, compute);
    if (!from || !isInteger(*from) || *from == DataType::Int8 || compute.computeDtype != DataType::Bool)
      return std::nullopt;
    const Operand low = steps.step(OpKind::BitwiseAnd, *from, {compute.operands[0], literalOperand(int64_t{255})});
    return steps.last(OpKind::Set, DataType::Bool, {low});
  });
}

// A sum of integers keeps the low 32 bits of what it has so far.
bool sumIn32Bits(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || !isAccumulate(*compute) || compute->op != OpKind::Add || compute->computeDtype != DataType::Int64)
      return std::nullopt;
    Body body{statement};
    const Access low = newRegister(kernel, DataType::Int32, body);
    body.push_back(computeOf(OpKind::Set, DataType::Int32, low, {operandAt(compute->target)}, compute->source));
    body.push_back(computeOf(OpKind::Set, DataType::Int64, compute->target, {operandAt(low)}, compute->source));
    return body;
  });
}

// Zeros come in from the left: a >> b, without its b highest bits.
bool shiftInZeros(Kernel& kernel) {
  return replaceComputes(kernel, [](const Compute& compute, Steps& steps) -> std::optional<Body> {
    if (compute.op != OpKind::RightShift || takesScalar(compute)) return std::nullopt;
    const DataType dtype = compute.computeDtype;
    const Operand shifted = steps.step(OpKind::RightShift, dtype, compute.operands);
    const Operand signs = steps.step(OpKind::RightShift, dtype, {literalOperand(leastOf(dtype)), compute.operands[1]});
    const Operand filled = steps.step(OpKind::LeftShift, dtype, {signs, literalOperand(int64_t{1})});
    const Operand kept = steps.step(OpKind::BitwiseNot, dtype, {filled});
    return steps.last(OpKind::BitwiseAnd, dtype, {shifted, kept});
  });
}

// a < b of integers without a sign.
bool compareUnsigned(Kernel& kernel) {
  return replaceComputes(kernel, [](const Compute& compute, Steps& steps) -> std::optional<Body> {
    const bool compares =
        compute.op == OpKind::Lt || compute.op == OpKind::Le || compute.op == OpKind::Gt || compute.op == OpKind::Ge;
    if (!compares || !isNamedInProgram(compute) || takesScalar(compute) || !isInteger(compute.computeDtype))
      return std::nullopt;
    std::vector<Operand> operands;
    for (const Operand& operand : compute.operands) {
      operands.push_back(steps.step(OpKind::BitwiseXor, compute.computeDtype,
                                    {operand, literalOperand(leastOf(compute.computeDtype))}));
    }
    return steps.last(compute.op, compute.computeDtype, operands);
  });
}

bool compareInFloat(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool chooses = compute.op == OpKind::Maximum || compute.op == OpKind::Minimum;
    if (!chooses || !isInteger(compute.computeDtype) || compute.computeDtype == DataType::Int8) return false;
    compute.computeDtype = DataType::Float;
    return true;
  });
}

// The quotient in f32 becomes the nearest integer.
bool divideToNearest(Kernel& kernel) {
  return replaceComputes(kernel, [](const Compute& compute, Steps& steps) -> std::optional<Body> {
    const bool divides = compute.op == OpKind::FloorDiv || compute.op == OpKind::TruncDiv;
    if (!divides || takesScalar(compute) || !isInteger(compute.computeDtype)) return std::nullopt;
    const Operand quotient = steps.step(OpKind::Div, DataType::Float, compute.operands);
    return steps.last(OpKind::Set, compute.computeDtype, {steps.step(OpKind::Round, DataType::Float, {quotient})});
  });
}

bool computeInSingle(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool isFunction = isOwnOp(compute) && opInfo(compute.op).agreement == Agreement::Library;
    if (!isFunction || compute.computeDtype != DataType::Double) return false;
    compute.computeDtype = DataType::Float;
    return true;
  });
}

// The number of terms that a mean divides by is rounded to the mean's dtype.
bool countInNarrow(Kernel& kernel) {
  return replaceComputes(kernel, [](const Compute& compute, Steps& steps) -> std::optional<Body> {
    const bool divides = compute.source && compute.source->op() == OpKind::Mean && compute.op == OpKind::Div &&
                         compute.operands[1].kind == Operand::Kind::Int;
    const DataType narrow = divides ? compute.source->output()->dtype() : DataType::Float;
    if (!divides || narrow == compute.computeDtype) return std::nullopt;
    const Operand count = steps.step(OpKind::Set, narrow, {compute.operands[1]});
    return steps.last(OpKind::Div, compute.computeDtype, {compute.operands[0], count});
  });
}

}  // namespace fuser::fuzz::faults
