#pragma once
// BoardReplica: one rank's copy of the board, for transports whose ranks share no memory. Each rank sends its events to
// all others. The events of one rank arrive in order; those of different ranks arrive late and in any order. The
// transport carries the messages.

#include <functional>

#include "fuser/communicate/board.h"
#include "fuser/communicate/communicator.h"

namespace fuser {

// An event that a rank sends to all others.
struct BoardEvent {
  enum class Kind : uint8_t { Post, Wait, Deadlock, Leave };
  Kind kind = Kind::Leave;
  Circle circle;                 // Post, Wait
  int64_t number = 0;            // Post, Wait: the circle's collective
  Header header;                 // Post
  std::vector<std::byte> bytes;  // Post: the part for the receiver of the event

  std::vector<int64_t> words() const;  // all fields except bytes
  static BoardEvent fromWords(const std::vector<int64_t>& words, std::vector<std::byte> bytes);
};

class BoardReplica {
 public:
  // `tell` must send the event to every other rank, after all earlier events.
  BoardReplica(int rank, int ranks, std::function<void(const BoardEvent&)> tell);

  // Posts this rank's next collective on this board; the transport sends the Post event, because each rank gets other
  // bytes. A CommunicationError after a deadlock.
  std::shared_ptr<const PostedCollective> post(const Circle& circle, PostedCollective::Post post);
  // Records, and tells the other ranks, that this rank waits for a collective that it has posted. Afterwards call
  // isOver() after each received event, until it returns true or throws. A CommunicationError after a deadlock.
  void beginWait(const PostedCollective& posted);
  // Whether the collective is complete. A CommunicationError if it never will be: a missing rank has left, or all ranks
  // wait for each other.
  bool isOver(const PostedCollective& posted);
  void leave();

  void apply(int from, BoardEvent event);  // applies an event that rank `from` sent
  bool haveAllLeft() const;

 private:
  bool someWaitForTheDeparted() const;

  int rank_;
  Board board_;
  std::vector<bool> stopped_;  // by rank: has found a deadlock
  std::vector<bool> gone_;     // by rank: has left, before a deadlock or after
  std::function<void(const BoardEvent&)> send_;
  std::optional<CommunicationError> deadlock_;
};

}  // namespace fuser
