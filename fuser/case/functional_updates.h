#pragma once
// FunctionalUpdates: replaces the updates of a fusion by ops, so that all later stages see values alone.
//
//   fusion f(%x: f32[i0, i1], %u: f32[i1]) {             fusion f(%x: f32[i0, i1], %u: f32[i1]) {
//     %r = slice(%x) {dim = 0, start = 1, end = 2}          %r = slice(%x) {dim = 0, start = 1, end = 2}
//     %v = squeeze(%r) {dims = [0]}                         %v = squeeze(%r) {dims = [0]}
//     update %v = %u                                   ->   %r.u1 = unsqueeze(%u) {dims = [0]}
//     %s = sum(%x) {dims = [0]}                             %x.u1 = slice_scatter(%x, %r.u1) {dim = 0, start = 1, …}
//     return %s                                             %s = sum(%x.u1) {dims = [0]}
//   }                                                       return %s, %x.u1
//                                                         }
//                                                         alias %x.u1 -> %x
//
// Each update gives the written storage a new version: what is written goes through the inverse of each view, from the
// last to the first. A later statement that reads a view of the storage has that view taken again, of its latest
// version.
// An input that is written to becomes an output that is written over it.
//
// It is no pass of PreSegmenter: what it gives is the program whose values a run records and the oracle judges, after
// it was held against the statements themselves (fuzz/judge/check_updates.h).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuser/case/case.h"

namespace fuser {

struct FunctionalFusion {
  std::unique_ptr<Fusion> fusion;
  // alias %output -> %input, of the inputs that are written to. Their outputs stand behind those of the statements,
  // where these do not return them.
  std::vector<std::pair<std::string, std::string>> aliases;
};

// An output has the name that it has in `fusion`, except an input that was written to. A UserError where an update
// cannot be functional: an input on several devices or streams, or a reshape of written memory that may be a view.
FunctionalFusion functionalUpdates(const Fusion& fusion);

// A copy of the case without updates: what caches run and the oracle judges. Also a UserError where an alias line and
// an update write to one input, and beside a schedule for the whole fusion.
Case functionalCase(const Case& testCase);

}  // namespace fuser
