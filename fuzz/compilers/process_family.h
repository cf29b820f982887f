#pragma once
// A worker's process with all that it started, whatever group or session that has moved to.

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace fuser::fuzz {

// In the process itself, before it becomes another program: what its descendants leave behind stays below it.
void adoptOrphans();

// The process, those of its group, and its descendants.
std::vector<pid_t> familyOf(pid_t leader);
size_t residentMb(pid_t pid);
size_t residentMbOfFamily(pid_t leader);

// Ends all of it. The leader stays to be waited for.
void killFamily(pid_t leader);

}  // namespace fuser::fuzz
