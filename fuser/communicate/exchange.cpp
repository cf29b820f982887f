#include "fuser/communicate/exchange.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "fuser/communicate/collective_traits.h"
#include "fuser/ops/op_eval.h"

namespace fuser {
namespace {

bool contains(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

void checkRanks(const Collective& collective, int size) {
  const std::string_view name = collectiveName(collective.kind);
  const auto checkRank = [&](int rank, const char* what) {
    FUSER_USER_CHECK(rank >= 0 && rank < size, name, ": ", what, " ", rank, " is none of the ranks 0 to ", size - 1);
  };
  FUSER_USER_CHECK(!collective.team.empty(), name, ": the team is empty");
  for (size_t i = 0; i < collective.team.size(); ++i) {
    checkRank(collective.team[i], "the team's rank");
    FUSER_USER_CHECK(!contains({collective.team.begin(), collective.team.begin() + static_cast<std::ptrdiff_t>(i)},
                               collective.team[i]),
                     name, ": rank ", collective.team[i], " is twice in the team ", ranksText(collective.team));
  }
  if (hasRoot(collective.kind)) checkRank(collective.root, "the root");
  FUSER_USER_CHECK(collective.kind != CollectiveKind::SendRecv || collective.team.size() == 1, name,
                   ": the team is the one receiver, but it has ", collective.team.size(), " ranks");
}

bool isContiguous(const TensorRef& tensor) {
  const Dims expected = contiguousStrides(tensor.sizes);
  if (numel(tensor.sizes) == 0) return true;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected[i]) return false;
  }
  return true;
}

void checkBuffer(const TensorRef& tensor, const std::string& what, std::optional<DeviceKind> device) {
  FUSER_USER_CHECK(tensor.sizes.size() == tensor.strides.size(), what, " has ", tensor.sizes.size(), " sizes and ",
                   tensor.strides.size(), " strides");
  for (int64_t size : tensor.sizes) FUSER_USER_CHECK(size >= 0, what, " has the size ", size);
  FUSER_USER_CHECK(isContiguous(tensor), what, " is not contiguous: sizes ", tensor.sizes, ", strides ",
                   tensor.strides);
  FUSER_USER_CHECK(tensor.data || numel(tensor.sizes) == 0, what, " has no memory");
  FUSER_USER_CHECK(!device || tensor.device.kind == *device, what,
                   " does not lie where this transport can reach it: in the memory of ",
                   device == DeviceKind::Cpu ? "the host" : "a GPU");
}

// num / den, which must be whole.
int64_t divided(int64_t elements, size_t parts, const std::string& what) {
  const int64_t count = static_cast<int64_t>(parts);
  FUSER_USER_CHECK(elements % count == 0, what, " has ", elements, " elements, which cannot be divided by ", count,
                   " ranks");
  return elements / count;
}

// Element counts of the two buffers, each as that of a part.
void checkSizes(Exchange& exchange, bool sends, bool receives, const std::string& send, const std::string& receive) {
  const CollectiveTraits& traits = traitsOf(exchange.header.kind);
  const Collective& collective = exchange.collective;
  int64_t sent = -1;
  int64_t received = -1;
  if (sends) {
    sent = numel(collective.send->sizes);
    if (traits.part == Part::Slice) sent = divided(sent, exchange.receivers.size(), send);
  }
  if (receives) {
    received = numel(collective.receive->sizes);
    if (traits.result == PartsBecome::Concatenate) received = divided(received, exchange.senders.size(), receive);
  }
  FUSER_USER_CHECK(!sends || !receives || sent == received, send, " has ", numel(collective.send->sizes),
                   " elements and ", receive, " ", numel(collective.receive->sizes), ", which do not fit: parts of ",
                   sent, " and of ", received);
  exchange.header.elements = sends ? sent : received;
}

void checkApart(const TensorRef& a, const TensorRef& b, std::string_view name) {
  const std::span<const std::byte> x = bytesOf(a);
  const std::span<const std::byte> y = bytesOf(b);
  const std::less_equal<const std::byte*> before;
  FUSER_USER_CHECK(
      x.empty() || y.empty() || before(x.data() + x.size(), y.data()) || before(y.data() + y.size(), x.data()), name,
      ": what is sent and what is received overlap");
}

OpKind combiner(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return OpKind::Add;
    case Reduction::Product: return OpKind::Mul;
    case Reduction::Max: return OpKind::Maximum;
    case Reduction::Min: return OpKind::Minimum;
  }
  FUSER_CHECK(false, "bad reduction");
}

void reduceParts(const Header& header, std::span<const std::span<const std::byte>> parts, void* out) {
  const DataType compute = computeType(header.dtype);
  const LaneFunction combine = laneFunction(combiner(header.reduction), compute);
  FUSER_CHECK(combine, reductionName(header.reduction), " of ", header.dtype);
  const ConvertFunction widen = convertFunction(header.dtype, compute);
  const size_t elements = static_cast<size_t>(header.elements);
  const size_t bytes = elements * dtypeSize(compute);
  std::vector<std::byte> sum(bytes);
  std::vector<std::byte> next(bytes);
  widen(parts[0].data(), sum.data(), elements);
  for (size_t i = 1; i < parts.size(); ++i) {
    widen(parts[i].data(), next.data(), elements);
    combine(sum.data(), next.data(), nullptr, sum.data(), elements);
  }
  convertFunction(compute, header.dtype)(sum.data(), out, elements);
}

