#pragma once
// ExactMode: what a campaign on another compiler could judge in exact mode (fuzz/compilers/exact_mode.h).

#include <cstdint>
#include <map>
#include <string>

#include "reports/fields.h"

namespace reports {

// The expressions of one op on one dtype, once a run, of those that outputs are made of.
struct ExactOp {
  int64_t exact = 0;                     // their results are the same in every order and precision
  int64_t dependent = 0;                 // they are not, because an operand is not
  std::map<std::string, int64_t> stops;  // they are not, though the operands are: why -> expressions
  bool operator==(const ExactOp&) const = default;
};
REPORTS_FIELDS(ExactOp, exact, dependent, stops)

struct ExactMode {
  int64_t cases = 0, exactCases = 0;       // exact: all outputs of all runs
  int64_t runs = 0, exactRuns = 0;         // exact: all outputs
  int64_t outputs = 0, exactOutputs = 0;   // once a run
  int64_t longCases = 0;                   // exact ones with a reduction or a chain of views
  std::map<int64_t, int64_t> expressions;  // of the exact cases: their number -> cases
  std::map<std::string, int64_t> special;  // what compilers treat as special -> cases that have it, of all
  // op -> dtype in which it computes
  std::map<std::string, std::map<std::string, ExactOp>> ops;
  bool operator==(const ExactMode&) const = default;
};
REPORTS_FIELDS(ExactMode, cases, exactCases, runs, exactRuns, outputs, exactOutputs, longCases, expressions, special,
               ops)

}  // namespace reports
