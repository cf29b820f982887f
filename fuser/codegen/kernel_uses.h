#pragma once
// What of a kernel its text needs a name for. A compiler warns of what has a name and is not used, and is right: so the
// printer names no thread index that nothing reads, and says of what a kernel may keep unused that it knows.

#include <set>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct KernelUses {
  std::set<IntExpr> symbols;  // in some index, condition, loop or integer operand; look-ups only
  std::vector<bool> read;     // by buffer id: something reads it, or a call may
};

KernelUses usesOf(const Kernel& kernel);

}  // namespace fuser
