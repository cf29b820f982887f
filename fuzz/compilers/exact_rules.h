#pragma once
// The rules of exact_mode.def, over the numbers that one result is made of. Each says why the result may depend on the
// order or the precision in which a compiler computes it; "": it does not.

#include <limits>
#include <span>
#include <string_view>

#include "fuser/types/dtype.h"
#include "fuzz/compilers/liberties.h"

namespace fuser::fuzz {

enum class ExactRule : uint8_t {
  Keep,
  Range,
  Add,
  Multiply,
  MultiplyAdd,
  Interpolate,
  Divide,
  Invert,
  Quotient,
  Multiple,
  Shift,
  Sign,
  Convert,
  Total,
  Average,
  Product
};
// Whether the rule is about all that one result of a reduction combines.
inline bool isOfTerms(ExactRule rule) { return rule >= ExactRule::Total; }

// Whether the type has the number, far from what may be flushed to zero. Of i64 up to 2^53, as f64 shows it.
bool fits(double number, const HeldType& type);

// The operands of one result, at least one, all of them finite. type: in which the op computes; of Convert, the
// result's.
std::string_view whyNotExact(ExactRule rule, std::span<const double> operands, const HeldType& type);

// What holds of all numbers of a value.
struct NumberBounds {
  bool areFinite = true;
  double most = 0;                                 // magnitude
  int unit = std::numeric_limits<int>::max() / 4;  // a power of two of which all are multiples, as exponent
  void add(double number);
};
// Whether the type has all of them, however it is held.
bool fits(const NumberBounds& bounds, const HeldType& type);
// Whether nothing speaks against any result of operands within these bounds, so that nobody needs to look at each.
// False says nothing. terms: of a rule of terms how many each result has.
bool isExactWithin(ExactRule rule, std::span<const NumberBounds> operands, const HeldType& type, int64_t terms = 1);

// The terms of one result: what is finite among them, and how many there are.
struct ExactTerms {
  int64_t count = 0;
  double total = 0;      // of magnitudes
  double largest = 1;    // product of the magnitudes above 1
  int unit = 0;          // the largest power of two of which all that are not 0 are multiples, as exponent
  int smallest = 0;      // the sum of those exponents below 0, as many as there are
  bool hasUnit = false;  // whether some term is not 0
  void add(double term);
};
std::string_view whyNotExact(ExactRule rule, const ExactTerms& terms, const HeldType& type);

}  // namespace fuser::fuzz
