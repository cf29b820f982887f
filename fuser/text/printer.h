#pragma once
// Cases, fusions and schedules -> .fusion text (fuser/text/grammar.md). Printing is canonical: parse(print(x)) prints
// the same, and equals x node by node. Nothing printed depends on an address or on the order of hash tables.

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
// "f32[i0, 1]", with the layout in braces where it is not the default; reduction axes are left out.
std::string printType(const Val* val, const ValueNames& names);
// "%x", or the literal.
std::string printOperand(const Val* val, const ValueNames& names);
// "i0", "4", "%n", "(i0 * 4 + 1)". Sums and products print in an order that does not depend on the arena's.
std::string printDim(const Fusion& fusion, IntExpr dim, const ValueNames& names);

}  // namespace fuser
