#pragma once
// Walks and small changes of a kernel's statements, for the faults in it.

#include <functional>
#include <optional>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser::fuzz {

// Every body of the kernel, inner ones before the bodies they lie in.
void forEachBody(Body& body, const std::function<void(Body&)>& visit);

// Each statement that `make` gives something for is replaced by that; true when any was.
using Replace = std::function<std::optional<Body>(const Statement&)>;
bool replaceStatements(Kernel& kernel, const Replace& make);

// Each Compute that `edit` changes and says so.
bool editComputes(Kernel& kernel, const std::function<bool(Compute&)>& edit);

bool isAccumulate(const Compute& compute);  // acc = combine(acc, x) of a reduction
bool isInit(const Compute& compute);        // acc = identity

// The expression with one symbol replaced.
IntExpr substitute(Kernel& kernel, IntExpr expr, IntExpr symbol, IntExpr with);

// A new register of one element; its Allocate goes to `body`.
Access newRegister(Kernel& kernel, DataType dtype, Body& body);
Operand operandAt(Access access);
Operand literalOperand(ScalarValue value);
Statement computeOf(OpKind op, DataType computeDtype, Access target, std::vector<Operand> operands, const Expr* source);

bool isGlobal(const Kernel& kernel, Access access);

}  // namespace fuser::fuzz
