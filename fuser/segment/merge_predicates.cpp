// Converts the options of a .fusion file to options of the segmenter.

#include "fuser/segment/segment_candidate_finder.h"

namespace fuser {

namespace {

// SplitMix64 (Steele, Lea and Flood 2014), one step: every bit of the result depends on every bit of the argument.
uint64_t mixed(uint64_t bits) {
  bits += 0x9e3779b97f4a7c15ull;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  return bits ^ (bits >> 31);
}

// Merges two of three pairs: enough for large groups, and for groups that no scheduler would accept.
bool drawMerge(uint64_t seed, const SegmentedGroup* a, const SegmentedGroup* b) {
  const uint64_t first = mixed(seed) ^ (uint64_t{a->id()} << 32 | a->exprs().size());
  const uint64_t second = mixed(first) ^ (uint64_t{b->id()} << 32 | b->exprs().size());
  return mixed(second) % 3 != 0;
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
