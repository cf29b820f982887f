#include "tests/fuser/communicate/suite/random_program.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <ostream>

namespace fuser::communicate_suite {
namespace {

int number(int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }

// Some of the ranks in random order, at least one.
std::vector<int> randomTeam(int ranks, int size) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  for (size_t i = 0; i + 1 < all.size(); ++i)
    std::swap(all[i], all[static_cast<size_t>(number(static_cast<int>(i), ranks - 1))]);
  all.resize(static_cast<size_t>(size));
  return all;
}

Step randomStep(int ranks, std::optional<CollectiveKind> kind) {
  Step step;
  step.kind = kind ? *kind : kAllCollectiveKinds[number(0, std::size(kAllCollectiveKinds) - 1)];
  // Often everybody: then every kind of mistake in the order shows.
  const int size = step.kind == CollectiveKind::SendRecv ? 1 : number(0, 2) == 0 ? ranks : number(1, ranks);
  step.team = randomTeam(ranks, size);
  step.root = number(0, ranks - 1);
  step.reduction = kAllReductions[number(0, std::size(kAllReductions) - 1)];
  step.dtype = kAllDataTypes[number(0, std::size(kAllDataTypes) - 1)];
  step.elements = number(0, 4) == 0 ? 0 : number(1, 19);
  step.shape = number(0, 2);
  for (int rank = 0; rank < ranks; ++rank) step.delay.push_back(number(0, 3));
  return step;
}

uint64_t mixed(uint64_t x) {  // the finalizer of MurmurHash3: all bits depend on all
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

template <class T>
T element(uint64_t bits) {
  const int small = static_cast<int>(bits >> 8 & 15) - 8;
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if (bits >> 61 == 0) return value;  // any bits
    if constexpr (!std::is_integral_v<T>) {
      if (bits >> 56 == 0xff) return convert<T>(bits & 1 ? __builtin_nan("") : __builtin_inf());
      return convert<T>(small / (bits & 2 ? 1.0 : 3.0));
    } else {
      return static_cast<T>(small);
    }
  }
}

template <class T>
T combined(Reduction reduction, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return reduction == Reduction::Sum || reduction == Reduction::Max ? a || b : a && b;
  } else if constexpr (std::is_integral_v<T>) {
    switch (reduction) {
      case Reduction::Sum: return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      case Reduction::Product: return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      case Reduction::Max: return a < b ? b : a;
      case Reduction::Min: return a < b ? a : b;
    }
  } else {
    if (reduction == Reduction::Sum) return a + b;
    if (reduction == Reduction::Product) return a * b;
    if (a != a) return a;
    if (b != b) return b;
    return (reduction == Reduction::Max) == (a < b) ? b : a;
  }
  return a;
}

// Of all members' slices [first, first + elements) of what they send, in the order of the team.
std::vector<std::byte> reduced(const RandomProgram& program, size_t index, size_t first) {
  const Step& step = program.steps[index];
  const size_t size = dtypeSize(step.dtype);
  std::vector<std::byte> result(static_cast<size_t>(step.elements) * size);
  dispatch(step.dtype, [&]<class T>() {
    for (size_t i = 0; i < static_cast<size_t>(step.elements); ++i) {
      std::optional<typename ComputeOf<T>::type> sum;
      for (int rank : step.team) {
        T stored;
        std::memcpy(&stored, sentBytes(program, index, rank).data() + (first + i) * size, size);
        sum = sum ? combined(step.reduction, *sum, widen(stored)) : widen(stored);
      }
      const T rounded = convert<T>(*sum);
      std::memcpy(result.data() + i * size, &rounded, size);
    }
  });
  return result;
}

size_t placeInTeam(const Step& step, int rank) {
  return static_cast<size_t>(std::find(step.team.begin(), step.team.end(), rank) - step.team.begin());
}

}  // namespace

bool Step::inTeam(int rank) const { return std::find(team.begin(), team.end(), rank) != team.end(); }

bool Step::sends(int rank) const {
  switch (kind) {
    case CollectiveKind::Broadcast:
    case CollectiveKind::Scatter:
    case CollectiveKind::SendRecv: return rank == root;
    case CollectiveKind::Gather:
    case CollectiveKind::Allgather:
    case CollectiveKind::Reduce:
    case CollectiveKind::Allreduce:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll: return inTeam(rank);
  }
  return false;
}

bool Step::receives(int rank) const {
  if (kind == CollectiveKind::Gather || kind == CollectiveKind::Reduce) return rank == root;
  return inTeam(rank);
}

