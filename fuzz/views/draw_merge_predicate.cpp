// A custom predicate, at random, always true or never, decides which groups become one segment; no scheduler is asked.

#include <iterator>

#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool drawMergePredicate(Case& testCase, uint64_t draw) {
  if (hasFixedSegments(testCase)) return false;
  constexpr MergePredicate kPredicates[] = {MergePredicate::Random, MergePredicate::Random, MergePredicate::Random,
                                            MergePredicate::Random, MergePredicate::Random, MergePredicate::Random,
                                            MergePredicate::Always, MergePredicate::Never};
  const MergePredicate predicate = kPredicates[draw % std::size(kPredicates)];
  testCase.options.mergePredicate = predicate;
  testCase.options.mergeSeed = predicate == MergePredicate::Random ? static_cast<uint32_t>(draw >> 32) : 0;
  return true;
}

}  // namespace fuser::fuzz
