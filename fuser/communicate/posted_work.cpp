#include "fuser/communicate/posted_work.h"

namespace fuser {

void PostedWork::wait() {
  if (error_) throw *error_;
  if (!posted_) return;
  try {
    transport_.await(*posted_);
    const std::string mismatch = posted_->mismatch();
    if (!mismatch.empty()) throw CommunicationError(CommunicationError::Reason::Mismatch, mismatch);
  } catch (const CommunicationError& error) {
    error_ = error;
    throw;
  }
  if (isReceiver_) receive();
  posted_ = nullptr;
}

void PostedWork::receive() {
  std::vector<std::span<const std::byte>> parts;
  for (int sender : exchange_.senders) parts.push_back(transport_.part(exchange_, *posted_, sender));
  receiveParts(exchange_, parts);
}

}  // namespace fuser
