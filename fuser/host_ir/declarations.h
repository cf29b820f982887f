#pragma once
// The declarations at the head of a host program's full text: what the fusion that the program was lowered from need
// not say: tensors that host passes added, layouts, stream axes. Not for use outside of this folder.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fuser/ir/fusion.h"

namespace fuser {

// Each name of the fusion's values, as the text of a program means it: tensors that host passes added, too.
std::map<std::string, const Val*, std::less<>> valuesByName(const Fusion& fusion);

// "f32[i0, 1, 1*(i1 + i2)]": terms and factors in an order of their own, so that clones of a fusion say the same.
std::string declaredType(const Val* val);

// "%t.s0: f32[i1] {contiguity = [false]}" of a tensor of which the type does not say all; "" of the others.
std::string declarationOf(const TensorView* tensor);

// Makes, or gives what is there, what such a declaration says. `fail` throws.
void declare(Fusion& fusion, std::string_view declaration, std::map<std::string, const Val*, std::less<>>& values,
             const std::function<void(const std::string&)>& fail);

}  // namespace fuser
