#pragma once
// The edits of a segmentation's groups, which keep the edges up to date. SegmentedFusion's public edits call these; it
// documents their pre- and postconditions and checks the invariants afterwards. Private to this folder.

#include "fuser/segment/segment_data.h"

namespace fuser {

// Each function validates its arguments before it changes anything (CheckError).

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
