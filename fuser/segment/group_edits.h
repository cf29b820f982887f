#pragma once
// The edits of a segmentation's groups, each with the edges that follow from it. SegmentedFusion hands its own on to
// these, says what each expects and leaves, and looks over the invariants after it. Not for use outside of this folder.

#include "fuser/segment/segment_data.h"

namespace fuser {

// Each checks all that it is given before it changes anything (CheckError).

// --- merge_edits.cpp ---
SegmentedEdgePtr connect(SegmentData& data, SegmentedGroup* from, SegmentedGroup* to, Val* val);
SegmentedGroup* makeGroup(SegmentData& data, const std::vector<Expr*>& exprs);
SegmentedGroup* mergeTwo(SegmentData& data, SegmentedGroup* a, SegmentedGroup* b);
SegmentedGroup* mergeSeveral(SegmentData& data, const std::vector<SegmentedGroup*>& groups);

// --- copy_edits.cpp ---
void privatize(SegmentData& data, Expr* expr);
void computeOnce(SegmentData& data, Expr* expr, SegmentedGroup* in);
void moveExpr(SegmentData& data, Expr* expr, SegmentedGroup* to);

}  // namespace fuser
