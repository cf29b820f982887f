#include "fuser/text/expansions.h"

#include "fuser/ir/builder.h"
#include "fuser/ir/view_axes.h"
#include "fuser/support/check.h"

namespace fuser::text {
namespace {

// torch.select_scatter: one index along `dim`, as a slice_scatter of one element.
TensorView* selectScatter(Fusion& fusion, const std::vector<Val*>& operands, const Attributes& attributes,
                          const std::string& name) {
  auto* whole = operands[0]->as<TensorView>();
  const auto rank = static_cast<int64_t>(whole->rank());
  const int64_t written = attributes.dim(), dim = written < 0 ? written + rank : written;
  FUSER_USER_CHECK(0 <= dim && dim < rank, "select_scatter: dim ", written, " of a tensor with ", rank, " axes");
  IntExprArena& ints = fusion.ints();
  const IntExpr size = sizesOf(whole)[static_cast<size_t>(dim)], index = attributes.index();
  // A constant counts from the end once: slice_scatter does that, and finds no element before the first.
  const IntExpr place = index->isConstant() ? index : selectedPlace(ints, size, index);
  const IntExpr end = index->isConstant(-1) ? size : ints.add(place, ints.constant(1));
  TensorView* row = build::unsqueeze(fusion, operands[1]->as<TensorView>(), {dim}, name + ".row");
  return build::structuralTensor(fusion, OpKind::SliceScatter, {whole, row},
                                 Attributes().dim(dim).start(place).end(end), name);
}

// name, operands of, attributes of, function
constexpr Expansion kExpansions[] = {
    {"select_scatter", OpKind::SliceScatter, OpKind::Select, selectScatter},
};

}  // namespace

const Expansion* findExpansion(std::string_view name) {
  for (const Expansion& each : kExpansions) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::vector<std::string_view> expansionNames() {
  std::vector<std::string_view> names;
  for (const Expansion& each : kExpansions) names.push_back(each.name);
  return names;
}

}  // namespace fuser::text
