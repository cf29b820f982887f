#pragma once
// The Work of transports that keep a board: waits until the collective is complete, checks that the headers fit each
// other, puts the parts together. What differs between such transports, how one waits and where a sender's bytes are,
// stands behind BoardTransport, so that errors and results are the same in one process and under MPI.

#include "fuser/communicate/board.h"
#include "fuser/communicate/communicator.h"

namespace fuser {

class BoardTransport {
 public:
  virtual ~BoardTransport() = default;
  // Returns when the collective is complete; a CommunicationError when it never will be.
  virtual void await(const PostedCollective& posted) = 0;
  // What the sender's post holds for this rank, Header::partBytes() bytes that live as long as `posted`; of a
  // complete collective whose headers agree.
  virtual std::span<const std::byte> part(const Exchange& exchange, const PostedCollective& posted,
                                          int sender) const = 0;
};

class PostedWork : public Work {
 public:
  // The transport outlives this. Without `posted` (null) there is nothing to do: the rank takes no part. isReceiver:
  // whether this rank has a buffer to write.
  PostedWork(BoardTransport& transport, bool isReceiver, Exchange exchange,
             std::shared_ptr<const PostedCollective> posted)
      : transport_(transport), isReceiver_(isReceiver), exchange_(std::move(exchange)), posted_(std::move(posted)) {}
  void wait() override;

 private:
  void receive();

  BoardTransport& transport_;
  bool isReceiver_;
  Exchange exchange_;
  std::shared_ptr<const PostedCollective> posted_;
  std::optional<CommunicationError> error_;
};

}  // namespace fuser
