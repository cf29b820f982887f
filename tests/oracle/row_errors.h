#pragma once
// How far results of a row are from the true values, and whether the row allows it.
//
// Functions (rows with an error column) are held against the true values: those of f32 against the C library's f64
// functions, to whose results the documentation gives a few ulps of f64 (GNU C Library manual, "Known Maximum Errors in
// Math Functions": at most 5 on x86_64), 2^-26 ulps of f32. MPFR decides where the nearest f32 number hangs on less
// than 2^-50 of the result, and, in a sample, whether the f64 functions keep to that. Those of f64 are held against
// MPFR. Other rows are held against the oracle's sets of single operands: exact rows have one number each.

#include <array>
#include <string>
#include <vector>

#include "fuser/ir/expr.h"
#include "fuser/ops/op_kind.h"
#include "fuser/types/scalar_value.h"
#include "oracle/interval.h"
#include "tests/oracle/row_program.h"

namespace oracle_test {

enum class RowKind : uint8_t {
  Exact,     // results are equal to the bit, a NaN standing for every NaN (signs of zeros where the row says so)
  Steps,     // a formula: no bound of the whole
  Function,  // bound by the error column
};
RowKind kindOf(fuser::OpKind op);

// The true value and the number of the compute dtype that is nearest to it, with exponents of any size.
struct Truth {
  double value = 0;
  double rest = 0;  // what `value` lacks
  double nearest = 0;
};

// In ulps of the compute dtype at the larger one of the result and the nearest number; infinite where one is NaN and
// the other is not, where only one is an infinity that no rounding explains, or where both are zeros of other signs.
// An infinite result counts as the number that would follow the largest one.
struct Distance {
  double fromTruth = 0;
  double fromNearest = 0;  // what error columns count
};
Distance distanceOf(double result, const Truth& truth, fuser::DataType compute);

using Operands = std::array<double, 2>;

// What was seen of one row on one engine.
struct Seen {
  double ulps = 0;         // the largest Distance::fromTruth
  double fromNearest = 0;  // the largest Distance::fromNearest
  Operands at{};           // of `ulps`
  uint64_t wrong = 0;      // results that the row does not allow
  std::string firstWrong;
  void addWrong(const std::string& what);
};

// Judges the results of one row at one array of operands after another.
class RowErrors {
 public:
  RowErrors(fuser::OpKind op, const RowFusion& row, fuser::DataType dtype);

  // Takes the operands; `first` is the number of the first one among all points.
  void setOperands(std::span<const Numbers> operands, uint64_t first);
  // Judges what an engine made of them.
  void add(const RowResults& results, Seen& seen) const;

 private:
  Operands operandsAt(size_t i) const;
  std::string describe(size_t i, double result) const;
  // Null: the row allows the result. `distance`: null where no true value is known.
  const char* whyWrong(size_t i, const RowResults& results, const Distance* distance) const;
  void setTruths(uint64_t first);
  void setSets();

  fuser::OpKind op_;
  const RowFusion& row_;
  fuser::DataType dtype_;
  fuser::DataType compute_;
  std::vector<std::vector<double>> operands_;
  std::vector<Truth> truths_;  // empty: none of this row
  oracle::Value sets_;         // of functions at the first array alone
  std::string problem_;        // of the true values themselves
};

}  // namespace oracle_test
