#include "fuser/communicate/nccl/nccl_communicator.h"

#include <algorithm>
#include <deque>
#include <exception>

#include "fuser/communicate/board.h"

namespace fuser {
namespace {

// What travels ahead of the bytes, from each member to each: the header, and who stands outside the team.
constexpr size_t kWords = 6;

std::vector<int64_t> wordsOf(const Header& header, const Circle& circle) {
  return {static_cast<int64_t>(header.kind),
          static_cast<int64_t>(header.reduction),
          static_cast<int64_t>(header.dtype),
          header.elements,
          header.root,
          circle.outsider};
}

Header headerOf(const int64_t* words) {
  Header header;
  header.kind = static_cast<CollectiveKind>(words[0]);
  header.reduction = static_cast<Reduction>(words[1]);
  header.dtype = static_cast<DataType>(words[2]);
  header.elements = words[3];
  header.root = static_cast<int>(words[4]);
  return header;
}

TensorRef onHost(void* data, DataType dtype, size_t elements) {
  return {data, dtype, {static_cast<int64_t>(elements)}, {1}, {}};
}

unsigned long long addressOf(const TensorRef& tensor) { return reinterpret_cast<unsigned long long>(tensor.data); }

// A collective on its way, from its post until it was carried out.
struct Pending {
  Exchange exchange;
  int64_t number = 0;               // among the circle's
  std::vector<std::byte> sent;      // the send buffer
  std::vector<int64_t> words;       // of this rank
  std::vector<int64_t> everyWords;  // of all members, in order
  std::shared_ptr<Work> headers;    // their exchange
  bool isDone = false;
  std::exception_ptr error;
  std::vector<std::byte> received;  // the parts, in the order of the senders
};

class NcclCommunicator : public Communicator {
 public:
  NcclCommunicator(Communicator& others, std::shared_ptr<const CudaDriver> driver,
                   std::shared_ptr<const NcclLibrary> nccl)
      : others_(others), driver_(std::move(driver)), nccl_(std::move(nccl)) {
    NcclLibrary::UniqueId mine = rank() == 0 ? nccl_->makeUniqueId() : NcclLibrary::UniqueId{};
    NcclLibrary::UniqueId id;
    std::vector<int> team;
    for (int other = 0; other < size(); ++other) team.push_back(other);
    others_
        .post({CollectiveKind::Broadcast, team, 0, Reduction::Sum, onHost(&mine, DataType::Int8, sizeof mine),
               onHost(&id, DataType::Int8, sizeof id)})
        ->wait();
    const DeviceMemory makesTheDeviceCurrent(*driver_, 1);
    handle_ = nccl_->join(id, size(), rank());
  }

  // What others wait for is carried out, unless this rank has failed.
  ~NcclCommunicator() override {
    if (std::uncaught_exceptions() > 0) return;
    while (!pending_.empty()) carryOutFirst();
    nccl_->leave(handle_);
  }

  int rank() const override { return others_.rank(); }
  int size() const override { return others_.size(); }

  std::shared_ptr<Work> post(const Collective& collective) override;

  // Carries out all that was posted up to this one.
  void carryOut(const Pending& pending) {
    while (!pending.isDone) carryOutFirst();
  }

  // Writes the receive buffer.
  void receive(const Pending& pending) const {
    if (!receives(pending.exchange, rank())) return;
    const size_t bytes = pending.exchange.header.partBytes();
    std::vector<std::span<const std::byte>> parts;
    for (size_t i = 0; i < pending.exchange.senders.size(); ++i)
      parts.push_back(std::span(pending.received).subspan(i * bytes, bytes));
    const TensorRef& target = *pending.exchange.collective.receive;
    if (target.device.kind == DeviceKind::Cpu) return receiveParts(pending.exchange, parts);
    Exchange exchange = pending.exchange;
    std::vector<std::byte> staged(bytesOf(target).size());
    exchange.collective.receive->data = staged.data();
    receiveParts(exchange, parts);
    if (!staged.empty()) driver_->copyToDevice(addressOf(target), staged.data(), staged.size());
  }

 private:
  std::vector<std::byte> copyOf(const TensorRef& tensor) const {
    const std::span<const std::byte> bytes = bytesOf(tensor);
    if (tensor.device.kind == DeviceKind::Cpu) return {bytes.begin(), bytes.end()};
    std::vector<std::byte> copy(bytes.size());
    if (!copy.empty()) driver_->copyToHost(copy.data(), addressOf(tensor), copy.size());
    return copy;
  }

  void carryOutFirst() {
    const std::shared_ptr<Pending> pending = pending_.front();
    pending_.pop_front();
    pending->isDone = true;
    try {
      pending->headers->wait();
      checkHeaders(*pending);
      carry(*pending);
    } catch (const std::exception&) {
      pending->error = std::current_exception();
    }
  }

