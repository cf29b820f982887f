// ReplaceOp: %y = exp(%x) -> %y = sin(%x). The family says which ops take the same operands and attributes.

#include <algorithm>

#include "fuser/ops/op_table.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

// The row that a line is.
const OpInfo* rowOf(const DraftLine& line) {
  for (OpKind op : kAllOps) {
    const OpInfo& info = opInfo(op);
    if (info.mnemonic != line.op) continue;
    const bool named = std::any_of(line.attributes.begin(), line.attributes.end(), [&](const auto& attribute) {
      return info.variant == attribute.first + " = " + attribute.second;
    });
    if (info.variant.empty() ? line.attributes.empty() || !isPointwise(op) : named) return &info;
  }
  return nullptr;
}

}  // namespace

bool mutateReplaceOp(Draft& draft, const Draft*, Choices& choices) {
  if (draft.lines.empty()) return false;
  DraftLine& line = draft.lines[choices.index(draft.lines.size())];
  const OpInfo* row = rowOf(line);
  if (!row) return false;
  std::vector<const OpInfo*> family;
  for (OpKind op : kAllOps) {
    if (opInfo(op).family == row->family && op != row->kind) family.push_back(&opInfo(op));
  }
  if (family.empty()) return false;
  const OpInfo* other = choices.pick(family);
  line.op = other->mnemonic;
  if (!isPointwise(row->kind)) return true;
  line.attributes.clear();
  const size_t equals = other->variant.find(" = ");
  if (equals != std::string_view::npos)
    line.attributes.emplace_back(other->variant.substr(0, equals), other->variant.substr(equals + 3));
  return true;
}

}  // namespace fuser::fuzz
