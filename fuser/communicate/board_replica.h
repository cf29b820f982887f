#pragma once
// BoardReplica: one rank's own board, for transports whose ranks share no memory. What a rank says it tells all others;
// what the others say comes in, in each rank's own order, but in any order among ranks, and late. No messages: the
// transport carries them.

#include <functional>

#include "fuser/communicate/board.h"
#include "fuser/communicate/communicator.h"

namespace fuser {

// What ranks tell each other.
struct BoardEvent {
  enum class Kind : uint8_t { Post, Wait, Deadlock, Leave };
  Kind kind = Kind::Leave;
  Circle circle;                 // Post, Wait
  int64_t number = 0;            // Post, Wait: the circle's collective
  Header header;                 // Post
  std::vector<std::byte> bytes;  // Post: the part for who hears it

  std::vector<int64_t> words() const;  // all but bytes
  static BoardEvent fromWords(const std::vector<int64_t>& words, std::vector<std::byte> bytes);
};

class BoardReplica {
 public:
  // tell: to be sent to every other rank, after all that it was given before.
  BoardReplica(int rank, int ranks, std::function<void(const BoardEvent&)> tell);

  // This rank's next collective; its Post is the transport's to tell, as each rank gets other bytes. A
  // CommunicationError after a deadlock.
  std::shared_ptr<const PostedCollective> post(const Circle& circle, PostedCollective::Post post);
  // This rank begins to wait for a collective of its own. Then call isOver whenever something was heard, until it is
  // true or throws.
  void beginWait(const PostedCollective& posted);
  // Is the collective complete? A CommunicationError when it never will be: a rank that is missing has left, or all
  // wait.
  bool isOver(const PostedCollective& posted);
  void leave();

  void hear(int from, BoardEvent event);
  bool haveAllLeft() const;

 private:
  bool someWaitForTheDeparted() const;

  int rank_;
  Board board_;
  std::vector<bool> stopped_;  // by rank: has found a deadlock
  std::vector<bool> gone_;     // by rank: has left, before a deadlock or after
  std::function<void(const BoardEvent&)> tell_;
  std::optional<CommunicationError> deadlock_;
};

}  // namespace fuser
