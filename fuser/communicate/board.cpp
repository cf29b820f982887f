#include "fuser/communicate/board.h"

#include <algorithm>

namespace fuser {
namespace {

size_t indexOf(const std::vector<int>& members, int rank) {
  const auto it = std::find(members.begin(), members.end(), rank);
  FUSER_CHECK(it != members.end(), "rank ", rank, " is not among ", ranksText(members));
  return static_cast<size_t>(it - members.begin());
}

std::string joined(const std::vector<std::string>& texts, const char* separator) {
  std::string all;
  for (const std::string& text : texts) all += all.empty() ? text : separator + text;
  return all;
}

}  // namespace

const PostedCollective::Post& PostedCollective::postOf(int rank) const { return *posts[indexOf(members, rank)]; }

std::string PostedCollective::mismatch() const {
  FUSER_CHECK(isComplete());
  const Header& first = posts[0]->header;
  for (size_t i = 1; i < posts.size(); ++i) {
    const Header& other = posts[i]->header;
    if (other == first) continue;
    return concat(name(), ": rank ", members[0], " posted ", headerText(first), ", rank ", members[i], " posted ",
                  headerText(other), ": they differ in ", differenceText(first, other));
  }
  return "";
}

std::string PostedCollective::name() const {
  return concat("collective ", number, " of team ", ranksText(circle.team),
                circle.outsider < 0 ? "" : concat(" with rank ", circle.outsider));
}

Board::Board(int ranks) : ranks_(static_cast<size_t>(ranks)) {}

std::shared_ptr<const PostedCollective> Board::post(int rank, const Circle& circle, PostedCollective::Post post) {
  Rank& poster = ranks_[static_cast<size_t>(rank)];
  FUSER_CHECK(!poster.left, "rank ", rank, " posts after it left");
  poster.awaited = nullptr;  // who posts has resumed
  const auto key = std::make_pair(circle, poster.posted[circle]++);
  std::shared_ptr<PostedCollective>& slot = open_[key];
  if (!slot) {
    slot = std::make_shared<PostedCollective>();
    slot->circle = circle;
    slot->number = key.second;
    slot->members = circle.members();
    slot->posts.resize(slot->members.size());
    slot->missing = slot->members.size();
  }
  const std::shared_ptr<PostedCollective> posted = slot;
  std::optional<PostedCollective::Post>& place = posted->posts[indexOf(posted->members, rank)];
  FUSER_CHECK(!place, "rank ", rank, " posts twice");
  place = std::move(post);
  if (--posted->missing == 0) open_.erase(key);
  return posted;
}

void Board::wait(int rank, const Circle& circle, int64_t number) {
  const auto found = open_.find({circle, number});
  ranks_[static_cast<size_t>(rank)].awaited = found == open_.end() ? nullptr : found->second;
}

void Board::resume(int rank) { ranks_[static_cast<size_t>(rank)].awaited = nullptr; }

void Board::leave(int rank, std::optional<std::string> error) {
  Rank& leaver = ranks_[static_cast<size_t>(rank)];
  leaver.awaited = nullptr;
  leaver.left = true;
  leaver.error = std::move(error);
}

bool Board::isBlocked(int rank) const {
  const Rank& one = ranks_[static_cast<size_t>(rank)];
  return one.awaited && !one.awaited->isComplete();
}

bool Board::isQuiet() const {
  bool any = false;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (hasLeft(rank)) continue;
    if (!isBlocked(rank)) return false;
    any = true;
  }
  return any;
}

std::string Board::departed(int rank) const {
  FUSER_CHECK(isBlocked(rank));
  const PostedCollective& awaited = *ranks_[static_cast<size_t>(rank)].awaited;
  std::vector<std::string> texts;
  for (size_t i = 0; i < awaited.members.size(); ++i) {
    const int member = awaited.members[i];
    const Rank& other = ranks_[static_cast<size_t>(member)];
    if (awaited.posts[i] || !other.left) continue;
    texts.push_back(other.error ? concat("rank ", member, ", which failed: ", *other.error)
                                : concat("rank ", member, ", which has returned"));
  }
  return texts.empty() ? "" : waitText(rank, joined(texts, "; and for "));
}

std::string Board::deadlock() const {
  std::vector<std::string> texts;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (!isBlocked(rank)) continue;
    const PostedCollective& awaited = *ranks_[static_cast<size_t>(rank)].awaited;
    std::vector<std::string> missing;
    for (size_t i = 0; i < awaited.members.size(); ++i) {
      if (!awaited.posts[i]) missing.push_back(concat("rank ", awaited.members[i]));
    }
    texts.push_back(waitText(rank, joined(missing, ", ")));
  }
  return "no rank can go on: " + joined(texts, "; ");
}

std::string Board::waitText(int rank, const std::string& forWhom) const {
  const PostedCollective& awaited = *ranks_[static_cast<size_t>(rank)].awaited;
  return concat("rank ", rank, " waits in ", collectiveName(awaited.postOf(rank).header.kind), ", ", awaited.name(),
                ", for ", forWhom);
}

}  // namespace fuser
