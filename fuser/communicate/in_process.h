#pragma once
// Runs all ranks in this process, one thread each. Results and errors do not depend on timing: a rank gets an error
// only when every rank waits or has left, and the board is then the same for every interleaving.

#include <functional>

#include "fuser/communicate/communicator.h"

namespace fuser {

inline constexpr int kMaxRanksInProcess = 64;

// Runs the function on ranks 0 to count - 1 and waits for all; a UserError for more than kMaxRanksInProcess. If a rank
// ends while others wait for it, or if ranks wait for each other, each waiting rank gets a CommunicationError, without
// a timeout. Throws the error of the lowest rank that failed, but a RankLeft error only if there is no other, so that
// the cause is thrown and not its consequence. Only the rank's own thread may use its Communicator and Works, and only
// until the function returns.
void runRanks(int count, const std::function<void(Communicator&)>& function);

}  // namespace fuser
