#pragma once
// Parses a node without bodies from a line of a host program's text. Private to this folder.

#include "fuser/host_ir/host_ir_line.h"
#include "fuser/host_ir/host_ir_names.h"

namespace fuser {

// Reads up to the end of the node; the caller rejects anything that follows on the line.
hir::Node parseStatement(HostIrLine& line, HostIrNames& names);

}  // namespace fuser
