#pragma once
// PersistentRows: kernels that read their rows once and keep on chip what several passes over a row need. A row is what
// a reduction reduces; InnerPersistent has rows along memory, OuterPersistent across it (columns). The reference is the
// first reduction; I is its kept axes, R its reduced ones, each merged into one. R has at most `row` elements, a power
// of two:
//   [I] -> [I/rows (BIDx), rows (besideRow)]    [R] -> [row] -> [row/t unrolled, t (alongRow)], or with vectors of v
//   elements [row/v/t unrolled, t (alongRow), v]
// What several passes need (persistent_plan.h) is in registers as far as they go, then in shared memory, so that the
// longest row depends on the device. Inputs are kept in place of what is computed from them where they take fewer
// bytes. A block may take several rows one after the other: [I] -> [I/turns (BIDx), turns].

#include <functional>
#include <optional>

#include "fuser/schedule/persistent_plan.h"
#include "fuser/schedule/vector_plan.h"

namespace fuser {

// How the threads of a block share rows of at most `row` elements, and what they keep of them where.
struct RowShape {
  int64_t row = 1;
  int64_t threads = 1;                      // along the row
  int64_t rows = 1;                         // of a block, beside each other
  int64_t turns = 1;                        // rows that a block takes one after the other
  std::vector<const TensorView*> inShared{};  // the others are in registers
};

// Places what is kept: in registers as far as they go, the rest in shared memory, beside the scratch memory of
// reductions. False if that is too small.
bool placeKept(const PersistentPlan& plan, RowShape& shape, const DeviceProperties& device);

// The sizes of a part: those of a row, and of what is beside it.
struct RowSizes {
  IntExpr terms, rows;
  SizeFacts* sizes;
};
RowSizes rowSizes(const Fusion& part, const TensorView* reference, SizeFacts* sizes);

// Why a part is none of rows that are kept; "" if it is. `inner`: the rows lie along memory. `whyNoRoom` says why a
// block cannot keep such rows, or "".
using WhyNoRoom = std::function<std::string(const PersistentPlan&, const RowSizes&)>;
std::string whyNotRows(const FusionView& whole, bool inner, const WhyNoRoom& whyNoRoom,
                       std::shared_ptr<const ReferenceMap>& kept);

// What a schedule is made of: the part's loops, map and plan.
struct RowPart {
  const Fusion& part;
  PartLoops loops;
  std::optional<ReferenceMap> built;  // unless the map was known
  const ReferenceMap* known;
  PersistentPlan plan;
  const ReferenceMap& map() const { return known ? *known : *built; }
};
// `referenceOf` names the reference of a map that was not known.
RowPart rowPart(const Fusion& part, const ReferenceMap* known,
                const std::function<const TensorView*(const PartLoops&)>& referenceOf);

// The schedule with the types of the two thread axes; the second one is not used by rows in turns.
Schedule scheduleRows(const RowPart& rows, const RowShape& shape, const VectorPlan& vectors, ParallelType alongRow,
                      ParallelType besideRow);

}  // namespace fuser
