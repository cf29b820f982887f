#pragma once
// SegmentCandidateFinder (nvFuser's name): splits a fusion into as few groups as it can, each of which a scheduler
// accepts as one kernel, and one group of host scalars. Phases: initial groups and edges; merging; finalization. The
// result does not depend on the order in which independent expressions were built.

#include <functional>
#include <memory>

#include "fuser/analysis/compile_context.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

struct SegmentCandidateFinderOptions {
  // If set, it alone decides which tensor groups merge, among pairs that share an edge or an input and whose merge
  // keeps the graph acyclic. Schedulers are not asked, segment_sets and required segment inputs are ignored, and all
  // tensor groups get scheduler type None. It is called with groups whose inputs and outputs are up to date.
  std::function<bool(const SegmentedGroup*, const SegmentedGroup*)> custom_should_merge_groups;
  // More conditions beside the schedulers, if set. Whether two groups may be one:
  std::function<bool(const SegmentedGroup*, const SegmentedGroup*)> also_should_merge_groups;
  // why a part of more than one expression, however it came about, is no group; "" if it may be one:
  std::function<std::string(const FusionView&)> why_not_a_group;
  // whether no group holds both an expression and one that reads its result.
  std::function<bool(const Expr* maker, const Expr* reader)> are_apart;
  // Try whole parts of the fusion before single expressions.
  bool topDown = true;
  // Where top-down takes some of several parts whole, segment without it, too, and keep the fewer kernels.
  bool bothDirections = true;
  // Let values cross between groups in the narrowest type that gives the same bits, if schedulers accept that.
  bool boundaryPrecision = false;
};
// --- merge_predicates.cpp ---
// Converts a case's options top_down, boundary_precision, merge_predicate and merge_seed.
SegmentCandidateFinderOptions finderOptionsOf(const CompileOptions& options);

// --- segment_candidate_finder.cpp ---
// A UserError when no scheduler accepts some expression; it names the expression and each scheduler's reason.
// context.schedulers must be set unless custom_should_merge_groups is. The fusion must outlive the result.
std::unique_ptr<SegmentedFusion> segment(const Fusion& fusion, const CompileContext& context,
                                         const SegmentCandidateFinderOptions& options = {});

}  // namespace fuser
