#pragma once
// The checks that every transport must pass. Every rank calls each check with its communicator. A check throws Failed
// if the transport is wrong.

#include "fuser/communicate/communicator.h"
#include "tests/fuser/communicate/suite/random_program.h"

namespace fuser::communicate_suite {

class Failed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Posts and waits as the program says. Checks that the received data is right, that nothing beside the buffer is
// written, and that the sent data does not change.
void checkProgram(Communicator& communicator, const RandomProgram& program);

// The field in which the collective of one rank differs from those of the others.
enum class Difference : uint8_t { Kind, Reduction, DataType, Elements, Root };
inline constexpr Difference kAllDifferences[] = {Difference::Kind, Difference::Reduction, Difference::DataType,
                                                 Difference::Elements, Difference::Root};

// At least two ranks. All post a reduce, but that of the rank `deviant` differs: every rank gets an error that names
// both posts. The next collective succeeds.
void checkMismatch(Communicator& communicator, Difference difference, int deviant);

// At least two ranks. Ranks 0 and 1 wait for each other in different teams: both get an error and cannot post any more.
// The other ranks return.
void checkDeadlock(Communicator& communicator);

// At least two ranks. The last one returns while the others wait for it: they get an error that names it.
void checkEarlyReturn(Communicator& communicator);

}  // namespace fuser::communicate_suite
