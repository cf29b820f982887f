#pragma once
// Cases, fusions and schedules -> .fusion text (fuser/text/grammar.md). The text round-trips: parse(print(x)) equals x
// node by node and prints the same. It does not depend on addresses or on the order of hash tables.

#include <string>

#include "fuser/case/case.h"
#include "fuser/text/value_names.h"

namespace fuser {

std::string printCase(const Case& testCase);
std::string printFusion(const Fusion& fusion);
// The lines between the braces of a schedule section, without indentation.
std::string printSchedule(const Schedule& schedule);
std::string printTransform(const Transform& transform);
std::string printOptions(const CompileOptions& options);

// "%y = add(%x, 1.0) : f32[i0]"
std::string printExpr(const Expr* expr, const ValueNames& names);
// "f32[i0, 1]", followed by the layout in braces if it is not the default. Reduction axes are omitted.
std::string printType(const Val* val, const ValueNames& names);
// "%x", or the literal of a constant scalar.
std::string printOperand(const Val* val, const ValueNames& names);
// "i0", "4", "%n", "(i0 * 4 + 1)". The order of terms and factors does not depend on the arena.
std::string printDim(const Fusion& fusion, IntExpr dim, const ValueNames& names);

}  // namespace fuser
