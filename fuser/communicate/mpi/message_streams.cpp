#include "fuser/communicate/mpi/message_streams.h"

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <list>

#include "fuser/support/check.h"

namespace fuser {

struct MessageStreams::State {
  struct Sending {
    std::vector<int64_t> words;
    std::shared_ptr<const void> owner;
    std::vector<MPI_Request> requests;
  };

  // What has come from one rank of a message whose bytes are still to come.
  struct Arriving {
    std::optional<Message> message;
    size_t bytes = 0;
  };

  size_t chunkBytes;
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  std::list<Sending> sending;
  std::vector<Arriving> arriving;
};

// Errors of MPI itself end the job: its default handler names the rank.
MessageStreams::MessageStreams(size_t chunkBytes) : state_(std::make_unique<State>()) {
  FUSER_CHECK(chunkBytes > 0 && chunkBytes <= INT_MAX, chunkBytes);
  state_->chunkBytes = chunkBytes;
  MPI_Comm_dup(MPI_COMM_WORLD, &state_->communicator);
  MPI_Comm_rank(state_->communicator, &state_->rank);
  MPI_Comm_size(state_->communicator, &state_->size);
  state_->arriving.resize(static_cast<size_t>(state_->size));
}

MessageStreams::~MessageStreams() { MPI_Comm_free(&state_->communicator); }

int MessageStreams::rank() const { return state_->rank; }
int MessageStreams::size() const { return state_->size; }

void MessageStreams::send(int to, std::vector<int64_t> words, std::shared_ptr<const void> owner,
                          std::span<const std::byte> bytes) {
  State::Sending& sending = state_->sending.emplace_back();
  sending.owner = std::move(owner);
  sending.words = std::move(words);
  sending.words.push_back(static_cast<int64_t>(bytes.size()));
  const auto start = [&](const void* data, size_t count) {
    MPI_Isend(data, static_cast<int>(count), MPI_BYTE, to, 0, state_->communicator, &sending.requests.emplace_back());
  };
  start(sending.words.data(), sending.words.size() * sizeof(int64_t));
  for (size_t at = 0; at < bytes.size(); at += state_->chunkBytes)
    start(bytes.data() + at, std::min(state_->chunkBytes, bytes.size() - at));
}

std::optional<Message> MessageStreams::receive() {
  int found = 0;
  MPI_Message handle;
  MPI_Status status;
  while (MPI_Improbe(MPI_ANY_SOURCE, 0, state_->communicator, &found, &handle, &status), found) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    State::Arriving& arriving = state_->arriving[static_cast<size_t>(status.MPI_SOURCE)];
    const auto receive = [&](void* data) { MPI_Mrecv(data, count, MPI_BYTE, &handle, MPI_STATUS_IGNORE); };
    if (!arriving.message) {
      Message& message = arriving.message.emplace();
      message.from = status.MPI_SOURCE;
      message.words.resize(static_cast<size_t>(count) / sizeof(int64_t));
      receive(message.words.data());
      message.bytes.resize(static_cast<size_t>(message.words.back()));
      message.words.pop_back();
      arriving.bytes = 0;
    } else {
      FUSER_CHECK(arriving.bytes + static_cast<size_t>(count) <= arriving.message->bytes.size());
      receive(arriving.message->bytes.data() + arriving.bytes);
      arriving.bytes += static_cast<size_t>(count);
    }
    if (arriving.bytes < arriving.message->bytes.size()) continue;
    Message message = std::move(*arriving.message);
    arriving.message.reset();
    return message;
  }
  return std::nullopt;
}

bool MessageStreams::isSending() {
  std::erase_if(state_->sending, [](State::Sending& sending) {
    int done = 0;
    MPI_Testall(static_cast<int>(sending.requests.size()), sending.requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
  return !state_->sending.empty();
}

}  // namespace fuser