int64_t Step::sentElements() const {
  const bool slices =
      kind == CollectiveKind::Scatter || kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll;
  return slices ? elements * static_cast<int64_t>(team.size()) : elements;
}

int64_t Step::receivedElements() const {
  const bool all =
      kind == CollectiveKind::Gather || kind == CollectiveKind::Allgather || kind == CollectiveKind::AllToAll;
  return all ? elements * static_cast<int64_t>(team.size()) : elements;
}

std::ostream& operator<<(std::ostream& out, const RandomProgram& program) {
  out << program.ranks << " ranks, data of seed " << program.seed << "\n";
  for (const Step& step : program.steps) {
    out << "  " << collectiveName(step.kind) << " team " << ranksText(step.team) << " root " << step.root << " "
        << reductionName(step.reduction) << " " << step.elements << " " << step.dtype << " shape " << step.shape
        << " delays " << ranksText(step.delay) << "\n";
  }
  return out;
}

rc::Gen<RandomProgram> arbitraryProgram(int ranks, int maxSteps, std::optional<CollectiveKind> kind) {
  return rc::gen::exec([=] {
    RandomProgram program;
    program.ranks = ranks;
    program.seed = static_cast<uint64_t>(number(0, 1 << 20));
    for (int left = number(1, maxSteps); left > 0; --left) program.steps.push_back(randomStep(ranks, kind));
    return program;
  });
}

std::vector<std::byte> sentBytes(const RandomProgram& program, size_t index, int rank) {
  const Step& step = program.steps[index];
  const size_t size = dtypeSize(step.dtype);
  std::vector<std::byte> bytes(static_cast<size_t>(step.sentElements()) * size);
  dispatch(step.dtype, [&]<class T>() {
    for (size_t i = 0; i * size < bytes.size(); ++i) {
      const T value = element<T>(mixed(mixed(program.seed * 1000 + index * 64 + static_cast<uint64_t>(rank) + 1) + i));
      std::memcpy(bytes.data() + i * size, &value, size);
    }
  });
  return bytes;
}

std::vector<std::byte> expectedBytes(const RandomProgram& program, size_t index, int rank) {
  const Step& step = program.steps[index];
  const size_t part = static_cast<size_t>(step.elements) * dtypeSize(step.dtype);
  const size_t place = placeInTeam(step, rank);
  std::vector<std::byte> result;
  const auto append = [&](int sender, size_t slice) {
    const std::vector<std::byte> sent = sentBytes(program, index, sender);
    result.insert(result.end(), sent.begin() + static_cast<std::ptrdiff_t>(slice * part),
                  sent.begin() + static_cast<std::ptrdiff_t>((slice + 1) * part));
  };
  switch (step.kind) {
    case CollectiveKind::Broadcast:
    case CollectiveKind::SendRecv: append(step.root, 0); break;
    case CollectiveKind::Scatter: append(step.root, place); break;
    case CollectiveKind::Gather:
    case CollectiveKind::Allgather:
      for (int sender : step.team) append(sender, 0);
      break;
    case CollectiveKind::AllToAll:
      for (int sender : step.team) append(sender, place);
      break;
    case CollectiveKind::Reduce:
    case CollectiveKind::Allreduce: return reduced(program, index, 0);
    case CollectiveKind::ReduceScatter: return reduced(program, index, place * static_cast<size_t>(step.elements));
  }
  return result;
}

bool sameElements(const Step& step, const std::vector<std::byte>& got, const std::vector<std::byte>& expected) {
  if (got.size() != expected.size()) return false;
  if (!reduces(step.kind) || !isFloating(step.dtype)) return got == expected;
  const bool eitherZero = step.reduction == Reduction::Max || step.reduction == Reduction::Min;
  return dispatch(step.dtype, [&]<class T>() {
    for (size_t i = 0; i < got.size(); i += sizeof(T)) {
      T a;
      T b;
      std::memcpy(&a, got.data() + i, sizeof a);
      std::memcpy(&b, expected.data() + i, sizeof b);
      const bool sameBits = std::memcmp(&a, &b, sizeof a) == 0;
      const bool bothNan = widen(a) != widen(a) && widen(b) != widen(b);
      const bool bothZero = widen(a) == 0 && widen(b) == 0;
      if (!sameBits && !bothNan && !(eitherZero && bothZero)) return false;
    }
    return true;
  });
}

}  // namespace fuser::communicate_suite
