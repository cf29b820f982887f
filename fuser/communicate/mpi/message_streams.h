#pragma once
// Messages between the processes of an MPI job: integers and bytes, of any length, in order for each pair of ranks.
// Nothing here blocks: a waiting rank must keep receiving messages, or it could not distinguish a deadlock from a slow
// rank.
//
// For use by the thread that initialised MPI only. An MPI error ends the job.

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
  // MPI must be initialised while this object exists. Longer messages are sent in pieces of chunkBytes, because MPI
  // counts in int: 1 to INT_MAX, otherwise a CheckError.
  explicit MessageStreams(size_t chunkBytes);
  ~MessageStreams();
  int rank() const;
  int size() const;

  // `owner` owns the memory of `bytes` and is kept until they are sent.
  void send(int to, std::vector<int64_t> words, std::shared_ptr<const void> owner = nullptr,
            std::span<const std::byte> bytes = {});
  // The next completely received message, from any rank; nullopt if there is none yet.
  std::optional<Message> receive();
  // Frees the messages that have been sent. Returns whether any are still being sent.
  bool isSending();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fuser
