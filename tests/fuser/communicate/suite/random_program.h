#pragma once
// Random programs of collectives: what every rank posts, in which order, and how long it lets each run before it waits.
// The data is derived from a seed, so that every rank can compute what the others send.

#include <rapidcheck.h>

#include <iosfwd>
#include <optional>
#include <vector>

#include "fuser/communicate/collective.h"

namespace fuser::communicate_suite {

struct Step {
  CollectiveKind kind = CollectiveKind::Broadcast;
  std::vector<int> team;
  int root = 0;
  Reduction reduction = Reduction::Sum;
  DataType dtype = DataType::Float;
  int64_t elements = 0;    // of the part that goes from one sender to one receiver
  int shape = 0;           // 0 to 2: [n], [1, n] or [n, 1]
  std::vector<int> delay;  // by rank: how many later steps it posts before it waits for this one

  bool inTeam(int rank) const;
  bool sends(int rank) const;
  bool receives(int rank) const;
  int64_t sentElements() const;
  int64_t receivedElements() const;
};

struct RandomProgram {
  int ranks = 1;
  uint64_t seed = 0;  // of the data
  std::vector<Step> steps;
};

std::ostream& operator<<(std::ostream& out, const RandomProgram& program);

// Generates 1 to maxSteps steps; all of one kind if `kind` is set.
rc::Gen<RandomProgram> arbitraryProgram(int ranks, int maxSteps, std::optional<CollectiveKind> kind = std::nullopt);

// The data that a rank sends in a step: small numbers, any bits, NaN and infinities; bools are 0 and 1.
std::vector<std::byte> sentBytes(const RandomProgram& program, size_t step, int rank);

// The data that a rank must receive, computed element by element from the definition of each kind.
std::vector<std::byte> expectedBytes(const RandomProgram& program, size_t step, int rank);

// Whether the bits are equal; NaNs are all equal, and so are the zeros of a maximum or minimum.
bool sameElements(const Step& step, const std::vector<std::byte>& got, const std::vector<std::byte>& expected);

}  // namespace fuser::communicate_suite