  static void checkHeaders(const Pending& pending) {
    PostedCollective posted;
    posted.circle = pending.exchange.circle;
    posted.number = pending.number;
    posted.members = posted.circle.members();
    for (size_t i = 0; i < posted.members.size(); ++i) {
      const int64_t* words = &pending.everyWords[i * kWords];
      posted.posts.push_back({{headerOf(words), {}}});
      if (words[5] != posted.circle.outsider) {
        throw CommunicationError(CommunicationError::Reason::Mismatch,
                                 concat(posted.name(), ": rank ", posted.members[i], " is in another team"));
      }
    }
    const std::string mismatch = posted.mismatch();
    if (!mismatch.empty()) throw CommunicationError(CommunicationError::Reason::Mismatch, mismatch);
  }

  // All parts at once, through memory of the GPU.
  void carry(Pending& pending) const {
    const Exchange& exchange = pending.exchange;
    const size_t bytes = exchange.header.partBytes();
    if (bytes == 0) return;
    if (receives(exchange, rank())) pending.received.resize(bytes * exchange.senders.size());
    const DeviceMemory out(*driver_, std::max<size_t>(pending.sent.size(), 1));
    const DeviceMemory in(*driver_, std::max<size_t>(pending.received.size(), 1));
    if (!pending.sent.empty()) driver_->copyToDevice(out.address(), pending.sent.data(), pending.sent.size());
    nccl_->beginGroup();
    if (sends(exchange, rank())) {
      for (int to : exchange.receivers) {
        const std::span<const std::byte> part = partFor(exchange, rank(), to, pending.sent);
        nccl_->send(out.address() + static_cast<size_t>(part.data() - pending.sent.data()), bytes, to, handle_);
      }
    }
    for (size_t i = 0; i * bytes < pending.received.size(); ++i)
      nccl_->receive(in.address() + i * bytes, bytes, exchange.senders[i], handle_);
    nccl_->endGroup();
    // On the default stream too, so it comes after the group; the one byte waits for what was sent.
    std::byte sent;
    driver_->copyToHost(&sent, out.address(), 1);
    if (!pending.received.empty()) driver_->copyToHost(pending.received.data(), in.address(), pending.received.size());
  }

  Communicator& others_;
  std::shared_ptr<const CudaDriver> driver_;
  std::shared_ptr<const NcclLibrary> nccl_;
  NcclLibrary::Handle handle_ = nullptr;
  std::deque<std::shared_ptr<Pending>> pending_;  // in the order of their posts
  std::map<Circle, int64_t> posted_;              // how many
};

class NcclWork : public Work {
 public:
  // Without `pending` there is nothing to do.
  NcclWork(NcclCommunicator& communicator, std::shared_ptr<Pending> pending)
      : communicator_(communicator), pending_(std::move(pending)) {}

  void wait() override {
    if (!pending_) return;
    communicator_.carryOut(*pending_);
    if (pending_->error) std::rethrow_exception(pending_->error);
    communicator_.receive(*pending_);
    pending_ = nullptr;
  }

 private:
  NcclCommunicator& communicator_;
  std::shared_ptr<Pending> pending_;
};

std::shared_ptr<Work> NcclCommunicator::post(const Collective& collective) {
  auto pending = std::make_shared<Pending>();
  pending->exchange = checkedExchange(collective, rank(), size(), std::nullopt);
  const Exchange& exchange = pending->exchange;
  if (!takesPart(exchange, rank())) return std::make_shared<NcclWork>(*this, nullptr);
  const std::vector<int> members = exchange.circle.members();
  pending->words = wordsOf(exchange.header, exchange.circle);
  pending->everyWords.resize(kWords * members.size());
  pending->headers = others_.post({CollectiveKind::Allgather, members, 0, Reduction::Sum,
                                   onHost(pending->words.data(), DataType::Int64, kWords),
                                   onHost(pending->everyWords.data(), DataType::Int64, pending->everyWords.size())});
  if (sends(exchange, rank())) pending->sent = copyOf(*collective.send);
  pending->number = posted_[exchange.circle]++;
  pending_.push_back(pending);
  return std::make_shared<NcclWork>(*this, std::move(pending));
}

}  // namespace

std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& others) {
  return makeNcclCommunicator(others, std::make_shared<CudaDriver>(), std::make_shared<NcclLibrary>());
}

std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& others, std::shared_ptr<const CudaDriver> driver,
                                                   std::shared_ptr<const NcclLibrary> nccl) {
  return std::make_unique<NcclCommunicator>(others, std::move(driver), std::move(nccl));
}

}  // namespace fuser
