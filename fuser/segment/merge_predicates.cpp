// Converts the options of a .fusion file to options of the segmenter.

#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/support/split_mix.h"

namespace fuser {

namespace {

// Merges two of three pairs: enough for large groups, and for groups that no scheduler would accept.
bool drawMerge(uint64_t seed, const SegmentedGroup* a, const SegmentedGroup* b) {
  const uint64_t first = splitMix64(seed) ^ (uint64_t{a->id()} << 32 | a->exprs().size());
  const uint64_t second = splitMix64(first) ^ (uint64_t{b->id()} << 32 | b->exprs().size());
  return splitMix64(second) % 3 != 0;
}

}  // namespace

SegmentCandidateFinderOptions finderOptionsOf(const CompileOptions& options) {
  SegmentCandidateFinderOptions result;
  result.topDown = !isOptionDisabled(options, DisableOption::TopDown);
  result.boundaryPrecision = options.boundaryPrecision;
  switch (options.mergePredicate) {
    case MergePredicate::Schedulers: return result;
    case MergePredicate::Random:
      result.custom_should_merge_groups = [seed = options.mergeSeed](const SegmentedGroup* a, const SegmentedGroup* b) {
        return drawMerge(seed, a, b);
      };
      return result;
    case MergePredicate::Never:
      result.custom_should_merge_groups = [](const SegmentedGroup*, const SegmentedGroup*) { return false; };
      return result;
    case MergePredicate::Always:
      result.custom_should_merge_groups = [](const SegmentedGroup*, const SegmentedGroup*) { return true; };
      return result;
  }
  FUSER_CHECK(false, "bad MergePredicate");
}

}  // namespace fuser
