#pragma once
// Board: what every rank has said so far: which collectives it posted, which one it waits for, that it left. It says
// when a collective is complete, whether its headers fit each other, and when nobody can go on. No threads and no
// messages: the transport in one process keeps one board under a mutex; under MPI every rank has its own
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
    std::vector<std::byte> bytes;  // of the rank's send buffer: all, or the part for us; as the transport likes
  };
  Circle circle;
  int64_t number = 0;                      // counts the circle's collectives from 0
  std::vector<int> members;                // of the circle, in its order
  std::vector<std::optional<Post>> posts;  // by place among the members
  bool isComplete() const { return missing == 0; }
  const Post& postOf(int rank) const;
  // Of a complete one: what the first member says and what the first that differs from it says; empty where all agree.
  std::string mismatch() const;
  std::string name() const;  // "collective 3 of team [0, 1]"
  size_t missing = 0;        // members that have not posted
};

class Board {
 public:
  explicit Board(int ranks);
  int ranks() const { return static_cast<int>(ranks_.size()); }

  // The rank's next collective in this circle.
  std::shared_ptr<const PostedCollective> post(int rank, const Circle& circle, PostedCollective::Post post);
  // The rank stands still until this collective of its own is complete, or until it resumes.
  void wait(int rank, const Circle& circle, int64_t number);
  void resume(int rank);
  // The rank will say nothing more. error: why, or nothing where it returned.
  void leave(int rank, std::optional<std::string> error);

  bool hasLeft(int rank) const { return ranks_[static_cast<size_t>(rank)].left; }
  // Waits for a collective that is not complete.
  bool isBlocked(int rank) const;
  // At least one rank is blocked, and every rank is or has left. No later post can change that.
  bool isQuiet() const;
  // Of a blocked rank: the members that are missing and have left, in words; empty where none has. Such a collective is
  // never completed.
  std::string departed(int rank) const;
  // All blocked ranks and whom each waits for.
  std::string deadlock() const;

 private:
  struct Rank {
    std::map<Circle, int64_t> posted;  // how many
    std::shared_ptr<const PostedCollective> awaited;
    bool left = false;
    std::optional<std::string> error;
  };
  std::string waitText(int rank, const std::string& forWhom) const;

  std::vector<Rank> ranks_;
  // Those that are not complete.
  std::map<std::pair<Circle, int64_t>, std::shared_ptr<PostedCollective>> open_;
};

}  // namespace fuser
