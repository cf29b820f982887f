#pragma once
// The elements of a recipe, defined to the bit with integer and exact double arithmetic only. The same .fusion file
// gives the same bytes on every machine, independent of its math library.
//
// The element of index e (row-major in logical order, over the whole sizes) of a recipe with seed s draws blocks
//     block(k) = Philox4x32-10(counter = {low32(e), high32(e), k, 0}, key = {low32(s), high32(s)})
// with words w0 … w3, and 64-bit draw d(k) = w0 * 2^32 + w1 of block k. Version 1 of the recipes:
//
//   uniform(seed, low, high)   low + (high - low) * u, u = floor(d(0) / 2^11) * 2^-53, in f64; high only by rounding
//   normal(seed)               (sum of the 12 words of blocks 0, 1, 2 - 6 * (2^32 - 1)) * 2^-32: Irwin and Hall's sum
//                              of twelve uniforms: mean 0, deviation 1, inside (-6, 6); exact in f64
//   integers(seed, low, high)  low + floor(d(0) * (high - low) / 2^64); high excluded
//   special(seed)              with probability 1/2 (top bit of w0 of block 3 clear) an ordinary value: normal(seed);
//                              else entry w1 mod n of the list below, negative when w2's lowest bit is set (both of
//                              block 3)
//     floating   0, smallest denormal, largest denormal, smallest normal, 1, next after 1, 0.5, 2, largest finite,
//                infinity, NaN (quiet, always positive)
//     integers   0, 1, 2, the largest, the largest - 1, the smallest (the same for both signs); ordinary values are
//                8 * normal(seed)
//
// peak, axis, index: the elements with that index along that axis (from the end if negative) are the number `peak`;
// axis -1 is all axes as one, in row-major order: one element.
//
// Conversion to the dtype: f32 and f64 round once, f16 and bf16 through f32; integers round to the nearest, ties to
// even (the value is inside the type: UserError otherwise); bool: integers and values give value != 0, the others the
// top bit of w0 of block 0.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser {

// The version of the recipes, for campaign stamps. It changes whenever an element of any recipe changes.
inline constexpr std::string_view kRecipeVersion = "philox4x32-10/1";

inline constexpr int64_t kAllAxes = -1;  // Peak::axis

// Checks the parameters of a recipe for a dtype; a UserError names the broken rule. Values and View have no parameters.
void checkRecipe(const Recipe& recipe, DataType dtype);

// Writes the element with index `index`, converted to the dtype, to `to`. The recipe must not be a View.
void writeElement(const Recipe& recipe, DataType dtype, uint64_t index, std::byte* to);

// Writes the number, converted to the dtype as an element of a recipe is.
void writeNumber(double value, DataType dtype, std::byte* to);

// The single element of a host tensor input.
ScalarValue hostElement(const TensorInput& input);

// The poison byte that fills memory outside of elements: 0xff for floating dtypes, which makes a NaN, otherwise 0x5a.
std::byte poisonByte(DataType dtype);

}  // namespace fuser
