#pragma once
// The code that all transports share: it checks a collective, builds its header, determines which bytes each rank sends
// to which, and combines the received parts. Only this code computes reductions, always in the order of the team, so
// that every transport gives the same bits. Nothing here blocks, allocates device memory or depends on a transport.
//
// A rank is a number in the whole job, from 0.

#include <cstddef>
#include <span>

#include "fuser/communicate/collective.h"

namespace fuser {

// The ranks that take part in a collective: a team, and a root outside of it, or -1.
struct Circle {
  std::vector<int> team;
  int outsider = -1;
  std::vector<int> members() const;  // the team, then the outsider
  auto operator<=>(const Circle&) const = default;
};

// The fields of a collective that must be equal on all members. Kinds without root or reduction have -1 and Sum.
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
// The first field that differs: "the data type (f32, f64)". The headers must not be equal.
std::string differenceText(const Header& a, const Header& b);

// A checked collective of one rank. If the rank takes no part, the header's dtype and elements are not set.
struct Exchange {
  Circle circle;
  Header header;
  std::vector<int> senders;    // in order
  std::vector<int> receivers;  // in order
  Collective collective;
};

// A UserError if the collective is invalid by itself. `device`: where its buffers must be; nullopt: anywhere.
Exchange checkedExchange(const Collective& collective, int rank, int size, std::optional<DeviceKind> device);

// Whether any given rank, not only this one, is a member (of the team, or the root outside of it), sends a part, or
// receives one.
bool takesPart(const Exchange& exchange, int rank);
bool sends(const Exchange& exchange, int rank);
bool receives(const Exchange& exchange, int rank);

// The bytes that rank `from` sends to rank `to`: partBytes() bytes of `sent`, its whole send buffer, without a copy.
// Empty if it sends none.
std::span<const std::byte> partFor(const Exchange& exchange, int from, int to, std::span<const std::byte> sent);

// Writes a receive buffer in host memory. `parts` are in the order of exchange.senders and have partBytes() bytes each
// (CheckError otherwise). A reduction is computed in computeType(dtype), from the first sender to the last, and rounded
// to the dtype once, at the end.
void receiveParts(const Exchange& exchange, std::span<const std::span<const std::byte>> parts);

// The memory of a contiguous tensor's elements, not a copy.
std::span<const std::byte> bytesOf(const TensorRef& tensor);

}  // namespace fuser
