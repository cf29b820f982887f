#pragma once
// Generates the table of ops in fuser/text/grammar.md from the rows of op_table.def and families.def.

#include <string>

namespace fuser {

// A Markdown table in the order of the op table; ops with the same operands and attributes share a row.
std::string opReference();

// One line per op, in the order of the op table: "sum  operands: one tensor; attributes: …; dtypes: f64 f32 …". The
// dtypes are common dtypes after promotion.
std::string opList();

}  // namespace fuser
