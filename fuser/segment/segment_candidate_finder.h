#pragma once
// SegmentCandidateFinder: splits a fusion into groups that a scheduler takes as one kernel each, as few as it finds,
// and one group of host scalars. Three phases: initial groups and edges; merging; finalisation. Same fusion, same
// groups, in whatever order its independent expressions were built.

#include <functional>
#include <memory>

#include "fuser/analysis/compile_context.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

struct SegmentCandidateFinderOptions {
  // When set, it alone decides which tensor groups merge, among pairs that share an edge or an input and whose merge
  // keeps the graph acyclic: no scheduler is asked, segment_sets and required segment inputs do not count, and every
  // tensor group's scheduler type is None. It sees groups with their inputs and outputs.
  std::function<bool(const SegmentedGroup*, const SegmentedGroup*)> custom_should_merge_groups;
  // Try whole parts of the fusion before single expressions.
  bool topDown = true;
  // Let a value cross in the narrowest type that gives the same bits, where schedulers take that.
  bool boundaryPrecision = false;
};
// --- merge_predicates.cpp ---
// As a case's options say: top_down, boundary_precision, merge_predicate, merge_seed.
SegmentCandidateFinderOptions finderOptionsOf(const CompileOptions& options);

// --- segment_candidate_finder.cpp ---
// A UserError when no scheduler takes some expression: it names the expression and each scheduler's reason.
// context.schedulers must be set, unless custom_should_merge_groups is. The fusion outlives the result.
std::unique_ptr<SegmentedFusion> segment(const Fusion& fusion, const CompileContext& context,
                                         const SegmentCandidateFinderOptions& options = {});

}  // namespace fuser
