#pragma once
// SumForms: whether a sum took the product that it adds rounded or not. With `option enable contraction` lowering
// decides it for each sum (fuser/lower/contract.cpp), kernels tell it, runs record it, and the oracle judges by it
// (oracle/ORACLE.md#2-rounding).

namespace fuser {

// Of all statements that compute the sum, in whatever kernel.
struct SumForms {
  bool rounded = false;  // some add operands as they are
  bool fused = false;    // some are an fma, which takes a product before its rounding
  bool operator==(const SumForms&) const = default;
};

// Covers both.
inline SumForms joined(SumForms a, SumForms b) { return {a.rounded || b.rounded, a.fused || b.fused}; }

}  // namespace fuser
