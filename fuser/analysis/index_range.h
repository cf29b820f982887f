#pragma once
// What is known of the integers that a tensor of indices holds, so that kernels need not check what is proved: counts
// (arange, eye), literals, truths, remainders and clamps by literals and sizes, and what moves or chooses among such.
//
//   %i = arange() {end = i0, dtype = i64}   %y = gather(%x, %i)       0 <= i < i0: proved where %x has i0 elements

#include "fuser/ir/tensor_view.h"

namespace fuser {

// Whether each element is proved to be in [0, size), an expression of the same fusion. It looks as far as the fusion
// goes: what a segment reads from memory may hold any number.
bool isIndexInside(const TensorView* indices, IntExpr size);

}  // namespace fuser
