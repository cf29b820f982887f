#pragma once
// All ranks in this process, a thread each. What they compute and which errors they get depend on no thread's speed:
// a rank's error is decided only when every rank waits or has left, and by then all histories lead to the same board.

#include <functional>

#include "fuser/communicate/communicator.h"

namespace fuser {

inline constexpr int kMaxRanksInProcess = 64;

// Runs the function on ranks 0 to count - 1 and waits for all. A rank that leaves, by returning or by an exception,
// while others wait for it, and ranks that wait for each other, end in a CommunicationError of every rank that waits:
// no timeout is needed. Throws the error of the lowest rank that failed; errors that only tell of another rank's
// leaving (CommunicationError::Reason::RankLeft) come last, so that the cause is thrown and not what it led to. A
// Communicator and its Works are to be used by their rank's thread, and not after the function returned.
void runRanks(int count, const std::function<void(Communicator&)>& function);

}  // namespace fuser
