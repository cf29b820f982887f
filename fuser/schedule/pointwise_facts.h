#pragma once
// Queries about a part without reductions that the PointWise, Transpose and Scan schedulers share.

#include <variant>

#include "fuser/schedule/facts.h"

namespace fuser {

// The tensor with the most axes; on a tie an output, then the first one. Null where the part has no tensor.
TensorView* largestTensor(const std::vector<Expr*>& exprs, const std::vector<Val*>& outputs);

// Relates all tensors of a part that has loops over elements alone, to the largest one, or says why none does. Stores
// the part's loops.
std::variant<ReferenceMap, std::string> mapOfElements(const FusionView& whole, PartLoops& loops);

// The map that the scheduler's answer kept, or the one that it would have built.
const ReferenceMap& knownMap(const Fusion& part, const ReferenceMap* known, std::optional<ReferenceMap>& built);

// The positions of the tensor's axes(), which leave reduction axes out.
std::vector<int> visiblePositions(const TensorView* tensor, const ReferenceMap& map);

// The reference's position of the axis that the scans of these expressions go along; -1: of axes of one element, or
// there are none.
int scannedPosition(const std::vector<Expr*>& exprs, const ReferenceMap& map);

}  // namespace fuser
