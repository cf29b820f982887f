#include "fuser/communicate/in_process.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "fuser/communicate/posted_work.h"

namespace fuser {
namespace {

using Posted = std::shared_ptr<const PostedCollective>;

// The board that the ranks share.
class Room {
 public:
  explicit Room(int ranks) : board_(ranks), failures_(static_cast<size_t>(ranks)) {}

  Posted post(int rank, const Circle& circle, PostedCollective::Post post) {
    const std::lock_guard lock(mutex_);
    if (deadlock_) throw *deadlock_;
    Posted posted = board_.post(rank, circle, std::move(post));
    if (posted->isComplete()) changed_.notify_all();
    return posted;
  }

  // Returns when the collective is complete.
  void await(int rank, const PostedCollective& posted) {
    std::unique_lock lock(mutex_);
    if (posted.isComplete()) return;
    if (deadlock_) throw *deadlock_;
    FUSER_CHECK(!board_.hasLeft(rank), "rank ", rank, " waits after it left");
    board_.wait(rank, posted.circle, posted.number);
    decide();
    std::optional<CommunicationError>& failure = failures_[static_cast<size_t>(rank)];
    changed_.wait(lock, [&] { return posted.isComplete() || failure; });
    board_.resume(rank);
    if (!failure) return;
    const CommunicationError error = *failure;
    failure.reset();
    throw error;
  }

  void leave(int rank, std::optional<std::string> error) {
    const std::lock_guard lock(mutex_);
    board_.leave(rank, std::move(error));
    decide();
  }

 private:
  // When nobody can go on: those who wait for a rank that left fail, and may go on without it; when there is none, all
  // fail.
  void decide() {
    if (!board_.isQuiet()) return;
    for (const auto& failure : failures_) {
      if (failure) return;  // that rank is about to go on
    }
    bool someDeparted = false;
    for (int rank = 0; rank < board_.ranks(); ++rank) {
      if (!board_.isBlocked(rank)) continue;
      const std::string departed = board_.departed(rank);
      if (departed.empty()) continue;
      failures_[static_cast<size_t>(rank)].emplace(CommunicationError::Reason::RankLeft, departed);
      someDeparted = true;
    }
    if (!someDeparted) {
      deadlock_.emplace(CommunicationError::Reason::Deadlock, board_.deadlock());
      for (int rank = 0; rank < board_.ranks(); ++rank) {
        if (board_.isBlocked(rank)) failures_[static_cast<size_t>(rank)] = deadlock_;
      }
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Board board_;
  std::vector<std::optional<CommunicationError>> failures_;  // of ranks that wait: to be thrown by their wait
  std::optional<CommunicationError> deadlock_;
};

class InProcessCommunicator : public Communicator, public BoardTransport {
 public:
  InProcessCommunicator(Room& room, int rank, int size) : room_(room), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::shared_ptr<Work> post(const Collective& collective) override {
    Exchange exchange = checkedExchange(collective, rank_, size_, DeviceKind::Cpu);
    Posted posted;
    if (takesPart(exchange, rank_)) {
      PostedCollective::Post post{exchange.header, {}};
      if (sends(exchange, rank_)) {
        const std::span<const std::byte> sent = bytesOf(*collective.send);
        post.bytes.assign(sent.begin(), sent.end());
      }
      posted = room_.post(rank_, exchange.circle, std::move(post));
    }
    const bool isReceiver = receives(exchange, rank_);
    return std::make_shared<PostedWork>(*this, isReceiver, std::move(exchange), std::move(posted));
  }

 private:
  void await(const PostedCollective& posted) override { room_.await(rank_, posted); }

  // A post holds all that its rank sends.
  std::span<const std::byte> part(const Exchange& exchange, const PostedCollective& posted, int sender) const override {
    return partFor(exchange, sender, rank_, posted.postOf(sender).bytes);
  }

  Room& room_;
  int rank_;
  int size_;
};

struct Failure {
  std::exception_ptr error;
  bool isNewsOfAnother = false;
};

// Runs one rank; its error, if any.
Failure runRank(Room& room, int rank, int count, const std::function<void(Communicator&)>& function) {
  Failure failure;
  std::optional<std::string> text;
  try {
    InProcessCommunicator communicator(room, rank, count);
    function(communicator);
  } catch (const CommunicationError& error) {
    failure = {std::current_exception(), error.reason() == CommunicationError::Reason::RankLeft};
    text = error.what();
  } catch (const std::exception& error) {
    failure = {std::current_exception(), false};
    text = error.what();
  } catch (...) {
    failure = {std::current_exception(), false};
    text = "an exception without text";
  }
  room.leave(rank, std::move(text));
  return failure;
}

}  // namespace

void runRanks(int count, const std::function<void(Communicator&)>& function) {
  FUSER_USER_CHECK(count >= 1 && count <= kMaxRanksInProcess, count, " ranks: between 1 and ", kMaxRanksInProcess,
                   " fit in one process");
  Room room(count);
  std::vector<Failure> failures(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    Failure& failure = failures[static_cast<size_t>(rank)];
    try {
      threads.emplace_back(
          [&room, &failure, &function, rank, count] { failure = runRank(room, rank, count, function); });
    } catch (const std::system_error& error) {  // no more threads: the ranks that run must hear of it
      failure = {std::current_exception(), false};
      room.leave(rank, error.what());
    }
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool newsOfAnother : {false, true}) {
    for (const Failure& failure : failures) {
      if (failure.error && failure.isNewsOfAnother == newsOfAnother) std::rethrow_exception(failure.error);
    }
  }
}

}  // namespace fuser
