#pragma once
// PostedWork: the Work of transports that keep a board. It waits until the collective is complete, checks that the
// headers match, and combines the parts. BoardTransport is the part that differs between such transports (how to wait,
// where a sender's bytes are), so that errors and results are the same in one process and under MPI.

#include "fuser/communicate/board.h"
#include "fuser/communicate/communicator.h"

namespace fuser {

class BoardTransport {
 public:
  virtual ~BoardTransport() = default;
  // Blocks until the collective is complete. A CommunicationError if it never will be.
  virtual void await(const PostedCollective& posted) = 0;
  // The part of the sender's post for this rank: Header::partBytes() bytes that live as long as `posted`. The
  // collective must be complete and its headers equal.
  virtual std::span<const std::byte> part(const Exchange& exchange, const PostedCollective& posted,
                                          int sender) const = 0;
};

class PostedWork : public Work {
 public:
  // The transport must outlive this object. A null `posted`: the rank takes no part, and wait() does nothing.
  // isReceiver: whether this rank has a receive buffer.
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
