#pragma once

#include "fuser/kernel/kernel.h"

namespace fuser {

// Makes one if of neighbouring ones with the same condition; looks into no inner body.
void mergeNeighbours(Body& body);

}  // namespace fuser
