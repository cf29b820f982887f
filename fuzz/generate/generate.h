#pragma once
// generate(): generates a random test case that is valid by construction: the program verifies and every run binds its
// sizes.
//
// All decisions come from Choices. Ops are drawn from the whole op table by family, accepted dtypes and promotion, so
// that a new op of a known family needs no code here. Each case draws its own subset and weights of ops, dtypes, ranks,
// shapes and layouts (swarm testing: Groce, Zhang, Eide, Chen and Regehr, ISSTA 2012), and a budget of elements.
//
// The generator keeps data in a sane range: it tracks the range of each value and bounds operands (with a clamp, a
// scale, …) where an op would overflow, divide by almost zero or leave its domain. Some cases skip this. No case has an
// integer division by zero, minimum / -1, or an out-of-range conversion from float to integer.
//
// A share of the cases are the gradients of such a program (gradients.h), as far as it has some.

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/ops/family.h"
#include "fuser/ops/op_kind.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

class World;

struct GeneratorOptions {
  int64_t medianElements = 3600;               // the median size of a main shape, before reductions and empty axes
  int64_t maxElements = int64_t{1} << 16;      // the maximum per tensor; of most, half as many
  int64_t maxCaseElements = int64_t{1} << 18;  // the maximum for all tensors of a case in one run
  int maxExpressions = 60;                     // the maximal number of expressions
  std::set<OpKind> only;                       // if not empty, draw only these ops
  // Programs and data whose results are exact in every order and precision, mostly, and which have what compilers treat
  // as special (exact_draws.h): small whole numbers, one NaN or infinity now and then, literals that are powers of two.
  bool exactData = false;
  bool swarm = true;          // false: all ops and usual dtypes in each case, with the same weights
  std::set<DataType> seldom;  // dtypes to draw a fiftieth as often
  // Half of the draws of an op are of these, of those that are allowed; half of the cases have products, or other names
  // that are made of ops.
  std::set<OpKind> favour;
  bool favourProducts = false, favourNames = false;
  bool composites = true;  // whether names that are made of other ops are drawn, products among them
  // Texts of cases; null or at least one. A share of a campaign's cases are mutants of these (fuzz/mutate/parents.h).
  std::shared_ptr<const std::vector<std::string>> parents;
  // Null, or a campaign's cases are those of this world, by number (fuzz/worlds/world.h), and nothing is drawn.
  std::shared_ptr<const World> world;
  std::string fault;         // planted in every case of a seed (`option fault`); empty: none
  std::set<OpKind> exclude;  // never draw these ops. (Promotion and broadcasting insert casts and
                             // unsqueezes regardless of the two sets.)
};

// The version of the case stream. It increases whenever a seed gives different cases (a test checks that), those that
// campaigns move to an edge (fuzz/edges) included: a change of choices or draws sets kDrawsVersion to kStreamVersion +
// 1; a new family says that number in its row, as `since`. It does not enter the hash, so that cases that a change does
// not affect stay the same.
inline constexpr int kDrawsVersion = 37;
inline constexpr int kStreamVersion = std::max(kDrawsVersion, kNewestFamily);

// The key of a case's metadata that lists the names that the text makes of other ops and that were drawn, each once:
// "softmax, complex mul".
inline constexpr const char* kNamesKey = "names";
// All that it can list: the names of fuser/text/expansions.h, and "complex mul", … (fuser/text/complex_values.h).
std::vector<std::string> drawableNames();

// Terminates for every stream of choices. Any exception from the builders or from binding sizes is a bug of the
// generator.
Case generate(Choices& choices, const GeneratorOptions& options = {});

// Generates case `number` of a seed, with the metadata that identifies it: "stream", "seed", "case".
Case generateCase(uint64_t seed, uint64_t number, const GeneratorOptions& options = {});

}  // namespace fuser::fuzz
