#pragma once
// The names in a kernel's text form: the kernel's own names, changed where they are not identifiers or not unique. The
// names of loop indices and loaded indices are unique among the names in their scope.

#include <string>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct KernelNames {
  std::vector<std::string> buffers;  // by Buffer::id
  std::vector<std::string> scalars;  // by index in Kernel::scalars
  std::vector<std::string> symbols;  // by IntNode::value of a symbol; "?name" if the kernel does not declare it
};

// Deterministic. Also accepts an invalid kernel, since messages about it quote these names.
KernelNames nameKernel(const Kernel& kernel);

// Whether the name is an identifier in the text form and in C++: letters, digits and '_', not starting with a digit.
bool isIdentifier(const std::string& name);

}  // namespace fuser
