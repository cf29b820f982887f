#pragma once
// Edits that put one value in another's place, and take away what nothing needs then.

#include "fuser/ir/fusion.h"

namespace fuser {

// `with` is bit for bit the same value as `old`: it gets its name, origin, layout and readers. The old value stays,
// with its definition and without a reader.
void takePlace(Fusion* fusion, TensorView* old, TensorView* with);

// Removes the definition of a value that nothing needs, and those of its operands that nothing needs then. A definition
// with several results stays as long as one of them is read or returned.
void removeUnused(Fusion* fusion, const Val* val);

}  // namespace fuser
