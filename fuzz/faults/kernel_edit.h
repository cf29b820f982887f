#pragma once
// Traversals and small edits of a kernel's statements, for kernel faults.

#include <functional>
#include <optional>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser::fuzz {

// Visits every body of the kernel, inner bodies first.
void forEachBody(Body& body, const std::function<void(Body&)>& visit);

// Replaces each statement for which `make` returns a body; true if there was one.
using Replace = std::function<std::optional<Body>(const Statement&)>;
bool replaceStatements(Kernel& kernel, const Replace& make);

// Calls `edit` for each Compute; true if any call returned true.
bool editComputes(Kernel& kernel, const std::function<bool(Compute&)>& edit);

// Calls `edit` with the source of each Move and the operands of each Compute; true if any call returned true.
bool editReads(Body& body, const std::function<bool(Access&)>& edit);

bool isAccumulate(const Compute& compute);  // acc = combine(acc, x) of a reduction
bool isInit(const Compute& compute);        // acc = identity
bool isOwnOp(const Compute& compute);       // a pointwise op of the program, not the joining of a reduction's parts
bool takesScalar(const Compute& compute);   // an operand is a scalar argument of the kernel

// Makes it give 1, an i32, whatever its operands are.
void alwaysTrue(Compute& compute);

// Replaces one symbol of the expression.
IntExpr substitute(Kernel& kernel, IntExpr expr, IntExpr symbol, IntExpr with);

// The expression with the symbols of each pair exchanged.
IntExpr exchanged(Kernel& kernel, IntExpr expr, const std::vector<std::pair<IntExpr, IntExpr>>& pairs);

// The expression with what `replace` returns for some of its sums, products, quotients and remainders; null keeps one.
using ReplaceExpr = std::function<IntExpr(IntExpr)>;
IntExpr rewritten(IntExprArena& ints, IntExpr expr, const ReplaceExpr& replace);

// The condition without those of its parts for which `drop` holds.
IntExpr withoutParts(IntExprArena& ints, IntExpr condition, const std::function<bool(IntExpr)>& drop);
bool contains(IntExpr expr, IntExpr symbol);

// By buffer: whether it is for what a thread has of another one's partial result: scratch in shared memory, and the
// targets of shuffles between partners.
std::vector<bool> partialsOfThreads(const Kernel& kernel);

// Creates a register of one element; appends its Allocate to `body`.
Access newRegister(Kernel& kernel, DataType dtype, Body& body);
Operand operandAt(Access access);
Operand literalOperand(ScalarValue value);
// False, and nothing is changed, where both are the same.
bool swapped(Operand& a, Operand& b);
Statement computeOf(OpKind op, DataType computeDtype, Access target, std::vector<Operand> operands, const Expr* source);

// What takes the place of a Compute: each step but the last has its result, of the dtype that it computes in or of
// bool, in a register; the last one has the Compute's target.
class Steps {
 public:
  Steps(Kernel& kernel, const Compute& instead) : kernel_(kernel), instead_(instead) {}
  Operand step(OpKind op, DataType dtype, std::vector<Operand> operands);
  Body last(OpKind op, DataType dtype, std::vector<Operand> operands);

 private:
  Kernel& kernel_;
  const Compute instead_;
  Body body_;
};
using MakeSteps = std::function<std::optional<Body>(const Compute&, Steps&)>;
bool replaceComputes(Kernel& kernel, const MakeSteps& make);

bool isGlobal(const Kernel& kernel, Access access);
bool isLocal(const Kernel& kernel, const Access& access);
bool isShared(const Kernel& kernel, const Access& access);

// A number of which all values of the index are multiples: that of a vector's elements, if the index is a vector's.
int64_t stepOf(IntExpr index);

}  // namespace fuser::fuzz
