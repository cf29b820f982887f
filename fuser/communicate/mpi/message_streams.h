#pragma once
// Messages between the processes of an MPI job: numbers and bytes, of any length, in order for each pair of ranks. MPI
// carries bytes only, and nothing here blocks: a rank that waits must go on hearing what the others say, or a deadlock
// could not be told from a slow rank.
//
// Used by one thread, the one that initialised MPI. An error of MPI itself ends the job.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fuser {

struct Message {
  int from = 0;  // the sender's rank
  std::vector<int64_t> words;
  std::vector<std::byte> bytes;
};

class MessageStreams {
 public:
  // MPI must be initialised, and stay so as long as this lives. Longer messages travel in pieces of chunkBytes, since
  // MPI counts in int: 1 to INT_MAX, else a CheckError.
  explicit MessageStreams(size_t chunkBytes);
  ~MessageStreams();
  int rank() const;
  int size() const;

  // bytes lie in what `owner` holds, which lives until they are sent.
  void send(int to, std::vector<int64_t> words, std::shared_ptr<const void> owner = nullptr,
            std::span<const std::byte> bytes = {});
  // The next message that has come in whole, of whichever rank; nullopt where none has yet.
  std::optional<Message> receive();
  // Frees what has been sent; is anything still on its way?
  bool isSending();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fuser
