#pragma once
// The f64 twin of a case: the same program on the same recipes, with f64 in place of every floating dtype. Its rounding
// noise is smaller by 2^29 than that of f32, so that its accepted sets show errors which those of the case hide: a lost
// term of a long sum, a wrong correction of a variance.
//
//   fusion f(%a: bf16[i0]) {                          fusion f(%a: f64[i0]) {
//     %b = cast(%a) {dtype = f32}                       %b = set(%a)
//     %n = cast(%i) {dtype = f16}                ->     %n = cast(%i) {dtype = f64}
//
// A twin is a case of its own, judged by its own sets. Names, layouts, options and runs are those of the case;
// schedules of single segments are not, because they may rely on the dtypes: ScheduleReplay (schedule_notes.h) brings
// them.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// A UserError if the twin is not a valid case: `view of` an input whose dtype changes otherwise, for example, or a
// `bitcast`, since an f64 has other bits.
Case f64TwinOf(const Case& testCase);

}  // namespace fuser::fuzz
