#pragma once
// A node without a body, as a line of a host program's full text says it. Not for use outside of this folder.

#include "fuser/host_ir/host_ir_line.h"
#include "fuser/host_ir/host_ir_names.h"

namespace fuser {

// Up to the end of the node: what may follow on the line is the caller's to reject.
hir::Node parseStatement(HostIrLine& line, HostIrNames& names);

}  // namespace fuser
