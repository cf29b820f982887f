#pragma once
// How far a target's functions are off, measured against MPFR.

#include <optional>
#include <span>
#include <string>

#include "fuzz/compilers/targets.h"
#include "oracle/profile.h"

namespace fuser::fuzz {

inline constexpr size_t kMeasuredPoints = size_t{1} << 16;

// The ops that can be measured: MPFR, or a formula of its functions, has their true value.
std::span<const OpKind> measurableOps();

struct Measurement {
  std::optional<oracle::FunctionError> error;  // as measured, not doubled, of the operands up to `most`
  std::string why;                             // no error: "it is off by 1e+09 ulps at 0.001"
};

// flushes: denormal operands and results may be zeros, and say nothing.
Measurement measureFunction(const Target& target, WorkerProcess& worker, OpKind op, DataType dtype, bool flushes);

// The same of results that are given: of points, one or two operands each, ordered as the results.
Measurement errorOfResults(OpKind op, DataType dtype, bool flushes, std::span<const double> a,
                           std::span<const double> b, std::span<const double> results);

}  // namespace fuser::fuzz
