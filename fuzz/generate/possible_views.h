#pragma once

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// What an edit has left without a source in memory, or with other readers, is a view no more (TensorDomain::view).
void keepPossibleViews(Fusion& fusion);

}  // namespace fuser::fuzz
