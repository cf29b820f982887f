#pragma once
// Rows that lie along memory, of which InnerPersistent and InnerOuterPersistent keep what they need: how many threads
// share a row, and its vectors.

#include "fuser/schedule/persistent_rows.h"

namespace fuser {

// The longest row of which a block has room for what is kept; 0: none.
int64_t longestInnerRow(const PersistentPlan& plan, const DeviceProperties& device);

// One row a block: of at most `count` elements, over the part's extents, by as few threads as keep everything in
// registers, or all.
RowShape innerRowShape(const Fusion& part, IntExpr count, const PersistentPlan& plan, SizeFacts* sizes,
                       const DeviceProperties& device);

// Lets a block of few threads take several rows beside each other, no more than keep what they need where one row does.
void addRowsBeside(RowShape& shape, const PersistentPlan& plan, const DeviceProperties& device);

// Vectors between global memory and registers; none where a row is in shared memory.
VectorPlan innerRowVectors(const RowPart& rows, const RowShape& shape, SizeFacts* sizes,
                           const std::vector<InputLayout>& layouts);

}  // namespace fuser
