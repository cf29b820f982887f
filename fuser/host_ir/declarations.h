#pragma once
// The declarations at the beginning of a host program's text: tensors that host passes added, layouts and stream axes,
// which the fusion's own types do not show. Private to this folder.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fuser/ir/fusion.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

// The fusion's values by name, including tensors that host passes added.
std::map<std::string, const Val*, std::less<>> valuesByName(const Fusion& fusion);

// "f32[i0, 1, 1*(i1 + i2)]". The order of terms and factors does not depend on ids, so that clones print alike.
std::string declaredType(const Val* val);

// "%t.s0: f32[i1] {contiguity = [false]}" for a tensor that its type does not describe completely; otherwise "".
std::string declarationOf(const TensorView* tensor);

// Creates the tensor of a declaration, or updates the existing one. `fail` reports an error and must throw.
void declare(Fusion& fusion, std::string_view declaration, std::map<std::string, const Val*, std::less<>>& values,
             const std::function<void(const std::string&)>& fail);

// What a launch of the kernel says of its workspaces, which the launch allocates and frees: " workspaces (T4, S5)"; ""
// if it has none.
std::string workspacesText(const Kernel& kernel);

}  // namespace fuser
