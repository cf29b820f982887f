#pragma once
// Exact mode: which values of a run every compiler must give to the bit.
//
// Each value of the fusion is known from the reference. A row of exact_mode.def says when an op's result is exactly
// representable, whatever the order of its additions and the precision of what lies between: then neither contraction
// nor excess precision nor another order changes a bit, and any difference is a bug. Zeros of both signs are equal, and
// all NaN are. A value is judged if it and all that it is made of are exact; others of the run do not matter.

#include <set>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/ops/op_kind.h"
#include "oracle/reference/reference.h"
#include "reports/exact_mode.h"

namespace fuser::fuzz {

// The ops that have a row.
std::set<OpKind> exactOps();
// The sentence that fixes an op's result if an operand is NaN, or infinite; "": none does.
std::string_view sentenceOfNan(OpKind op);
std::string_view sentenceOfInfinity(OpKind op);

struct Exactness {
  // By id of the value: why it is not exact, by the first op that is not: "mul %t4: the product is too wide (f16)".
  // "": it is exact.
  std::vector<std::string> why;
  // Whether all sizes, counts and bounds are exact: then the shape of each value is, too.
  bool sizesAreExact = true;
  std::map<std::string, std::map<std::string, reports::ExactOp>> ops;  // reports::ExactMode::ops, of this run

  const std::string& of(const Val& val) const { return why.at(val.id()); }
};

// Whom a fusion is judged on.
struct ExactFor {
  std::string_view format = "pytorch";  // of fuzz/export: its specification may say nothing of a NaN
  std::string_view target;              // its liberties are no findings; "": it has none
};

// values: reference::evaluate's of the fusion.
Exactness exactnessOf(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values,
                      const ExactFor& whom = {});

}  // namespace fuser::fuzz
