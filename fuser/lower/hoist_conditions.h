#pragma once
// HoistConditions: for i { if (c) { a } }  ->  if (c) { for i { a } }, where c does not read i.
// Runs after MergeConditions, which makes a loop's body one if.

#include "fuser/kernel/kernel.h"

namespace fuser {

void hoistConditions(Body& body);

}  // namespace fuser
