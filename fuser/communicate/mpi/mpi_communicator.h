#pragma once
// The MPI transport: a rank is a process that mpirun started. MPI only carries bytes; exchange.h computes reductions,
// so that results equal those of every other transport. Each rank keeps a board (board_replica.h), so that all waiting
// ranks detect a collective that can never complete, without a timeout.

#include <functional>

#include "fuser/communicate/communicator.h"
#include "fuser/log/log.h"

namespace fuser {

// Runs the function as this process's rank, between MPI_Init and MPI_Finalize; call it once per process. Returns 0
// after all ranks have returned. If the function throws, logs one line (Error)
//   fuser: rank 2 of 4 failed: <what>
// and aborts all ranks; mpirun's exit code is then not 0. If a rank is killed, mpirun aborts the others.
// Long messages make progress only in post() and wait(). Messages longer than chunkBytes are sent in pieces.
int runMpiRank(const std::function<void(Communicator&)>& function, spdlog::logger* log,
               size_t chunkBytes = size_t{1} << 30);

}  // namespace fuser
