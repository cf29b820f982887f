#pragma once
// A rank is a process that mpirun started. MPI carries bytes, our own code adds: results have the bits of every other
// transport. Every rank keeps a board of what all have said, so that a collective that can never be completed is found
// on all ranks that wait for it, without a timeout.

#include <functional>

#include "fuser/communicate/communicator.h"

namespace fuser {

// Runs the function as this process's rank, from MPI_Init to MPI_Finalize, once a process; returns main's exit code.
// When the function returns, waits for the other ranks to return. When it throws, prints one line
//   fuser: rank 2 of 4 failed: <what>
// and ends all ranks; mpirun's exit code is then not 0. For a rank that is killed mpirun itself does so.
// Long messages move only while their ranks are in post() or wait(); those longer than chunkBytes travel in pieces.
int runMpiRank(const std::function<void(Communicator&)>& function, size_t chunkBytes = size_t{1} << 30);

}  // namespace fuser
