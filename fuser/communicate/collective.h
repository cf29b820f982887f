#pragma once
// Collective: one collective communication as plain data, from the view of one rank. collective_kinds.def defines, for
// each kind, who sends what to whom.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/types/tensor_ref.h"

namespace fuser {

enum class CollectiveKind : uint8_t {
#define COLLECTIVE(name, ...) name,
#include "fuser/communicate/collective_kinds.def"
#undef COLLECTIVE
};

inline constexpr CollectiveKind kAllCollectiveKinds[] = {
#define COLLECTIVE(name, ...) CollectiveKind::name,
#include "fuser/communicate/collective_kinds.def"
#undef COLLECTIVE
};

enum class Reduction : uint8_t { Sum, Product, Max, Min };

inline constexpr Reduction kAllReductions[] = {Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min};

std::string_view collectiveName(CollectiveKind kind);  // "reduce_scatter"
std::string_view reductionName(Reduction reduction);   // "sum"
bool hasRoot(CollectiveKind kind);
bool reduces(CollectiveKind kind);

// Sizes. With n ranks in the team and s elements in a sender's buffer, a receiver's buffer has
//   Broadcast, SendRecv           s
//   Gather, Allgather             n * s
//   Scatter                       s / n
//   Reduce, Allreduce             s
//   ReduceScatter                 s / n
//   AllToAll                      s
// elements; where slices are sent (Scatter, ReduceScatter, AllToAll) n divides s. Buffers are contiguous and row-major,
// so a split or concatenation along the outermost axis is one of elements: only numbers of elements are compared, not
// shapes. A shard axis that is not outermost has to be moved there first.
//
// Reductions combine element by element in the order of the team, on any rank: f16 and bf16 in f32, every partial
// result rounded to f32, and once more to 16 bits at the end; f32 in f32, f64 in f64; integers wrap; for bools a sum is
// "or" and a product is "and". Max and Min give NaN where any operand is NaN, as PyTorch's amax and amin. So every
// transport gives the same bits.
struct Collective {
  CollectiveKind kind = CollectiveKind::Broadcast;
  // Distinct ranks, in the order of concatenation and reduction; the same on every rank.
  std::vector<int> team;
  // A rank (not an index in the team): the sender of Broadcast, Scatter and SendRecv, the receiver of Gather and
  // Reduce. It may be outside of the team. Other kinds ignore it.
  int root = 0;
  // Kinds that do not reduce ignore it.
  Reduction reduction = Reduction::Sum;
  // The buffers of this rank: required if the kind makes this rank send or receive, otherwise ignored. They must not
  // overlap. From post() until wait() has returned the communicator uses them: do not write the sent one, and do not
  // access the received one.
  std::optional<TensorRef> send;
  std::optional<TensorRef> receive;
};

// "[0, 2]"
std::string ranksText(const std::vector<int>& ranks);

}  // namespace fuser
