#pragma once
// Communicator: connects one rank to the others. Its callers do not depend on the transport: all ranks in one process
// (in_process.h), MPI (mpi/mpi_communicator.h) or NCCL (nccl/nccl_communicator.h).

#include <memory>
#include <stdexcept>

#include "fuser/communicate/collective.h"

namespace fuser {

// The collectives of the ranks do not match. Neither a UserError nor a CheckError: a communicator cannot know whether a
// person wrote the program that its ranks run or the compiler lowered it. The caller knows.
class CommunicationError : public std::runtime_error {
 public:
  enum class Reason : uint8_t {
    Mismatch,  // ranks posted different collectives as the same number of a team; only this collective is lost
    RankLeft,  // a rank that another one waits for has ended, by returning or by an exception
    Deadlock,  // the ranks wait for each other; no rank can post any more
  };
  CommunicationError(Reason reason, const std::string& message) : std::runtime_error(message), reason_(reason) {}
  Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

// A posted collective. It may be destroyed without a wait: what this rank sends is still delivered, and its receive
// buffer is not written.
class Work {
 public:
  virtual ~Work() = default;
  // Blocks until the receive buffer is written and the send buffer may be overwritten. Throws a CommunicationError that
  // names the ranks; the receive buffer is then unchanged. Later calls return or throw the same at once.
  virtual void wait() = 0;
};

// For use by one thread only.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Never blocks. The n-th posts of all ranks of a team (and of its root outside) are one collective; different teams
  // are independent. A rank that is not a member posts nothing, and its Work is done. A collective that is invalid by
  // itself is a UserError and does not count as posted. A CommunicationError after a deadlock.
  virtual std::shared_ptr<Work> post(const Collective& collective) = 0;
};

}  // namespace fuser
