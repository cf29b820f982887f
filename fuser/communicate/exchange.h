#pragma once
// What the transports share: the check of a collective, its header, which bytes go from whom to whom, and what becomes
// of those that arrive. The arithmetic of reductions is here alone, and in one order of additions (the team's), so that
// every transport gives the same bits. Nothing here waits, allocates device memory or knows a transport.
//
// Ranks are numbers of the whole job, from 0; places are counted in a list of ranks.

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

// Whether the rank is a member (of the team, or the root outside it), gives a part, gets one. For any rank.
bool takesPart(const Exchange& exchange, int rank);
bool sends(const Exchange& exchange, int rank);
bool receives(const Exchange& exchange, int rank);

// The bytes of `from`'s buffer that go to the rank `to`: partBytes() of them, a part of `sent` without a copy; empty
// where nothing goes. `sent` is the whole buffer.
std::span<const std::byte> partFor(const Exchange& exchange, int from, int to, std::span<const std::byte> sent);

// Writes the receive buffer of one receiver, which lies in host memory: parts in the order of exchange.senders,
// partBytes() each (a CheckError where they are not). A reduction is computed in computeType(dtype), from the first
// sender to the last, and rounded to the dtype once, at the end.
void receiveParts(const Exchange& exchange, std::span<const std::span<const std::byte>> parts);

// The memory of a contiguous tensor's elements; it stays the tensor's.
std::span<const std::byte> bytesOf(const TensorRef& tensor);

}  // namespace fuser
