#pragma once
// The checks that every transport passes, each for all ranks at once: every rank calls it with its communicator. They
// throw Failed where the transport is wrong.

#include "fuser/communicate/communicator.h"
#include "tests/fuser/communicate/suite/random_program.h"

namespace fuser::communicate_suite {

class Failed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Posts and waits as the program says; everything received is what it should be, nothing beside the buffer is written
// and nothing that is sent changes.
void checkProgram(Communicator& communicator, const RandomProgram& program);

// What one rank says otherwise than the others.
enum class Difference : uint8_t { Kind, Reduction, DataType, Elements, Root };
inline constexpr Difference kAllDifferences[] = {Difference::Kind, Difference::Reduction, Difference::DataType,
                                                 Difference::Elements, Difference::Root};

// At least two ranks. All post a reduce, the deviant another one: an error on all, which names both; then all agree
// again.
void checkMismatch(Communicator& communicator, Difference difference, int deviant);

// At least two ranks, of which 0 and 1 wait for each other in different teams: an error on both, and nothing can be
// posted any more. The other ranks return.
void checkDeadlock(Communicator& communicator);

// At least two ranks: the last one returns while the others wait for it.
void checkEarlyReturn(Communicator& communicator);

}  // namespace fuser::communicate_suite
