// One rank of an MPI job, for the tests of the transport: mpirun -np 4 mpi_rank <what>.
//
//   properties [bytes]   the suite that every transport passes; messages in pieces of so many bytes
//   deadlock             ranks 0 and 1 wait for each other
//   return               the last rank returns while the others wait for it
//   faulty <seed>        a program with mistakes: the same collectives fail as with all ranks in one process
//   throw                the last rank fails while the others wait for it
//   sleep <rank>         that rank prints its process id and sleeps while the others wait for it
// Every rank draws the same programs from a fixed seed.

#include <unistd.h>

#include <cstdio>
#include <regex>
#include <stdexcept>
#include <string>

#include "fuser/communicate/mpi/mpi_communicator.h"
#include "tests/fuser/communicate/suite/checks.h"
#include "tests/fuser/communicate/suite/faulty_program.h"

namespace {

using namespace fuser;

size_t checkPrograms(Communicator& communicator) {
  rc::Random random(20260101);
  size_t collectives = 0;
  const auto check = [&](int count, int maxSteps, std::optional<CollectiveKind> kind) {
    for (int i = 0; i < count; ++i) {
      const auto draw = communicate_suite::arbitraryProgram(communicator.size(), maxSteps, kind);
      const communicate_suite::RandomProgram program = draw(random.split(), 100).value();
      communicate_suite::checkProgram(communicator, program);
      collectives += program.steps.size();
    }
  };
  for (CollectiveKind kind : kAllCollectiveKinds) check(40, 2, kind);
  check(150, 12, std::nullopt);
  return collectives;
}

void checkProperties(Communicator& communicator) {
  const size_t collectives = checkPrograms(communicator);
  size_t mismatches = 0;
  for (communicate_suite::Difference difference : communicate_suite::kAllDifferences) {
    if (communicator.size() == 1) break;
    for (int deviant = 0; deviant < communicator.size(); ++deviant, ++mismatches)
      communicate_suite::checkMismatch(communicator, difference, deviant);
  }
  if (communicator.rank() == 0)
    std::printf("%zu collectives and %zu mismatches on %d ranks\n", collectives, mismatches, communicator.size());
}

// Errors, but not their texts: here one may name a rank more, since no rank waits until all others stand still.
std::string withoutTexts(const std::string& transcript) {
  return std::regex_replace(transcript, std::regex("[^\n]*[a-z][^\n]*"), "error");
}

// Nobody throws: that would end the job.
void checkFaulty(Communicator& communicator, int seed) {
  rc::Random random(static_cast<uint64_t>(seed));
  communicate_suite::FaultyProgram faulty =
      communicate_suite::arbitraryFaultyProgram(communicator.size())(random, 100).value();
  for (communicate_suite::Fault& fault : faulty.faults) {
    if (fault.kind == communicate_suite::Fault::Kind::Throw) fault.kind = communicate_suite::Fault::Kind::Return;
  }
  faulty.stubborn.assign(faulty.stubborn.size(), true);
  std::string transcript;
  communicate_suite::liveThrough(communicator, faulty, 1, transcript);
  const std::string expected = transcripts(faulty, 2)[static_cast<size_t>(communicator.rank())];
  FUSER_USER_CHECK(withoutTexts(transcript) == withoutTexts(expected), faulty, "met\n", transcript,
                   "and in one process\n", expected);
}

// Never completed: that rank does not post.
void waitForRank(Communicator& communicator, int root) {
  float sent = 1;
  float received = 0;
  const TensorRef send{&sent, DataType::Float, {1}, {1}, {}};
  const TensorRef receive{&received, DataType::Float, {1}, {1}, {}};
  communicator.post({CollectiveKind::SendRecv, {communicator.rank()}, root, Reduction::Sum, send, receive})->wait();
}

void run(Communicator& communicator, const std::string& what, int number) {
  const int last = communicator.size() - 1;
  if (what == "properties") {
    checkProperties(communicator);
  } else if (what == "deadlock") {
    communicate_suite::checkDeadlock(communicator);
  } else if (what == "return") {
    communicate_suite::checkEarlyReturn(communicator);
  } else if (what == "faulty") {
    checkFaulty(communicator, number);
  } else if (what == "throw") {
    if (communicator.rank() == last) throw std::out_of_range("a bug");
    waitForRank(communicator, last);
  } else if (what == "sleep") {
    if (communicator.rank() == number) {
      std::printf("pid %d\n", static_cast<int>(getpid()));
      std::fflush(stdout);
      while (true) pause();
    }
    waitForRank(communicator, number);
  } else {
    throw UserError(concat("nothing is called '", what, "'"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::stoi(argv[2]) : 1 << 30;
  const size_t chunkBytes = what == "properties" ? static_cast<size_t>(number) : size_t{1} << 30;
  return runMpiRank([&](Communicator& communicator) { run(communicator, what, number); },
                    logToStderr(LogLevel::Error).get(), chunkBytes);
}
