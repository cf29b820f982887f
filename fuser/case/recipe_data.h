#pragma once
// The elements of a recipe. Everything here is defined to the bit, on integers and exact double arithmetic alone: the
// same .fusion file gives the same bytes on every machine, whatever its math library.
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
// Conversion to the dtype: f32 and f64 round once, f16 and bf16 through f32; integers round to the nearest, ties to
// even (the value is inside the type: UserError otherwise); bool: integers and values give value != 0, the others the
// top bit of w0 of block 0.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser {

// For stamps of campaigns: changes whenever an element of any recipe does.
inline constexpr std::string_view kRecipeVersion = "philox4x32-10/1";

// What a recipe's parameters must keep for a dtype; a UserError names the rule. Values and View have none.
void checkRecipe(const Recipe& recipe, DataType dtype);

// Writes the element of that index, of the given dtype, at `to`. Not for View.
void writeElement(const Recipe& recipe, DataType dtype, uint64_t index, std::byte* to);

// The one element of an input on the host.
ScalarValue hostElement(const TensorInput& input);

// The byte that memory between elements is filled with: 0xff where it makes a NaN, 0x5a elsewhere.
std::byte poisonByte(DataType dtype);

}  // namespace fuser
