#pragma once
// Communicator: one rank's way to the others. Nothing above it knows which transport it has: all ranks in one process
// (in_process.h), MPI (mpi/mpi_communicator.h) or NCCL (nccl/nccl_communicator.h).

#include <memory>
#include <stdexcept>

#include "fuser/communicate/collective.h"

namespace fuser {

// The ranks do not fit each other. Neither a UserError nor a CheckError: a communicator cannot know whether the program
// that its ranks run was written by a person or lowered by us. Whoever made the program knows.
class CommunicationError : public std::runtime_error {
 public:
  enum class Reason : uint8_t {
    Mismatch,  // two ranks posted something else under the same number of the same team; only that collective is lost
    RankLeft,  // a rank that is waited for has left, by returning or by an exception
    Deadlock,  // the ranks wait for each other; nothing can be posted any more
  };
  CommunicationError(Reason reason, const std::string& message) : std::runtime_error(message), reason_(reason) {}
  Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

// A posted collective. Dropping it without a wait is fine: what this rank sends still goes out, what it would receive
// is not written.
class Work {
 public:
  virtual ~Work() = default;
  // Blocks until what this rank receives has been written and what it sends may be overwritten. Throws a
  // CommunicationError, which names the ranks; the buffer to receive in is then untouched. Again: the same at once.
  virtual void wait() = 0;
};

// Used by one thread.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Never blocks. Collectives of a team (and of a root outside it) are matched by their number: the n-th that each of
  // its ranks posts. Those of different teams know nothing of each other. A rank that is no member posts nothing, and
  // its Work is done. A collective that is wrong by itself is a UserError here, and does not count as posted.
  virtual std::shared_ptr<Work> post(const Collective& collective) = 0;
};

}  // namespace fuser
