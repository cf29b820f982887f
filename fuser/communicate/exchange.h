#pragma once
// What the transports share: the check of a collective, its header, which bytes go from whom to whom, and what becomes
// of those that arrive. The arithmetic of reductions is here alone.

#include <cstddef>
#include <span>

#include "fuser/communicate/collective.h"

namespace fuser {

// The ranks that meet: a team, and a root that stands outside it or -1.
struct Circle {
  std::vector<int> team;
  int outsider = -1;
  std::vector<int> members() const;  // the team, then the outsider
  auto operator<=>(const Circle&) const = default;
};

// What every member must say alike of a collective. Without root or reduction these are -1 and Sum.
struct Header {
  CollectiveKind kind = CollectiveKind::Broadcast;
  Reduction reduction = Reduction::Sum;
  DataType dtype = DataType::Float;
  int64_t elements = 0;  // of the part that goes from one sender to one receiver
  int root = -1;
  bool operator==(const Header&) const = default;
  size_t partBytes() const { return static_cast<size_t>(elements) * dtypeSize(dtype); }
};

// "allreduce(max) of parts of 12 f32"
std::string headerText(const Header& header);
// What differs, as "the data type (f32, f64)"; the headers are not equal.
std::string differenceText(const Header& a, const Header& b);

// A collective of one rank, found right. A rank that takes no part has a header without data type and elements.
struct Exchange {
  Circle circle;
  Header header;
  std::vector<int> senders;    // in order
  std::vector<int> receivers;  // in order
  Collective collective;
};

// A UserError where the collective is wrong by itself; device: where its buffers must lie, if that matters.
Exchange checkedExchange(const Collective& collective, int rank, int size, std::optional<DeviceKind> device);

bool takesPart(const Exchange& exchange, int rank);
bool sends(const Exchange& exchange, int rank);
bool receives(const Exchange& exchange, int rank);

// The bytes of `from`'s buffer that go to the rank `to`; empty where nothing goes. `sent` is the whole buffer.
std::span<const std::byte> partFor(const Exchange& exchange, int from, int to, std::span<const std::byte> sent);

// Writes the receive buffer of one receiver: parts in the order of exchange.senders, partBytes() each.
void receiveParts(const Exchange& exchange, std::span<const std::span<const std::byte>> parts);

std::span<const std::byte> bytesOf(const TensorRef& tensor);  // contiguous

}  // namespace fuser
