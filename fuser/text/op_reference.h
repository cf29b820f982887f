#pragma once
// The table of ops in fuser/text/grammar.md, made of the rows of op_table.def and families.def.

#include <string>

namespace fuser {

// A Markdown table: ops that are written alike stand in one line, in the order of the op table.
std::string opReference();

}  // namespace fuser
