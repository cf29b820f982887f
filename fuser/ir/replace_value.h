#pragma once
// Rewrites that replace a value and remove the dead code behind it. Passes share them.

#include "fuser/ir/fusion.h"

namespace fuser {

// Replaces all uses of `old` by `with`, which must be bit-identical: it takes over the name, origin and layout. `old`
// keeps its definition and has no uses left.
void replaceValue(Fusion* fusion, TensorView* old, TensorView* with);

// Removes the definition of a tensor without uses, then transitively those of its operands that become unused. An
// expression with several results stays as long as one of them is used or a fusion output.
void removeUnused(Fusion* fusion, const Val* val);

}  // namespace fuser
