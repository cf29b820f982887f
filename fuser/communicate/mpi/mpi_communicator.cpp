#include "fuser/communicate/mpi/mpi_communicator.h"

#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "fuser/communicate/board_replica.h"
#include "fuser/communicate/mpi/message_streams.h"
#include "fuser/communicate/posted_work.h"
#include "fuser/log/log.h"

namespace fuser {
namespace {

class MpiCommunicator : public Communicator, public BoardTransport {
 public:
  explicit MpiCommunicator(size_t chunkBytes)
      : streams_(chunkBytes),
        board_(streams_.rank(), streams_.size(), [this](const BoardEvent& event) { sendEvent(event); }) {}
  int rank() const override { return streams_.rank(); }
  int size() const override { return streams_.size(); }

  std::shared_ptr<Work> post(const Collective& collective) override {
    Exchange exchange = checkedExchange(collective, rank(), size(), DeviceKind::Cpu);
    while (receiveMessage()) continue;
    std::shared_ptr<const PostedCollective> posted;
    if (takesPart(exchange, rank())) posted = say(exchange);
    const bool isReceiver = receives(exchange, rank());
    return std::make_shared<PostedWork>(*this, isReceiver, std::move(exchange), std::move(posted));
  }

  // Returns when every rank has left.
  void finish() {
    board_.leave();
    Idle idle;
    while (streams_.isSending() || !board_.haveAllLeft()) receiveMessage() ? idle.reset() : idle.rest();
  }

 private:
  // Ranks may be more than cores: an idle one lets others run, and soon sleeps.
  class Idle {
   public:
    void reset() { polls_ = 0; }
    void rest() {
      if (++polls_ < 200) {
        sched_yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }

   private:
    int polls_ = 0;
  };

  void sendEvent(const BoardEvent& event) {
    const std::vector<int64_t> words = event.words();
    for (int to = 0; to < size(); ++to) {
      if (to != rank()) streams_.send(to, words);
    }
  }

  // Posts for this rank, and tells each of the others, with its part.
  std::shared_ptr<const PostedCollective> say(const Exchange& exchange) {
    auto sent = std::make_shared<std::vector<std::byte>>();
    if (sends(exchange, rank())) {
      const std::span<const std::byte> all = bytesOf(*exchange.collective.send);
      sent->assign(all.begin(), all.end());
    }
    const std::span<const std::byte> part = partFor(exchange, rank(), rank(), *sent);
    const auto posted = board_.post(exchange.circle, {exchange.header, {part.begin(), part.end()}});
    BoardEvent event;
    event.kind = BoardEvent::Kind::Post;
    event.circle = exchange.circle;
    event.number = posted->number;
    event.header = exchange.header;
    const std::vector<int64_t> words = event.words();
    for (int to = 0; to < size(); ++to) {
      if (to != rank()) streams_.send(to, words, sent, partFor(exchange, rank(), to, *sent));
    }
    return posted;
  }

  // Takes in one event, if one has come. Sends go on meanwhile.
  bool receiveMessage() {
    streams_.isSending();
    std::optional<Message> message = streams_.receive();
    if (message) board_.apply(message->from, BoardEvent::fromWords(message->words, std::move(message->bytes)));
    return message.has_value();
  }

  void await(const PostedCollective& posted) override {
    while (!posted.isComplete() && receiveMessage()) continue;
    board_.beginWait(posted);
    Idle idle;
    while (!board_.isOver(posted)) receiveMessage() ? idle.reset() : idle.rest();
  }

  // A post holds the part for this rank.
  std::span<const std::byte> part(const Exchange&, const PostedCollective& posted, int sender) const override {
    return posted.postOf(sender).bytes;
  }

  MessageStreams streams_;
  BoardReplica board_;
};

[[noreturn]] void abortJob(int rank, int size, spdlog::logger* log, const char* what) {
  logLine(log, LogLevel::Error, concat("fuser: rank ", rank, " of ", size, " failed: ", what));
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();  // MPI_Abort does not return
}

}  // namespace

int runMpiRank(const std::function<void(Communicator&)>& function, spdlog::logger* log, size_t chunkBytes) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  {
    MpiCommunicator communicator(chunkBytes);  // outlives any exception: MPI may still be reading what it sends
    try {
      function(communicator);
      communicator.finish();
    } catch (const std::exception& error) {
      abortJob(rank, size, log, error.what());
    } catch (...) {
      abortJob(rank, size, log, "an exception without text");
    }
  }
  MPI_Finalize();
  return 0;
}

}  // namespace fuser
