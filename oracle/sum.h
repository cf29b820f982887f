#pragma once
// Sum: the set of a sum of floating terms, in any order and of a given depth (oracle/ORACLE.md#5-reductions).

#include <cmath>
#include <cstdint>

#include "oracle/interval.h"
#include "oracle/profile.h"

namespace oracle {

// What holds partial results: the dtype that computes, or under a profile, at any of them, a narrower one.
struct Accumulator {
  fuser::DataType compute;
  int precision, minExponent;
  double largest;
  double roundoff;
  bool flushes = false;  // partial results below 2^minExponent may become zeros
  bool byMma = false;    // products go in unrounded, so that a term beyond the range may be one that is not infinite

  double smallestNormal() const { return std::ldexp(1.0, minExponent); }
};
// mayBeNarrow: the profile need not say so.
Accumulator accumulatorOf(fuser::DataType dtype, const Profile* profile, bool mayBeNarrow = false);
// The accumulator of tensor cores, for f32: each addition is charged 2^-22 of the sum of magnitudes. Terms were seen to
// be cut at the last of 24 places of the largest one, before they are normalised, and the result, too (Fasi, Higham,
// Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 2021, on a V100); a core
// that keeps more places errs less.
Accumulator accumulatorOfMma();

// gamma_n = n u / (1 - n u) (N. J. Higham, Accuracy and stability of numerical algorithms, 2nd edition, lemma 3.1),
// infinite where it means nothing.
double gamma(int64_t n, double u);

// The exponent of the lowest set bit of a finite number other than 0: -1 for 2.5.
int lowestBit(double x);

// The special value that a set without a range certainly is; 0 where it may be one of several.
uint8_t onlyValue(const Interval& x);

// The set of a term: with the product before its rounding, where the operand keeps one.
Interval term(const Value& operand, int64_t offset);

// Compensated sum (A. Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974): error
// below 2^-52 |sum| + n^2 2^-104 sum|x|.
class CompensatedSum {
 public:
  void add(double x);
  double value() const { return std::isfinite(sum_) ? sum_ + correction_ : sum_; }

 private:
  double sum_ = 0;
  double correction_ = 0;
};

// A sum of points that is exact in every order: all terms are multiples of 2^g, and sum|x| < 2^(g + p), p the precision
// of the dtype that accumulates. Each partial sum is a multiple of 2^g below 2^(g + p), which that dtype holds.
class Grid {
 public:
  void add(const Interval& x);
  // magnitude: sum|x| in f64. It is below the bound only where it is exact.
  bool holds(double magnitude, const Accumulator& to) const;

 private:
  bool isPoints_ = true;
  int unit_ = 900;  // g; the largest where all terms are 0
};

// Joins the terms of one result element, in any order.
class Sum {
 public:
  // `depth`: additions on the longest path, as far as there are terms.
  Sum(const Accumulator& accumulator, int64_t depth) : accumulator_(accumulator), depth_(depth) {}

  void add(const Interval& x);
  Interval result() const;                         // in the dtype that computes
  double magnitude() const { return magnitude_; }  // sum|x|

 private:
  // The n - 1 additions, each of which errs by u times its result at most; no partial result is beyond the sum of the
  // positive terms and that of the negative ones. Infinite for accumulators that err otherwise.
  double roundedPartials(double error) const;

  Accumulator accumulator_;
  int64_t depth_;
  int64_t count_ = 0;
  uint8_t flags_ = 0;
  uint8_t certain_ = 0;  // specials that some term certainly is
  bool certainlySpecial_ = false;
  Grid grid_;
  CompensatedSum lo_;
  CompensatedSum hi_;
  double magnitude_ = 0;
  double positive_ = 0;
  double negative_ = 0;
};

}  // namespace oracle
