#pragma once
// Concretize: makes the fusion of all runs with the same decisions: in which the same sizes are 1 and are broadcast to
// others, and branches go the same way. In it sizes that meet in an op are equal, whatever their names, and there is no
// branch, as all later stages assume (Fusion::isConcrete).
//
//   fusion f(%a: f32[i0], %b: f32[i1]) {             i1 is 1   fusion f(%a: f32[i0], %b: f32[i1]) {
//     %s = add(%a, %b) : f32[meet(i0, i1)]             ->        %b.o = select(%b) {dim = 0, index = 0} : f32[]
//     return %s                                                  %b.one = unsqueeze(%b.o) {dims = [0]} : f32[1]
//   }                                                            %s = add(%a, %b.one) : f32[i0]
//                                                                return %s
//                                                              }
//
// With no size named, all that meet are equal: %s = add(%a, %b) : f32[i0]. A squeeze of an axis whose size is a symbol
// becomes a select in either. A branch becomes a set of the operand that it takes; what only the other one needs is
// gone. Which decisions a run makes, checkShapes says; nvFuser calls the step by this name.

#include <memory>
#include "fuser/evaluate/run_decisions.h"
#include "fuser/ir/fusion.h"

namespace fuser {

// Whether the fusion cannot be compiled as it is: it has a branch, or a size that is a meet, squeezes an axis with a
// symbol, or expands one to a size with another name.
bool needsConcretizing(const Fusion& fusion);

// Whether its types say that sizes that meet are equal: a result has one of them where inference gives their meet.
bool assumesEqualSizes(const Fusion& fusion);

// `decisions`: of a run of `fusion`. A branch that they do not name takes its first operand. Values keep their names,
// those of the original also their ids; the fusion must have no schedule.
std::unique_ptr<Fusion> concretize(const Fusion& fusion, const RunDecisions& decisions);

}  // namespace fuser