size_t placeIn(const std::vector<int>& ranks, int rank) {
  return static_cast<size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

}  // namespace

std::vector<int> Circle::members() const {
  std::vector<int> ranks = team;
  if (outsider >= 0) ranks.push_back(outsider);
  return ranks;
}

std::string headerText(const Header& header) {
  return concat(collectiveName(header.kind),
                reduces(header.kind) ? concat("(", reductionName(header.reduction), ")") : "", " of parts of ",
                header.elements, " ", header.dtype, hasRoot(header.kind) ? concat(" with root ", header.root) : "");
}

std::string differenceText(const Header& a, const Header& b) {
  if (a.kind != b.kind) return concat("the kind (", collectiveName(a.kind), ", ", collectiveName(b.kind), ")");
  if (a.reduction != b.reduction)
    return concat("the reduction (", reductionName(a.reduction), ", ", reductionName(b.reduction), ")");
  if (a.dtype != b.dtype) return concat("the data type (", a.dtype, ", ", b.dtype, ")");
  if (a.elements != b.elements) return concat("the number of elements (", a.elements, ", ", b.elements, ")");
  return concat("the root (", a.root, ", ", b.root, ")");
}

Exchange checkedExchange(const Collective& collective, int rank, int size, std::optional<DeviceKind> device) {
  checkRanks(collective, size);
  const CollectiveTraits& traits = traitsOf(collective.kind);
  Exchange exchange;
  exchange.collective = collective;
  exchange.header.kind = collective.kind;
  if (reduces(collective.kind)) exchange.header.reduction = collective.reduction;
  exchange.circle.team = collective.team;
  if (hasRoot(collective.kind)) {
    exchange.header.root = collective.root;
    if (!contains(collective.team, collective.root)) exchange.circle.outsider = collective.root;
  }
  const std::vector<int> root = {collective.root};
  exchange.senders = traits.senders == Participants::Root ? root : collective.team;
  exchange.receivers = traits.receivers == Participants::Root ? root : collective.team;
  if (!takesPart(exchange, rank)) return exchange;

  const bool gives = sends(exchange, rank);
  const bool takes = receives(exchange, rank);
  const std::string send = concat(traits.name, ": the buffer that rank ", rank, " sends");
  const std::string receive = concat(traits.name, ": the buffer that rank ", rank, " receives in");
  FUSER_USER_CHECK(!gives || collective.send, send, " is missing");
  FUSER_USER_CHECK(!takes || collective.receive, receive, " is missing");
  if (gives) checkBuffer(*collective.send, send, device);
  if (takes) checkBuffer(*collective.receive, receive, device);
  exchange.header.dtype = gives ? collective.send->dtype : collective.receive->dtype;
  if (gives && takes) {
    FUSER_USER_CHECK(collective.send->dtype == collective.receive->dtype, send, " is of ", collective.send->dtype, ", ",
                     receive, " of ", collective.receive->dtype);
    checkApart(*collective.send, *collective.receive, traits.name);
  }
  checkSizes(exchange, gives, takes, send, receive);
  return exchange;
}

bool takesPart(const Exchange& exchange, int rank) {
  return rank == exchange.circle.outsider || contains(exchange.circle.team, rank);
}

bool sends(const Exchange& exchange, int rank) { return contains(exchange.senders, rank); }

bool receives(const Exchange& exchange, int rank) { return contains(exchange.receivers, rank); }

std::span<const std::byte> partFor(const Exchange& exchange, int from, int to, std::span<const std::byte> sent) {
  if (!contains(exchange.senders, from)) return {};
  const size_t place = placeIn(exchange.receivers, to);
  if (place == exchange.receivers.size()) return {};
  const size_t bytes = exchange.header.partBytes();
  const bool sliced = traitsOf(exchange.header.kind).part == Part::Slice;
  return sent.subspan(sliced ? place * bytes : 0, bytes);
}

void receiveParts(const Exchange& exchange, std::span<const std::span<const std::byte>> parts) {
  const size_t bytes = exchange.header.partBytes();
  FUSER_CHECK(parts.size() == exchange.senders.size());
  for (const auto& part : parts) FUSER_CHECK(part.size() == bytes, "a part of ", part.size(), " bytes, not ", bytes);
  if (bytes == 0) return;
  std::byte* out = static_cast<std::byte*>(exchange.collective.receive->data);
  if (reduces(exchange.header.kind)) return reduceParts(exchange.header, parts, out);
  for (size_t i = 0; i < parts.size(); ++i) std::memcpy(out + i * bytes, parts[i].data(), bytes);
}

std::span<const std::byte> bytesOf(const TensorRef& tensor) {
  return {static_cast<const std::byte*>(tensor.data),
          static_cast<size_t>(numel(tensor.sizes)) * dtypeSize(tensor.dtype)};
}

}  // namespace fuser
