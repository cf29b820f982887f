// ReplaceOp: %y = exp(%x) -> %y = sin(%x). The family says which ops take the same operands and attributes. Operands in
// braces have names that the other pointwise op does not know: it gets its own, where these may be left out.

#include "fuser/ops/op_table.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateReplaceOp(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.lines.empty()) return false;
  EditLine& line = edit.lines[choices.index(edit.lines.size())];
  const OpInfo& row = opInfo(line.op);
  if (isPointwise(line.op) && row.variant.empty() && !line.braced.empty()) return false;
  std::vector<OpKind> family;
  for (OpKind op : kAllOps) {
    if (opInfo(op).family == row.family && op != line.op) family.push_back(op);
  }
  if (family.empty()) return false;
  line.op = choices.pick(family);
  if (isPointwise(line.op)) line.braced.clear();
  return true;
}

}  // namespace fuser::fuzz
