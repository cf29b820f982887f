#pragma once
// Random programs with mistakes in them: ranks that skip a collective, post another one, return or throw in the middle.
// The errors and data of each rank are recorded, so that two runs can be compared.

#include "fuser/communicate/communicator.h"
#include "tests/fuser/communicate/suite/random_program.h"

namespace fuser::communicate_suite {

struct Fault {
  enum class Kind : uint8_t { Skip, MoreElements, Return, Throw };
  Kind kind = Kind::Skip;
  int rank = 0;
  size_t step = 0;
};

struct FaultyProgram {
  RandomProgram program;
  std::vector<Fault> faults;
  std::vector<bool> stubborn;  // by rank: continues after a CommunicationError instead of rethrowing it
};

std::ostream& operator<<(std::ostream& out, const FaultyProgram& faulty);

rc::Gen<FaultyProgram> arbitraryFaultyProgram(int ranks);

// Runs one rank and appends each error and the received data to its transcript, in order. `haste` is the seed of random
// delays between steps.
void liveThrough(Communicator& communicator, const FaultyProgram& faulty, uint64_t haste, std::string& transcript);

// Runs all ranks in one process. Returns their transcripts and the error of runRanks.
std::vector<std::string> transcripts(const FaultyProgram& faulty, uint64_t haste);

}  // namespace fuser::communicate_suite
