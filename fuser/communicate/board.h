#pragma once
// Board: the state of all ranks: which collectives each one has posted, which one it waits for, whether it has left. It
// tells when a collective is complete, whether its headers match, and when no rank can make progress. It has no threads
// and sends no messages: the in-process transport guards one board with a mutex; under MPI each rank has its own
// (board_replica.h).

#include <map>
#include <memory>
#include <optional>

#include "fuser/communicate/exchange.h"

namespace fuser {

// A collective that at least one member posted.
struct PostedCollective {
  struct Post {
    Header header;
    std::vector<std::byte> bytes;  // the send buffer, or the part for this rank, as the transport needs
  };
  Circle circle;
  int64_t number = 0;                      // counts the circle's collectives from 0
  std::vector<int> members;                // of the circle, in its order
  std::vector<std::optional<Post>> posts;  // by place among the members
  bool isComplete() const { return missing == 0; }
  const Post& postOf(int rank) const;
  // Describes the first header that differs from the first member's; "" if none does. A CheckError if incomplete.
  std::string mismatch() const;
  std::string name() const;  // "collective 3 of team [0, 1]"
  size_t missing = 0;        // members that have not posted
};

class Board {
 public:
  explicit Board(int ranks);
  int ranks() const { return static_cast<int>(ranks_.size()); }

  // Posts the rank's next collective in this circle.
  std::shared_ptr<const PostedCollective> post(int rank, const Circle& circle, PostedCollective::Post post);
  // Records that the rank waits for this collective, which it has posted, until it is complete or resume() is called.
  void wait(int rank, const Circle& circle, int64_t number);
  void resume(int rank);
  // Records that the rank ended: with this error, or, if nullopt, by returning. It posts nothing afterwards.
  void leave(int rank, std::optional<std::string> error);

  bool hasLeft(int rank) const { return ranks_[static_cast<size_t>(rank)].left; }
  // Whether the rank waits for a collective that is not complete.
  bool isBlocked(int rank) const;
  // Whether at least one rank is blocked and every other one is blocked or has left. No later post can change that.
  bool isQuiet() const;
  // Names the members that a blocked rank waits for and that have left; "" if none has. Otherwise the collective can
  // never complete. A CheckError for a rank that is not blocked.
  std::string departed(int rank) const;
  // A message with all blocked ranks and the ranks that each one waits for.
  std::string deadlock() const;

 private:
  struct Rank {
    std::map<Circle, int64_t> posted;  // the number of its posts
    std::shared_ptr<const PostedCollective> awaited;
    bool left = false;
    std::optional<std::string> error;
  };
  std::string waitText(int rank, const std::string& forWhom) const;

  std::vector<Rank> ranks_;
  // The collectives that are not complete.
  std::map<std::pair<Circle, int64_t>, std::shared_ptr<PostedCollective>> open_;
};

}  // namespace fuser
