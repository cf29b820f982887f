#pragma once
// The names under which a kernel's text form shows its parts: the kernel's own where they are distinct identifiers,
// made so where they are not. A loop's index and a loaded one are told apart from what is visible beside them only.

#include <string>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct KernelNames {
  std::vector<std::string> buffers;  // by Buffer::id
  std::vector<std::string> scalars;  // by place in Kernel::scalars
  std::vector<std::string> symbols;  // by IntNode::value of a symbol; "?name" where the kernel does not declare it
};

// The same kernel gives the same names. Of a damaged kernel, too: messages about it quote them.
KernelNames nameKernel(const Kernel& kernel);

// Whether the text form, and printed C++, can show the name as it is: letters, digits and '_', no digit in front.
bool isIdentifier(const std::string& name);

}  // namespace fuser
