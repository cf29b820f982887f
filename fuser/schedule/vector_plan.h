#pragma once
// VectorPlan: how many neighbouring elements a thread moves at once, and of which tensors. A vector lies along one axis
// of the reference, which is the fastest in the memory of what it moves.
//
// If one tensor's neighbours along that axis cannot be moved so (its address, or memory that a caller gives), none are:
// a thread would load its elements one by one, and the threads of a warp elements that lie a vector apart, so that each
// instruction touches many more sectors than it needs (fuser-opt --print=cost).

#include <string>
#include <vector>

#include "fuser/schedule/facts.h"

namespace fuser {

constexpr int64_t kWidestVector = 16;  // elements

struct VectorPlan {
  int64_t width = 1;                 // elements
  std::vector<std::string> inputs;   // to be loaded by vectors, each through a copy
  std::vector<std::string> outputs;  // to be stored by vectors
};

// `position`: of the reference's logical axis along which vectors lie; -1: none do. `layouts` has one entry per input
// of the part, or none, as chooseSchedule gets them. `widest`: in elements. Only sizes that are known to be multiples
// of the width make one above 1; with `whole` it is the largest, or 1, so that sizes have few classes.
VectorPlan planVectors(const Fusion& part, const ReferenceMap& map, int position, SizeFacts* sizes,
                       const std::vector<InputLayout>& layouts, int64_t widest, bool whole);

// Appends the steps that make the last loop axis of each copy and output a vector.
void vectorize(Schedule& schedule, const VectorPlan& plan);

}  // namespace fuser
