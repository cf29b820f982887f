#pragma once
// generate(): a random test case, valid by construction: every program verifies, and every run binds.
//
// Decisions come from Choices alone. Ops are drawn over the whole op table by the rows' family, accepted dtypes and
// promotion, so that a new row of a known family is generated without a line here. Each case draws its own subset and
// weights of ops, dtypes, ranks, shapes and layouts (swarm testing: Groce, Zhang, Eide, Chen and Regehr,
// ISSTA 2012), and a budget of elements.
//
// Data is kept sane: the generator mirrors the range of each value while it builds, and bounds operands (by a clamp, a
// scale, …) where an op would overflow, divide by nearly nothing or leave its domain. Some cases do without; integer
// division by zero, minimum / -1 and float to int out of range stay out of every case.

#include <algorithm>
#include <set>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/ops/family.h"
#include "fuser/ops/op_kind.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

struct GeneratorOptions {
  int64_t medianElements = 3072;           // what a main shape is drawn for; reductions and empty axes make less of it
  int64_t maxElements = int64_t{1} << 15;  // of one tensor
  int64_t maxCaseElements = int64_t{1} << 18;  // of all tensors of a case in one run
  int maxExpressions = 60;                     // where a case stops to grow
  std::set<OpKind> only;                       // when not empty: draw these ops alone
  std::set<OpKind> exclude;  // never draw these. (Casts and unsqueezes that promotion and broadcasting
                             // insert come all the same, with either set.)
};

// The version of the stream of cases. It grows whenever the same seed gives other cases (a test notices): by a change
// of the choices or of a draw, which raises kDrawsVersion, or by a new family, whose row says `since`. It is no part of
// the hash: a change of the generator leaves the cases that it does not touch as they are.
inline constexpr int kDrawsVersion = 7;
inline constexpr int kStreamVersion = std::max(kDrawsVersion, kNewestFamily);

// Ends for every stream of choices. An error of the builders or of binding that gets out of it is a bug of the
// generator.
Case generate(Choices& choices, const GeneratorOptions& options = {});

// Case `number` of a seed, with the metadata that names it: "stream", "seed", "case".
Case generateCase(uint64_t seed, uint64_t number, const GeneratorOptions& options = {});

}  // namespace fuser::fuzz
