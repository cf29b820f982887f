#include "fuser/communicate/board_replica.h"

#include <algorithm>

namespace fuser {

std::vector<int64_t> BoardEvent::words() const {
  std::vector<int64_t> words = {static_cast<int64_t>(kind),
                                number,
                                static_cast<int64_t>(header.kind),
                                static_cast<int64_t>(header.reduction),
                                static_cast<int64_t>(header.dtype),
                                header.elements,
                                header.root,
                                circle.outsider};
  words.insert(words.end(), circle.team.begin(), circle.team.end());
  return words;
}

BoardEvent BoardEvent::fromWords(const std::vector<int64_t>& words, std::vector<std::byte> bytes) {
  BoardEvent event;
  event.kind = static_cast<Kind>(words.at(0));
  event.number = words.at(1);
  event.header.kind = static_cast<CollectiveKind>(words.at(2));
  event.header.reduction = static_cast<Reduction>(words.at(3));
  event.header.dtype = static_cast<DataType>(words.at(4));
  event.header.elements = words.at(5);
  event.header.root = static_cast<int>(words.at(6));
  event.circle.outsider = static_cast<int>(words.at(7));
  event.circle.team.assign(words.begin() + 8, words.end());
  event.bytes = std::move(bytes);
  return event;
}

BoardReplica::BoardReplica(int rank, int ranks, std::function<void(const BoardEvent&)> tell)
    : rank_(rank),
      board_(ranks),
      stopped_(static_cast<size_t>(ranks)),
      gone_(static_cast<size_t>(ranks)),
      send_(std::move(tell)) {}

std::shared_ptr<const PostedCollective> BoardReplica::post(const Circle& circle, PostedCollective::Post post) {
  if (deadlock_) throw *deadlock_;
  return board_.post(rank_, circle, std::move(post));
}

void BoardReplica::beginWait(const PostedCollective& posted) {
  if (posted.isComplete()) return;
  if (deadlock_) throw *deadlock_;
  BoardEvent event;
  event.kind = BoardEvent::Kind::Wait;
  event.circle = posted.circle;
  event.number = posted.number;
  send_(event);
  board_.wait(rank_, posted.circle, posted.number);
}

// A rank that has left posts nothing more; nor do ranks that all wait. This board may lag behind, but what it holds of
// each rank it holds from the beginning: where nobody could go on by it, the first to go on would have had to wait for
// another.
bool BoardReplica::isOver(const PostedCollective& posted) {
  if (posted.isComplete()) {
    board_.resume(rank_);
    return true;
  }
  if (!deadlock_) {
    const std::string departed = board_.departed(rank_);
    if (!departed.empty()) {
      board_.resume(rank_);
      throw CommunicationError(CommunicationError::Reason::RankLeft, departed);
    }
    // Who waits for a rank that has left will hear of it, and go on.
    if (!board_.isQuiet() || someWaitForTheDeparted()) return false;
    deadlock_.emplace(CommunicationError::Reason::Deadlock, board_.deadlock());
    // Before anything else that this rank says, so that the others find it too: whatever it does now, it posts no more.
    BoardEvent event;
    event.kind = BoardEvent::Kind::Deadlock;
    send_(event);
  }
  board_.resume(rank_);
  throw *deadlock_;
}

void BoardReplica::leave() {
  send_(BoardEvent{});
  board_.leave(rank_, std::nullopt);
  gone_[static_cast<size_t>(rank_)] = true;
}

void BoardReplica::apply(int from, BoardEvent event) {
  const size_t place = static_cast<size_t>(from);
  switch (event.kind) {
    case BoardEvent::Kind::Post: {
      const auto posted = board_.post(from, event.circle, {event.header, std::move(event.bytes)});
      FUSER_CHECK(posted->number == event.number, "rank ", from, " counts otherwise in ", posted->name());
      break;
    }
    case BoardEvent::Kind::Wait: board_.wait(from, event.circle, event.number); break;
    case BoardEvent::Kind::Deadlock: stopped_[place] = true; break;
    case BoardEvent::Kind::Leave:
      // Of a rank that found a deadlock the board keeps that it waits, until this rank has found it too.
      if (!stopped_[place]) board_.leave(from, std::nullopt);
      gone_[place] = true;
      break;
  }
}

bool BoardReplica::haveAllLeft() const { return std::find(gone_.begin(), gone_.end(), false) == gone_.end(); }

bool BoardReplica::someWaitForTheDeparted() const {
  for (int rank = 0; rank < board_.ranks(); ++rank) {
    if (board_.isBlocked(rank) && !board_.departed(rank).empty()) return true;
  }
  return false;
}

}  // namespace fuser
